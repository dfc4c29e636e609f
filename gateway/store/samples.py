"""The past of tags: put, ask by time, and let the oldest go."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, Select, delete, func, select

from gateway.store.base import StoredSample, from_us, to_us
from gateway.store.engine import Store
from gateway.store.series import sample_of
from gateway.store.tables import samples, series

_PRUNED_AT_ONCE = 5_000


class Samples:
    """Samples of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, rows: Sequence[StoredSample]) -> None:
        """Keep `rows`; returns at once, never blocks (what happens when the database is slow: see Writer)."""
        self._store.writer.put(rows)

    async def query(self, tag: str, start: datetime, end: datetime, *, limit: int = 200_000) -> Sequence[StoredSample]:
        """What is known of `start..end`, in order: the sample that held at `start`, then the newest `limit` of the period."""
        await self._store.flush()
        return await self._store.read(lambda connection: _query(connection, tag, to_us(start), to_us(end), limit))

    async def latest(self, tags: Sequence[str] = ()) -> Sequence[StoredSample]:
        """The newest sample of each of `tags` (none given: of all tags)."""
        await self._store.flush()
        return await self._store.read(lambda connection: _latest(connection, tags))

    async def oldest(self, tag: str | None = None) -> datetime | None:
        """The time of the oldest sample of a tag, or of all."""
        await self._store.flush()
        return await self._store.read(lambda connection: _oldest(connection, tag))

    async def prune(self, before: datetime, pause: Callable[[], Awaitable[None]] | None = None) -> int:
        """Forget what is older than `before`, but for the sample that held then; how many went.

        Goes in steps of some thousand rows, each its own transaction, with a `pause` after each: other writes get their turn.
        """
        limit, gone = to_us(before), 0
        await self._store.flush()
        for number in await self._store.read(lambda connection: connection.execute(select(series.c.id)).scalars().all()):
            while count := await self._store.write(partial(_prune, number=number, limit=limit)):
                gone += count
                if pause is not None:
                    await pause()
        return gone


def _columns() -> Select[str, int, str, float | None, str | None, str | None]:
    joined = samples.join(series, samples.c.series == series.c.id)
    return select(series.c.tag, samples.c.at, samples.c.kind, samples.c.number, samples.c.text, samples.c.reason).select_from(joined)


def _query(connection: Connection, tag: str, start: int, end: int, limit: int) -> list[StoredSample]:
    of_tag = _columns().where(series.c.tag == tag)
    newest_first = samples.c.at.desc()
    before = connection.execute(of_tag.where(samples.c.at < start).order_by(newest_first).limit(1)).all()
    inside = connection.execute(of_tag.where(samples.c.at.between(start, end)).order_by(newest_first).limit(limit)).all()
    return [sample_of(*row) for row in (*before, *reversed(inside))]


def _latest(connection: Connection, tags: Sequence[str]) -> list[StoredSample]:
    newest = select(samples.c.series, func.max(samples.c.at).label("at")).group_by(samples.c.series).subquery()
    query = _columns().join(newest, (newest.c.series == samples.c.series) & (newest.c.at == samples.c.at))
    if tags:
        query = query.where(series.c.tag.in_(tags))
    return [sample_of(*row) for row in connection.execute(query.order_by(series.c.tag))]


def _oldest(connection: Connection, tag: str | None) -> datetime | None:
    query = select(func.min(samples.c.at))
    if tag is not None:
        query = query.join(series, samples.c.series == series.c.id).where(series.c.tag == tag)
    found = connection.execute(query).scalar()
    return None if found is None else from_us(found)


def _prune(connection: Connection, number: int, limit: int) -> int:
    """Delete a bounded number of rows, so that other writes get their turn in between."""
    of_series = samples.c.series == number
    held = connection.execute(select(func.max(samples.c.at)).where(of_series, samples.c.at < limit)).scalar()
    if held is None:
        return 0
    oldest = select(samples.c.at).where(of_series, samples.c.at < held).order_by(samples.c.at).limit(_PRUNED_AT_ONCE)
    last = connection.execute(select(func.max(oldest.subquery().c.at))).scalar()
    return 0 if last is None else connection.execute(delete(samples).where(of_series, samples.c.at <= last)).rowcount
