"""Who may be behind a request, and signing in and out, as the web needs it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from gateway.model.point import Role
from gateway.store.base import ApiToken


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A person's session as the web needs it; `is_fresh` if the password was given a few minutes ago at most."""

    id: str
    user: str
    role: Role
    csrf: str
    is_fresh: bool


class Accounts(Protocol):
    """Signing in and out."""

    async def sign_in(self, user: str, password: str, address: str) -> SignedIn:
        """A new session; raises ProblemError 401 or 429."""
        ...

    async def session(self, session: str) -> SignedIn | None:
        """The session if it is still good."""
        ...

    async def prove(self, who: SignedIn, password: str, address: str) -> None:
        """The password once more: the session is fresh again; raises ProblemError 403 or 429."""
        ...

    async def sign_out(self, session: str) -> None:
        """End the session and its streams."""
        ...

    async def token(self, text: str, address: str) -> ApiToken | None:
        """The program's token if it is still good."""
        ...

    async def alive(self, keys: Collection[str]) -> set[str]:
        """Those of `keys` (ids of sessions, users of tokens) that are still good; to ask is no activity."""
        ...

    async def wants_first(self) -> bool:
        """True while there is no account."""
        ...

    async def make_first(self, code: str, user: str, password: str, address: str) -> SignedIn:
        """The first admin, by the console's code, signed in; raises AccountError."""
        ...


class SingleSignOn(Protocol):
    """Signing in by an identity provider."""

    @property
    def name(self) -> str:
        """What the page calls it."""
        ...

    async def begin(self, address: str, *, again: bool) -> tuple[str, str]:
        """(where the browser at `address` goes, what it must bring back as a cookie); raises ProblemError."""
        ...

    async def finish(self, state: str, code: str, browser: str, address: str) -> SignedIn:
        """A session for whom the provider vouches; raises ProblemError."""
        ...
