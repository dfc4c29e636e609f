"""What a fault is: hooks into one exchange of a simulated link, and how often and where they act."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from gateway.model.sample import Scalar
from simulators.frames import Adu, Framing
from simulators.registers import Bank


class Devices(Protocol):
    """The plant as a fault sees it: by tag."""

    def get(self, tag: str) -> Scalar:
        """The value the device holds."""
        ...

    def set(self, tag: str, value: Scalar) -> None:
        """Make the device hold a value."""
        ...

    def find(self, tag: str) -> tuple[Bank, str]:
        """The device's registers and the point's name in its map."""
        ...

    def link_of(self, tag: str) -> str:
        """The link of the tag's device."""
        ...

    def serve_later(self, link: str, request: Adu, delay_s: float) -> None:
        """Carry a request out when `delay_s` have passed, unanswered."""
        ...

    def freeze(self, tag: str) -> Callable[[], None]:
        """Let the process not change the point any more, until the returned function is called."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Bytes that leave together, `delay_s` after a faultless reply would begin."""

    data: bytes
    delay_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request on its way through the device; hooks read it, and end the connection by `is_last`."""

    link: str
    framing: Framing
    request: Adu
    sent: bytes
    now: float
    connected_s: float
    devices: Devices
    random: random.Random
    reply: Adu | None = None
    pieces: list[Piece] = field(default_factory=list)
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Hooks, each optional, called in this order.

    `admit(open_connections)`: False resets a new connection. `before(exchange)`: True means that the device is
    not asked; `exchange.reply` stands. `reply(adu, exchange)`: the reply that leaves instead, None for none.
    `wire(pieces, exchange)`: the bytes that leave instead. `install(devices)`: acts at once, gives its undoing.
    """

    admit: Callable[[int], bool] | None = None
    before: Callable[[Exchange], bool] | None = None
    reply: Callable[[Adu, Exchange], Adu | None] | None = None
    wire: Callable[[list[Piece], Exchange], list[Piece]] | None = None
    install: Callable[[Devices], Callable[[], None]] | None = None
    idle_close_s: float | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """Where and how often a fault acts; None: everywhere, always. `skip` exchanges pass unharmed first."""

    link: str | None = None
    unit_id: int | None = None
    function: int | None = None
    skip: int = 0
    times: int | None = None
    chance: float = 1.0


class ActiveFault:
    """A fault at work; `hits` counts the exchanges it acted on, `clear` ends it."""

    def __init__(self, name: str, fault: Fault, aim: Aim, devices: Devices) -> None:
        self.name = name
        self.hits = 0
        self._fault = fault
        self._aim = aim
        self._seen = 0
        self._times = aim.times if aim.times is not None else fault.times
        self._is_cleared = False
        self._undo = fault.install(devices) if fault.install else None

    def clear(self) -> None:
        """End the fault and undo what it did to the device."""
        self._is_cleared = True
        if self._undo is not None:
            self._undo()
            self._undo = None

    def hooks(self, exchange: Exchange) -> Fault | None:
        """The hooks for this exchange, None if the fault leaves it alone; counts."""
        aim, request = self._aim, exchange.request
        is_aimed = (
            self.is_at(exchange.link)
            and aim.unit_id in (None, request.unit_id)
            and aim.function in (None, request.pdu[0])
            and (self._times is None or self.hits < self._times)
        )
        if not is_aimed:
            return None
        self._seen += 1
        if self._seen <= aim.skip or (aim.chance < 1 and exchange.random.random() >= aim.chance):
            return None
        self.hits += 1
        return self._fault

    def is_at(self, link: str) -> bool:
        """True if the fault may act on this link."""
        return not self._is_cleared and self._aim.link in (None, link)

    def admits(self, open_connections: int) -> bool:
        """False if a new connection is to be reset."""
        return self._fault.admit is None or self._fault.admit(open_connections)

    @property
    def idle_close_s(self) -> float | None:
        """Seconds of silence after which the device closes a connection."""
        return self._fault.idle_close_s
