"""The frames that read one point, byte for byte as its link sends and gets them."""

import struct
from collections.abc import Sequence

from gateway.link.base import Read
from gateway.link.frames.ascii import AsciiFramer, lrc
from gateway.link.frames.framer import Framer
from gateway.link.frames.mbap import MbapFramer
from gateway.link.frames.pdu import reply_prefix
from gateway.link.frames.rtu import RtuFramer, crc16
from gateway.link.options import TransportName
from gateway.model.bustime import Framing

FRAMINGS: dict[TransportName, Framing] = {
    "tcp": "tcp",
    "udp": "tcp",
    "tls": "tcp",
    "memory": "tcp",
    "rtu": "rtu",
    "rtu_over_tcp": "rtu",
    "ascii": "ascii",
}


def request_frame(read: Read, framing: Framing) -> bytes:
    """The frame that asks for `read`; on TCP with transaction id 1."""
    return _framer(framing).start(read)


def reply_frame(read: Read, words: Sequence[int], framing: Framing) -> bytes:
    """The frame that answers `read` with `words` (bits as 0 and 1); on TCP with transaction id 1."""
    if read.table.is_bits:
        number = sum(1 << place for place, bit in enumerate(words) if bit)
        data = number.to_bytes((len(words) + 7) // 8, "little")
    else:
        data = struct.pack(f">{len(words)}H", *words)
    body = bytes((read.unit_id,)) + reply_prefix(read) + data
    match framing:
        case "tcp":
            return struct.pack(">HHH", 1, 0, len(body)) + body
        case "rtu":
            return body + struct.pack("<H", crc16(body))
        case "ascii":
            return b":" + (body + bytes((lrc(body),))).hex().upper().encode("ascii") + b"\r\n"


def shown(frame: bytes, framing: Framing) -> str:
    """The frame as people read it: spaced hex digits, or the characters of ASCII framing without CR LF."""
    return frame.decode("ascii").strip() if framing == "ascii" else frame.hex(" ").upper()


def _framer(framing: Framing) -> Framer:
    match framing:
        case "tcp":
            return MbapFramer()
        case "rtu":
            return RtuFramer()
        case "ascii":
            return AsciiFramer()
