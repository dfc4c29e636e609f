"""A change of a map, how far it came, and how one that waits is put away."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Literal

from pydantic import TypeAdapter

from gateway.errors import Finding
from gateway.maps.diff import Change
from gateway.service.map_files import Draft
from gateway.store.base import Body
from gateway.store.map_changes import MapChangeRow

Ended = Literal["active", "unchanged", "rejected", "preview"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapChange:
    """A wanted change of one map, or of all files for a reload (`map` empty), and how far it came."""

    id: str
    map: str
    state: Ended | Literal["pending"]
    by: str
    reason: str
    changes: tuple[Change, ...]
    warnings: tuple[Finding, ...] = ()
    expires_s: float = 0.0

    @property
    def is_risky(self) -> bool:
        """True if a second person has to look."""
        return any(change.is_risky for change in self.changes)

    def ended(self, state: Ended) -> "MapChange":
        """The same, come to its end."""
        return replace(self, state=state, expires_s=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A change with what it takes to carry it out; `digest` names what the plant becomes by it."""

    change: MapChange
    draft: Draft | None
    digest: str


@dataclass(frozen=True, slots=True)
class _Shown:
    changes: tuple[Change, ...]
    warnings: tuple[Finding, ...]


_SHOWN = TypeAdapter(_Shown)


def to_row(pending: Pending, until: datetime) -> MapChangeRow:
    """As it is put away."""
    change, draft = pending.change, pending.draft
    return MapChangeRow(
        id=change.id,
        map=change.map,
        by=change.by,
        reason=change.reason,
        base=draft.base if draft else "",
        text=draft.text if draft else None,
        digest=pending.digest,
        body=_SHOWN.dump_json(_Shown(change.changes, change.warnings)).decode(),
        until=until,
    )


def from_row(row: MapChangeRow, now: datetime) -> Pending:
    """As it waits."""
    shown = _SHOWN.validate_json(row.body)
    change = MapChange(
        id=row.id,
        map=row.map,
        state="pending",
        by=row.by,
        reason=row.reason,
        changes=shown.changes,
        warnings=shown.warnings,
        expires_s=(row.until - now).total_seconds(),
    )
    draft = None if row.text is None else Draft(map=row.map, text=row.text, base=row.base)
    return Pending(change=change, draft=draft, digest=row.digest)


def record_of(change: MapChange, **more: str) -> Body:
    """What the audit keeps of a change."""
    rows = [{**asdict(one), "risk": one.risk.en} for one in change.changes]
    return {"by": change.by, "reason": change.reason, "change": change.id, "changes": rows, **more}
