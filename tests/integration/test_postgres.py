"""The same store on PostgreSQL, by its URL in BUSMATE_TEST_POSTGRES (an empty database that may be filled)."""

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import create_engine, text

from gateway.model.point import Role
from gateway.model.sample import Scalar, Tag
from gateway.service.audit_trail import AuditTrail, Wanted
from gateway.service.base import Proposal
from gateway.service.confirm import AlreadyTakenError
from gateway.store.alarms import AlarmJournal
from gateway.store.base import Scope, StoredSample
from gateway.store.first_admin import FirstAdmin
from gateway.store.identities import Identities
from gateway.store.samples import Samples
from gateway.store.sessions import Sessions
from gateway.store.tokens import Tokens
from gateway.store.users import AccountError, Users
from tests.write_rig import START, Rig, running

URL = os.environ.get("BUSMATE_TEST_POSTGRES", "")

pytestmark = [pytest.mark.service, pytest.mark.skipif(not URL, reason="BUSMATE_TEST_POSTGRES names no database")]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    engine = create_engine(URL)
    with engine.begin() as connection:
        connection.execute(text("drop schema public cascade"))
        connection.execute(text("create schema public"))
    engine.dispose()
    async with running(tmp_path, url=URL) as made:
        yield made


async def test_t25_write_is_executed_once_by_two_processes(rig: Rig, tmp_path: Path) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    async with running(tmp_path, clock=rig.clock, line=rig.line, lan=rig.lan, url=URL) as other:
        results = await asyncio.gather(
            *(one.confirm(made, user) for user in ("olga", "otto") for one in (rig, other)), return_exceptions=True
        )
    assert sum(isinstance(one, Proposal) for one in results) == 1
    assert sum(isinstance(one, AlreadyTakenError) for one in results) == 3
    assert len(rig.line.writes) == 1
    assert (await rig.audit.verify()).ok


async def test_two_processes_extend_one_chain(rig: Rig, tmp_path: Path) -> None:
    async with running(tmp_path, clock=rig.clock, line=rig.line, lan=rig.lan, url=URL) as other:
        await asyncio.gather(*(one.audit.record("x", str(n), {}) for n in range(20) for one in (rig, other)))
    check = await rig.audit.verify()
    assert (check.ok, check.records) == (True, 40)


async def test_samples_come_back_exactly(rig: Rig) -> None:
    samples = Samples(rig.store)
    values: list[Scalar | None] = [Decimal("45.10"), 2**60, True, "T1\0RAW", 0.1, None]
    samples.put([StoredSample(tag=Tag("a.b"), at=START + timedelta(seconds=n), value=value) for n, value in enumerate(values)])
    samples.put([StoredSample(tag=Tag("a.b"), at=START, value=Decimal("45.20"))])
    found = await samples.query("a.b", START, START + timedelta(seconds=9))
    assert [repr(one.value) for one in found] == [
        repr(value) for value in (Decimal("45.20"), 2**60, True, "T1\N{SYMBOL FOR NULL}RAW", 0.1, None)
    ]
    assert await samples.prune(START + timedelta(seconds=3)) == 2


async def test_accounts_sessions_and_journal(rig: Rig) -> None:
    users = Users(rig.store, rig.audit, rig.clock, hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    await users.add("anna", "correct horse", Role.ADMIN, by="test")
    assert (await users.sign_in("anna", "correct horse", "10.0.0.1")).user is not None
    assert (await users.sign_in("anna", "wrong", "10.0.0.1")).user is None
    assert (await users.sign_in("an\0na", "wrong\0", "10.0.0.1")).user is None
    sessions = Sessions(rig.store, rig.clock)
    session = await sessions.start("anna", Role.ADMIN)
    assert await sessions.get(session.id) == session
    journal = AlarmJournal(rig.store, rig.clock)
    journal.put(rig.alarms["AL-1"])
    await journal.flush()
    assert await journal.standing() == [rig.alarms["AL-1"]]
    assert await journal.last_number() == 1


async def test_tokens_first_admin_and_people_of_a_provider(rig: Rig) -> None:
    users = Users(rig.store, rig.audit, rig.clock, hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    first = FirstAdmin(rig.store, users, rig.clock)
    code = await first.issue() or ""
    await first.use(code, "anna", "correct horse", by="test")
    with pytest.raises(AccountError):
        await first.use(code, "otto", "correct horse", by="test")
    tokens = Tokens(rig.store, rig.audit, rig.clock)
    secret, made = await tokens.make("ci", Scope.PROPOSE, Role.OPERATOR, 30, by="anna")
    assert await tokens.use(secret, "10.0.0.1") == made
    assert await tokens.alive(["ci", "cd"]) == {"ci"}
    await tokens.revoke("ci", by="anna")
    assert await tokens.use(secret, "10.0.0.1") is None
    identities = Identities(rig.audit, rig.clock)
    assert not await identities.enter("ida", "https://idp", "1", Role.VIEWER, "10.0.0.1")
    assert await identities.enter("ida", "https://idp", "1", Role.OPERATOR, "10.0.0.1")
    sessions = Sessions(rig.store, rig.clock)
    started = [(await sessions.start("ida", Role.OPERATOR)).id for _ in range(21)]
    assert len(await sessions.alive(started)) == 20
    await users.prune()
    page = await AuditTrail(rig.audit).page(Wanted(kind="accounts", about="ida"), Role.ADMIN)
    assert [record.kind for record in page.records] == ["sign_in", "user_role", "sign_in", "user_added"]
    assert (await rig.audit.verify()).ok
