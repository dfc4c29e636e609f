"""What a proposal holds between two steps: everything that is shown and written, fixed when it was made."""

from dataclasses import dataclass
from typing import Literal

from gateway.model.point import Role, Text
from gateway.model.sample import Scalar
from gateway.service.base import ProposedWait, ProposedWrite, Via

Confirm = Literal["none", "user", "two_step", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWrite:
    """One write as shown, with where it goes and the map it was made from. `wanted` is the value as it was asked for."""

    shown: ProposedWrite
    wanted: Scalar
    device: str
    point: str
    map_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWait:
    """One wait of a procedure as shown, with the device it looks at and the map it was made from."""

    shown: ProposedWait
    device: str
    map_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The lasting part of a proposal. `procedure` is `DEVICE.name`, `title` its words; empty for writes by themselves."""

    kind: Literal["write", "ack", "procedure"]
    steps: tuple[CardWrite | CardWait, ...]
    alarm: str
    reason: str
    via: Via
    role: Role
    confirm: Confirm
    conversation: str
    model: str
    notes: tuple[Text, ...]
    asked: str
    """Digest of what was asked for, to tell a repeated request from another one under the same key."""
    procedure: str = ""
    title: Text = Text()

    @property
    def writes(self) -> tuple[CardWrite, ...]:
        """The steps that write, in order."""
        return tuple(step for step in self.steps if isinstance(step, CardWrite))
