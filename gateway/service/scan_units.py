"""Which unit ids answer on a link: one harmless read each, in order, and nothing is written."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gateway.clock import Clock
from gateway.errors import (
    DeviceExceptionError,
    FrameError,
    GatewayPathError,
    GatewayTargetError,
    LinkDownError,
    LinkError,
    LinkTimeoutError,
)
from gateway.link.base import Read, Reply
from gateway.link.frames.pdu import describe
from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.quality import ECHO_MISMATCH, PROTOCOL_ERROR, TRANSACTION_MISMATCH
from gateway.poll.reasons import reason_of

Exchange = Callable[[Read], Awaitable[Reply]]
Identify = Callable[[UnitId], Awaitable[Mapping[str, str]]]
Progress = Callable[[str], None]

ASKED = (Table.HOLDING, Table.INPUT, Table.COIL)
"""What a unit is asked for, address 0, one after the other while it keeps silent."""
WRONG_LINK = frozenset({ECHO_MISMATCH, TRANSACTION_MISMATCH, PROTOCOL_ERROR})
"""Replies that say something about the link and nothing about a unit: the link's options must be set first."""
_DIALS = 3
_DIAL_WAIT_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitAnswer:
    """A unit that gave a sign of life: to which read, and what was wrong with its answer (None: it gave the value)."""

    unit_id: UnitId
    asked: str
    reason: str | None
    identity: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class UnitScan:
    """A scan; what it holds is right at every moment, so that one that is broken off still says what it found."""

    units: Sequence[UnitId]
    found: list[UnitAnswer] = field(default_factory=list)
    tried: int = 0
    _is_up: bool = False

    @property
    def is_complete(self) -> bool:
        """True if every unit was asked."""
        return self.tried == len(self.units)

    @property
    def ignores_unit_ids(self) -> bool:
        """True if so many units answer that it is rather one device that answers to any unit id."""
        return self.is_complete and len(self.found) == len(self.units) > len(ASKED)

    async def run(self, exchange: Exchange, identify: Identify, clock: Clock, progress: Progress) -> None:
        """Ask them all; raises LinkError if the link is lost, or its replies show that its options are wrong."""
        for unit in self.units:
            progress(f"unit {unit}, {self.tried} of {len(self.units)} asked, found {len(self.found)}")
            answer = await self._ask(unit, exchange, clock)
            if answer is not None:
                asked, reason = answer
                identity = await identify(unit)
                self.found.append(UnitAnswer(unit_id=unit, asked=asked, reason=reason, identity=identity))
            self.tried += 1

    async def _ask(self, unit: UnitId, exchange: Exchange, clock: Clock) -> tuple[str, str | None] | None:
        """What the unit was asked and how it answered; None if it kept silent, or a gateway says that it is not there."""
        for table in ASKED:
            read = Read(unit_id=unit, table=table, address=PduAddress(0), count=1)
            try:
                await self._once(read, exchange, clock)
            except (LinkTimeoutError, GatewayTargetError, GatewayPathError):
                continue
            except (DeviceExceptionError, FrameError) as error:
                if isinstance(error, FrameError) and error.kind in WRONG_LINK:
                    raise
                return describe(read), reason_of(error)
            except LinkDownError as error:
                if not error.sent:
                    raise
                continue
            return describe(read), None
        return None

    async def _once(self, read: Read, exchange: Exchange, clock: Clock) -> None:
        """One exchange; a link that worked before and was hung up is given a few moments to be dialled again."""
        for dial in range(_DIALS):
            try:
                await exchange(read)
            except LinkDownError as error:
                if error.sent or not self._is_up or dial == _DIALS - 1:
                    raise
                await clock.sleep(_DIAL_WAIT_S)
            except LinkError:
                self._is_up = True
                raise
            else:
                self._is_up = True
                return


def longest_s(units: int, timeout_s: float, *, has_transaction_ids: bool) -> float:
    """How long a scan lasts if nobody answers: without transaction ids a silent unit rests before it is asked again.

    >>> longest_s(10, 0.5, has_transaction_ids=True), longest_s(10, 0.5, has_transaction_ids=False)
    (15.0, 25.0)
    """
    return units * timeout_s * (len(ASKED) if has_transaction_ids else 2 * len(ASKED) - 1)
