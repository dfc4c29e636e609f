"""Requests to PDUs, and the proof that a PDU is the reply to its request (Modbus V1.1b3 section 6)."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.errors import DeviceExceptionError, FrameError, RequestRefusedError
from gateway.link.base import Identify, MaskWrite, Read, ReadWriteRegisters, Request, WriteCoils, WriteRegisters
from gateway.model.quality import ECHO_MISMATCH, FUNCTION_MISMATCH, LENGTH_MISMATCH

MAX_READ_WORDS = 125
MAX_READ_BITS = 2000
MAX_WRITE_WORDS = 123
MAX_WRITE_BITS = 1968
MAX_READ_WRITE_WORDS = 121

_EXCEPTION = 0x80
_ON, _OFF = 0xFF00, 0x0000
_MEI, _MEI_IDENTIFY = 0x2B, 0x0E


@dataclass(frozen=True, slots=True)
class Payload:
    """What a proved reply carries: registers or bits, identification objects and where more of them begin."""

    words: Sequence[int] = ()
    objects: tuple[tuple[int, bytes], ...] = ()
    next_object: int | None = None


def check(request: Request, link: str = "") -> None:
    """Raise RequestRefusedError if Modbus forbids the request (address, count, range of a word)."""
    match request:
        case Read(table=table, address=address, count=count):
            _span(request, link, address, count, MAX_READ_BITS if table.is_bits else MAX_READ_WORDS)
            _unit(request, link, write=False)
        case WriteRegisters(address=address, words=words, single=single):
            _span(request, link, address, len(words), 1 if single else MAX_WRITE_WORDS)
            _range(request, link, words)
            _unit(request, link, write=True)
        case WriteCoils(address=address, bits=bits, single=single):
            _span(request, link, address, len(bits), 1 if single else MAX_WRITE_BITS)
            _unit(request, link, write=True)
        case MaskWrite(address=address, and_mask=and_mask, or_mask=or_mask):
            _span(request, link, address, 1, 1)
            _range(request, link, (and_mask, or_mask))
            _unit(request, link, write=True)
        case ReadWriteRegisters(read_address=read_address, count=count, write_address=write_address, words=words):
            _span(request, link, read_address, count, MAX_READ_WORDS)
            _span(request, link, write_address, len(words), MAX_READ_WRITE_WORDS)
            _range(request, link, words)
            _unit(request, link, write=True)
        case Identify():
            _unit(request, link, write=False)


def encode(request: Request) -> bytes:
    """The PDU of a request that passed `check`."""
    match request:
        case Read(table=table, address=address, count=count):
            return struct.pack(">BHH", table.read_function, address, count)
        case WriteRegisters(address=address, words=words, single=True):
            return struct.pack(">BHH", 6, address, words[0])
        case WriteRegisters(address=address, words=words):
            return struct.pack(f">BHHB{len(words)}H", 16, address, len(words), 2 * len(words), *words)
        case WriteCoils(address=address, bits=bits, single=True):
            return struct.pack(">BHH", 5, address, _ON if bits[0] else _OFF)
        case WriteCoils(address=address, bits=bits):
            packed = _pack_bits(bits)
            return struct.pack(">BHHB", 15, address, len(bits), len(packed)) + packed
        case MaskWrite(address=address, and_mask=and_mask, or_mask=or_mask):
            return struct.pack(">BHHH", 22, address, and_mask, or_mask)
        case ReadWriteRegisters(read_address=read_address, count=count, write_address=write_address, words=words):
            head = struct.pack(">BHHHHB", 23, read_address, count, write_address, len(words), 2 * len(words))
            return head + struct.pack(f">{len(words)}H", *words)
        case Identify(code=code, object_id=object_id):
            return bytes((_MEI, _MEI_IDENTIFY, code, object_id))


def reply_prefix(request: Request) -> bytes:
    """The bytes every right reply to `request` begins with; all of them where the reply is an echo."""
    match request:
        case Read(table=table, count=count):
            return bytes((table.read_function, (count + 7) // 8 if table.is_bits else 2 * count))
        case ReadWriteRegisters(count=count):
            return bytes((23, 2 * count))
        case Identify(code=code):
            return bytes((_MEI, _MEI_IDENTIFY, code))
        case WriteRegisters(single=True) | WriteCoils(single=True) | MaskWrite():
            return encode(request)
        case WriteRegisters() | WriteCoils():
            return encode(request)[:5]


def reply_length(request: Request) -> int | None:
    """Bytes of the right reply's PDU; None where only the reply itself tells (identification)."""
    prefix = reply_prefix(request)
    match request:
        case Read() | ReadWriteRegisters():
            return len(prefix) + prefix[1]
        case Identify():
            return None
        case _:
            return len(prefix)


