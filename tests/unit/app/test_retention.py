"""What is old is forgotten once a day, in steps; the audit stays."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import text

from gateway.app.retention import EVERY_S, FIRST_S, PAUSE_S, Retention
from gateway.clock import ManualClock
from gateway.model.point import Role
from gateway.model.sample import Tag
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles, Scope, StoredSample
from gateway.store.engine import Store
from gateway.store.samples import Samples
from gateway.store.sessions import Sessions
from gateway.store.tokens import Tokens
from gateway.store.users import Users

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
TAG = Tag("lt1.level")


@dataclass
class Kept:
    """A store with all that is forgotten, and the clock that makes it old."""

    store: Store
    audit: Audit
    clock: ManualClock
    samples: Samples
    users: Users
    tokens: Tokens
    sessions: Sessions

    def retention(self, keep_days: int = 30) -> Retention:
        return Retention(self.samples, self.sessions, self.tokens, self.users, self.clock, keep_days=keep_days)

    async def rows(self, table: str) -> int:
        return await self.store.read(lambda connection: int(connection.execute(text(f"select count(*) from {table}")).scalar_one()))  # noqa: S608 - a name of this file

    def put(self, count: int, first: datetime = T0) -> None:
        self.samples.put([StoredSample(tag=TAG, at=first + timedelta(seconds=number), value=number) for number in range(count)])


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    clock = ManualClock(T0)
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as store:
        audit = await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        yield Kept(
            store=store,
            audit=audit,
            clock=clock,
            samples=Samples(store),
            users=Users(store, audit, clock, hasher=cheap),
            tokens=Tokens(store, audit, clock),
            sessions=Sessions(store, clock),
        )


async def test_old_samples_sessions_tokens_and_tries_go_and_the_audit_stays(kept: Kept) -> None:
    kept.put(10)
    await kept.users.add("olga", "correct horse", Role.OPERATOR, by="test")
    await kept.sessions.start("olga", Role.OPERATOR)
    await kept.users.sign_in("olga", "wrong", "10.0.0.1")
    await kept.tokens.make("ci", Scope.READ, Role.VIEWER, 1, by="test")
    records = await kept.rows("audit")
    await kept.clock.advance(timedelta(days=31).total_seconds())
    pruning = asyncio.ensure_future(kept.retention().forget())
    while not pruning.done():
        await kept.clock.advance(PAUSE_S)
    await pruning
    assert [one.value for one in await kept.samples.query(TAG, T0, kept.clock.utc())] == [9], "the value that still held stays"
    assert (await kept.rows("sessions"), await kept.rows("login_failures")) == (0, 0)
    kept.clock.jump(-timedelta(days=31).total_seconds())
    assert [one.ended_by for one in await kept.tokens.all()] == ["time"]
    assert await kept.rows("audit") == records


async def test_what_is_younger_stays(kept: Kept) -> None:
    kept.put(10)
    await kept.clock.advance(timedelta(days=29).total_seconds())
    await kept.retention().forget()
    assert await kept.rows("samples") == 10


async def test_runs_after_ten_minutes_then_daily_and_outlives_a_refusing_database(kept: Kept) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(kept.retention(1).run())
        await asyncio.sleep(0)
        kept.put(10)
        await kept.store.flush()
        refuse = "create trigger full before delete on samples begin select raise(abort, 'disk is full'); end"
        await kept.store.write(lambda connection: connection.execute(text(refuse)))
        for wait_s in (FIRST_S, EVERY_S):
            await kept.clock.advance(wait_s)
            await _settled(kept)
        assert await kept.rows("samples") == 10
        await kept.store.write(lambda connection: connection.execute(text("drop trigger full")))
        await kept.clock.advance(EVERY_S)
        await _settled(kept)
        running.cancel()
    assert await kept.rows("samples") == 1


async def _settled(kept: Kept) -> None:
    """The run that is under way is over: it sleeps until tomorrow."""
    for _ in range(40):
        await kept.store.flush()
        await kept.store.read(lambda _: None)
        await kept.clock.advance(PAUSE_S)


async def test_pruning_goes_in_steps_between_which_others_write(kept: Kept) -> None:
    kept.put(12_000, T0 - timedelta(days=60))
    pauses = []

    async def pause() -> None:
        await kept.store.write(lambda _: None)
        pauses.append(await kept.rows("samples"))

    assert await kept.samples.prune(T0, pause) == 11_999
    assert pauses == [7_000, 2_000, 1]
