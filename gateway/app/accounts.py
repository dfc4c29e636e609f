"""Signing in to the page: accounts and sessions of the store, answers of the web."""

from gateway.api.context import SignedIn
from gateway.api.problems import ProblemError
from gateway.store.base import Session
from gateway.store.sessions import Sessions
from gateway.store.users import Users


class WebAccounts:
    """Accounts of the web application."""

    def __init__(self, users: Users, sessions: Sessions) -> None:
        self._users = users
        self._sessions = sessions

    async def sign_in(self, user: str, password: str, address: str) -> SignedIn:
        """A new session; raises ProblemError 401, or 429 while tries are locked."""
        found = await self._users.sign_in(user, password, address)
        if found.wait_s > 0:
            seconds = int(found.wait_s) + 1
            raise ProblemError(
                429, "SIGN_IN_LOCKED", f"too many tries; wait {seconds} s", f"尝试次数过多，请等待 {seconds} 秒", wait_s=seconds
            )
        if found.user is None:
            raise ProblemError(401, "SIGN_IN", "user or password is wrong", "用户名或密码错误")
        return _signed_in(await self._sessions.start(found.user.name, found.user.role))

    async def session(self, session: str) -> SignedIn | None:
        """The session if it is still good."""
        found = await self._sessions.get(session) if session else None
        return _signed_in(found) if found is not None else None

    async def sign_out(self, session: str) -> None:
        """End the session."""
        await self._sessions.end(session)


def _signed_in(session: Session) -> SignedIn:
    return SignedIn(id=session.id, user=session.user, role=session.role, csrf=session.csrf)
