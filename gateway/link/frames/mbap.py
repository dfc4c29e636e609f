"""Modbus/TCP framing: the MBAP header of 7 bytes (Modbus Messaging on TCP/IP V1.0b 3.1.3)."""

import struct

from gateway.errors import FrameError, LinkDownError
from gateway.link.base import Request
from gateway.link.frames.framer import Frame, Leftover
from gateway.link.frames.pdu import encode
from gateway.model.quality import PROTOCOL_ERROR

_HEADER = struct.Struct(">HHHB")
_SHORTEST, _LONGEST = 2, 254
"""Length field: unit id and a PDU of 1 to 253 bytes."""
LATE_TIDS = 64
"""A reply to one of so many requests before is late or came twice; with any other id, somebody rewrites them."""
_TWICE_TIDS = 1024
"""A reply that came may come again for so many requests: a fast link makes hundreds in the time a reply may be late."""
_MOST_OWED = 32
"""Replies that have not come are looked for while no more than so many other requests went unanswered."""
_AFTER_TID = bytes(3)
"""Protocol id, and the length's high byte."""


class MbapFramer:
    """Frames with transaction ids that count up from 1.

    There is no check sum, so that a reply that broke off is completed by whatever comes next. No frame is given in which another
    reply may begin: one that is owed, or one that comes twice, whole or itself in pieces. Such a connection is given up.
    """

    def __init__(self, link: str = "", *, strict_tid: bool = True) -> None:
        self._link = link
        self._strict_tid = strict_tid
        self._tid = 0
        self._buffer = bytearray()
        self._asked = 0
        self._owed: dict[bytes, None] = {}
        self._seams: list[int] = []

    @property
    def tid(self) -> int | None:
        """The transaction id of the request that was started last."""
        return self._tid

    def connected(self) -> None:
        """On a new connection nothing is owed."""
        self._buffer.clear()
        self._seams.clear()
        self._owed.clear()
        self._asked = 0

    def start(self, request: Request) -> bytes:
        """The frame to send; what came before is forgotten, unless a late reply has begun."""
        if len(self._buffer) < 6 or not self._may_begin(self._buffer):
            self._buffer.clear()
            self._seams.clear()
        self._asked += 1
        self._tid = self._tid % 0xFFFF + 1
        self._owed[self._tid.to_bytes(2, "big")] = None
        if len(self._owed) > _MOST_OWED:
            del self._owed[next(iter(self._owed))]
        pdu = encode(request)
        return _HEADER.pack(self._tid, 0, len(pdu) + 1, request.unit_id) + pdu

    def feed(self, data: bytes) -> None:
        """Take what the line gave."""
        if self._buffer:
            self._seams.append(len(self._buffer))
        self._buffer += data

    def cut(self) -> Frame | None:
        """The next whole frame.

        Raises FrameError if protocol id or length are impossible, so that no frame can be found any more, and LinkDownError if
        another reply may begin within the frame.
        """
        if len(self._buffer) < 6:
            return None
        tid, protocol, length = struct.unpack_from(">HHH", self._buffer)
        if protocol != 0 or not _SHORTEST <= length <= _LONGEST:
            message = f"protocol id {protocol} and length {length} in the header, expected 0 and {_SHORTEST}..{_LONGEST}"
            raise FrameError(message, kind=PROTOCOL_ERROR, link=self._link)
        end = 6 + length
        if len(self._buffer) < end:
            return None
        if (self._seams or len(self._owed) > 1 or len(self._buffer) > end) and self._is_spliced(bytes(self._buffer), end):
            raise LinkDownError("a reply broke off and another one followed", sent=True, link=self._link)
        frame = Frame(self._buffer[6], bytes(self._buffer[7:end]), tid)
        del self._buffer[:end]
        self._seams = [seam - end for seam in self._seams if seam > end]
        self._owed.pop((tid if self._strict_tid else self._tid).to_bytes(2, "big"), None)
        return frame

    def leftover(self) -> Leftover:
        """A header without its frame is a short reply; there is no check sum to be broken."""
        return "short" if self._buffer else "nothing"

    def _is_spliced(self, data: bytes, end: int) -> bool:
        """True if another reply may begin before `end`.

        That is: with a piece that came later; a reply that is owed anywhere; any reply anywhere, if it goes on behind `end`. Where
        transaction ids are ignored an owed reply cannot be recognised: nothing is put together from pieces while one is owed.
        """
        if not self._strict_tid and self._seams and len(self._owed) > 1:
            return True
        if any(seam < end and self._may_begin(data[seam:]) for seam in self._seams):
            return True
        for tid in self._owed:
            head = tid + _AFTER_TID
            if 0 <= data.find(head, 6) < end or any(data.endswith(head[:size]) and 6 <= len(data) - size < end for size in (2, 3, 4)):
                return True
        return len(data) > end and any(len(data) - at >= 6 and self._may_begin(data[at:]) for at in range(6, end))

    def _may_begin(self, data: bytes | bytearray) -> bool:
        """True if `data`, one byte or more, may be the begin of a reply to one of the last requests of this connection."""
        reach = min(self._asked, _TWICE_TIDS) - 1
        if len(data) == 1:
            newest, oldest = self._tid - 1 >> 8, self._tid - reach >> 8
            return reach > 0 and (newest - data[0]) % 0x100 <= newest - oldest
        is_recent = (self._tid - int.from_bytes(data[:2], "big")) % 0x10000 <= reach
        return is_recent and _AFTER_TID.startswith(data[2:5]) and (len(data) < 6 or data[5] >= _SHORTEST)
