"""A confirmed proposal as the gate is asked to execute it, and how each of its writes ended."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gateway.model.point import Text
from gateway.model.sample import Scalar, Tag
from gateway.poll.written import Outcome
from gateway.store.base import Body

DONE = ("verified", "acknowledged", "met")
"""Outcomes after which the next step may follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedWrite:
    """One write exactly as it was shown and confirmed; `step` is its place in the proposal, from 0."""

    step: int
    tag: Tag
    device: str
    point: str
    map_version: str
    old: Scalar | None
    new: Scalar
    unit: str
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedWait:
    """One wait between two writes: until `condition` holds on `device`, at most `timeout_s`."""

    step: int
    tag: Tag
    device: str
    map_version: str
    condition: str
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The steps of one confirmed proposal, with all that the audit tells about them. Only a `procedure` (its name) has waits."""

    proposal: str
    proposer: str
    confirmed_by: tuple[str, ...]
    reason: str
    via: str
    conversation: str
    model: str
    steps: tuple[OrderedWrite | OrderedWait, ...]
    procedure: str = ""

    @property
    def writes(self) -> tuple[OrderedWrite, ...]:
        """The steps that write."""
        return tuple(step for step in self.steps if isinstance(step, OrderedWrite))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How one step ended (INTERFACES: outcomes; a wait `met`, `not_met` or `not_sent`), in words for the operator."""

    step: int
    tag: Tag
    outcome: Outcome | Literal["met", "not_met"]
    code: str = ""
    read_back: Scalar | None = None
    old_read: Scalar | None = None
    trouble: str = ""
    """What went wrong on the wire."""
    message: Text = Text()


def start_record(order: Order, write: OrderedWrite) -> Body:
    """Audit record 2: what is about to be sent."""
    return {
        "proposal": order.proposal,
        "user": order.proposer,
        "confirmed_by": list(order.confirmed_by),
        "tag": write.tag,
        "device": write.device,
        "map_version": write.map_version,
        "words": list(write.words),
        "old": write.old,
        "new": write.new,
        "unit": write.unit,
        **_place(order, write),
    }


def end_record(order: Order, write: OrderedWrite, ended: Ended) -> Body:
    """Audit record 3: everything about one finished write, in one record."""
    return {
        **start_record(order, write),
        "reason": order.reason,
        "via": order.via,
        "conversation": order.conversation,
        "model": order.model,
        "outcome": ended.outcome,
        "code": ended.code,
        "old_read": ended.old_read,
        "read_back": ended.read_back,
        "trouble": ended.trouble,
    }


def wait_record(order: Order, wait: OrderedWait, ended: Ended) -> Body:
    """The audit of a wait."""
    return {
        "proposal": order.proposal,
        "user": order.proposer,
        "confirmed_by": list(order.confirmed_by),
        "device": wait.device,
        "condition": wait.condition,
        "timeout_s": wait.timeout_s,
        "outcome": ended.outcome,
        "code": ended.code,
        "read": ended.read_back,
        "trouble": ended.trouble,
        **_place(order, wait),
    }


def change(old: Scalar | None, new: Scalar) -> Decimal | None:
    """How far a write moves a number; None for text, switches and where no old value is known."""
    if old is None or isinstance(old, str | bool) or isinstance(new, str | bool):
        return None
    return _exact(new) - _exact(old)


def _place(order: Order, step: OrderedWrite | OrderedWait) -> Body:
    """Which step of which procedure, from 1; nothing for writes by themselves."""
    return {"procedure": order.procedure, "step": step.step + 1} if order.procedure else {}


def _exact(value: float | Decimal) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
