"""Housekeeping of proposals: whose role changed elsewhere, and a store that refuses (THREATS T44, T82)."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from gateway.app.gateway import keep_house
from gateway.app.people_watch import PeopleWatch
from gateway.clock import ManualClock
from gateway.errors import StoreError
from gateway.model.point import Role
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles, Scope
from gateway.store.engine import Store
from gateway.store.tokens import Tokens
from gateway.store.users import Users


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 10, 6, 0, tzinfo=UTC))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as opened:
        yield opened


async def test_change_by_another_process_is_heard_of_once_T44(store: Store, tmp_path: Path, clock: ManualClock) -> None:
    files = AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor")
    ours = await Audit.open(store, files, clock)
    forgotten: list[str] = []

    async def forget(user: str) -> None:
        forgotten.append(user)

    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as other:
        terminal = await Audit.open(other, files, clock)
        users = Users(other, terminal, clock, hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        tokens = Tokens(other, terminal, clock)
        for name in ("olga", "otto", "old"):
            await users.add(name, "correct horse", Role.OPERATOR, by="terminal")
        await tokens.make("ci", Scope.PROPOSE, Role.OPERATOR, 1, by="terminal")
        await users.set_role("old", Role.VIEWER, by="terminal")
        watch = PeopleWatch(ours, forget)
        await watch.look()
        assert forgotten == [], "what was before the start concerns no open card"
        await users.set_role("olga", Role.VIEWER, by="terminal")
        await users.set_disabled("otto", is_disabled=True, by="terminal")
        await users.set_password("old", "another horse", by="terminal")
        await tokens.revoke("ci", by="terminal")
        await watch.look()
        await watch.look()
    assert forgotten == ["api:ci", "olga", "otto"]


async def test_first_change_ever_is_heard_of(store: Store, tmp_path: Path, clock: ManualClock) -> None:
    audit = await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)
    forgotten: list[str] = []

    async def forget(user: str) -> None:
        forgotten.append(user)

    watch = PeopleWatch(audit, forget)
    await watch.look()
    await audit.record("user_role", "olga", {"user": "olga"})
    await watch.look()
    assert forgotten == ["olga"]


async def test_store_that_refuses_stops_nothing_and_is_told_once_T82(
    store: Store, tmp_path: Path, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    audit = await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)
    answers: list[StoreError | None] = [StoreError("disk is full"), StoreError("disk is full"), None, StoreError("disk is full"), None]
    calls: list[int] = []

    async def expire_due() -> None:
        calls.append(len(calls))
        if (error := answers[calls[-1]]) is not None:
            raise error

    async def forget(_: str) -> None:
        pytest.fail("nobody was changed")

    with caplog.at_level(logging.WARNING, logger="gateway.app.gateway"):
        async with asyncio.TaskGroup() as group:
            house = group.create_task(keep_house(clock, PeopleWatch(audit, forget), expire_due))
            await asyncio.sleep(0)
            while len(calls) < len(answers):
                await clock.advance(5)
                await store.read(lambda _: None)
            assert not house.done()
            house.cancel()
    assert len(caplog.records) == 2
