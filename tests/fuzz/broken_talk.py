"""Whole conversations over Modbus/TCP with a device whose replies come late, twice, in part and in pieces, without sockets or clocks.

Each reply carries the number of the request it was made for, so that a value of another request is found out. A piece is what one
`recv` gives; pieces that wait may come in one go, and a reply may begin in the same piece in which the one before it broke off.
"""

import random
from collections import Counter, deque
from dataclasses import dataclass, field

from gateway.errors import FrameError, LinkDownError, LinkError
from gateway.link.base import Read
from gateway.link.frames.expect import Expectation, Rules
from gateway.link.frames.late import Owed
from gateway.link.frames.mbap import MbapFramer
from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.quality import LENGTH_MISMATCH, PROTOCOL_ERROR

FAULTS = ("late", "twice", "dropped", "split", "truncated")
_MOST_LATE = 40
"""Requests after which a late reply has come."""


@dataclass
class Talk:
    """One client and one device; `ends` counts how the reads ended."""

    chance: random.Random
    share: float = 0.3
    ends: Counter[str] = field(default_factory=Counter)
    _due: deque[tuple[int, bytes]] = field(default_factory=deque)

    def run(self, reads: int) -> Counter[str]:
        """How `reads` reads ended: "right", "wrong" or the failure."""
        framer = MbapFramer()
        rules = Rules(link="l", strict_tid=True, any_unit=False, local_echo=False, owed=Owed(any_unit=False))
        for number in range(1, reads + 1):
            count = self.chance.choice((2, 2, 3, 4))
            request = Read(unit_id=UnitId(1), table=Table.HOLDING, address=PduAddress(0), count=count)
            end, is_lost = self._read(Expectation(request, framer, rules), number, count)
            self.ends[end] += 1
            if is_lost:
                self._due.clear()
                framer.connected()
        return self.ends

    def _read(self, waiting: Expectation, number: int, count: int) -> tuple[str, bool]:
        """How one read ended, and whether its connection was given up."""
        self._answer(waiting.frame, number, count)
        try:
            for piece in self._pieces(number):
                payload = waiting.feed(piece)
                if payload is not None:
                    return "right" if list(payload.words) == words_of(number, count) else "wrong", False
            raise waiting.give_up()
        except FrameError as error:
            return error.kind, error.kind in (PROTOCOL_ERROR, LENGTH_MISMATCH)
        except LinkError as error:
            return error.code, isinstance(error, LinkDownError)

    def _answer(self, frame: bytes, number: int, count: int) -> None:
        chance = self.chance
        data = b"".join(word.to_bytes(2, "big") for word in words_of(number, count))
        reply = frame[:4] + (3 + len(data)).to_bytes(2, "big") + bytes((1, 3, len(data))) + data
        fault = chance.choice(FAULTS) if chance.random() < self.share else ""
        at = number
        match fault:
            case "late":
                at += chance.randrange(1, _MOST_LATE)
            case "twice":
                self._send(number + chance.randrange(_MOST_LATE), reply)
            case "dropped":
                return
            case "truncated":
                reply = reply[: chance.randrange(1, len(reply))]
        self._send(at, reply, is_split=fault == "split")

    def _send(self, at: int, reply: bytes, *, is_split: bool = False) -> None:
        """The reply as one or two pieces that come while request `at` waits, or the second of them later."""
        if len(reply) > 1 and (is_split or self.chance.random() < self.share):
            cut = self.chance.randrange(1, len(reply))
            self._due.append((at, reply[:cut]))
            at, reply = at + (self.chance.random() < self.share), reply[cut:]
        self._due.append((at, reply))

    def _pieces(self, number: int) -> list[bytes]:
        """What comes while request `number` waits; neighbours may come in one go."""
        due = [piece for at, piece in self._due if at <= number]
        self._due = deque((at, piece) for at, piece in self._due if at > number)
        came: list[bytes] = []
        for piece in due:
            if came and self.chance.random() < 0.5:
                came[-1] += piece
            else:
                came.append(piece)
        return came


def words_of(number: int, count: int) -> list[int]:
    """What the registers hold for request `number`: its number, scrambled as it counts up like the transaction ids, and small values."""
    return [number * 40503 & 0xFFFF, number >> 16, 0, 1][:count]
