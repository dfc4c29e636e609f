"""RTU framing: unit id, PDU, CRC-16; the end of a frame is computed, not timed (Modbus over Serial Line V1.02 2.5.1).

Frames are found anywhere in the stream, so that noise or another unit's frame before the right one costs nothing.
While the stream begins like the reply that is waited for, nothing inside it is taken for a frame.
"""

from gateway.link.base import Request
from gateway.link.frames.framer import Frame, Leftover
from gateway.link.frames.pdu import encode, reply_prefix

_SHORTEST, _LONGEST = 4, 256
_ECHOES = frozenset({5, 6, 15, 16})


class RtuFramer:
    """RTU frames on a stream."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head = b""
        self._seen = 0
        self._wanted = _SHORTEST
        self._is_broken = False

    @property
    def tid(self) -> int | None:
        """RTU has none."""
        return None

    def connected(self) -> None:
        """A port that was opened anew changes nothing: a late reply may still come."""

    def start(self, request: Request) -> bytes:
        """The frame to send; what came before is forgotten."""
        self._buffer.clear()
        self._seen = 0
        self._is_broken = False
        prefix = reply_prefix(request)
        self._head = bytes((request.unit_id,)) + prefix
        self._wanted = _length(self._head, 0) or _SHORTEST
        body = bytes((request.unit_id,)) + encode(request)
        return body + crc16(body).to_bytes(2, "little")

    def feed(self, data: bytes) -> None:
        """Take what the line gave."""
        self._buffer += data
        self._seen += len(data)

    def cut(self) -> Frame | None:
        """The next frame with a right CRC; bytes that can not begin one are dropped as noise."""
        start, keep = 0, -1
        while start < len(self._buffer):
            length = _length(self._buffer, start)
            if length is None or start + length > len(self._buffer):
                if self._buffer.startswith(self._head[: len(self._buffer) - start], start):
                    keep = start if keep < 0 else keep
                    break
                keep = start if keep < 0 else keep
            elif length:
                if crc16(self._buffer[start : start + length - 2]) == self._crc_at(start + length - 2):
                    frame = Frame(self._buffer[start], bytes(self._buffer[start + 1 : start + length - 2]))
                    del self._buffer[: start + length]
                    self._seen = len(self._buffer)
                    return frame
                self._is_broken = self._is_broken or self._buffer.startswith(self._head, start)
            start += 1
        del self._buffer[: keep if keep >= 0 else len(self._buffer)]
        return None

    def leftover(self) -> Leftover:
        """All of the reply: broken; as many bytes as it has: spoilt; its begin: short; a shorter frame's worth: garbled; else noise."""
        if self._is_broken:
            return "broken"
        if self._seen >= self._wanted:
            return "spoilt"
        if self._buffer.startswith(self._head[:3]):
            return "short"
        if self._seen >= _SHORTEST:
            return "garbled"
        return "noise" if self._seen else "nothing"

    def _crc_at(self, at: int) -> int:
        return self._buffer[at] | self._buffer[at + 1] << 8


def crc16(data: bytes | bytearray) -> int:
    """CRC-16/MODBUS: polynomial 0xA001 reflected, start 0xFFFF.

    >>> hex(crc16(bytes.fromhex("01 03 00 00 00 01")))
    '0xa84'
    """
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc


def _crc_row(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0xA001 if byte & 1 else 0)
    return byte


_TABLE = tuple(_crc_row(byte) for byte in range(256))


def _length(buffer: bytes | bytearray, start: int) -> int | None:
    """Length of the reply frame that would begin at `start`: 0 if no known function stands there, None if it is not told yet."""
    size = len(buffer) - start
    if size < 2:
        return None
    function = buffer[start + 1]
    if function & 0x80:
        return 5
    if function in _ECHOES:
        return 8
    if function == 22:
        return 10
    if function in (1, 2, 3, 4, 23):
        if size < 3:
            return None
        return 5 + buffer[start + 2] if 5 + buffer[start + 2] <= _LONGEST else 0
    return _identity_length(buffer, start) if function == 0x2B else 0


def _identity_length(buffer: bytes | bytearray, start: int) -> int | None:
    """Unit id, 7 bytes of the 43/14 head, `count` objects of 2 + length bytes, CRC."""
    if len(buffer) < start + 8:
        return None
    at = start + 8
    for _ in range(buffer[start + 7]):
        if at - start > _LONGEST:
            break
        if len(buffer) < at + 2:
            return None
        at += 2 + buffer[at + 1]
    return at + 2 - start if at + 2 - start <= _LONGEST else 0
