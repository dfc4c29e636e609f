"""Random and spoiled frames into every framer: the gateway's for replies, the simulator's for requests.

Whatever is taken for a reply must stand in the bytes, by a check of its own (`right_replies`): right unit, function, length, check sum
or transaction id. Anything but a value or an error of the link, a buffer that grows, or a frame that takes long, is a fault.
"""

import random
from collections import Counter
from collections.abc import Callable
from time import perf_counter

from gateway.errors import DeviceExceptionError, LinkError
from gateway.link.frames.ascii import AsciiFramer
from gateway.link.frames.expect import Expectation, Rules
from gateway.link.frames.framer import Framer
from gateway.link.frames.late import Owed
from gateway.link.frames.mbap import MbapFramer
from gateway.link.frames.pdu import encode
from gateway.link.frames.rtu import RtuFramer
from simulators import pdu as device
from simulators.frames import FRAMINGS as SERVED
from simulators.frames import BrokenStreamError
from tests.fuzz.right_replies import Framing, Values, any_request, framed, right_reply, said_in

_FRAMERS: dict[Framing, Callable[[], Framer]] = {"tcp": MbapFramer, "rtu": RtuFramer, "ascii": AsciiFramer}
FAULTS = ("wrong", "lost", "slow", "grew")
_LONGEST = 1024
"""Bytes that any framer may keep: a frame and what came with it."""
SLOW_S = 1.0
"""No frame may take so long; the machine may be busy."""


def replies(framing: Framing, count: int, seed: int) -> Counter[str]:
    """How `count` spoiled replies ended: "value", "exception", the failure; "wrong", "lost", "slow" and "grew" are faults.

    "doubted" is a right reply over TCP that came in pieces of which one might begin another reply; it is asked for again.
    """
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    ends: Counter[str] = Counter()
    for _ in range(count):
        framer = _FRAMERS[framing]()
        request = any_request(chance)
        rules = Rules(link="l", strict_tid=framing == "tcp", any_unit=False, local_echo=False, owed=Owed(any_unit=False))
        waiting = Expectation(request, framer, rules)
        tid = framer.tid or 0
        pdu = right_reply(request, chance)
        is_right = chance.random() < 0.05
        stream = framed(pdu, request.unit_id, framing, tid) if is_right else spoiled(chance, pdu, request.unit_id, framing, tid)
        began = perf_counter()
        found, end = _taken(waiting, stream, chance)
        ends["slow"] += perf_counter() - began > SLOW_S
        ends["grew"] += len(framer._buffer) > _LONGEST  # type: ignore[attr-defined]
        if found is not None and found not in said_in(stream, request, framing, tid):
            end = "wrong"
        elif is_right and found is None:
            end = "doubted" if end == "LINK_DOWN" else "lost"
        ends[end] += 1
    return +ends


def requests(framing: Framing, count: int, seed: int, memory: device.Memory) -> Counter[str]:
    """How `count` spoiled requests ended at the simulated device: "answered" or "closed"; "wrong" and "slow" are faults."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    ends: Counter[str] = Counter()
    for number in range(count):
        request = any_request(chance)
        tid = number & 0xFFFF
        stream = spoiled(chance, encode(request), request.unit_id, framing, tid)
        buffer, came = bytearray(), b""
        began = perf_counter()
        try:
            for piece in _pieces(chance, stream):
                came += piece
                buffer += piece
                for adu in SERVED[framing].feed(buffer):
                    is_in = framed(adu.pdu, adu.unit_id, framing, adu.transaction_id).lower() in came.lower()
                    ends["answered" if is_in and device.serve(memory, adu.unit_id, adu.pdu) else "wrong"] += 1
        except BrokenStreamError:
            ends["closed"] += 1
        ends["slow"] += perf_counter() - began > SLOW_S
    return +ends


def _taken(waiting: Expectation, stream: bytes, chance: random.Random) -> tuple[Values | int | None, str]:
    """What the gateway says: values, an exception's code, or nothing and why."""
    try:
        for piece in _pieces(chance, stream):
            payload = waiting.feed(piece)
            if payload is not None:
                return payload.objects or tuple(payload.words), "value"
    except DeviceExceptionError as error:
        return error.number, "exception"
    except LinkError as error:
        return None, error.code
    return None, waiting.give_up().code


def _pieces(chance: random.Random, stream: bytes) -> list[bytes]:
    cuts = sorted(chance.randrange(len(stream) + 1) for _ in range(chance.choice((0, 0, 1, 2, 8))))
    return [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def spoiled(chance: random.Random, pdu: bytes, unit: int, framing: Framing, tid: int) -> bytes:
    """The frame around `pdu` with a fault or more in PDU, head or bytes, beside other frames and noise; or bytes of pure chance."""
    if chance.random() < 0.05:
        return chance.randbytes(chance.randrange(300))
    if chance.random() < 0.4:
        pdu = _changed(chance, pdu) or b"\x00"
    if chance.random() < 0.1:
        unit = chance.randrange(256)
    if chance.random() < 0.1:
        tid = chance.choice((0, tid + 1, tid - 1, chance.randrange(0x10000))) & 0xFFFF
    stream = framed(pdu[:253], unit, framing, tid)
    while chance.random() < 0.5:
        stream = _changed(chance, stream)
    if chance.random() < 0.2:
        stream = chance.randbytes(chance.randrange(1, 9)) + stream
    if chance.random() < 0.2:
        stream += chance.choice((stream, framed(pdu[:253], unit ^ 1, framing, tid), chance.randbytes(5)))
    return stream


def _changed(chance: random.Random, data: bytes) -> bytes:
    """`data` with one fault: a bit, a byte, a piece lost, doubled, put in, moved to the front, or the end lost."""
    at, end = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    match chance.randrange(7):
        case 0 if at < len(data):
            return data[:at] + bytes((data[at] ^ 1 << chance.randrange(8),)) + data[at + 1 :]
        case 1 if at < len(data):
            return data[:at] + chance.randbytes(1) + data[at + 1 :]
        case 2:
            return data[:at] + data[end:]
        case 3:
            return data[:end] + data[at:]
        case 4:
            return data[:at] + chance.randbytes(chance.randrange(1, 5)) + data[at:]
        case 5:
            return data[at:end] + data[:at] + data[end:]
        case _:
            return data[:at]
