"""Accounts: argon2 hashes, roles, and a guess costs more time the more of them there were."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from gateway.clock import Clock
from gateway.errors import GatewayError
from gateway.model.point import Role
from gateway.store.audit import Append, Audit
from gateway.store.base import User, from_us, to_us
from gateway.store.engine import Store
from gateway.store.tables import login_failures, sessions, users

MIN_PASSWORD = 8

_FREE_TRIES: dict[str, int] = {"user": 5, "address": 20}
_FIRST_LOCK_S = 30.0
_LONGEST_LOCK_S = 900.0
NAME = re.compile(r"[\w][\w.@ -]{0,99}")


class AccountError(GatewayError):
    """An account cannot be made or changed so."""

    code = "ACCOUNT"

    def __init__(self, message: str, message_zh: str = "", *, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.message_zh = message_zh or message


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """How a try to sign in ended; `wait_s` is how long no more tries are looked at."""

    user: User | None
    wait_s: float = 0.0


class Users:
    """The accounts of one store. Every change and every try stands in the audit."""

    def __init__(self, store: Store, audit: Audit, clock: Clock, *, hasher: PasswordHasher | None = None) -> None:
        self._store = store
        self._audit = audit
        self._clock = clock
        self._hasher = hasher or PasswordHasher()
        self._of_nobody = ""

    async def add(self, name: str, password: str, role: Role, *, by: str, check: Callable[[Connection], None] | None = None) -> None:
        """A new account, if `check` in the same transaction raises nothing. Raises AccountError."""
        if not NAME.fullmatch(name):
            raise AccountError(f"{name!r} is no account name", f"{name!r} 不能作为用户名", fix="use letters, digits, and . _ - @")
        digest = await self._hash(password)
        row = {"name": name, "role": str(role), "hash": digest, "is_disabled": False, "created_at": to_us(self._clock.utc())}

        def work(connection: Connection, append: Append) -> bool:
            if check is not None:
                check(connection)
            if _find(connection, name) is not None:
                return False
            connection.execute(insert(users).values(row))
            append("user_added", name, {"user": name, "role": str(role), "by": by})
            return True

        if not await self._audit.transact(work):
            raise AccountError(f"there is an account {name} already", f"用户 {name} 已存在", fix="busmate user role or password changes it")

    async def set_role(self, name: str, role: Role, *, by: str) -> None:
        """Another role; ends the account's sessions, as they were begun under the old one. Raises AccountError."""
        await self._change(name, {"role": str(role)}, "user_role", {"role": str(role), "by": by})

    async def set_password(self, name: str, password: str, *, by: str) -> None:
        """Another password; also unlocks the account and ends its sessions. Raises AccountError."""
        await self._change(name, {"hash": await self._hash(password)}, "user_password", {"by": by})

    async def set_disabled(self, name: str, *, is_disabled: bool, by: str) -> None:
        """Shut an account, or open it again. Raises AccountError."""
        await self._change(name, {"is_disabled": is_disabled}, "user_disabled" if is_disabled else "user_enabled", {"by": by})

    async def all(self) -> Sequence[User]:
        """All accounts by name."""
        return await self._store.read(lambda connection: [_user(row) for row in connection.execute(_all().order_by(users.c.name))])

    async def role_of(self, user: str) -> Role | None:
        """The role an account has now; None if there is none or it is disabled."""
        found = await self._store.read(lambda connection: _find(connection, user))
        return None if found is None or found.is_disabled else found.role

    async def sign_in(self, name: str, password: str, address: str, *, act: Literal["sign_in", "password_again"] = "sign_in") -> SignIn:
        """Try a password; `act` is how the audit calls it. A wrong name costs the same time as a wrong password, and looks the same.

        After five wrong tries of an account, or twenty of an address, further ones wait, each time longer.
        """
        name = name.replace("\0", "\N{SYMBOL FOR NULL}")
        wait_s = await self._store.read(lambda connection: self._wait_s(connection, name, address))
        if wait_s > 0:
            return SignIn(user=None, wait_s=wait_s)
        found, is_right = await self._store.read(lambda connection: self._verify(connection, name, password))
        mono, now = self._clock.monotonic(), to_us(self._clock.utc())

        def work(connection: Connection, append: Append) -> None:
            if is_right:
                connection.execute(delete(login_failures).where(login_failures.c.kind == "user", login_failures.c.key == name))
            else:
                for kind, key in _keys(name, address):
                    count = self._failures(connection, kind, key)[0]
                    connection.execute(delete(login_failures).where(login_failures.c.kind == kind, login_failures.c.key == key))
                    connection.execute(insert(login_failures).values(kind=kind, key=key, count=count + 1, at=now, mono=mono))
            append(act if is_right else "sign_in_failed", name[:100], {"user": name[:100], "address": address})

        await self._audit.transact(work)
        return SignIn(user=found if is_right else None)

    async def prune(self) -> None:
        """Forget wrong tries that lock nothing any more."""
        limit = to_us(self._clock.utc()) - int(2 * _LONGEST_LOCK_S * 1e6)
        await self._store.write(lambda connection: connection.execute(delete(login_failures).where(login_failures.c.at < limit)))

    def _wait_s(self, connection: Connection, name: str, address: str) -> float:
        waits = [0.0]
        for kind, key in _keys(name, address):
            count, passed_s = self._failures(connection, kind, key)
            if count >= _FREE_TRIES[kind]:
                waits.append(_FIRST_LOCK_S * 2.0 ** (count - _FREE_TRIES[kind]) - passed_s)
        return min(max(waits), _LONGEST_LOCK_S)

    def _failures(self, connection: Connection, kind: str, key: str) -> tuple[int, float]:
        """(wrong tries in a row, seconds since the last); forgotten after the longest lock."""
        columns = select(login_failures.c.count, login_failures.c.at, login_failures.c.mono)
        row = connection.execute(columns.where(login_failures.c.kind == kind, login_failures.c.key == key)).first()
        if row is None:
            return 0, 0.0
        count, at, failed_mono = row
        mono = self._clock.monotonic()
        passed_s = mono - failed_mono if failed_mono <= mono else max(0.0, (to_us(self._clock.utc()) - at) / 1e6)
        return (0, 0.0) if passed_s > _LONGEST_LOCK_S else (count, passed_s)

    async def _change(self, name: str, columns: dict[str, str | bool], kind: str, body: dict[str, str]) -> None:
        def work(connection: Connection, append: Append) -> bool:
            if connection.execute(update(users).where(users.c.name == name).values(columns)).rowcount == 0:
                return False
            connection.execute(delete(login_failures).where(login_failures.c.kind == "user", login_failures.c.key == name))
            connection.execute(delete(sessions).where(sessions.c.user == name))
            append(kind, name, {"user": name, **body})
            return True

        if not await self._audit.transact(work):
            raise AccountError(f"there is no account {name}", f"没有用户 {name}", fix="busmate user list shows them")

    async def _hash(self, password: str) -> str:
        if len(password) < MIN_PASSWORD or not password.strip():
            raise AccountError(f"a password has at least {MIN_PASSWORD} characters", f"密码至少 {MIN_PASSWORD} 个字符")
        return await self._store.read(lambda _: self._hasher.hash(password))

    def _verify(self, connection: Connection, name: str, password: str) -> tuple[User | None, bool]:
        """The account and whether the password is its own; as slow for a name that does not exist."""
        row = connection.execute(_all().where(users.c.name == name)).first()
        if not self._of_nobody:
            self._of_nobody = self._hasher.hash("of nobody")
        try:
            self._hasher.verify(self._of_nobody if row is None or not row[2].startswith("$") else row[2], password)
        except (VerificationError, InvalidHashError):
            return None, False
        return (None, False) if row is None or row[3] or not row[2].startswith("$") else (_user(row), True)


def _find(connection: Connection, name: str) -> User | None:
    row = connection.execute(_all().where(users.c.name == name)).first()
    return None if row is None else _user(row)


def _user(row: Row[str, str, str, bool, int]) -> User:
    name, role, _, is_disabled, created_at = row
    return User(name=name, role=Role(role), is_disabled=is_disabled, created_at=from_us(created_at))


def _all() -> Select[str, str, str, bool, int]:
    return select(users.c.name, users.c.role, users.c.hash, users.c.is_disabled, users.c.created_at)


def _keys(name: str, address: str) -> tuple[tuple[str, str], ...]:
    return ("user", name[:100]), ("address", address[:100])
