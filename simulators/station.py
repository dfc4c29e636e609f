"""The devices on one link and the faults between them and the wire."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gateway.clock import Clock
from simulators import pdu
from simulators.fault import ActiveFault, Devices, Exchange, Fault, Piece
from simulators.frames import FRAMINGS, Adu, LinkKind
from simulators.registers import Bank

_BROADCAST = 0
_NO_SUCH_UNIT = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request that reached the link, done or not; `at` is monotonic."""

    link: str
    unit_id: int
    pdu: bytes
    at: float


class Station:
    """Answers every request of one link, and has each noted before.

    A unit that does not exist is silent on serial lines, and exception 11 behind a TCP port.
    """

    def __init__(
        self,
        link: str,
        kind: LinkKind,
        banks: Sequence[Bank],
        *,
        clock: Clock,
        devices: Devices,
        faults: Sequence[ActiveFault],
        chance: random.Random,
        prepare: Callable[[], None],
        note: Callable[[Request], None],
    ) -> None:
        self.link = link
        self.kind = kind
        self.framing = FRAMINGS[kind]
        self._banks = {unit_id: bank for bank in banks for unit_id in bank.units}
        self._clock = clock
        self._devices = devices
        self._faults = faults
        self._chance = chance
        self._prepare = prepare
        self._note = note

    def exchange(self, request: Adu, sent: bytes = b"", connected_s: float = float("inf")) -> Exchange:
        """What the device does with `request`: the reply, the bytes that leave, and whether the connection ends."""
        now = self._clock.monotonic()
        self._note(Request(link=self.link, unit_id=request.unit_id, pdu=request.pdu, at=now))
        self._prepare()
        exchange = Exchange(
            link=self.link,
            framing=self.framing,
            request=request,
            sent=sent,
            now=now,
            connected_s=connected_s,
            devices=self._devices,
            random=self._chance,
        )
        hooks = [fault for active in tuple(self._faults) if (fault := active.hooks(exchange)) is not None]
        self._reply(exchange, hooks)
        if exchange.reply is not None:
            exchange.pieces = [Piece(data=self.framing.build(exchange.reply))]
        for fault in hooks:
            if fault.wire is not None:
                exchange.pieces = fault.wire(exchange.pieces, exchange)
        return exchange

    def serve_pdu(self, unit_id: int, request: bytes) -> bytes | None:
        """The reply PDU without a wire in between, None for silence or a reply of another unit; faults of the wire do not act."""
        exchange = self.exchange(Adu(unit_id=unit_id, pdu=request))
        return exchange.reply.pdu if exchange.reply is not None and exchange.reply.unit_id == unit_id else None

    def carry_out(self, request: Adu) -> Adu | None:
        """What a faultless device answers."""
        if request.unit_id == _BROADCAST and self.kind != "tcp":
            for unit_id, each in self._banks.items():
                if request.pdu[0] in pdu.WRITES:
                    each.serve_pdu(unit_id, request.pdu)
            return None
        bank = self._banks.get(request.unit_id)
        if bank is not None:
            reply = bank.serve_pdu(request.unit_id, request.pdu)
        else:
            reply = pdu.exception(request.pdu[0], _NO_SUCH_UNIT) if self.kind == "tcp" else None
        return None if reply is None else Adu(unit_id=request.unit_id, pdu=reply, transaction_id=request.transaction_id)

    def admits(self, open_connections: int) -> bool:
        """False if a fault resets a further connection."""
        self._prepare()
        return all(active.admits(open_connections) for active in self._faults if active.is_at(self.link))

    @property
    def idle_close_s(self) -> float | None:
        """Seconds after which a silent connection is closed; None: never."""
        return next((active.idle_close_s for active in self._faults if active.is_at(self.link) and active.idle_close_s is not None), None)

    def _reply(self, exchange: Exchange, hooks: Sequence[Fault]) -> None:
        for fault in hooks:
            if fault.before is not None and fault.before(exchange):
                break
        else:
            exchange.reply = self.carry_out(exchange.request)
        for fault in hooks:
            if fault.reply is not None and exchange.reply is not None:
                exchange.reply = fault.reply(exchange.reply, exchange)
