"""Tokens of programs: 256 random bits shown once, kept as a digest, with a scope, a role and an end."""

import contextlib
import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from datetime import timedelta

from sqlalchemy import Connection, Row, Select, Update, insert, select, update

from gateway.clock import Clock
from gateway.errors import StoreError
from gateway.model.point import Role
from gateway.store.audit import Append, Audit
from gateway.store.base import ApiToken, Scope, from_us, to_us
from gateway.store.engine import Store
from gateway.store.tables import api_tokens
from gateway.store.users import AccountError

PREFIX = "bmt_"
LONGEST_DAYS = 365
ROLES = (Role.VIEWER, Role.OPERATOR, Role.ENGINEER)
"""A token manages nothing, so it is never an admin's."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,49}")
_USED_EVERY_S = 60.0
_NOTED_EVERY_S = 24 * 3600.0
_MOST_NOTED = 10_000


class Tokens:
    """The tokens of one store. A name is used once and for all: the audit never means two tokens by one name.

    Their end goes by the wall clock, as they outlive reboots; one that was found over stays over if the clock is set back.
    """

    def __init__(self, store: Store, audit: Audit, clock: Clock) -> None:
        self._store = store
        self._audit = audit
        self._clock = clock
        self._used: dict[str, float] = {}
        self._noted: dict[tuple[str, str, str], float] = {}

    async def make(self, name: str, scope: Scope, role: Role, days: int, *, by: str) -> tuple[str, ApiToken]:
        """A new token: its text, which nobody can see again, and what is kept of it. Raises AccountError."""
        if not _NAME.fullmatch(name):
            words = f"{name!r} is no name of a token", f"{name!r} 不能作为令牌名称"
            raise AccountError(*words, fix="use small letters, digits, and . _ -")
        if role not in ROLES:
            raise AccountError("a token is never an admin's", "令牌不能具有管理员权限", fix=f"use {', '.join(ROLES)}")
        if not 1 <= days <= LONGEST_DAYS:
            raise AccountError(f"a token lives 1 to {LONGEST_DAYS} days, not {days}", f"令牌有效期为 1 至 {LONGEST_DAYS} 天")
        text = PREFIX + secrets.token_urlsafe(32)
        now = self._clock.utc()
        made = ApiToken(name=name, scope=scope, role=role, by=by, created_at=now, expires_at=now + timedelta(days=days))
        row = {
            "name": name,
            "digest": _digest(text),
            "scope": str(scope),
            "role": str(role),
            "by": by,
            "created_at": to_us(now),
            "expires_at": to_us(made.expires_at),
            "ended_by": "",
        }

        def work(connection: Connection, append: Append) -> bool:
            if connection.execute(select(api_tokens.c.name).where(api_tokens.c.name == name)).first() is not None:
                return False
            connection.execute(insert(api_tokens).values(row))
            append("token_made", name, {"token": name, "scope": str(scope), "role": str(role), "days": days, "user": by})
            return True

        if not await self._audit.transact(work):
            raise AccountError(f"there is or was a token {name}", f"令牌 {name} 已存在或曾存在", fix="give it another name")
        return text, made

    async def all(self) -> Sequence[ApiToken]:
        """All tokens there ever were, by name."""
        await self.end_due()
        return await self._store.read(
            lambda connection: [_token(row) for row in connection.execute(_columns().order_by(api_tokens.c.name))]
        )

    async def revoke(self, name: str, *, by: str) -> None:
        """End a token now. Raises AccountError if there is none, or it is over."""

        def work(connection: Connection, append: Append) -> bool:
            alive = api_tokens.c.name == name, api_tokens.c.ended_by == ""
            if connection.execute(update(api_tokens).where(*alive).values(ended_by=by)).rowcount == 0:
                return False
            append("token_revoked", name, {"token": name, "user": by})
            return True

        if not await self._audit.transact(work):
            raise AccountError(f"there is no token {name} to revoke", f"没有可撤销的令牌 {name}", fix="busmate token list shows them")

    async def use(self, text: str, address: str) -> ApiToken | None:
        """The token of this text if it is good; the audit notes who used it from where, once a day for each address.

        Use is known even if it cannot be noted: a full disk locks nobody out of reading.
        """
        digest = _digest(text)
        found = await self._store.read(lambda connection: _find(connection, digest))
        if found is None:
            return None
        is_good = not found.ended_by and self._clock.utc() < found.expires_at
        if not found.ended_by and not is_good:
            await self.end_due()
        await self._note("token_used" if is_good else "token_refused", found.name, address)
        if is_good:
            self._note_last(found.name)
        return found if is_good else None

    async def role_of(self, name: str) -> Role | None:
        """The role of a token that is good and may propose; None otherwise."""
        found = await self._store.read(lambda connection: _of_name(connection, name))
        is_good = found is not None and not found.ended_by and self._clock.utc() < found.expires_at
        return found.role if found is not None and is_good and found.scope is Scope.PROPOSE else None

    async def alive(self, names: Collection[str]) -> set[str]:
        """Those of `names` that are good now."""
        now = to_us(self._clock.utc())
        good = api_tokens.c.name.in_(names), api_tokens.c.ended_by == "", api_tokens.c.expires_at > now
        return await self._store.read(lambda connection: set(connection.execute(select(api_tokens.c.name).where(*good)).scalars()))

    async def end_due(self) -> None:
        """Mark those whose time is over, so that no clock brings them back."""
        due = api_tokens.c.ended_by == "", api_tokens.c.expires_at <= to_us(self._clock.utc())
        with contextlib.suppress(StoreError):
            await self._store.write(lambda connection: connection.execute(update(api_tokens).where(*due).values(ended_by="time")))

    async def _note(self, kind: str, name: str, address: str) -> None:
        mono = self._clock.monotonic()
        key = (kind, name, address)
        if mono - self._noted.get(key, -_NOTED_EVERY_S) < _NOTED_EVERY_S:
            return
        if len(self._noted) >= _MOST_NOTED:
            self._noted.clear()
        with contextlib.suppress(StoreError):
            await self._audit.record(kind, name, {"token": name, "address": address})
            self._noted[key] = mono

    def _note_last(self, name: str) -> None:
        mono = self._clock.monotonic()
        if mono - self._used.get(name, -_USED_EVERY_S) < _USED_EVERY_S:
            return
        self._used[name] = mono
        last = update(api_tokens).where(api_tokens.c.name == name).values(last_used_at=to_us(self._clock.utc()))
        with contextlib.suppress(StoreError):
            self._store.post(lambda connection: _run(connection, last))


def _run(connection: Connection, last: Update) -> None:
    connection.execute(last)


def _digest(text: str) -> str:
    """Of 256 random bits a plain digest is enough: there is nothing to guess."""
    return hashlib.sha256(text.encode()).hexdigest()


def _columns() -> Select[str, str, str, str, int, int, int | None, str]:
    kept = api_tokens.c
    return select(kept.name, kept.scope, kept.role, kept.by, kept.created_at, kept.expires_at, kept.last_used_at, kept.ended_by)


def _find(connection: Connection, digest: str) -> ApiToken | None:
    row = connection.execute(_columns().where(api_tokens.c.digest == digest)).first()
    return None if row is None else _token(row)


def _of_name(connection: Connection, name: str) -> ApiToken | None:
    row = connection.execute(_columns().where(api_tokens.c.name == name)).first()
    return None if row is None else _token(row)


def _token(row: Row[str, str, str, str, int, int, int | None, str]) -> ApiToken:
    name, scope, role, by, created_at, expires_at, last_used_at, ended_by = row
    return ApiToken(
        name=name,
        scope=Scope(scope),
        role=Role(role),
        by=by,
        created_at=from_us(created_at),
        expires_at=from_us(expires_at),
        last_used_at=None if last_used_at is None else from_us(last_used_at),
        ended_by=ended_by,
    )
