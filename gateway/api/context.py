"""What routes may use; built once by `app`, found on the application's state."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fastapi import Request

from gateway.api.events import EventHub
from gateway.clock import Clock
from gateway.model.point import Role, Text
from gateway.service.alarm_desk import AlarmDesk
from gateway.service.base import Actor, Proposal, ProposalService, ReadService
from gateway.service.explain import Explainer


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A person's session as the web needs it."""

    id: str
    user: str
    role: Role
    csrf: str


class Accounts(Protocol):
    """Signing in and out."""

    async def sign_in(self, user: str, password: str, address: str) -> SignedIn:
        """A new session; raises ProblemError 401 or 429."""
        ...

    async def session(self, session: str) -> SignedIn | None:
        """The session if it is still good."""
        ...

    async def sign_out(self, session: str) -> None:
        """End the session."""
        ...


class Confirmation(Protocol):
    """A person's yes or no; only the operator's route calls it."""

    async def confirm(self, proposal: str, nonce: str, actor: Actor, *, repeat: str | None = None) -> Proposal:
        """The proposal as it ended, or PENDING while a second person has to follow."""
        ...

    async def reject(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """The proposal, rejected."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Services of one running gateway."""

    site: Text
    timezone: str
    languages: tuple[str, ...]
    read: ReadService
    propose: ProposalService
    alarm_desk: AlarmDesk
    confirm: Confirmation
    accounts: Accounts
    explain: Explainer
    events: EventHub
    clock: Clock
    is_secure: bool
    metrics: Callable[[], str]
    lockout: Callable[[], Awaitable[Mapping[str, str] | None]]
    features: list[str] = field(default_factory=list)


def context(request: Request) -> Context:
    """The context of the application that serves this request."""
    found: Context = request.app.state.context
    return found
