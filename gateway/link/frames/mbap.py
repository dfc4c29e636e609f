"""Modbus/TCP framing: the MBAP header of 7 bytes (Modbus Messaging on TCP/IP V1.0b 3.1.3)."""

import struct

from gateway.errors import FrameError
from gateway.link.base import Request
from gateway.link.frames.framer import Frame, Leftover
from gateway.link.frames.pdu import encode
from gateway.model.quality import PROTOCOL_ERROR

_HEADER = struct.Struct(">HHHB")
_SHORTEST, _LONGEST = 2, 254
"""Length field: unit id and a PDU of 1 to 253 bytes."""
LATE_TIDS = 64
"""A reply to one of so many requests before is late or came twice; with any other id, somebody rewrites them."""
_SPLICED_TIDS = 1024
"""A reply that begins within another one may be older: a fast link makes hundreds of requests in the time a reply may be late."""


class MbapFramer:
    """Frames with transaction ids that count up from 1."""

    def __init__(self, link: str = "") -> None:
        self._link = link
        self._tid = 0
        self._buffer = bytearray()
        self._is_spliced = False

    @property
    def tid(self) -> int | None:
        """The transaction id of the request that was started last."""
        return self._tid

    def start(self, request: Request) -> bytes:
        """The frame to send; what came before is forgotten."""
        self._buffer.clear()
        self._is_spliced = False
        self._tid = self._tid % 0xFFFF + 1
        pdu = encode(request)
        return _HEADER.pack(self._tid, 0, len(pdu) + 1, request.unit_id) + pdu

    def feed(self, data: bytes) -> None:
        """Take what the line gave. There is no check sum: what begins a reply of its own does not complete one that broke off."""
        self._is_spliced = self._is_spliced or (bool(self._buffer) and self._begins_reply(data))
        self._buffer += data

    def cut(self) -> Frame | None:
        """The next whole frame; FrameError if protocol id or length are impossible, so that no frame can be found any more."""
        if self._is_spliced:
            raise self._spliced()
        if len(self._buffer) < 6:
            return None
        tid, protocol, length = struct.unpack_from(">HHH", self._buffer)
        if protocol != 0 or not _SHORTEST <= length <= _LONGEST:
            message = f"protocol id {protocol} and length {length} in the header, expected 0 and {_SHORTEST}..{_LONGEST}"
            raise FrameError(message, kind=PROTOCOL_ERROR, link=self._link)
        end = 6 + length
        if len(self._buffer) < end:
            return None
        if len(self._buffer) > end and any(self._begins_reply(self._buffer[at:]) for at in range(6, end)):
            raise self._spliced()
        frame = Frame(self._buffer[6], bytes(self._buffer[7:end]), tid)
        del self._buffer[:end]
        return frame

    def leftover(self) -> Leftover:
        """A header without its frame is a short reply; there is no check sum to be broken."""
        return "short" if self._buffer else "nothing"

    def _spliced(self) -> FrameError:
        return FrameError("another reply begins within one that broke off", kind=PROTOCOL_ERROR, link=self._link)

    def _begins_reply(self, data: bytes | bytearray) -> bool:
        """True if `data` is whole replies to the last requests: their ids, protocol 0, and lengths that end where the data ends."""
        at = 0
        while at + 6 + _SHORTEST <= len(data):
            tid, protocol, length = struct.unpack_from(">HHH", data, at)
            if protocol != 0 or length < _SHORTEST or (self._tid - tid) % 0x10000 > _SPLICED_TIDS:
                return False
            at += 6 + length
        return 0 < at == len(data)
