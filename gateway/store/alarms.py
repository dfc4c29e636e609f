"""The alarm journal: every alarm that ever stood, and each change of it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Executable, Integer, cast, func, insert, select, update

from gateway.clock import Clock
from gateway.model.alarm import AlarmInfo, AlarmState
from gateway.model.point import Text
from gateway.model.sample import Tag
from gateway.store.base import from_us, to_us
from gateway.store.engine import Store
from gateway.store.tables import alarm_changes, alarms

_PREFIX = "AL-"


class AlarmJournal:
    """The journal of one store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def put(self, info: AlarmInfo) -> None:
        """Note a change, in order, without waiting for the database. Raises StoreError if it is far behind."""
        now = to_us(self._clock.utc())
        self._store.post(lambda connection: _put(connection, info, now))

    async def standing(self) -> Sequence[AlarmInfo]:
        """The newest alarm of each condition that is not normal, oldest first."""
        return await self._store.read(_standing)

    async def last_number(self) -> int:
        """The highest number given out as AL-NUMBER."""
        return await self._store.read(_last_number)

    async def query(
        self,
        *,
        tag: str | None = None,
        states: Sequence[AlarmState] = (),
        start: datetime | None = None,
        end: datetime | None = None,
        limit: int = 1000,
    ) -> Sequence[AlarmInfo]:
        """Alarms raised in `start..end`, newest first."""
        query = select(alarms).order_by(alarms.c.raised_at.desc(), alarms.c.id).limit(limit)
        if tag is not None:
            query = query.where(alarms.c.tag == tag)
        if states:
            query = query.where(alarms.c.state.in_(states))
        if start is not None:
            query = query.where(alarms.c.raised_at >= to_us(start))
        if end is not None:
            query = query.where(alarms.c.raised_at <= to_us(end))
        return await self._store.read(lambda connection: _infos(connection, query))

    async def flush(self) -> None:
        """Return when all changes put so far are in the database."""
        await self._store.flush()


def _put(connection: Connection, info: AlarmInfo, now: int) -> None:
    before = connection.execute(select(alarms.c.state).where(alarms.c.id == info.id)).scalar()
    row = {
        "id": info.id,
        "key": info.key,
        "tag": info.tag,
        "text_en": info.text.en,
        "text_zh": info.text.zh,
        "priority": info.priority,
        "state": info.state,
        "raised_at": to_us(info.raised_at),
        "cleared_at": _us(info.cleared_at),
        "acked_at": _us(info.acked_at),
        "acked_by": info.acked_by,
        "shelved_until": _us(info.shelved_until),
        "shelved_by": info.shelved_by,
    }
    if before is None:
        connection.execute(insert(alarms).values(row))
    else:
        connection.execute(update(alarms).where(alarms.c.id == info.id).values(row))
    if before != info.state:
        by = {"ACK_ACTIVE": info.acked_by, "SHELVED": info.shelved_by}.get(info.state, "")
        connection.execute(insert(alarm_changes).values(alarm=info.id, at=now, state=info.state, by=by))


def _standing(connection: Connection) -> list[AlarmInfo]:
    query = select(alarms).where(alarms.c.state != "NORMAL").order_by(alarms.c.raised_at, alarms.c.id)
    newest = {info.key: info for info in _infos(connection, query)}
    return list(newest.values())


def _last_number(connection: Connection) -> int:
    number = cast(func.substr(alarms.c.id, len(_PREFIX) + 1), Integer)
    return connection.execute(select(func.max(number)).where(alarms.c.id.startswith(_PREFIX))).scalar() or 0


def _infos(connection: Connection, query: Executable) -> list[AlarmInfo]:
    return [
        AlarmInfo(
            id=row.id,
            key=row.key,
            tag=Tag(row.tag),
            text=Text(row.text_en, row.text_zh),
            priority=row.priority,
            state=row.state,
            raised_at=from_us(row.raised_at),
            cleared_at=_at(row.cleared_at),
            acked_at=_at(row.acked_at),
            acked_by=row.acked_by,
            shelved_until=_at(row.shelved_until),
            shelved_by=row.shelved_by,
        )
        for row in connection.execute(query)
    ]


def _us(at: datetime | None) -> int | None:
    return None if at is None else to_us(at)


def _at(us: int | None) -> datetime | None:
    return None if us is None else from_us(us)
