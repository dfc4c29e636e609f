"""The audit as people read it: finished writes and acknowledgements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from gateway.model.sample import Scalar
from gateway.service.base import AuditEntry
from gateway.store.audit import Audit
from gateway.store.base import AuditRecord

_ACTS = ("outcome", "alarm_ack", "alarm_shelve", "alarm_unshelve")


class FinishedActs:
    """AuditReader over the audit of one gateway."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    async def __call__(self, tag: str | None, start: datetime | None, end: datetime | None) -> Sequence[AuditEntry]:
        """Those of a tag and a time, newest first."""
        records = await self._audit.entries(_ACTS, start=start, end=end)
        return [_entry(record) for record in records if tag is None or record.body.get("tag") == tag]


def _entry(record: AuditRecord) -> AuditEntry:
    body = record.body
    is_write = record.kind == "outcome"
    by = body.get("confirmed_by")
    return AuditEntry(
        at=record.at,
        user=_text(body, "user"),
        confirmed_by=tuple(map(str, by)) if isinstance(by, list) else (_text(body, "user"),),
        tag=_text(body, "tag"),
        old=_scalar(body, "old"),
        new=_scalar(body, "new"),
        read_back=_scalar(body, "read_back"),
        unit=_text(body, "unit"),
        reason=_text(body, "reason"),
        outcome=_text(body, "outcome") if is_write else record.kind,
        code=_text(body, "code"),
        proposal=_text(body, "proposal") if is_write else _text(body, "alarm"),
    )


def _text(body: Mapping[str, object], name: str) -> str:
    found = body.get(name)
    return "" if found is None else str(found)


def _scalar(body: Mapping[str, object], name: str) -> Scalar | None:
    found = body.get(name)
    return found if isinstance(found, bool | int | float | Decimal | str) else None
