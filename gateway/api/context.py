"""What routes may use; built once by `app`, found on the application's state."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fastapi import Request

from gateway.api.accounts import Accounts, SingleSignOn
from gateway.api.events import EventHub
from gateway.api.writing import Confirmation, Proposing
from gateway.clock import Clock
from gateway.errors import Finding
from gateway.maps.versions import MapVersion
from gateway.model.point import Text
from gateway.service.account_desk import AccountDesk
from gateway.service.alarm_desk import AlarmDesk
from gateway.service.audit_trail import AuditTrail
from gateway.service.base import Actor, ReadService
from gateway.service.explain import Explainer
from gateway.service.map_files import Draft, MapText
from gateway.service.map_pending import MapChange


class Maps(Protocol):
    """Changing maps in two phases (`service.map_desk`)."""

    async def ids(self) -> Sequence[tuple[str, bool]]:
        """All maps by id, and whether each ships."""
        ...

    async def get(self, map_id: str) -> tuple[MapText, Sequence[MapVersion]]:
        """A map's text and its kept states; raises MapError."""
        ...

    async def check(self, text: str) -> Sequence[Finding]:
        """Every error and warning of a text."""
        ...

    async def open(self) -> Sequence[MapChange]:
        """The changes that wait for a second person."""
        ...

    async def version(self, map_id: str, number: int) -> str:
        """The text of a kept state; raises MapError."""
        ...

    async def preview(self, draft: Draft, actor: Actor) -> MapChange:
        """What a change would do; raises ConfigError, WriteRefusedError."""
        ...

    async def put(self, draft: Draft, actor: Actor, reason: str) -> MapChange:
        """Try a change; raises ConfigError, WriteRefusedError."""
        ...

    async def roll_back(self, map_id: str, number: int, base: str, actor: Actor, reason: str) -> MapChange:
        """Go back to a kept state."""
        ...

    async def reload(self, actor: Actor) -> MapChange:
        """Take up what changed in the files."""
        ...

    async def confirm(self, change_id: str, actor: Actor) -> MapChange:
        """The second person's yes."""
        ...

    async def reject(self, change_id: str, actor: Actor) -> MapChange:
        """A no."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Services of one running gateway."""

    site: Text
    timezone: str
    languages: tuple[str, ...]
    read: ReadService
    propose: Proposing
    alarm_desk: AlarmDesk
    confirm: Confirmation
    accounts: Accounts
    account_desk: AccountDesk
    audit_trail: AuditTrail
    explain: Explainer
    maps: Maps
    events: EventHub
    clock: Clock
    is_secure: bool
    metrics: Callable[[], str]
    lockout: Callable[[], Awaitable[Mapping[str, str] | None]]
    sso: SingleSignOn | None = None
    features: list[str] = field(default_factory=list)


def context(request: Request) -> Context:
    """The context of the application that serves this request."""
    found: Context = request.app.state.context
    return found
