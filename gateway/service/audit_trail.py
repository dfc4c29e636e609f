"""The audit for people: filtered, by pages, and only what the asker's role may see."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.model.point import Role
from gateway.store.audit import Audit
from gateway.store.base import Anchor, AuditRecord, Body

GROUPS: dict[str, tuple[str, ...]] = {
    "writes": (
        *("proposed", "refused", "approved", "confirmed", "sending", "waited", "outcome", "stopped", "rejected", "expired"),
        *("locked_out", "released"),
    ),
    "alarms": ("alarm_ack", "alarm_shelve", "alarm_unshelve"),
    "maps": ("map_proposed", "map_change", "map_rejected", "reload"),
    "manuals": ("manual_added", "manual_removed"),
    "accounts": (
        *("user_added", "user_role", "user_password", "user_disabled", "user_enabled"),
        *("sign_in", "sign_in_failed", "password_again", "token_made", "token_revoked", "token_used", "token_refused", "audit_exported"),
    ),
    "clock": ("time_jump",),
}
"""Kinds of records that belong together; each is a filter of its own."""

FINISHED = ("outcome", "alarm_ack")
"""What a viewer may see: how writes and acknowledgements ended."""

_READ_AT_ONCE = 500
_LOOKED_AT = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which records; what is None or empty does not matter.

    `kind` is a kind or one of GROUPS. `about` is a tag, a device, a proposal, an account, a map or a manual. `outcome` is how a write
    ended, or a refusal code.
    """

    start: datetime | None = None
    end: datetime | None = None
    user: str = ""
    about: str = ""
    outcome: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailPage:
    """Records, newest first. `older` is where the next page begins, None at the end; a page may be empty before that."""

    records: Sequence[AuditRecord]
    older: int | None


class AuditTrail:
    """What a person may see of the audit."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    async def page(self, wanted: Wanted, role: Role, *, before: int | None = None, limit: int = 100) -> TrailPage:
        """At most `limit` records before a sequence number; looks at some thousand, and goes on from `older`."""
        kinds = _kinds(wanted, role)
        found: list[AuditRecord] = []
        for _ in range(_LOOKED_AT // _READ_AT_ONCE):
            read = await self._audit.entries(kinds, None, wanted.start, wanted.end, before=before, limit=_READ_AT_ONCE)
            for record in read:
                before = record.seq
                if _may_see(record, role) and _matches(record, wanted):
                    found.append(record)
                    if len(found) == limit:
                        return TrailPage(records=found, older=before)
            if len(read) < _READ_AT_ONCE:
                return TrailPage(records=found, older=None)
        return TrailPage(records=found, older=before)

    async def copy(self, wanted: Wanted, role: Role, by: str) -> AsyncIterator[AuditRecord]:
        """All of them, oldest first; the audit notes who took the copy. Raises StoreError before the first one."""
        asked = {"kind": wanted.kind, "person": wanted.user, "about": wanted.about, "outcome": wanted.outcome}
        last = await self._audit.record("audit_exported", by, {"user": by, **asked})
        return self._walk(wanted, role, last.seq)

    async def head(self) -> Anchor:
        """The signed head of the whole chain, to be kept with a copy."""
        return await self._audit.head()

    async def _walk(self, wanted: Wanted, role: Role, last: int) -> AsyncIterator[AuditRecord]:
        kinds = _kinds(wanted, role)
        async for record in self._audit.walk():
            if record.seq >= last:
                return
            is_wanted = not kinds or record.kind in kinds
            if is_wanted and _is_within(record, wanted) and _may_see(record, role) and _matches(record, wanted):
                yield record


def _kinds(wanted: Wanted, role: Role) -> Sequence[str]:
    """The kinds to be read; none given means all."""
    kinds = GROUPS.get(wanted.kind, (wanted.kind,) if wanted.kind else ())
    if role.includes(Role.OPERATOR):
        return kinds
    return [kind for kind in FINISHED if not kinds or kind in kinds] or ["none"]


def _may_see(record: AuditRecord, role: Role) -> bool:
    """Who signed in from where is for admins."""
    return role.includes(Role.ADMIN) or record.kind not in GROUPS["accounts"]


def _is_within(record: AuditRecord, wanted: Wanted) -> bool:
    return (wanted.start is None or record.at >= wanted.start) and (wanted.end is None or record.at <= wanted.end)


def _matches(record: AuditRecord, wanted: Wanted) -> bool:
    body = record.body
    if wanted.user and wanted.user.casefold() not in {name.casefold() for name in _people(body)}:
        return False
    if wanted.outcome and wanted.outcome.casefold() not in {one.casefold() for one in _outcomes(record)}:
        return False
    about = wanted.about.casefold()
    return not about or any(one.casefold() == about or one.casefold().startswith(f"{about}.") for one in _subjects(record))


def _people(body: Body) -> Iterator[str]:
    for key in ("user", "by", "confirmed_by", "rejected_by"):
        yield from _texts(body.get(key))


def _outcomes(record: AuditRecord) -> Iterator[str]:
    if record.kind in ("refused", "rejected", "expired"):
        yield record.kind
    for key in ("outcome", "code", "codes"):
        yield from _texts(record.body.get(key))


def _subjects(record: AuditRecord) -> Iterator[str]:
    yield record.subject
    for key in ("tag", "device", "proposal", "alarm", "token", "doc", "tags"):
        yield from _texts(record.body.get(key))
    for key, name in (("writes", "tag"), ("changes", "point")):
        rows = record.body.get(key)
        for row in rows if isinstance(rows, list | tuple) else ():
            yield from _texts(row.get(name) if isinstance(row, dict) else None)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        yield from (one for one in value if isinstance(one, str))
