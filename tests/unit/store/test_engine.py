"""The database: one writer, bounded queues, errors that name what to do."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, func, insert, select, text

from gateway.errors import StoreError
from gateway.model.sample import Tag
from gateway.store.base import StoredSample
from gateway.store.engine import Store
from gateway.store.tables import samples, series
from gateway.store.writer import Writer

T0 = datetime(2026, 3, 10, tzinfo=UTC)


def sample(second: int, tag: str = "a.b", value: int = 1) -> StoredSample:
    return StoredSample(tag=Tag(tag), at=T0 + timedelta(seconds=second), value=value)


def add(tag: str) -> Callable[[Connection], int]:
    return lambda connection: connection.execute(insert(series).values(tag=tag)).rowcount


async def test_write_is_committed_when_it_returns(store: Store, tmp_path: Path) -> None:
    await store.write(add("x.y"))
    with sqlite3.connect(tmp_path / "a.db") as other:
        assert other.execute("select tag from series").fetchall() == [("x.y",)]
    other.close()


async def test_failed_write_leaves_nothing_and_the_next_one_works(store: Store) -> None:
    def half(connection: Connection) -> None:
        add("half.done")(connection)
        connection.execute(text("select * from nowhere"))

    with pytest.raises(StoreError, match="refused a write"):
        await store.write(half)
    await store.write(add("x.y"))
    assert await store.read(lambda connection: connection.execute(select(series.c.tag)).scalars().all()) == ["x.y"]


async def test_error_of_the_work_itself_comes_back_as_it_is(store: Store) -> None:
    def work(_: Connection) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await store.write(work)


async def test_unreadable_query_is_a_store_error(store: Store) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        await store.read(lambda connection: connection.execute(text("select * from nowhere")))


async def test_writes_keep_their_order(store: Store) -> None:
    seen: list[int] = []

    def note(_: Connection, number: int) -> None:
        seen.append(number)

    async with asyncio.TaskGroup() as group:
        for number in range(50):
            group.create_task(store.write(partial(note, number=number)))
    assert seen == list(range(50))


async def test_reader_does_not_wait_for_a_writer(store: Store) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        add("slow.one")(connection)
        inside.set()
        assert go_on.wait(10)

    writing = asyncio.ensure_future(store.write(slow))
    await asyncio.to_thread(inside.wait, 10)
    assert await store.read(lambda connection: connection.execute(select(func.count()).select_from(series)).scalar()) == 0
    go_on.set()
    await writing


async def test_a_cancelled_waiter_does_not_stop_the_writer(store: Store) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(_: Connection) -> None:
        inside.set()
        assert go_on.wait(10)

    first = asyncio.ensure_future(store.write(slow))
    await asyncio.to_thread(inside.wait, 10)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    go_on.set()
    assert await store.write(add("x.y")) == 1


async def test_close_writes_what_waits(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/a.db")
    store.writer.put([sample(0), sample(1)])
    await store.close()
    again = create_engine(f"sqlite:///{tmp_path}/a.db")
    with again.begin() as connection:
        assert connection.execute(select(func.count()).select_from(samples)).scalar() == 2
    again.dispose()
    with pytest.raises(StoreError, match="closed"):
        await store.write(add("x.y"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "store.url"),
        ("mysterydb://x/y", "store.url"),
        ("sqlite:////proc/none/x.db", "cannot be"),
    ],
    ids=["not-a-url", "unknown-database", "unwritable"],
)
async def test_unusable_url_is_one_clear_error(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        await Store.open(url)


async def test_file_that_is_no_database_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"junk" * 1000)
    with pytest.raises(StoreError, match="cannot be opened"):
        await Store.open(f"sqlite:///{tmp_path}/a.db")


async def test_new_database_is_its_owners_alone(store: Store, tmp_path: Path) -> None:
    await store.write(add("x.y"))
    assert modes(tmp_path) == {0}


def modes(folder: Path) -> set[int]:
    """What others than the owner may do with its files."""
    return {file.stat().st_mode & 0o077 for file in folder.iterdir()}


class Slow:
    """A place for samples that can be shut."""

    def __init__(self) -> None:
        self.kept: list[StoredSample] = []
        self.is_shut = False
        self.batches: list[int] = []

    def keep(self, connection: Connection, rows: Sequence[StoredSample]) -> None:
        if self.is_shut:
            connection.execute(text("select * from disk_is_full"))
        self.batches.append(len(rows))
        self.kept.extend(rows)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = create_engine(f"sqlite:///{tmp_path}/w.db")
    yield made
    made.dispose()


def test_samples_go_in_batches_before_a_job_that_asks_for_them(engine: Engine) -> None:
    place = Slow()
    writer = Writer(engine, place.keep, batch=4, lag_s=1000)
    writer.put([sample(n) for n in range(3)])
    assert place.kept == []
    writer.submit(lambda _: None, after_samples=True).result(10)
    writer.put([sample(n) for n in range(3, 12)])
    writer.stop()
    assert [one.at.second for one in place.kept] == list(range(12))
    assert max(place.batches) <= 4


def test_full_buffer_drops_the_oldest_and_counts(engine: Engine) -> None:
    place = Slow()
    place.is_shut = True
    writer = Writer(engine, place.keep, max_samples=10, lag_s=1000)
    writer.put([sample(n) for n in range(8)])
    writer.put([sample(n) for n in range(8, 15)])
    assert (writer.status.waiting, writer.status.dropped) == (10, 5)
    writer.put([sample(n) for n in range(20, 45)])
    assert (writer.status.waiting, writer.status.dropped) == (10, 30)
    place.is_shut = False
    writer.submit(lambda _: None, after_samples=True).result(10)
    writer.stop()
    assert [one.at.second for one in place.kept] == list(range(35, 45))


def test_samples_that_cannot_be_written_wait_and_are_written_later(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    place = Slow()
    place.is_shut = True
    writer = Writer(engine, place.keep, lag_s=1000)
    writer.put([sample(0)])
    for _ in range(3):
        writer.submit(lambda _: None, after_samples=True).result(10)
    assert "disk_is_full" in writer.status.trouble
    place.is_shut = False
    writer.submit(lambda _: None, after_samples=True).result(10)
    assert (writer.status.trouble, writer.status.waiting) == ("", 0)
    writer.stop()
    assert [record.levelname for record in caplog.records] == ["ERROR", "INFO"]


def test_full_job_queue_refuses(engine: Engine) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(_: Connection) -> None:
        inside.set()
        assert go_on.wait(10)

    writer = Writer(engine, Slow().keep, max_jobs=2)
    first = writer.submit(slow)
    assert inside.wait(10)
    waiting = [writer.submit(lambda _: None) for _ in range(2)]
    with pytest.raises(StoreError, match="2 writes behind"):
        writer.submit(lambda _: None)
    go_on.set()
    for job in (first, *waiting):
        job.result(10)
    writer.stop()


def test_job_cancelled_while_it_waits_is_not_run(engine: Engine) -> None:
    inside, go_on = threading.Event(), threading.Event()
    ran: list[int] = []

    def slow(_: Connection) -> None:
        inside.set()
        assert go_on.wait(10)

    writer = Writer(engine, Slow().keep)
    writer.submit(slow)
    assert inside.wait(10)
    assert writer.submit(lambda _: ran.append(1)).cancel()
    go_on.set()
    writer.stop()
    assert ran == []


def test_samples_that_come_during_a_batch_are_not_lost(engine: Engine) -> None:
    kept: list[int] = []
    more = [sample(n) for n in range(4, 8)]

    def keep(_: Connection, rows: Sequence[StoredSample]) -> None:
        kept.extend(one.at.second for one in rows)
        late, more[:] = list(more), []
        writer.put(late)

    writer = Writer(engine, keep, max_samples=4, batch=4, lag_s=1000)
    writer.put([sample(n) for n in range(4)])
    writer.submit(lambda _: None, after_samples=True).result(10)
    writer.stop()
    assert kept == list(range(8))


def test_job_does_not_wait_for_a_backlog_of_samples(engine: Engine) -> None:
    inside, go_on = threading.Event(), threading.Event()
    kept: list[int] = []

    def keep(_: Connection, rows: Sequence[StoredSample]) -> None:
        inside.set()
        assert go_on.wait(10)
        kept.extend(one.at.second for one in rows)

    writer = Writer(engine, keep, batch=1, lag_s=0)
    writer.put([sample(n) for n in range(20)])
    assert inside.wait(10)
    job = writer.submit(lambda _: len(kept))
    go_on.set()
    assert job.result(10) <= 2
    writer.stop()
    assert kept == list(range(20))
