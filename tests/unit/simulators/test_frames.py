"""Requests cut out of streams, replies put on the wire."""

import pytest

from simulators.frames import FRAMINGS, Adu, Ascii, BrokenStreamError, LinkKind, Mbap, Rtu

READ = Adu(unit_id=17, pdu=bytes.fromhex("03006B0003"))
FRAMES: list[tuple[LinkKind, bytes]] = [
    ("tcp", bytes.fromhex("0001 0000 0006 11 03006B0003")),
    ("rtu", bytes.fromhex("11 03006B0003 7687")),
    ("ascii", b":1103006B00037E\r\n"),
]


@pytest.mark.parametrize(("kind", "frame"), FRAMES, ids=[kind for kind, _ in FRAMES])
@pytest.mark.parametrize("cut", [0, 1, 3, 6, 7, 8])
def test_a_request_is_taken_however_it_is_cut(kind: LinkKind, frame: bytes, cut: int) -> None:
    buffer = bytearray()
    taken: list[Adu] = []
    for part in (frame[:cut], frame[cut:] + frame):
        buffer += part
        taken += FRAMINGS[kind].feed(buffer)
    assert [(adu.unit_id, adu.pdu) for adu in taken] == [(17, READ.pdu)] * 2
    assert not buffer


@pytest.mark.parametrize(("kind", "frame"), FRAMES, ids=[kind for kind, _ in FRAMES])
def test_build_gives_the_published_frame(kind: LinkKind, frame: bytes) -> None:
    assert FRAMINGS[kind].build(Adu(unit_id=17, pdu=READ.pdu, transaction_id=1)) == frame


@pytest.mark.parametrize(
    "pdu",
    ["0F0013000A02CD01", "100001000204000A0102", "160004 00F2 0025", "17000300060 00E0003 06 00FF00FF00FF", "2B0E0100", "07", "0B", "11"],
)
def test_rtu_knows_how_long_each_request_is(pdu: str) -> None:
    frame = Rtu().build(Adu(unit_id=1, pdu=bytes.fromhex(pdu.replace(" ", ""))))
    buffer = bytearray(frame + frame)
    assert [adu.pdu.hex() for adu in Rtu().feed(buffer)] == [pdu.replace(" ", "").lower()] * 2


@pytest.mark.parametrize(
    "frame", ["0001 0001 0006 11 03006B0003", "0001 0000 0000 11 03", "0001 0000 012C 11 03"], ids=["protocol", "0", "300"]
)
def test_a_header_that_cannot_be_breaks_the_stream(frame: str) -> None:
    with pytest.raises(BrokenStreamError):
        list(Mbap().feed(bytearray.fromhex(frame)))


def test_a_wrong_crc_drops_what_was_received() -> None:
    buffer = bytearray.fromhex("11 03006B0003 7688 11 03")
    assert not list(Rtu().feed(buffer))
    assert not buffer


@pytest.mark.parametrize(
    "line",
    [b":1103006B00037F\r\n", b":11ZZ\r\n", b":11 03 006B 0003 7E\r\n", b"1103006B00037E\r\n"],
    ids=["lrc", "digits", "spaces", "no colon"],
)
def test_an_ascii_line_that_is_no_frame_is_dropped(line: bytes) -> None:
    buffer = bytearray(line + FRAMES[2][1])
    assert [adu.pdu for adu in Ascii().feed(buffer)] == [READ.pdu]


@pytest.mark.parametrize("kind", ["rtu", "ascii"])
def test_a_spoiled_check_is_spoiled(kind: LinkKind) -> None:
    right = FRAMINGS[kind].build(READ)
    wrong = FRAMINGS[kind].build(Adu(unit_id=17, pdu=READ.pdu, is_check_right=False))
    assert wrong != right
    assert not list(FRAMINGS[kind].feed(bytearray(wrong)))


def test_a_lie_about_length_and_protocol_is_told() -> None:
    frame = Mbap().build(Adu(unit_id=1, pdu=b"\x83\x02", transaction_id=7, protocol_id=1, length=2))
    assert frame.hex() == "000700010002018302"
