"""A confirmed proposal as the gate is asked to execute it, and how each of its writes ended."""

from dataclasses import dataclass
from decimal import Decimal

from gateway.model.point import Text
from gateway.model.sample import Scalar, Tag
from gateway.poll.written import Outcome
from gateway.store.base import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedWrite:
    """One write exactly as it was shown and confirmed."""

    tag: Tag
    device: str
    point: str
    map_version: str
    old: Scalar | None
    new: Scalar
    unit: str
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The writes of one confirmed proposal, with all that the audit tells about them."""

    proposal: str
    proposer: str
    confirmed_by: tuple[str, ...]
    reason: str
    via: str
    conversation: str
    model: str
    writes: tuple[OrderedWrite, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How one write ended (INTERFACES: outcomes), in words for the operator."""

    tag: Tag
    outcome: Outcome
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


def change_of(write: OrderedWrite) -> Decimal | None:
    """How far the write moves a number; None for text, switches and where no old value is known."""
    if write.old is None or isinstance(write.old, str | bool) or isinstance(write.new, str | bool):
        return None
    return _exact(write.new) - _exact(write.old)


def _exact(value: float | Decimal) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
