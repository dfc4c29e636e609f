"""Who has which role now: accounts, programs with a token, and the terminal."""

from gateway.model.point import Role
from gateway.store.base import PROGRAM
from gateway.store.tokens import Tokens
from gateway.store.users import Users


class People:
    """Roles of accounts, and of programs whose token may propose; nobody else has one."""

    def __init__(self, users: Users, tokens: Tokens) -> None:
        self._users = users
        self._tokens = tokens

    async def role_of(self, user: str) -> Role | None:
        """The role an account or a token has now."""
        if user.startswith(PROGRAM):
            return await self._tokens.role_of(user.removeprefix(PROGRAM))
        return await self._users.role_of(user)


class TerminalPeople:
    """Roles as the terminal sees them: with no accounts at all, whoever may read the data folder is admin."""

    def __init__(self, users: Users, people: People) -> None:
        self._users = users
        self._people = people

    async def role_of(self, user: str) -> Role | None:
        """The role an account has now."""
        role = await self._people.role_of(user)
        is_person = not user.startswith(PROGRAM)
        return Role.ADMIN if role is None and is_person and not await self._users.all() else role
