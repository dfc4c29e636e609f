"""Requests out of a stream of bytes, and replies into it: MBAP (TCP), RTU and ASCII, as a device sees them."""

from binascii import unhexlify
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

LinkKind = Literal["tcp", "rtu_over_tcp", "rtu", "ascii"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adu:
    """One request or reply; the last four fields exist so that faults can spoil them."""

    unit_id: int
    pdu: bytes
    transaction_id: int = 0
    protocol_id: int = 0
    length: int | None = None
    is_check_right: bool = True


class BrokenStreamError(Exception):
    """The stream cannot be followed any more; a device closes the connection."""


class Framing(Protocol):
    """One way of putting a PDU on the wire."""

    def feed(self, buffer: bytearray) -> Iterator[Adu]:
        """Take complete requests out of `buffer`, whose rest stays; raises BrokenStreamError."""
        ...

    def build(self, adu: Adu) -> bytes:
        """The bytes of one frame."""
        ...


class Mbap:
    """Modbus/TCP: transaction id, protocol id, length, unit id, PDU."""

    def feed(self, buffer: bytearray) -> Iterator[Adu]:
        """Complete requests; any protocol but 0 and impossible lengths break the stream."""
        while len(buffer) >= 7:
            transaction_id, protocol_id, length = (int.from_bytes(buffer[at : at + 2], "big") for at in (0, 2, 4))
            if protocol_id != 0 or not 2 <= length <= 254:
                raise BrokenStreamError(f"protocol {protocol_id}, length {length}")
            if len(buffer) < 6 + length:
                return
            adu = Adu(unit_id=buffer[6], pdu=bytes(buffer[7 : 6 + length]), transaction_id=transaction_id)
            del buffer[: 6 + length]
            yield adu

    def build(self, adu: Adu) -> bytes:
        """The frame, with the length the ADU names or the right one."""
        length = len(adu.pdu) + 1 if adu.length is None else adu.length
        head = b"".join(number.to_bytes(2, "big") for number in (adu.transaction_id, adu.protocol_id, length))
        return head + bytes((adu.unit_id,)) + adu.pdu


class Rtu:
    """Unit id, PDU, CRC-16; a request's end is known by its function, not by silence."""

    def feed(self, buffer: bytearray) -> Iterator[Adu]:
        """Complete requests; after a wrong CRC everything received is dropped, as a device waits for silence."""
        while len(buffer) >= 4:
            length = _request_length(buffer)
            if length is None or len(buffer) < length:
                return
            frame = bytes(buffer[:length])
            if crc(frame[:-2]) != frame[-2:]:
                buffer.clear()
                return
            del buffer[:length]
            yield Adu(unit_id=frame[0], pdu=frame[1:-2])

    def build(self, adu: Adu) -> bytes:
        """The frame, with a wrong CRC if the ADU says so."""
        body = bytes((adu.unit_id,)) + adu.pdu
        check = crc(body)
        return body + (check if adu.is_check_right else bytes((check[0] ^ 0xFF, check[1])))


class Ascii:
    """Colon, hexadecimal unit id, PDU and LRC, CR LF."""

    def feed(self, buffer: bytearray) -> Iterator[Adu]:
        """Complete requests; lines that are no frame are dropped."""
        while (end := buffer.find(b"\r\n")) >= 0:
            _, colon, digits = bytes(buffer[:end]).rpartition(b":")
            del buffer[: end + 2]
            try:
                frame = unhexlify(digits)
            except ValueError:
                continue
            if colon and len(frame) >= 3 and sum(frame) & 0xFF == 0:
                yield Adu(unit_id=frame[0], pdu=frame[1:-1])

    def build(self, adu: Adu) -> bytes:
        """The frame, with a wrong LRC if the ADU says so."""
        body = bytes((adu.unit_id,)) + adu.pdu
        check = -sum(body) & 0xFF
        return b":" + (body + bytes((check if adu.is_check_right else check ^ 0xFF,))).hex().upper().encode() + b"\r\n"


FRAMINGS: dict[LinkKind, Framing] = {"tcp": Mbap(), "rtu_over_tcp": Rtu(), "rtu": Rtu(), "ascii": Ascii()}


def crc(body: bytes) -> bytes:
    """CRC-16 of a serial frame, low byte first (Modbus over serial line V1.02, 6.2.2).

    >>> crc(bytes.fromhex("010300000001")).hex()
    '840a'
    """
    register = 0xFFFF
    for byte in body:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0xA001 if register & 1 else 0)
    return register.to_bytes(2, "little")


def _request_length(buffer: bytearray) -> int | None:
    """Bytes of the RTU request at the head, None while that cannot be known."""
    function = buffer[1]
    if function in (15, 16):
        return 9 + buffer[6] if len(buffer) > 6 else None
    if function == 23:
        return 13 + buffer[10] if len(buffer) > 10 else None
    if function in (1, 2, 3, 4, 5, 6, 8):
        return 8
    known = {7: 4, 11: 4, 12: 4, 17: 4, 22: 10, 24: 6, 43: 7}
    return known.get(function, len(buffer))
