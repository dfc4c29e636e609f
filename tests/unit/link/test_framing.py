"""Frames are found in any stream, whole or in pieces, behind noise and beside other units' frames; broken ones are none."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import FrameError, LinkDownError
from gateway.link.base import Identify, Read, Request, WriteRegisters
from gateway.link.frames.ascii import AsciiFramer, lrc
from gateway.link.frames.framer import Framer
from gateway.link.frames.mbap import MbapFramer
from gateway.link.frames.rtu import RtuFramer, crc16
from gateway.model.address import PduAddress, Table, UnitId

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "frames.json").read_text(encoding="utf-8"))
PUBLISHED_RTU = [frame for frame in GOLDEN["published_frames"] if frame["transport"] == "rtu"]
PUBLISHED_ASCII = [frame for frame in GOLDEN["published_frames"] if frame["transport"] == "ascii"]
NEGATIVE = {frame["id"]: frame for frame in GOLDEN["negative_frames"]}
ONE = Read(unit_id=UnitId(1), table=Table.HOLDING, address=PduAddress(0), count=1)
FIVE = bytes.fromhex("01 03 02 00 05 78 47")


def with_crc(text: str) -> bytes:
    body = bytes.fromhex(text)
    return body + crc16(body).to_bytes(2, "little")


def cut_all(framer: Framer, *pieces: bytes, request: Request = ONE) -> list[tuple[int, bytes]]:
    framer.start(request)
    found = []
    for piece in pieces:
        framer.feed(piece)
        while (frame := framer.cut()) is not None:
            found.append((frame.unit_id, frame.pdu))
    return found


@pytest.mark.parametrize("frame", PUBLISHED_RTU, ids=lambda frame: frame["id"])
def test_crc_of_published_frame_is_right(frame: dict[str, str]) -> None:
    raw = bytes.fromhex(frame["hex"])
    assert crc16(raw[:-2]).to_bytes(2, "little") == raw[-2:]


@pytest.mark.parametrize("frame", PUBLISHED_ASCII, ids=lambda frame: frame["id"])
def test_lrc_of_published_frame_is_right(frame: dict[str, str]) -> None:
    raw = bytes.fromhex(frame["text"].strip(":\r\n"))
    assert lrc(raw[:-1]) == raw[-1]


@pytest.mark.parametrize("frame", [FIVE, b":010302000AF0\r\n", bytes.fromhex("0001 0000 0005 01 03 02 0005")], ids=["rtu", "ascii", "tcp"])
def test_f12_reply_in_single_bytes_is_found(frame: bytes) -> None:
    makes: dict[int, type[Framer]] = {0x01: RtuFramer, 0x3A: AsciiFramer, 0x00: MbapFramer}
    framer = makes[frame[0]]()
    found = cut_all(framer, *[bytes((byte,)) for byte in frame])
    assert [(unit, pdu[:2]) for unit, pdu in found] == [(1, b"\x03\x02")]


NOISE: dict[str, tuple[bytes, ...]] = {
    "F14-one-byte": (b"\x00" + FIVE,),
    "F14-two-bytes": (b"\xff\xff" + FIVE,),
    "noise-apart": (b"\xff\xff", FIVE),
    "noise-like-a-long-reply": (b"\x01\x03\xf0", FIVE),
    "noise-like-the-unit": (b"\x01" + FIVE,),
    "noise-like-a-header": (b"\x01\x03" + FIVE,),
    "F16-echo-of-the-request": (bytes.fromhex("01 03 00 00 00 01 84 0A") + FIVE,),
    "F13-trailing-bytes": (FIVE + b"\xde\xad",),
    "exception-broken-off": (b"\x01\x83", FIVE),
}


@pytest.mark.parametrize("pieces", NOISE.values(), ids=NOISE.keys())
def test_rtu_frame_is_found_behind_noise(pieces: tuple[bytes, ...]) -> None:
    assert cut_all(RtuFramer(), *pieces) == [(1, bytes.fromhex("03 02 00 05"))]


def test_f08_frame_of_another_unit_is_cut_apart() -> None:
    found = cut_all(RtuFramer(), with_crc("02 03 02 00 09") + FIVE)
    assert found == [(2, bytes.fromhex("03 02 00 09")), (1, bytes.fromhex("03 02 00 05"))]


def test_frame_inside_the_awaited_reply_is_not_taken() -> None:
    inner = with_crc("01 83 02")
    reply = with_crc("01 03 06" + inner.hex() + "00")
    ask = Read(unit_id=UnitId(1), table=Table.HOLDING, address=PduAddress(0), count=3)
    assert cut_all(RtuFramer(), *[bytes((byte,)) for byte in reply], request=ask) == [(1, reply[1:-2])]


LEFT: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "nothing"),
    "stray": (b"\xff", "noise"),
    "begin": (FIVE[:5], "short"),
    "F15-crc": (FIVE[:-1] + b"\x48", "broken"),
    "crc-bytes-swapped": (FIVE[:5] + FIVE[:4:-1], "broken"),
    "exception-with-wrong-crc": (b"\x01\x83\x02\x00\x00", "garbled"),
    "begin-of-another-unit": (bytes.fromhex("03 03 08 6D 45 00 00"), "spoilt"),
    "frame-of-another-unit": (with_crc("02 03 02 00 09"), "nothing"),
}


@pytest.mark.parametrize(("data", "leftover"), LEFT.values(), ids=LEFT.keys())
def test_rtu_leftover_is_named(data: bytes, leftover: str) -> None:
    framer = RtuFramer()
    cut_all(framer, data)
    assert framer.leftover() == leftover


@pytest.mark.parametrize("name", ["rtu-bad-crc", "rtu-crc-bytes-swapped"])
def test_published_broken_rtu_frame_is_none(name: str) -> None:
    assert cut_all(RtuFramer(), bytes.fromhex(NEGATIVE[name]["hex"])) == []


@pytest.mark.parametrize("name", ["ascii-bad-lrc", "ascii-odd-hex", "ascii-no-colon"])
def test_published_broken_ascii_frame_is_none(name: str) -> None:
    framer = AsciiFramer()
    assert cut_all(framer, NEGATIVE[name]["text"].encode()) == []
    assert framer.leftover() == "spoilt"


ASCII_LEFT: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "nothing"),
    "noise": (b"xy", "noise"),
    "open": (b":0103", "short"),
    "endless": (b":" + b"0" * 600, "spoilt"),
    "wrong-lrc": (b":010302000AF1\r\n", "broken"),
    "wrong-lrc-of-another-unit": (b":020302000AF1\r\n", "spoilt"),
}


@pytest.mark.parametrize(("data", "leftover"), ASCII_LEFT.values(), ids=ASCII_LEFT.keys())
def test_ascii_leftover_is_named(data: bytes, leftover: str) -> None:
    framer = AsciiFramer()
    assert cut_all(framer, data) == []
    assert framer.leftover() == leftover


def test_ascii_frame_is_found_behind_noise_and_a_line_broken_off() -> None:
    assert cut_all(AsciiFramer(), b"xx:0103:010302000AF0\r\n") == [(1, bytes.fromhex("03 02 00 0A"))]


@pytest.mark.parametrize("header", ["0001 0001 0006 11", "0001 0000 FFFF 11", "0001 0000 0000 11", "0001 0000 012C 11"])
def test_f11_impossible_header_ends_the_stream(header: str) -> None:
    framer = MbapFramer("lan1")
    framer.start(ONE)
    framer.feed(bytes.fromhex(header))
    with pytest.raises(FrameError) as caught:
        framer.cut()
    assert caught.value.kind == "protocol_error"


def test_transaction_ids_count_up_and_begin_anew() -> None:
    framer = MbapFramer()
    ids = [int.from_bytes(framer.start(ONE)[:2], "big") for _ in range(0x10001)]
    assert ids[:2] == [1, 2]
    assert ids[0xFFFE:] == [0xFFFF, 1, 2]


def test_tcp_leftover_is_a_short_reply() -> None:
    framer = MbapFramer()
    assert cut_all(framer, bytes.fromhex("0001 0000 0005 01 03")) == []
    assert framer.leftover() == "short"


def test_start_forgets_what_came_before() -> None:
    for framer in (RtuFramer(), AsciiFramer(), MbapFramer()):
        cut_all(framer, b"\x01\x03")
        framer.start(ONE)
        assert framer.leftover() == "nothing"


@given(st.lists(st.binary(max_size=40), max_size=20))
@pytest.mark.parametrize("make", [RtuFramer, AsciiFramer])
def test_any_stream_is_followed(make: type[Framer], pieces: list[bytes]) -> None:
    """Nothing raises, the buffer stays bounded, and a right frame after silence is found."""
    framer = make()
    cut_all(framer, *pieces)
    frame = framer.start(WriteRegisters(unit_id=UnitId(1), address=PduAddress(7), words=(9,), single=True))
    framer.feed(frame)
    cut = framer.cut()
    assert cut is not None
    assert cut.pdu == bytes.fromhex("06 0007 0009")


@given(st.binary(min_size=1, max_size=3), st.integers(0, 65535))
def test_right_rtu_reply_behind_short_noise_is_found_or_waited_for(noise: bytes, word: int) -> None:
    reply = with_crc("01 03 02" + word.to_bytes(2, "big").hex())
    found = cut_all(RtuFramer(), noise + reply, request=ONE)
    assert (1, reply[1:-2]) in found or found == []


def test_identity_reply_is_cut_by_its_objects() -> None:
    reply = with_crc("01 2B 0E 01 01 00 00 02 00 02 41 42 01 01 43")
    assert cut_all(RtuFramer(), reply[:9], reply[9:11], reply[11:], request=Identify(unit_id=UnitId(1))) == [(1, reply[1:-2])]


THREE = Read(unit_id=UnitId(1), table=Table.HOLDING, address=PduAddress(0), count=3)


@pytest.mark.parametrize("head", ["01 03 FC", "01 2B 0E 01 01 00 00 FF"], ids=["registers", "identity"])
def test_what_announces_more_than_a_frame_holds_is_noise(head: str) -> None:
    """256 bytes are the most on a serial line (Modbus over Serial Line V1.02 2.5.1): nothing longer is waited for."""
    framer = RtuFramer()
    assert cut_all(framer, bytes.fromhex(head), b"\x00\xfa" * 300, FIVE, request=Identify(unit_id=UnitId(1)))[-1:] == [(1, FIVE[1:-2])]
    assert framer._buffer == b""


BROKEN_OFF, LATE = bytes.fromhex("0002 0000 0009 01 03 06 0007"), bytes.fromhex("0001 0000 0009 01 03 06 0001 0002 0003")
RIGHT = bytes.fromhex("0002 0000 0009 01 03 06 0007 0008 0009")
SPLICED: dict[str, tuple[bytes, ...]] = {
    "in-two-segments": (BROKEN_OFF, LATE),
    "in-one-segment": (BROKEN_OFF + LATE,),
    "late-one-in-pieces": (BROKEN_OFF, LATE[:4], LATE[4:]),
    "late-one-in-pieces-first-at-once": (BROKEN_OFF + LATE[:4], LATE[4:]),
    "late-one-in-bytes": (BROKEN_OFF, *(bytes((byte,)) for byte in LATE)),
    "last-byte-missing": (RIGHT[:-1], LATE),
    "last-byte-missing-and-late-one-in-pieces": (RIGHT[:-1], LATE[:1], LATE[1:]),
    "late-one-broke-off-too": (BROKEN_OFF, LATE[:4], RIGHT),
    "it-comes-again": (BROKEN_OFF, RIGHT),
}


@pytest.mark.parametrize("pieces", SPLICED.values(), ids=SPLICED.keys())
def test_late_tcp_reply_does_not_complete_one_that_broke_off(pieces: tuple[bytes, ...]) -> None:
    """Truncated reply to request 2, then the late one to request 1: their bytes together have the right length."""
    framer = MbapFramer("lan1")
    framer.start(THREE)
    with pytest.raises(LinkDownError, match="lan1: a reply broke off and another one followed") as caught:
        cut_all(framer, *pieces, request=THREE)
    assert caught.value.sent


PIECES: dict[str, tuple[bytes, ...]] = {
    "late-one-and-right": (LATE + RIGHT,),
    "late-one-in-pieces-and-right": (LATE[:9], LATE[9:] + RIGHT[:7], RIGHT[7:]),
    "late-one-in-bytes-and-right": tuple(bytes((byte,)) for byte in LATE + RIGHT),
}


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES.keys())
def test_whole_tcp_replies_in_pieces_are_followed(pieces: tuple[bytes, ...]) -> None:
    framer = MbapFramer()
    framer.start(THREE)
    assert cut_all(framer, *pieces, request=THREE) == [(1, LATE[7:]), (1, RIGHT[7:])]


def test_late_tcp_reply_that_began_before_the_request_is_followed() -> None:
    framer = MbapFramer()
    framer.start(THREE)
    framer.feed(LATE[:8])
    assert cut_all(framer, LATE[8:] + RIGHT, request=THREE) == [(1, LATE[7:]), (1, RIGHT[7:])]


def test_on_a_new_connection_nothing_is_late() -> None:
    """What looks like a reply to request 1 is data: on this connection nobody made it."""
    framer = MbapFramer()
    framer.start(THREE)
    framer.connected()
    data = bytes.fromhex("0002 0000 0009 01 03 06"), bytes.fromhex("0001 0000 0009")
    assert cut_all(framer, *data, request=THREE) == [(1, bytes.fromhex("03 06 0001 0000 0009"))]


def test_ignored_transaction_ids_nothing_is_put_together_while_a_reply_is_owed() -> None:
    framer = MbapFramer(strict_tid=False)
    assert cut_all(framer, RIGHT[:7], RIGHT[7:], request=THREE) == [(1, RIGHT[7:])]
    framer.start(THREE)
    with pytest.raises(LinkDownError):
        cut_all(framer, RIGHT[:7], RIGHT[7:], request=THREE)


def test_tcp_reply_in_two_pieces_of_which_the_second_begins_like_another_reply_is_refused() -> None:
    framer = MbapFramer()
    request = Read(unit_id=UnitId(1), table=Table.HOLDING, address=PduAddress(0), count=4)
    pieces = (bytes.fromhex("0001 0000 000B 01 03 08"), bytes.fromhex("0001 0000 0006 0103"))
    with pytest.raises(LinkDownError):
        cut_all(framer, *pieces, request=request)
    framer.connected()
    again = (bytes.fromhex("0002 0000 000B 01 03 08"), pieces[1])
    assert cut_all(framer, *again, request=request) == [(1, bytes.fromhex("03 08 0001 0000 0006 0103"))]
