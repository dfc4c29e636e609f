"""ASCII framing: `:` hex digits LRC CR LF (Modbus over Serial Line V1.02 2.5.2)."""

from gateway.link.base import Request
from gateway.link.frames.framer import Frame, Leftover
from gateway.link.frames.pdu import encode, reply_prefix

_LONGEST = 2 * 260
_SHORTEST_BYTES = 3


class AsciiFramer:
    """ASCII frames on a stream."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head = b""
        self._lost: Leftover | None = None

    @property
    def tid(self) -> int | None:
        """ASCII has none."""
        return None

    def connected(self) -> None:
        """A port that was opened anew changes nothing: a late reply may still come."""

    def start(self, request: Request) -> bytes:
        """The frame to send; what came before is forgotten."""
        self._buffer.clear()
        self._lost = None
        self._head = b":" + (bytes((request.unit_id,)) + reply_prefix(request)).hex().encode("ascii")
        body = bytes((request.unit_id,)) + encode(request)
        return b":" + (body + bytes((lrc(body),))).hex().upper().encode("ascii") + b"\r\n"

    def feed(self, data: bytes) -> None:
        """Take what the line gave."""
        self._buffer += data

    def cut(self) -> Frame | None:
        """The next frame with a right LRC; all before a colon is dropped."""
        while (end := self._buffer.find(b"\r\n")) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 2]
            body = _body(line[line.rfind(b":") :])
            if body is not None:
                return Frame(body[0], body[1:-1])
            self._lost = "broken" if self._head in line.lower() else self._lost or "spoilt"
        begin = self._buffer.rfind(b":")
        if begin < 0 or len(self._buffer) - begin > _LONGEST:
            if len(self._buffer) > _LONGEST:
                self._lost = self._lost or "spoilt"
            del self._buffer[:-1]
        elif begin > 0:
            del self._buffer[:begin]
        return None

    def leftover(self) -> Leftover:
        """A line that is no frame: broken if it begins like the reply, else spoilt; an open line: short; else noise."""
        if self._lost:
            return self._lost
        if self._buffer.startswith(b":"):
            return "short"
        return "noise" if self._buffer else "nothing"


def lrc(data: bytes) -> int:
    """Longitudinal redundancy check: minus the sum of the bytes.

    >>> hex(lrc(bytes.fromhex("01 03 00 00 00 0A")))
    '0xf2'
    """
    return -sum(data) & 0xFF


def _body(line: bytes) -> bytes | None:
    """Unit id, PDU and LRC of a line that begins with a colon; None if digits or check sum are wrong."""
    digits = line[1:]
    if not line.startswith(b":") or len(digits) % 2 or not all(digit in b"0123456789ABCDEFabcdef" for digit in digits):
        return None
    body = bytes.fromhex(digits.decode("ascii"))
    return body if len(body) >= _SHORTEST_BYTES and lrc(body[:-1]) == body[-1] else None
