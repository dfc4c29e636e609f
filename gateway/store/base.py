"""What the store keeps, as frozen rows, and the protocols by which services call it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from gateway.model.point import Role
from gateway.model.sample import Scalar, Tag

Body = Mapping[str, object]
"""The content of an audit record: what JSON can say, decimals exact."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_us(at: datetime) -> int:
    """Microseconds since 1970 in UTC, exact."""
    return (at - _EPOCH) // _MICROSECOND


def from_us(us: int) -> datetime:
    """The moment, aware, in UTC."""
    return _EPOCH + us * _MICROSECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSample:
    """A value worth keeping: it holds until the tag's next one."""

    tag: Tag
    at: datetime
    value: Scalar | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """How the store fares: samples waiting, samples lost because the buffer was full, and the present trouble."""

    waiting: int
    dropped: int
    trouble: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One record of the audit as it was written."""

    seq: int
    at: datetime
    mono: float
    kind: str
    subject: str
    body: Body
    mac: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A signed head of the audit: up to `seq` the chain had this `mac`."""

    seq: int
    mac: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    """Whether the chain holds; `first_bad` is the first sequence number that is wrong or missing."""

    ok: bool
    records: int
    first_bad: int | None = None
    message: str = ""


ProposalState = Literal["PENDING", "CONFIRMED", "EXECUTED", "REJECTED", "EXPIRED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRow:
    """A proposal as it lies in the database: what is asked about in columns, the card itself in `body`."""

    id: str
    nonce: str
    digest: str
    same: str
    """Digest of proposer and wanted writes: two open proposals with the same one are merged."""
    state: ProposalState
    proposer: str
    session: str
    idempotency_key: str
    created_at: datetime
    created_mono: float
    expires_mono: float
    approvals_needed: int
    body: str
    approved_by: tuple[str, ...] = ()
    outcomes: str = "[]"
    finished_by: str = ""
    why: str = ""
    """Why it was rejected, or what ended it: `time`, `restart`, `map`, `user`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionRow:
    """One write that went, or was about to go, to the wire, or a wait that ended; `outcome` is empty until it is known."""

    proposal: str
    step: int
    """Its place in the proposal, from 0."""
    tag: str
    at: datetime
    mono: float
    change: Decimal | None
    outcome: str
    is_cleared: bool

    @property
    def blocks(self) -> bool:
        """True if nobody knows yet whether it was done."""
        return not self.outcome or (self.outcome == "unknown" and not self.is_cleared)

    @property
    def may_be_done(self) -> bool:
        """True if the device may have taken the value."""
        return self.outcome in ("", "verified", "differs", "acknowledged", "unknown")

    def age_s(self, now: datetime, mono: float) -> float:
        """Seconds since; by the wall clock only if the machine has been restarted since."""
        return mono - self.mono if self.mono <= mono else max(0.0, (now - self.at).total_seconds())


@dataclass(frozen=True, slots=True, kw_only=True)
class Lockout:
    """Writes are locked out of `scope`: a tag, a device, or `*` for all."""

    scope: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An account."""

    name: str
    role: Role
    is_disabled: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session of a person; `role` is the account's role now."""

    id: str
    user: str
    role: Role
    csrf: str
    is_fresh: bool
    """True if the password was given a few minutes ago at most (`sessions.password_again_s`)."""


class Scope(StrEnum):
    """What a token may do: read, or also propose. None confirms."""

    READ = "read"
    PROPOSE = "propose"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A program's token; its text is not kept. `ended_by` says who revoked it, or `time`; empty while it is good."""

    name: str
    scope: Scope
    role: Role
    by: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None
    ended_by: str = ""

    @property
    def user(self) -> str:
        """How proposals and the audit call it; no account can have such a name."""
        return f"{PROGRAM}{self.name}"


PROGRAM = "api:"


Stored = Literal["stored", "merged", "repeated", "rate"]
Claimed = Literal["claimed", "approved", "taken", "expired", "same_person"]


class ProposalShelf(Protocol):
    """What proposing needs: put away, look up. Nothing here leads to a wire."""

    async def insert(self, row: ProposalRow, record: Body, *, max_open: int, max_per_minute: int) -> tuple[Stored, ProposalRow]:
        """Store `row` unless it repeats or merges into another, or the proposer has too many; with audit record 1."""
        ...

    async def get(self, proposal: str) -> ProposalRow | None:
        """One proposal."""
        ...

    async def by_key(self, proposer: str, key: str) -> ProposalRow | None:
        """The proposal that this proposer sent under this idempotency key."""
        ...

    async def pending(self) -> Sequence[ProposalRow]:
        """Those that wait for a person, oldest first."""
        ...

    async def recent(self, limit: int) -> Sequence[ProposalRow]:
        """The newest proposals in any state, newest first."""
        ...

    async def counts(self, proposer: str, mono: float) -> tuple[int, int]:
        """(open proposals, proposals of the last minute) of a person."""
        ...

    async def executions(self, tags: Sequence[str]) -> Sequence[ExecutionRow]:
        """The newest writes of these tags, oldest first."""
        ...

    async def lockouts(self) -> Sequence[Lockout]:
        """What is locked out now."""
        ...

    async def clear_blocks(self, tags: Sequence[str]) -> None:
        """A later read of these tags succeeded: earlier `unknown` writes block them no more."""
        ...


class AuditSink(Protocol):
    """What may append to the audit."""

    async def record(self, kind: str, subject: str, body: Body) -> AuditRecord:
        """Append one record and commit it; raises StoreError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFiles:
    """The files of the audit that lie outside the database, both of mode 0600."""

    key: Path
    anchor: Path
