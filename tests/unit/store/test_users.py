"""Accounts and sessions (THREATS C)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import text

from gateway.clock import ManualClock
from gateway.model.point import Role
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles
from gateway.store.engine import Store
from gateway.store.sessions import IDLE_S, LIFETIME_S, Sessions
from gateway.store.users import AccountError, Users

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
PASSWORD = "correct horse"
WRONG = "battery staple"
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


@pytest.fixture
async def audit(store: Store, tmp_path: Path, clock: ManualClock) -> Audit:
    return await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)


@pytest.fixture
async def users(store: Store, audit: Audit, clock: ManualClock) -> Users:
    made = Users(store, audit, clock, hasher=CHEAP)
    await made.add("olga", PASSWORD, Role.OPERATOR, by="test")
    return made


async def test_right_password_signs_in_and_wrong_does_not(users: Users, audit: Audit) -> None:
    signed_in = await users.sign_in("olga", PASSWORD, "10.0.0.1")
    assert signed_in.user is not None
    assert (signed_in.user.name, signed_in.user.role) == ("olga", Role.OPERATOR)
    assert (await users.sign_in("olga", WRONG, "10.0.0.1")).user is None
    assert (await users.sign_in("nobody", PASSWORD, "10.0.0.1")).user is None
    assert [record.kind async for record in audit.walk()] == ["user_added", "sign_in", "sign_in_failed", "sign_in_failed"]


async def test_passwords_are_hashed_with_argon2_and_nowhere_in_clear(users: Users, store: Store) -> None:
    digest = await store.read(lambda connection: connection.execute(text("select hash from users")).scalar_one())
    assert digest.startswith("$argon2id$")
    assert PASSWORD not in digest


@pytest.mark.parametrize("password", ["", "short", "        "], ids=["empty", "short", "blank"])
async def test_t45_no_empty_or_short_password(users: Users, password: str) -> None:
    with pytest.raises(AccountError, match="8 characters"):
        await users.add("emil", password, Role.ENGINEER, by="test")
    with pytest.raises(AccountError, match="8 characters"):
        await users.set_password("olga", password, by="test")


@pytest.mark.parametrize("name", ["", "a\nb", "<img src=x>", "x" * 101, " lead"], ids=["empty", "newline", "markup", "long", "space"])
async def test_strange_names_are_refused(users: Users, name: str) -> None:
    with pytest.raises(AccountError, match="no account name"):
        await users.add(name, PASSWORD, Role.VIEWER, by="test")


async def test_chinese_names_are_fine(users: Users) -> None:
    await users.add("王工", PASSWORD, Role.ENGINEER, by="test")
    assert await users.role_of("王工") is Role.ENGINEER


async def test_same_name_twice_and_unknown_names_are_refused(users: Users) -> None:
    with pytest.raises(AccountError, match="already"):
        await users.add("olga", PASSWORD, Role.ADMIN, by="test")
    with pytest.raises(AccountError, match="no account"):
        await users.set_role("otto", Role.ADMIN, by="test")
    assert await users.role_of("otto") is None


async def test_changes_are_audited_with_who_made_them(users: Users, audit: Audit) -> None:
    await users.set_role("olga", Role.ENGINEER, by="anna")
    await users.set_password("olga", WRONG, by="anna")
    await users.set_disabled("olga", is_disabled=True, by="anna")
    await users.set_disabled("olga", is_disabled=False, by="anna")
    records = [record async for record in audit.walk()][1:]
    assert [record.kind for record in records] == ["user_role", "user_password", "user_disabled", "user_enabled"]
    assert {record.body["by"] for record in records} == {"anna"}
    assert WRONG not in str([record.body for record in records])
    assert (await users.sign_in("olga", WRONG, "")).user is not None


async def test_disabled_account_has_no_role_and_no_way_in(users: Users) -> None:
    await users.set_disabled("olga", is_disabled=True, by="test")
    assert await users.role_of("olga") is None
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.1")).user is None
    assert [(one.name, one.is_disabled) for one in await users.all()] == [("olga", True)]


async def test_t42_guesses_of_an_account_are_locked_longer_each_time(users: Users, clock: ManualClock) -> None:
    for number in range(5):
        assert (await users.sign_in("olga", WRONG, f"10.0.0.{number}")).wait_s == 0
    locked = await users.sign_in("olga", PASSWORD, "10.0.0.9")
    assert (locked.user, locked.wait_s) == (None, 30)
    await clock.advance(30)
    assert (await users.sign_in("olga", WRONG, "10.0.0.9")).wait_s == 0
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.9")).wait_s == 60
    await clock.advance(60)
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.9")).user is not None
    assert (await users.sign_in("olga", WRONG, "10.0.0.9")).wait_s == 0


async def test_t42_wall_clock_does_not_unlock(users: Users, clock: ManualClock) -> None:
    for _ in range(5):
        await users.sign_in("olga", WRONG, "10.0.0.1")
    clock.jump(86400)
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.1")).wait_s == 30


async def test_t42_spraying_many_names_locks_the_address_alone(users: Users) -> None:
    for number in range(20):
        assert (await users.sign_in(f"name{number}", WRONG, "10.0.0.66")).wait_s == 0
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.66")).wait_s == 30
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.1")).user is not None


async def test_t42_an_own_account_does_not_reset_the_address(users: Users) -> None:
    for number in range(20):
        await users.sign_in(f"name{number}", WRONG, "10.0.0.66")
        if number == 10:
            assert (await users.sign_in("olga", PASSWORD, "10.0.0.66")).user is not None
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.66")).wait_s > 0


async def test_t42_a_new_password_from_the_console_unlocks(users: Users) -> None:
    for _ in range(5):
        await users.sign_in("olga", WRONG, "10.0.0.1")
    await users.set_password("olga", WRONG, by="console")
    assert (await users.sign_in("olga", WRONG, "10.0.0.1")).user is not None


async def test_t42_old_failures_are_forgotten(users: Users, clock: ManualClock) -> None:
    for _ in range(4):
        await users.sign_in("olga", WRONG, "10.0.0.1")
    await clock.advance(901)
    for _ in range(4):
        await users.sign_in("olga", WRONG, "10.0.0.1")
    assert (await users.sign_in("olga", PASSWORD, "10.0.0.1")).user is not None


async def test_t42_locks_hold_after_a_reboot(users: Users, store: Store, audit: Audit, clock: ManualClock) -> None:
    await clock.advance(1000)
    for _ in range(5):
        await users.sign_in("olga", WRONG, "10.0.0.1")
    rebooted = Users(store, audit, ManualClock(clock.utc()), hasher=CHEAP)
    assert (await rebooted.sign_in("olga", PASSWORD, "10.0.0.1")).wait_s == 30


async def test_t43_each_sign_in_has_its_own_session_and_token(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    one, two = await sessions.start("olga", Role.OPERATOR), await sessions.start("olga", Role.OPERATOR)
    assert len({one.id, two.id, one.csrf, two.csrf}) == 4
    assert await sessions.get(one.id) == one
    stored = await store.read(lambda connection: str(connection.execute(text("select * from sessions")).all()))
    assert one.id not in stored
    await sessions.end(one.id)
    assert await sessions.get(one.id) is None
    assert await sessions.get(two.id) == two
    assert await sessions.get("guess") is None


async def test_t43_idle_session_is_locked_and_use_keeps_it(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    session = await sessions.start("olga", Role.OPERATOR)
    await clock.advance(IDLE_S - 1)
    assert await sessions.get(session.id) is not None
    await clock.advance(IDLE_S - 1)
    assert await sessions.get(session.id) is not None
    await clock.advance(IDLE_S)
    assert await sessions.get(session.id) is None


async def test_t43_session_ends_after_a_shift_however_busy(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    session = await sessions.start("olga", Role.OPERATOR)
    for _ in range(int(LIFETIME_S / 600) - 1):
        await clock.advance(600)
        assert await sessions.get(session.id) is not None
    await clock.advance(600)
    assert await sessions.get(session.id) is None
    await sessions.prune()
    assert await store.read(lambda connection: connection.execute(text("select count(*) from sessions")).scalar_one()) == 0


async def test_t82_full_disk_locks_nobody_out_of_reading(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    session = await sessions.start("olga", Role.OPERATOR)
    full = "create trigger full before update on sessions begin select raise(abort, 'disk is full'); end"
    await store.write(lambda connection: connection.execute(text(full)))
    for _ in range(4):
        await clock.advance(IDLE_S - 1)
        assert await sessions.get(session.id) is not None
    await clock.advance(IDLE_S)
    assert await sessions.get(session.id) is None


async def test_password_is_fresh_for_five_minutes(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    session = await sessions.start("olga", Role.OPERATOR)
    assert session.is_fresh
    await clock.advance(300)
    found = await sessions.get(session.id)
    assert found is not None
    assert not found.is_fresh


async def test_t44_another_role_or_disabling_ends_the_sessions(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    before = await sessions.start("olga", Role.OPERATOR)
    await users.set_role("olga", Role.VIEWER, by="test")
    assert await sessions.get(before.id) is None
    after = await sessions.start("olga", Role.VIEWER)
    assert await sessions.alive([before.id, after.id]) == {after.id}
    await users.set_disabled("olga", is_disabled=True, by="test")
    await users.set_disabled("olga", is_disabled=False, by="test")
    assert await sessions.get(after.id) is None


async def test_t44_role_of_a_session_is_the_one_of_now(users: Users, store: Store, clock: ManualClock) -> None:
    session = await Sessions(store, clock).start("olga", Role.OPERATOR)
    await store.write(lambda connection: connection.execute(text("update users set role = 'viewer'")))
    found = await Sessions(store, clock).get(session.id)
    assert found is not None
    assert found.role is Role.VIEWER


async def test_t43_looking_whether_a_session_is_alive_keeps_nobody_signed_in(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    session = await sessions.start("olga", Role.OPERATOR)
    await clock.advance(IDLE_S - 1)
    assert await sessions.alive([session.id, "guess"]) == {session.id}
    await clock.advance(1)
    assert await sessions.alive([session.id]) == set()


async def test_t43_the_oldest_of_too_many_sessions_ends(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    started = []
    for _ in range(21):
        started.append((await sessions.start("olga", Role.OPERATOR)).id)
        await clock.advance(1)
    assert await sessions.alive(started) == set(started[1:])


async def test_t43_password_given_again_is_fresh(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock, fresh_s=60)
    session = await sessions.start("olga", Role.OPERATOR)
    await clock.advance(60)
    stale = await sessions.get(session.id)
    await sessions.prove(session.id)
    again = await sessions.get(session.id)
    assert stale is not None
    assert again is not None
    assert (stale.is_fresh, again.is_fresh) == (False, True)


async def test_a_new_password_ends_the_sessions(users: Users, store: Store, clock: ManualClock) -> None:
    sessions = Sessions(store, clock)
    session = await sessions.start("olga", Role.OPERATOR)
    await users.set_password("olga", WRONG, by="test")
    assert await sessions.get(session.id) is None


async def test_session_from_before_a_reboot_goes_by_the_wall_clock(users: Users, store: Store, clock: ManualClock) -> None:
    await clock.advance(5000)
    session = await Sessions(store, clock).start("olga", Role.OPERATOR)
    after = ManualClock(clock.utc())
    assert await Sessions(store, after).get(session.id) is not None
    late = ManualClock(clock.utc())
    late.jump(LIFETIME_S)
    assert await Sessions(store, late).get(session.id) is None
