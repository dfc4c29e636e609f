"""Signing in to the page: accounts, sessions and tokens of the store, answers of the web."""

from collections.abc import Callable, Collection

from gateway.api.accounts import SignedIn
from gateway.api.problems import ProblemError
from gateway.store.base import PROGRAM, ApiToken, Session
from gateway.store.first_admin import FirstAdmin
from gateway.store.sessions import Sessions
from gateway.store.tokens import Tokens
from gateway.store.users import SignIn, Users


class WebAccounts:
    """Accounts of the web application. `end_streams` ends the open event streams of a session."""

    def __init__(
        self, users: Users, sessions: Sessions, tokens: Tokens, first: FirstAdmin, end_streams: Callable[[Collection[str]], None]
    ) -> None:
        self._users = users
        self._sessions = sessions
        self._tokens = tokens
        self._first = first
        self._end_streams = end_streams

    async def sign_in(self, user: str, password: str, address: str) -> SignedIn:
        """A new session; raises ProblemError 401, or 429 while tries are locked."""
        found = _unlocked(await self._users.sign_in(user, password, address))
        if found.user is None:
            raise ProblemError(401, "SIGN_IN", "user or password is wrong", "用户名或密码错误")
        return _signed_in(await self._sessions.start(found.user.name, found.user.role))

    async def session(self, session: str) -> SignedIn | None:
        """The session if it is still good."""
        found = await self._sessions.get(session) if session else None
        return _signed_in(found) if found is not None else None

    async def prove(self, who: SignedIn, password: str, address: str) -> None:
        """The password once more: the session is fresh again; raises ProblemError 403, or 429 while tries are locked."""
        found = _unlocked(await self._users.sign_in(who.user, password, address, act="password_again"))
        if found.user is None:
            raise ProblemError(403, "WRONG_PASSWORD", "the password is wrong", "密码错误")
        await self._sessions.prove(who.id)

    async def sign_out(self, session: str) -> None:
        """End the session and its streams."""
        await self._sessions.end(session)
        self._end_streams([session])

    async def token(self, text: str, address: str) -> ApiToken | None:
        """The program's token if it is still good."""
        return await self._tokens.use(text, address)

    async def alive(self, keys: Collection[str]) -> set[str]:
        """Those of `keys` (ids of sessions, users of tokens) that are still good."""
        tokens = {key.removeprefix(PROGRAM) for key in keys if key.startswith(PROGRAM)}
        sessions = {key for key in keys if not key.startswith(PROGRAM)}
        good = {f"{PROGRAM}{name}" for name in await self._tokens.alive(tokens)} if tokens else set()
        return good | await self._sessions.alive(sessions)

    async def wants_first(self) -> bool:
        """True while there is no account."""
        return await self._first.is_wanted()

    async def make_first(self, code: str, user: str, password: str, address: str) -> SignedIn:
        """The first admin, by the console's code, signed in; raises AccountError."""
        await self._first.use(code, user, password, by=f"first code from {address}")
        return await self.sign_in(user, password, address)


def _unlocked(found: SignIn) -> SignIn:
    if found.wait_s > 0:
        seconds = int(found.wait_s) + 1
        raise ProblemError(429, "SIGN_IN_LOCKED", f"too many tries; wait {seconds} s", f"尝试次数过多，请等待 {seconds} 秒", wait_s=seconds)
    return found


def _signed_in(session: Session) -> SignedIn:
    return SignedIn(id=session.id, user=session.user, role=session.role, csrf=session.csrf, is_fresh=session.is_fresh)
