"""Accounts and tokens, managed by an admin who has just given the password; whose role changes loses sessions and open cards."""

from collections.abc import Awaitable, Callable, Sequence

from gateway.errors import WriteRefusedError
from gateway.model.point import Role
from gateway.service.base import Actor
from gateway.store.base import PROGRAM, ApiToken, Scope, User
from gateway.store.tokens import Tokens
from gateway.store.users import Users

PASSWORD_AGAIN = ("give your password again for this", "请再次输入密码")


class AccountDesk:
    """What an admin does to accounts and tokens. `forget` ends the open cards of a user."""

    def __init__(self, users: Users, tokens: Tokens, forget: Callable[[str], Awaitable[None]]) -> None:
        self._users = users
        self._tokens = tokens
        self._forget = forget

    async def users(self, actor: Actor) -> Sequence[User]:
        """All accounts by name."""
        _check(actor, is_change=False)
        return await self._users.all()

    async def add(self, name: str, password: str, role: Role, actor: Actor) -> None:
        """A new account. Raises AccountError."""
        _check(actor)
        await self._users.add(name, password, role, by=actor.user)

    async def set_role(self, name: str, role: Role, actor: Actor) -> None:
        """Another role. Raises AccountError."""
        _check(actor, name)
        await self._users.set_role(name, role, by=actor.user)
        await self._forget(name)

    async def set_disabled(self, name: str, actor: Actor, *, is_disabled: bool) -> None:
        """Shut an account, or open it again. Raises AccountError."""
        _check(actor, name)
        await self._users.set_disabled(name, is_disabled=is_disabled, by=actor.user)
        await self._forget(name)

    async def set_password(self, name: str, password: str, actor: Actor) -> None:
        """Another password of anybody, or of oneself in whatever role. Raises AccountError."""
        _check_fresh(actor)
        if name != actor.user:
            _check(actor)
        await self._users.set_password(name, password, by=actor.user)

    async def tokens(self, actor: Actor) -> Sequence[ApiToken]:
        """All tokens there ever were."""
        _check(actor, is_change=False)
        return await self._tokens.all()

    async def make_token(self, name: str, scope: Scope, role: Role, days: int, actor: Actor) -> tuple[str, ApiToken]:
        """A new token: its text, shown this once, and what is kept. Raises AccountError."""
        _check(actor)
        return await self._tokens.make(name, scope, role, days, by=actor.user)

    async def revoke(self, name: str, actor: Actor) -> None:
        """End a token and its open cards. Raises AccountError."""
        _check(actor)
        await self._tokens.revoke(name, by=actor.user)
        await self._forget(f"{PROGRAM}{name}")


def _check(actor: Actor, concerns: str = "", *, is_change: bool = True) -> None:
    """An admin, in a session of their own; nobody changes their own role: one admin is always left."""
    if not actor.session or not actor.role.includes(Role.ADMIN):
        raise WriteRefusedError(["ROLE"], "managing accounts needs the role admin", "管理账户需要管理员权限")
    if is_change:
        _check_fresh(actor)
    if concerns == actor.user:
        raise WriteRefusedError(["NOT_ALLOWED"], "another admin has to do this to your account", "需由另一位管理员更改您的账户")


def _check_fresh(actor: Actor) -> None:
    if not actor.session or not actor.is_fresh:
        raise WriteRefusedError(["PASSWORD_AGAIN"], *PASSWORD_AGAIN)
