"""Requests of all kinds and their right replies, and whether bytes hold a right reply: written anew, nothing is shared with the gateway."""

import random
import struct
from collections.abc import Iterator
from typing import Literal

from gateway.link.base import Identify, MaskWrite, Read, ReadWriteRegisters, Request, WriteCoils, WriteRegisters
from gateway.model.address import PduAddress, Table, UnitId
from tests.fake_device import crc

Framing = Literal["tcp", "rtu", "ascii"]
FRAMINGS: tuple[Framing, ...] = ("tcp", "rtu", "ascii")
Values = tuple[int, ...] | tuple[tuple[int, bytes], ...]
"""What a reply says: registers, bits, identification objects; nothing for a write."""
_READS = {Table.COIL: 1, Table.DISCRETE: 2, Table.HOLDING: 3, Table.INPUT: 4}


def any_request(chance: random.Random) -> Request:
    """A request of any kind that Modbus allows; most are short, as on a plant."""
    unit = UnitId(chance.choice((1, 1, 1, 2, 17, 247)))
    address = PduAddress(chance.choice((0, 0, 1, 107, 0x0300, 40000)))
    count = chance.choice((1, 1, 2, 2, 3, 4, 8, 25, 100))
    words = tuple(chance.randrange(0x10000) for _ in range(count))
    bits = tuple(chance.random() < 0.5 for _ in range(count))
    match chance.randrange(10):
        case 0:
            return WriteRegisters(unit_id=unit, address=address, words=words[:1], single=True)
        case 1:
            return WriteRegisters(unit_id=unit, address=address, words=words)
        case 2:
            return WriteCoils(unit_id=unit, address=address, bits=bits[:1], single=True)
        case 3:
            return WriteCoils(unit_id=unit, address=address, bits=bits)
        case 4:
            return MaskWrite(unit_id=unit, address=address, and_mask=words[0], or_mask=words[-1])
        case 5:
            return ReadWriteRegisters(unit_id=unit, read_address=address, count=count, write_address=address, words=words)
        case 6:
            return Identify(unit_id=unit)
        case _:
            return Read(unit_id=unit, table=chance.choice(tuple(Table)), address=address, count=count)


def right_reply(request: Request, chance: random.Random) -> bytes:
    """The PDU of a right reply with values of its own, now and then an exception."""
    words = [chance.choice((0, 1, chance.randrange(0x10000))) for _ in range(125)]
    if chance.random() < 0.1:
        return bytes((_function(request) | 0x80, chance.randrange(1, 12)))
    match request:
        case Read(table=table, count=count) if table.is_bits:
            size = -(-count // 8)
            return bytes((_READS[table], size)) + bytes(chance.randrange(256) for _ in range(size))
        case Read(count=count) | ReadWriteRegisters(count=count):
            return struct.pack(f">BB{count}H", _function(request), 2 * count, *words[:count])
        case Identify(code=code):
            objects = b"".join(bytes((number, len(text))) + text for number, text in ((0, b"ACME"), (1, b"X-200"), (2, b"")))
            return bytes((0x2B, 0x0E, code, 1, 0, 0, 3)) + objects
        case _:
            return _echo(request)


def said_in(stream: bytes, request: Request, framing: Framing, tid: int) -> Iterator[Values | int]:
    """What every right reply to `request` anywhere in `stream` says, an exception as its code."""
    for unit, pdu in _frames(stream, framing, tid):
        if unit == request.unit_id:
            yield from _said(pdu, request)


def _function(request: Request) -> int:
    match request:
        case Read(table=table):
            return _READS[table]
        case WriteRegisters(single=single):
            return 6 if single else 16
        case WriteCoils(single=single):
            return 5 if single else 15
        case MaskWrite():
            return 22
        case ReadWriteRegisters():
            return 23
        case Identify():
            return 0x2B


def _echo(request: Request) -> bytes:
    match request:
        case WriteRegisters(address=address, words=words, single=single):
            return struct.pack(">BHH", _function(request), address, words[0] if single else len(words))
        case WriteCoils(address=address, bits=bits, single=single):
            return struct.pack(">BHH", _function(request), address, (0xFF00 if bits[0] else 0) if single else len(bits))
        case MaskWrite(address=address, and_mask=and_mask, or_mask=or_mask):
            return struct.pack(">BHHH", 22, address, and_mask, or_mask)
        case _:
            raise AssertionError(request)


def _frames(stream: bytes, framing: Framing, tid: int) -> Iterator[tuple[int, bytes]]:
    """Unit id and PDU of whatever is a whole frame with a right check sum (or transaction id), wherever it begins and ends."""
    match framing:
        case "tcp":
            head, at = struct.pack(">HH", tid, 0), -1
            while (at := stream.find(head, at + 1)) >= 0:
                end = at + 6 + int.from_bytes(stream[at + 4 : at + 6], "big")
                if at + 8 <= end <= len(stream):
                    yield stream[at + 6], stream[at + 7 : end]
        case "rtu":
            for at in range(len(stream) - 3):
                register = 0xFFFF
                for end in range(at + 1, min(len(stream) - 1, at + 255)):
                    register = _crc_step(register, stream[end - 1])
                    if end >= at + 2 and register == stream[end] | stream[end + 1] << 8:
                        yield stream[at], stream[at + 1 : end]
        case "ascii":
            for line in stream.split(b"\r\n")[:-1]:
                digits = line.rpartition(b":")[2]
                if b":" in line and len(digits) % 2 == 0 and all(digit in b"0123456789ABCDEFabcdef" for digit in digits):
                    body = bytes.fromhex(digits.decode())
                    if len(body) >= 3 and sum(body) % 256 == 0:
                        yield body[0], body[1:-1]


def _crc_step(register: int, byte: int) -> int:
    register ^= byte
    for _ in range(8):
        register = register >> 1 ^ (0xA001 if register & 1 else 0)
    return register


def _said(pdu: bytes, request: Request) -> Iterator[Values | int]:
    function = _function(request)
    if len(pdu) == 2 and pdu[0] == function | 0x80:
        yield pdu[1]
    match request:
        case Read(count=count, table=table) if table.is_bits:
            size = -(-count // 8)
            if pdu[:2] == bytes((function, size)) and len(pdu) == 2 + size:
                yield tuple(pdu[2 + place // 8] >> place % 8 & 1 for place in range(count))
        case Read(count=count) | ReadWriteRegisters(count=count):
            if pdu[:2] == bytes((function, 2 * count)) and len(pdu) == 2 + 2 * count:
                yield struct.unpack(f">{count}H", pdu[2:])
        case Identify(code=code):
            if pdu[:3] == bytes((0x2B, 0x0E, code)) and len(pdu) >= 7:
                yield from _objects(pdu)
        case _:
            if pdu == _echo(request):
                yield ()


def _objects(pdu: bytes) -> Iterator[Values]:
    found, rest = [], pdu[7:]
    for _ in range(pdu[6]):
        if len(rest) < 2 or len(rest) < 2 + rest[1]:
            return
        found.append((rest[0], rest[2 : 2 + rest[1]]))
        rest = rest[2 + rest[1] :]
    if not rest:
        yield tuple(found)


def framed(pdu: bytes, unit: int, framing: Framing, tid: int) -> bytes:
    """The frame around `pdu`."""
    body = bytes((unit,)) + pdu
    match framing:
        case "tcp":
            return struct.pack(">HHH", tid, 0, len(body)) + body
        case "rtu":
            return body + crc(body)
        case "ascii":
            return b":" + (body + bytes((-sum(body) & 0xFF,))).hex().upper().encode() + b"\r\n"
