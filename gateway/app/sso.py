"""Signing in by the identity provider: one try per browser and state, role by groups, a session at the end."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hmac import compare_digest

from gateway.api.accounts import SignedIn
from gateway.api.problems import ProblemError
from gateway.app.oidc import Provider, ProviderError, Vouched
from gateway.clock import Clock
from gateway.model.point import Role
from gateway.settings import OidcSettings
from gateway.store.identities import Identities
from gateway.store.sessions import Sessions
from gateway.store.users import AccountError

TRY_S = 600.0
_MOST_TRIES = 1000
_MOST_OF_AN_ADDRESS = 50
_LONG_AGO_S = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    browser: str
    address: str
    nonce: str
    verifier: str
    until: float


class SignOn:
    """Tries to sign in are kept in memory: one that was begun before a restart is begun anew. `forget` ends a user's open cards."""

    def __init__(
        self,
        settings: OidcSettings,
        provider: Provider,
        identities: Identities,
        sessions: Sessions,
        forget: Callable[[str], Awaitable[None]],
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._provider = provider
        self._identities = identities
        self._sessions = sessions
        self._forget = forget
        self._clock = clock
        self._tries: dict[str, _Try] = {}

    @property
    def name(self) -> str:
        """What the page calls the provider: its host."""
        return self._settings.issuer.partition("://")[2].partition("/")[0]

    async def begin(self, address: str, *, again: bool) -> tuple[str, str]:
        """(where the browser at `address` goes, what it must bring back as a cookie). Raises ProblemError."""
        now = self._clock.monotonic()
        self._tries = {key: one for key, one in self._tries.items() if one.until > now}
        if sum(one.address == address for one in self._tries.values()) >= _MOST_OF_AN_ADDRESS:
            raise ProblemError(429, "SIGN_IN_LOCKED", "too many sign-ins were begun; wait some minutes", "登录请求过多，请稍后再试")
        state, browser, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(4))
        try:
            place = await self._provider.address(state=state, nonce=nonce, verifier=verifier, again=again)
        except ProviderError as exc:
            raise _unavailable(exc) from exc
        while len(self._tries) >= _MOST_TRIES:
            del self._tries[next(iter(self._tries))]
        self._tries[state] = _Try(browser=browser, address=address, nonce=nonce, verifier=verifier, until=now + TRY_S)
        return place, browser

    async def finish(self, state: str, code: str, browser: str, address: str) -> SignedIn:
        """The browser is back from the provider: a session. Raises ProblemError."""
        begun = self._tries.pop(state, None)
        is_ours = begun is not None and compare_digest(begun.browser.encode(), browser.encode(errors="replace"))
        if begun is None or not is_ours or begun.until <= self._clock.monotonic():
            raise ProblemError(403, "SSO_STATE", "this sign-in was not begun here, or too long ago", "此登录并非由本页面发起，或已超时")
        try:
            person = await self._provider.vouched(code, nonce=begun.nonce, verifier=begun.verifier)
        except ProviderError as exc:
            await self._identities.refused("", self._settings.issuer, address, str(exc))
            raise _unavailable(exc) from exc
        role = max((role for group, role in self._settings.groups.items() if group in person.groups), key=list(Role).index, default=None)
        if role is None:
            await self._identities.refused(person.name, self._settings.issuer, address, "in no group that has a role here")
            raise ProblemError(403, "SSO_ROLE", f"{person.name} is in no group that has a role here", f"{person.name} 没有可用的角色")
        try:
            if await self._identities.enter(person.name, self._settings.issuer, person.subject, role, address):
                await self._forget(person.name)
        except AccountError as exc:
            await self._identities.refused(person.name, self._settings.issuer, address, str(exc))
            raise ProblemError(403, "SSO_ACCOUNT", str(exc), exc.message_zh) from exc
        session = await self._sessions.start(person.name, role, proved_s_ago=self._proved_s_ago(person))
        return SignedIn(id=session.id, user=session.user, role=session.role, csrf=session.csrf, is_fresh=session.is_fresh)

    def _proved_s_ago(self, person: Vouched) -> float:
        """To be signed in at the provider since this morning is no password of just now."""
        return _LONG_AGO_S if person.auth_time is None else max(0.0, self._clock.utc().timestamp() - person.auth_time)


def _unavailable(exc: ProviderError) -> ProblemError:
    return ProblemError(503, "SSO_PROVIDER", str(exc), f"身份提供方不可用：{exc}")
