"""Tokens of programs, and the code of the first admin (THREATS C)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import text

from gateway.clock import ManualClock
from gateway.model.point import Role
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles, Scope
from gateway.store.engine import Store
from gateway.store.first_admin import CODE_LIFE_S, FirstAdmin
from gateway.store.tokens import Tokens
from gateway.store.users import AccountError, Users

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
DAY_S = 86400.0
PASSWORD = "correct horse"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


@pytest.fixture
async def audit(store: Store, tmp_path: Path, clock: ManualClock) -> Audit:
    return await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)


@pytest.fixture
def tokens(store: Store, audit: Audit, clock: ManualClock) -> Tokens:
    return Tokens(store, audit, clock)


@pytest.fixture
def users(store: Store, audit: Audit, clock: ManualClock) -> Users:
    return Users(store, audit, clock, hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


async def kinds(audit: Audit) -> list[str]:
    return [record.kind async for record in audit.walk()]


async def test_text_is_shown_once_and_its_digest_alone_is_kept(tokens: Tokens, store: Store, audit: Audit) -> None:
    secret, made = await tokens.make("ci", Scope.READ, Role.ENGINEER, 30, by="anna")
    assert len(secret) >= 43 + len("bmt_")
    rows = await store.read(lambda connection: str(connection.execute(text("select * from api_tokens")).all()))
    trail = str([record.body async for record in audit.walk()])
    assert secret.removeprefix("bmt_") not in rows + trail
    assert await tokens.use(secret, "10.0.0.1") == made
    assert await tokens.use(secret[:-1], "10.0.0.1") is None


async def test_two_tokens_share_nothing(tokens: Tokens) -> None:
    one, _ = await tokens.make("one", Scope.READ, Role.VIEWER, 1, by="anna")
    two, _ = await tokens.make("two", Scope.PROPOSE, Role.OPERATOR, 1, by="anna")
    assert one != two
    found = await tokens.use(two, "")
    assert found is not None
    assert (found.name, found.scope, found.role) == ("two", Scope.PROPOSE, Role.OPERATOR)


@pytest.mark.parametrize(
    ("name", "role", "days", "words"),
    [
        ("", Role.VIEWER, 1, "no name"),
        ("Two words", Role.VIEWER, 1, "no name"),
        ("a\nb", Role.VIEWER, 1, "no name"),
        ("ci", Role.ADMIN, 1, "admin"),
        ("ci", Role.VIEWER, 0, "days"),
        ("ci", Role.VIEWER, 366, "days"),
    ],
    ids=["no-name", "spaces", "newline", "admin", "no-days", "over-a-year"],
)
async def test_what_no_token_may_be_is_refused(tokens: Tokens, name: str, role: Role, days: int, words: str) -> None:
    with pytest.raises(AccountError, match=words):
        await tokens.make(name, Scope.READ, role, days, by="anna")


async def test_revoked_token_is_over_and_its_name_is_not_used_again(tokens: Tokens, audit: Audit) -> None:
    secret, _ = await tokens.make("ci", Scope.READ, Role.VIEWER, 30, by="anna")
    await tokens.revoke("ci", by="otto")
    assert await tokens.use(secret, "10.0.0.1") is None
    assert await tokens.alive(["ci"]) == set()
    with pytest.raises(AccountError, match="to revoke"):
        await tokens.revoke("ci", by="otto")
    with pytest.raises(AccountError, match="is or was"):
        await tokens.make("ci", Scope.READ, Role.VIEWER, 30, by="anna")
    assert [one.ended_by for one in await tokens.all()] == ["otto"]
    assert await kinds(audit) == ["token_made", "token_revoked", "token_refused"]


async def test_token_ends_and_a_clock_set_back_does_not_revive_it_T36(tokens: Tokens, clock: ManualClock) -> None:
    secret, _ = await tokens.make("ci", Scope.PROPOSE, Role.OPERATOR, 1, by="anna")
    await clock.advance(DAY_S - 1)
    assert await tokens.use(secret, "") is not None
    assert await tokens.role_of("ci") is Role.OPERATOR
    await clock.advance(1)
    assert await tokens.use(secret, "") is None
    assert await tokens.role_of("ci") is None
    clock.jump(-DAY_S)
    assert await tokens.use(secret, "") is None
    assert [one.ended_by for one in await tokens.all()] == ["time"]


async def test_token_that_only_reads_has_no_say_in_proposals(tokens: Tokens) -> None:
    await tokens.make("ci", Scope.READ, Role.ENGINEER, 1, by="anna")
    assert await tokens.role_of("ci") is None
    assert await tokens.role_of("nobody") is None


async def test_use_is_audited_once_a_day_for_each_address(tokens: Tokens, audit: Audit, clock: ManualClock, store: Store) -> None:
    secret, _ = await tokens.make("ci", Scope.READ, Role.VIEWER, 30, by="anna")
    for address in ("10.0.0.1", "10.0.0.2", "10.0.0.1"):
        await tokens.use(secret, address)
    await clock.advance(DAY_S)
    await tokens.use(secret, "10.0.0.1")
    used = [(record.subject, record.body["address"]) async for record in audit.walk() if record.kind == "token_used"]
    assert used == [("ci", "10.0.0.1"), ("ci", "10.0.0.2"), ("ci", "10.0.0.1")]
    await store.write(lambda _: None)
    assert [one.last_used_at for one in await tokens.all()] == [clock.utc()]


async def test_t82_full_disk_locks_no_program_out_of_reading(tokens: Tokens, store: Store) -> None:
    secret, _ = await tokens.make("ci", Scope.READ, Role.VIEWER, 30, by="anna")
    full = "create trigger full before insert on audit begin select raise(abort, 'disk is full'); end"
    await store.write(lambda connection: connection.execute(text(full)))
    assert await tokens.use(secret, "10.0.0.1") is not None


async def test_t45_first_admin_needs_the_code_and_the_code_works_once(store: Store, users: Users, audit: Audit, clock: ManualClock) -> None:
    first = FirstAdmin(store, users, clock)
    code = await first.issue()
    assert code is not None
    assert await first.is_wanted()
    with pytest.raises(AccountError, match="wrong"):
        await first.use("guess", "anna", PASSWORD, by="page")
    with pytest.raises(AccountError, match="8 characters"):
        await first.use(code, "anna", "short", by="page")
    await first.use(code, "anna", PASSWORD, by="page")
    assert await users.role_of("anna") is Role.ADMIN
    assert not await first.is_wanted()
    with pytest.raises(AccountError, match="used up"):
        await first.use(code, "otto", PASSWORD, by="page")
    assert await kinds(audit) == ["user_added"]


async def test_t45_code_is_worth_nothing_once_there_is_an_account(store: Store, users: Users, clock: ManualClock) -> None:
    first = FirstAdmin(store, users, clock)
    code = await first.issue()
    await users.add("olga", PASSWORD, Role.OPERATOR, by="terminal")
    with pytest.raises(AccountError, match="used up"):
        await first.use(code or "", "anna", PASSWORD, by="page")
    assert await first.issue() is None


async def test_t45_code_is_over_after_half_an_hour_a_new_start_and_a_reboot(store: Store, users: Users, clock: ManualClock) -> None:
    first = FirstAdmin(store, users, clock)
    old = await first.issue() or ""
    await clock.advance(CODE_LIFE_S)
    with pytest.raises(AccountError, match="too old"):
        await first.use(old, "anna", PASSWORD, by="page")
    replaced, now = await first.issue() or "", await first.issue() or ""
    with pytest.raises(AccountError, match="wrong"):
        await first.use(replaced, "anna", PASSWORD, by="page")
    with pytest.raises(AccountError, match="too old"):
        await FirstAdmin(store, users, ManualClock(clock.utc())).use(now, "anna", PASSWORD, by="page")
    stored = await store.read(lambda connection: str(connection.execute(text("select * from first_codes")).all()))
    assert now not in stored
