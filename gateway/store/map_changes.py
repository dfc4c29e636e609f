"""Changes of maps that wait for a second engineer; unlike writes they outlive a restart."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, Row, delete, func, insert, select

from gateway.clock import Clock
from gateway.store.audit import Append, Audit
from gateway.store.base import Body, from_us, to_us
from gateway.store.engine import Store
from gateway.store.tables import map_changes


@dataclass(frozen=True, slots=True, kw_only=True)
class MapChangeRow:
    """One change: `text` None is a reload of all files; `body` is what the engineer was shown, as JSON."""

    id: str
    map: str
    by: str
    reason: str
    base: str
    text: str | None
    digest: str
    body: str
    until: datetime


class MapChanges:
    """The waiting changes of one store."""

    def __init__(self, store: Store, audit: Audit, clock: Clock) -> None:
        self._store = store
        self._audit = audit
        self._clock = clock

    async def put(self, row: MapChangeRow, record: Body, *, most: int) -> bool:
        """Store it with its audit record `map_proposed`; False if `most` wait already. Those whose time is over are dropped."""
        now = to_us(self._clock.utc())

        def work(connection: Connection, append: Append) -> bool:
            connection.execute(delete(map_changes).where(map_changes.c.until <= now))
            if connection.execute(select(func.count()).select_from(map_changes)).scalar_one() >= most:
                return False
            connection.execute(insert(map_changes), {**asdict(row), "until": to_us(row.until), "created_at": now})
            append("map_proposed", row.map, record)
            return True

        return await self._audit.transact(work)

    async def waiting(self) -> Sequence[MapChangeRow]:
        """Those that still wait, oldest first."""
        now = to_us(self._clock.utc())
        query = select(map_changes).where(map_changes.c.until > now).order_by(map_changes.c.created_at, map_changes.c.id)
        return await self._store.read(lambda connection: [_row(found) for found in connection.execute(query)])

    async def end(self, change: str, kind: str, subject: str, record: Body) -> bool:
        """Take one away with an audit record of this kind; False, and no record, if it does not wait any more."""
        now = to_us(self._clock.utc())

        def work(connection: Connection, append: Append) -> bool:
            gone = connection.execute(delete(map_changes).where(map_changes.c.id == change, map_changes.c.until > now))
            if gone.rowcount:
                append(kind, subject, record)
            return bool(gone.rowcount)

        return await self._audit.transact(work)


def _row(found: Row[tuple[object, ...]]) -> MapChangeRow:
    return MapChangeRow(
        id=found.id,
        map=found.map,
        by=found.by,
        reason=found.reason,
        base=found.base,
        text=found.text,
        digest=found.digest,
        body=found.body,
        until=from_us(found.until),
    )
