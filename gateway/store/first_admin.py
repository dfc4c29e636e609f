"""The first account of a plant: an admin, made by whoever reads the gateway's console, with a code that works once."""

import hashlib
import secrets

from sqlalchemy import Connection, delete, func, insert, select

from gateway.clock import Clock
from gateway.model.point import Role
from gateway.store.base import to_us
from gateway.store.engine import Store
from gateway.store.tables import first_codes, users
from gateway.store.users import AccountError, Users

CODE_LIFE_S = 30 * 60.0


class FirstAdmin:
    """Makes the code, and the account for it. Only the code's digest is kept; there is one code at a time."""

    def __init__(self, store: Store, accounts: Users, clock: Clock) -> None:
        self._store = store
        self._accounts = accounts
        self._clock = clock

    async def issue(self) -> str | None:
        """A new code in place of an earlier one, good for half an hour; None if there is an account already."""
        code = secrets.token_urlsafe(20)
        row = {"digest": _digest(code), "at": to_us(self._clock.utc()), "mono": self._clock.monotonic()}

        def work(connection: Connection) -> bool:
            connection.execute(delete(first_codes))
            if _has_users(connection):
                return False
            connection.execute(insert(first_codes).values(row))
            return True

        return code if await self._store.write(work) else None

    async def is_wanted(self) -> bool:
        """True while there is no account."""
        return not await self._store.read(_has_users)

    async def use(self, code: str, name: str, password: str, *, by: str) -> None:
        """Make the admin's account and use the code up. Raises AccountError; after a bad name or password the code stays good."""
        await self._accounts.add(name, password, Role.ADMIN, by=by, check=lambda connection: self._take(connection, code))

    def _take(self, connection: Connection, code: str) -> None:
        row = connection.execute(select(first_codes.c.at, first_codes.c.mono).where(first_codes.c.digest == _digest(code))).first()
        if _has_users(connection) or row is None or not self._is_young(*row):
            raise AccountError(
                "this code is wrong, used up or too old", "代码错误、已使用或已过期", fix="start the gateway again for a new one"
            )
        connection.execute(delete(first_codes))

    def _is_young(self, at: int, mono: float) -> bool:
        """By the monotonic clock; a machine that was restarted since has a smaller one, and the code is then over."""
        return 0 <= self._clock.monotonic() - mono < CODE_LIFE_S and to_us(self._clock.utc()) - at < CODE_LIFE_S * 2e6


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _has_users(connection: Connection) -> bool:
    return bool(connection.execute(select(func.count()).select_from(users)).scalar())
