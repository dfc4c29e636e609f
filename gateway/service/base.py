"""What the services hand out and the protocols by which tools, routes and commands call them.

The assistant sees only this: a reading side, and a proposing side that cannot execute. Both could be remote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal, Protocol

from gateway.model.alarm import AlarmInfo, AlarmState
from gateway.model.point import Access, Role, Text
from gateway.model.sample import Label, Sample, Scalar, Tag

Via = Literal["page", "chat", "cli", "api", "mcp"]
Agg = Literal["raw", "min", "max", "mean", "slope", "integral", "first", "last", "delta", "count", "duration"]
ProposalState = Literal["PENDING", "CONFIRMED", "EXECUTED", "REJECTED", "EXPIRED"]
Outcome = Literal["verified", "differs", "acknowledged", "changed_before", "refused", "not_sent", "unknown", "met", "not_met"]
"""How a write ended (the first seven), or a wait of a procedure (`met`, `not_met`, or `not_sent` if it was not reached)."""
DONE: tuple[Outcome, ...] = ("verified", "acknowledged", "met")


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who asks: an authenticated person and the path they came by."""

    user: str
    role: Role
    via: Via
    session: str = ""
    conversation: str = ""
    model: str = ""
    is_fresh: bool = True
    """False if the person gave the password too long ago for what two persons must sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInfo:
    """A configured device."""

    id: str
    link: str
    unit_id: int
    map: str
    vendor: str
    model: str
    title: Text
    aliases: tuple[str, ...]
    area: str
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PointInfo:
    """A point with all that a person needs before asking for it or writing it. Limits in the unit."""

    tag: Tag
    device: str
    device_title: Text
    title: Text
    description: Text
    aliases: tuple[str, ...]
    unit: str
    decimals: int | None
    type: str
    access: Access
    enum: Mapping[int, Text] = field(default_factory=dict)
    flags: Mapping[int, Text] = field(default_factory=dict)
    min: Decimal | None = None
    max: Decimal | None = None
    step: Decimal | None = None
    max_step: Decimal | None = None
    cooldown_s: float = 0.0
    role: Role = Role.OPERATOR
    confirm: Literal["none", "user", "two_step", "never"] = "user"
    approvals: int = 1
    interlocks: tuple[str, ...] = ()
    pulse: bool = False
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitHealth:
    """State of one device on its link; `advice` in words for people."""

    device: str
    link: str
    unit_id: int
    state: Literal["ok", "degraded", "down", "waiting"]
    reason: str
    since: datetime | None
    last_good: datetime | None
    reads: int
    errors: Mapping[str, int]
    latency_ms: float | None
    advice: Text = Text()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """One stored or computed value; for buckets `at` is the bucket's start."""

    at: datetime
    value: Decimal | float | int | str | bool | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """An answer about the past of one tag.

    `value` is the aggregate (slope per hour, integral in unit x hours, duration in seconds), `at` where a minimum or maximum stood,
    `first`/`last` the ends of the data that exist. No data: `count` is 0 and `value` None.
    `reaches_at` is when the present trend meets `target`; `above` lists the intervals in which the value exceeded it.
    """

    tag: Tag
    unit: str
    agg: Agg
    start: datetime
    end: datetime
    count: int
    value: Decimal | float | int | None = None
    at: datetime | None = None
    first: HistoryPoint | None = None
    last: HistoryPoint | None = None
    points: tuple[HistoryPoint, ...] = ()
    oldest: datetime | None = None
    target: Decimal | None = None
    reaches_at: datetime | None = None
    above: tuple[tuple[datetime, datetime], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One finished write or acknowledgement, as the audit tells it."""

    at: datetime
    user: str
    confirmed_by: tuple[str, ...]
    tag: str
    old: Scalar | None
    new: Scalar | None
    read_back: Scalar | None
    unit: str
    reason: str
    outcome: str
    code: str
    proposal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedWrite:
    """One wanted write: a tag and the value in its unit, or an exact enum label."""

    tag: str
    value: Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedWrite:
    """One write of a proposal, as shown on the card."""

    tag: Tag
    title: Text
    unit: str
    old: Scalar | None
    new: Scalar
    old_label: Label
    new_label: Label
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureInfo:
    """A procedure that may be proposed, `DEVICE.name`, with its steps in words."""

    name: str
    device: str
    title: Text
    role: Role
    confirm: Literal["user", "two_step"]
    steps: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedWait:
    """A step of a procedure that waits until `condition` (as the map writes it) holds, at most `timeout_s`."""

    tag: Tag
    condition: str
    shown: Text
    """The condition in words."""
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOutcome:
    """How one write or wait ended. `code` is the refusal code or empty, `step` its place in the proposal from 0."""

    tag: Tag
    outcome: Outcome
    step: int = 0
    code: str = ""
    read_back: Scalar | None = None
    message: Text = Text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Wanted writes, a procedure or an acknowledgement, checked, not done. Shown from the record, never from a model's text."""

    id: str
    nonce: str
    state: ProposalState
    kind: Literal["write", "ack", "procedure"]
    writes: tuple[ProposedWrite, ...]
    alarm: str
    reason: str
    proposer: str
    via: Via
    role: Role
    confirm: Literal["none", "user", "two_step", "never"]
    approvals_needed: int
    approved_by: tuple[str, ...]
    created_at: datetime
    expires_s: float
    outcomes: tuple[WriteOutcome, ...] = ()
    finished_by: str = ""
    notes: tuple[Text, ...] = ()
    procedure: str = ""
    """`DEVICE.name` of a procedure; its steps in order are in `steps`, those that write also in `writes`."""
    title: Text = Text()
    steps: "tuple[ProposedWrite | ProposedWait, ...]" = ()
    why: str = ""
    """Why it was rejected, or what ended it: `time`, `restart`, `map`, `user`."""

    @property
    def ending(self) -> WriteOutcome | None:
        """The outcome that tells how it went: the first that failed, else the first that was not sent, else the first of all."""
        failed = [one for one in self.outcomes if one.outcome not in (*DONE, "not_sent")]
        unsent = [one for one in self.outcomes if one.outcome == "not_sent"]
        return next(iter((*failed, *unsent, *self.outcomes)), None)


class ReadService(Protocol):
    """All that may be asked of the plant without changing it."""

    def devices(self) -> Sequence[DeviceInfo]:
        """The configured devices in the order of the configuration."""
        ...

    def points(self, device: str | None = None) -> Sequence[PointInfo]:
        """All points, or those of one device."""
        ...

    def point(self, tag: str) -> PointInfo:
        """One point; raises UnknownTagError with near names."""
        ...

    def find(self, query: str, device: str | None = None, limit: int = 10) -> Sequence[PointInfo]:
        """The points that the words of `query` (English, Chinese, aliases) name, best first, with scores in 0..1."""
        ...

    def latest(self, tags: Sequence[str]) -> Sequence[Sample]:
        """The last sample of each tag with its present age; `waiting` where none came yet."""
        ...

    async def fresh(self, tags: Sequence[str]) -> Sequence[Sample]:
        """Samples read from the wire now, sharing a running poll; rate-limited per device."""
        ...

    async def history(
        self, tag: str, start: datetime, end: datetime, agg: Agg, *, buckets: int = 0, target: Decimal | None = None
    ) -> History:
        """What the store holds of `tag` in `start..end`."""
        ...

    def alarms(self, states: Sequence[AlarmState] = (), tag: str | None = None) -> Sequence[AlarmInfo]:
        """Alarms that are not normal, worst first (priority, then unacknowledged, then newest)."""
        ...

    def health(self, device: str | None = None) -> Sequence[UnitHealth]:
        """State of one or all devices."""
        ...

    async def audit(self, tag: str | None = None, start: datetime | None = None, end: datetime | None = None) -> Sequence[AuditEntry]:
        """Finished writes and acknowledgements, newest first."""
        ...


class ProposalService(Protocol):
    """Wants writes and acknowledgements; cannot execute them."""

    async def propose(self, writes: Sequence[WantedWrite], reason: str, actor: Actor, *, idempotency_key: str = "") -> Proposal:
        """Check the rules against fresh values and store a pending proposal; raises WriteRefusedError."""
        ...

    async def propose_ack(self, alarm: str, actor: Actor) -> Proposal:
        """A pending acknowledgement of one alarm; raises WriteRefusedError (NOT_ALLOWED, ROLE)."""
        ...

    async def get(self, proposal: str) -> Proposal:
        """One proposal as it stands now; raises UnknownTagError."""
        ...

    async def open(self) -> Sequence[Proposal]:
        """The pending proposals, oldest first."""
        ...
