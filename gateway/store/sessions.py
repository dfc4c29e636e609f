"""Sessions of people: a new id at each sign-in, locked when idle, ended after a shift. The database holds no id in clear."""

import contextlib
import hashlib
import secrets
from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select, update

from gateway.clock import Clock
from gateway.errors import StoreError
from gateway.model.point import Role
from gateway.store.base import Session, to_us
from gateway.store.engine import Store
from gateway.store.tables import sessions, users

IDLE_S = 15 * 60.0
LIFETIME_S = 12 * 3600.0
FRESH_S = 5 * 60.0

_SEEN_EVERY_S = 10.0
_MOST_OF_A_USER = 20


class Sessions:
    """The sessions of one store."""

    def __init__(
        self, store: Store, clock: Clock, *, idle_s: float = IDLE_S, lifetime_s: float = LIFETIME_S, fresh_s: float = FRESH_S
    ) -> None:
        self._store = store
        self._clock = clock
        self._idle_s = idle_s
        self._lifetime_s = lifetime_s
        self._fresh_s = fresh_s
        self._seen: dict[str, float] = {}

    async def start(self, user: str, role: Role, *, proved_s_ago: float = 0.0) -> Session:
        """A new session of a person who proved to be `user` so many seconds ago; the oldest of more than twenty ends."""
        token, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        mono, now = self._clock.monotonic(), to_us(self._clock.utc())
        row: dict[str, str | int | float] = {
            "id": _hidden(token),
            "user": user,
            "csrf": csrf,
            "started_at": now,
            "started_mono": mono,
            "seen_at": now,
            "seen_mono": mono,
            "proved_mono": mono - proved_s_ago,
        }
        await self._store.write(lambda connection: _add(connection, row))
        return Session(id=token, user=user, role=role, csrf=csrf, is_fresh=proved_s_ago < self._fresh_s)

    async def get(self, token: str) -> Session | None:
        """The session of this id if it is still good, with the role the account has now; counts as activity.

        Activity is known here even if it cannot be stored: a full disk locks nobody out of reading.
        """
        mono = self._clock.monotonic()
        found = await self._store.read(lambda connection: self._find(connection, token))
        if found is None:
            self._seen.pop(_hidden(token), None)
            return None
        session, stored_mono = found
        self._seen[_hidden(token)] = mono
        if not 0 <= mono - stored_mono < _SEEN_EVERY_S:
            row = {"seen_at": to_us(self._clock.utc()), "seen_mono": mono}
            with contextlib.suppress(StoreError):
                self._store.post(lambda connection: _note(connection, token, row))
        return session

    async def prove(self, token: str) -> None:
        """The person of this session has just given the password again."""
        proved = update(sessions).where(sessions.c.id == _hidden(token)).values(proved_mono=self._clock.monotonic())
        await self._store.write(lambda connection: connection.execute(proved))

    async def alive(self, tokens: Collection[str]) -> set[str]:
        """Those of `tokens` that are good; to ask is no activity."""
        return await self._store.read(lambda connection: {token for token in tokens if self._find(connection, token) is not None})

    async def end(self, token: str) -> None:
        """Sign out."""
        await self._store.write(lambda connection: connection.execute(delete(sessions).where(sessions.c.id == _hidden(token))))

    async def prune(self) -> None:
        """Forget sessions that are over."""
        limit = to_us(self._clock.utc()) - int(self._lifetime_s * 1e6)
        oldest = self._clock.monotonic() - self._idle_s
        self._seen = {token: mono for token, mono in self._seen.items() if mono > oldest}
        await self._store.write(lambda connection: connection.execute(delete(sessions).where(sessions.c.started_at <= limit)))

    def _find(self, connection: Connection, token: str) -> tuple[Session, float] | None:
        joined = select(sessions, users.c.role).join(users, users.c.name == sessions.c.user)
        row = connection.execute(joined.where(sessions.c.id == _hidden(token), users.c.is_disabled.is_(False))).first()
        if row is None:
            return None
        idle_s, age_s = self._since(row.seen_at, row.seen_mono), self._since(row.started_at, row.started_mono)
        if row.id in self._seen:
            idle_s = min(idle_s, self._clock.monotonic() - self._seen[row.id])
        if idle_s >= self._idle_s or age_s >= self._lifetime_s:
            return None
        is_fresh = 0 <= self._clock.monotonic() - row.proved_mono < self._fresh_s
        return Session(id=token, user=row.user, role=Role(row.role), csrf=row.csrf, is_fresh=is_fresh), row.seen_mono

    def _since(self, at: int, mono: float) -> float:
        """Seconds since a moment; by the wall clock only if the machine has been restarted since."""
        now = self._clock.monotonic()
        return now - mono if mono <= now else abs(to_us(self._clock.utc()) - at) / 1e6


def _add(connection: Connection, row: dict[str, str | int | float]) -> None:
    of_user = select(sessions.c.id).where(sessions.c.user == row["user"])
    newest = connection.execute(of_user.order_by(sessions.c.started_at.desc()).limit(_MOST_OF_A_USER - 1)).scalars().all()
    connection.execute(delete(sessions).where(sessions.c.user == row["user"], sessions.c.id.not_in(newest)))
    connection.execute(insert(sessions).values(row))


def _note(connection: Connection, token: str, row: dict[str, float]) -> None:
    connection.execute(update(sessions).where(sessions.c.id == _hidden(token)).values(row))


def _hidden(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
