"""Changes of maps that wait: kept over a restart, taken away once, dropped when their time is over."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles
from gateway.store.engine import Store
from gateway.store.map_changes import MapChangeRow, MapChanges

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)


@asynccontextmanager
async def process(folder: Path, clock: ManualClock) -> AsyncIterator[tuple[MapChanges, Audit]]:
    async with await Store.open(f"sqlite:///{folder}/a.db") as store:
        audit = await Audit.open(store, AuditFiles(key=folder / "audit.key", anchor=folder / "audit.anchor"), clock)
        yield MapChanges(store, audit, clock), audit


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


def row(name: str, *, seconds: float = 60, text: str | None = "regmap: 1\n") -> MapChangeRow:
    until = T0 + timedelta(seconds=seconds)
    return MapChangeRow(id=name, map="m", by="anna", reason="页 12", base="b", text=text, digest="d", body="{}", until=until)


async def test_what_waits_outlives_the_process_oldest_first(tmp_path: Path, clock: ManualClock) -> None:
    async with process(tmp_path, clock) as (changes, _):
        assert await changes.put(row("z"), {"by": "anna"}, most=5)
        await clock.advance(1)
        assert await changes.put(row("a", text=None), {"by": "anna"}, most=5)
    async with process(tmp_path, clock) as (changes, audit):
        assert await changes.waiting() == [row("z"), row("a", text=None)]
        assert [record.kind for record in await audit.entries()] == ["map_proposed", "map_proposed"]
        assert (await audit.verify()).ok


async def test_one_ends_once_with_its_record(tmp_path: Path, clock: ManualClock) -> None:
    async with process(tmp_path, clock) as (changes, audit):
        await changes.put(row("a"), {"by": "anna"}, most=5)
        assert await changes.end("a", "map_change", "m", {"confirmed_by": "ben"})
        assert not await changes.end("a", "map_rejected", "m", {"rejected_by": "eve"})
        assert await changes.waiting() == []
        assert [record.kind for record in await audit.entries()] == ["map_change", "map_proposed"]


async def test_one_whose_time_is_over_waits_no_more(tmp_path: Path, clock: ManualClock) -> None:
    async with process(tmp_path, clock) as (changes, audit):
        await changes.put(row("a", seconds=60), {}, most=1)
        await clock.advance(60)
        assert await changes.waiting() == []
        assert not await changes.end("a", "map_change", "m", {})
        assert await changes.put(row("b", seconds=120), {}, most=1), "it makes room for another"
        assert [record.kind for record in await audit.entries()] == ["map_proposed", "map_proposed"]


async def test_no_more_than_so_many_wait(tmp_path: Path, clock: ManualClock) -> None:
    async with process(tmp_path, clock) as (changes, audit):
        assert [await changes.put(row(name), {}, most=2) for name in "abc"] == [True, True, False]
        assert [found.id for found in await changes.waiting()] == ["a", "b"]
        assert len(await audit.entries()) == 2