def decode(request: Request, pdu: bytes, link: str = "") -> Payload:
    """What `pdu` carries, if it is the reply to `request`.

    Raises DeviceExceptionError for a Modbus exception, FrameError (function, length, echo) for all that does not belong.
    """
    prefix = reply_prefix(request)
    function = prefix[0]
    if pdu[:1] == bytes((function | _EXCEPTION,)):
        if len(pdu) != 2:
            raise _wrong(request, link, LENGTH_MISMATCH, f"exception reply of {len(pdu)} bytes, expected 2")
        raise DeviceExceptionError.of(pdu[1], link=link, unit_id=request.unit_id, operation=describe(request))
    if pdu[:1] != prefix[:1]:
        raise _wrong(request, link, FUNCTION_MISMATCH, f"reply has function {pdu[:1].hex() or 'none'}, expected {function:02x}")
    match request:
        case Identify():
            return Payload(objects=_objects(request, pdu, link), next_object=pdu[5] if pdu[4] else None)
        case Read() | ReadWriteRegisters():
            if pdu[1:2] != prefix[1:] or len(pdu) != 2 + pdu[1]:
                raise _wrong(
                    request,
                    link,
                    LENGTH_MISMATCH,
                    f"reply says {pdu[1:2].hex() or 'no'} and has {len(pdu) - 2} bytes of data, expected {prefix[1]}",
                )
        case _:
            if len(pdu) != len(prefix):
                raise _wrong(request, link, LENGTH_MISMATCH, f"reply of {len(pdu)} bytes, expected {len(prefix)}")
            if pdu != prefix:
                raise _wrong(request, link, ECHO_MISMATCH, f"reply {pdu.hex()} does not repeat the request {prefix.hex()}")
            return Payload()
    if isinstance(request, Read) and request.table.is_bits:
        return Payload(_unpack_bits(pdu[2:], request.count))
    return Payload(struct.unpack(f">{request.count}H", pdu[2:]))


def describe(request: Request) -> str:
    """The request in words, for messages: `read holding 107 x3`."""
    match request:
        case Read(table=table, address=address, count=count):
            return f"read {table} {address} x{count}"
        case WriteRegisters(address=address, words=words):
            return f"write holding {address} = {' '.join(f'{word:04X}' for word in words)}"
        case WriteCoils(address=address, bits=bits):
            return f"write coil {address} = {' '.join(str(int(bit)) for bit in bits)}"
        case MaskWrite(address=address, and_mask=and_mask, or_mask=or_mask):
            return f"mask-write holding {address} and {and_mask:04X} or {or_mask:04X}"
        case ReadWriteRegisters(read_address=read_address, count=count, write_address=write_address, words=words):
            return f"read holding {read_address} x{count}, write {write_address} x{len(words)}"
        case Identify(code=code):
            return f"identify {code}"


def _span(request: Request, link: str, address: int, count: int, limit: int) -> None:
    if not 1 <= count <= limit:
        raise _refused(request, link, f"count {count} is not in 1..{limit}")
    if not 0 <= address <= 0xFFFF or address + count > 0x10000:
        raise _refused(request, link, f"addresses {address}..{address + count - 1} leave 0..65535")


def _range(request: Request, link: str, words: Sequence[int]) -> None:
    for word in words:
        if not 0 <= word <= 0xFFFF:
            raise _refused(request, link, f"word {word} is not in 0..65535")


def _unit(request: Request, link: str, *, write: bool) -> None:
    if not 0 <= request.unit_id <= 255:
        raise _refused(request, link, f"unit id {request.unit_id} is not in 1..255")
    if request.unit_id == 0:
        raise _refused(request, link, "nobody proves a broadcast write" if write else "nobody replies to a broadcast")


def _refused(request: Request, link: str, message: str) -> RequestRefusedError:
    return RequestRefusedError(message, link=link, unit_id=request.unit_id, operation=describe(request))


def _wrong(request: Request, link: str, kind: str, message: str) -> FrameError:
    return FrameError(message, kind=kind, link=link, unit_id=request.unit_id, operation=describe(request))


def _pack_bits(bits: Sequence[bool]) -> bytes:
    number = sum(1 << place for place, bit in enumerate(bits) if bit)
    return number.to_bytes((len(bits) + 7) // 8, "little")


def _unpack_bits(data: bytes, count: int) -> tuple[int, ...]:
    number = int.from_bytes(data, "little")
    return tuple(number >> place & 1 for place in range(count))


def _objects(request: Identify, pdu: bytes, link: str) -> tuple[tuple[int, bytes], ...]:
    """Objects of a 43/14 reply: `2B 0E code conformity more next count (id length text)*` (V1.1b3 6.21)."""
    short = _wrong(request, link, LENGTH_MISMATCH, "identification reply ends too early or too late")
    if pdu[:3] != reply_prefix(request):
        raise _wrong(request, link, FUNCTION_MISMATCH, f"reply {pdu[:3].hex()} is not the identification asked for")
    if len(pdu) < 7:
        raise short
    found: list[tuple[int, bytes]] = []
    at = 7
    for _ in range(pdu[6]):
        if at + 2 > len(pdu) or at + 2 + pdu[at + 1] > len(pdu):
            raise short
        found.append((pdu[at], pdu[at + 2 : at + 2 + pdu[at + 1]]))
        at += 2 + pdu[at + 1]
    if at != len(pdu):
        raise short
    return tuple(found)
