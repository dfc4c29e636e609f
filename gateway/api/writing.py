"""The writing side as routes see it: proposing, deciding, undoing, locking out."""

from collections.abc import Sequence
from typing import Protocol

from gateway.service.base import Actor, ProcedureInfo, Proposal, ProposalService
from gateway.store.base import Lockout


class Proposing(ProposalService, Protocol):
    """What a person may ask for besides what an assistant may."""

    async def propose_procedure(self, name: str, reason: str, actor: Actor, *, idempotency_key: str = "") -> Proposal:
        """A pending proposal of all steps of `DEVICE.procedure`; raises WriteRefusedError, UnknownTagError."""
        ...

    async def undo(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """A pending proposal of the old values of an executed one; raises WriteRefusedError, UnknownTagError."""
        ...

    def procedures(self) -> Sequence[ProcedureInfo]:
        """What may be run as one proposal."""
        ...

    async def recent(self, limit: int) -> Sequence[Proposal]:
        """The newest proposals in any state, newest first."""
        ...


class Confirmation(Protocol):
    """A person's yes or no, and locking out; only the operator's routes call it."""

    async def confirm(self, proposal: str, nonce: str, actor: Actor, *, repeat: str | None = None) -> Proposal:
        """The proposal as it ended, or PENDING while a second person has to follow."""
        ...

    async def reject(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """The proposal, rejected."""
        ...

    async def stop(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """Begin no further step of a running procedure; raises WriteRefusedError, UnknownTagError."""
        ...

    async def lock_out(self, scope: str, reason: str, actor: Actor) -> None:
        """Lock writes out of a tag, a device or all (`*`); raises WriteRefusedError, UnknownTagError."""
        ...

    async def release(self, scope: str, reason: str, actor: Actor) -> bool:
        """End a lockout, or what blocks a tag; False if there was nothing to end."""
        ...

    async def lockouts(self) -> Sequence[Lockout]:
        """What is locked out now, oldest first."""
        ...
