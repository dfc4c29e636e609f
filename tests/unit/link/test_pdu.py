"""PDUs against the examples of the specification and against what must be refused."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import DeviceExceptionError, FrameError, LinkError, RequestRefusedError
from gateway.link.base import Identify, MaskWrite, Read, ReadWriteRegisters, Request, WriteCoils, WriteRegisters
from gateway.link.frames.ascii import AsciiFramer
from gateway.link.frames.framer import Framer
from gateway.link.frames.mbap import MbapFramer
from gateway.link.frames.pdu import check, decode, describe, encode, reply_length, reply_prefix
from gateway.link.frames.rtu import RtuFramer
from gateway.model.address import PduAddress, Table, UnitId

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "frames.json").read_text(encoding="utf-8"))
OURS = {1, 2, 3, 4, 5, 6, 15, 16, 22, 23, 43}
FRAMES = {frame["id"]: frame for frame in GOLDEN["frames"] if frame["function"] in OURS}
REQUESTS = [frame for frame in FRAMES.values() if frame["direction"] == "request"]
REPLIES = [frame for frame in FRAMES.values() if frame["direction"] != "request"]
U1, A0 = UnitId(1), PduAddress(0)


def parsed(pdu: bytes, unit: int) -> Request:
    """A request PDU read by hand."""
    uid, function = UnitId(unit), pdu[0]
    address = PduAddress(int.from_bytes(pdu[1:3], "big"))
    number = int.from_bytes(pdu[3:5], "big")
    match function:
        case 1 | 2 | 3 | 4:
            table = {1: Table.COIL, 2: Table.DISCRETE, 3: Table.HOLDING, 4: Table.INPUT}[function]
            return Read(unit_id=uid, table=table, address=address, count=number)
        case 5:
            return WriteCoils(unit_id=uid, address=address, bits=(number == 0xFF00,), single=True)
        case 6:
            return WriteRegisters(unit_id=uid, address=address, words=(number,), single=True)
        case 15:
            bits = tuple(bool(pdu[6 + at // 8] >> at % 8 & 1) for at in range(number))
            return WriteCoils(unit_id=uid, address=address, bits=bits)
        case 16:
            return WriteRegisters(unit_id=uid, address=address, words=struct.unpack(f">{number}H", pdu[6:]))
        case 22:
            return MaskWrite(unit_id=uid, address=address, and_mask=number, or_mask=int.from_bytes(pdu[5:7], "big"))
        case 23:
            write, words = int.from_bytes(pdu[5:7], "big"), struct.unpack(f">{pdu[8]}H", pdu[10:])
            return ReadWriteRegisters(unit_id=uid, read_address=address, count=number, write_address=PduAddress(write), words=words)
        case _:
            return Identify(unit_id=uid, code=pdu[2], object_id=pdu[3])


def hexed(text: str) -> bytes:
    return bytes.fromhex(text)


@pytest.mark.parametrize("frame", REQUESTS, ids=lambda frame: frame["id"])
def test_request_is_the_published_frame_in_all_framings(frame: dict[str, str]) -> None:
    request = parsed(hexed(frame["pdu"]), int(frame["unit"]))
    assert encode(request) == hexed(frame["pdu"])
    assert RtuFramer().start(request) == hexed(frame["rtu"])
    assert AsciiFramer().start(request) == frame["ascii"].encode()
    tcp = MbapFramer()
    for _ in range(int(frame["transaction_id"])):
        sent = tcp.start(request)
    assert sent == hexed(frame["tcp"])


@pytest.mark.parametrize("frame", REPLIES, ids=lambda frame: frame["id"])
@pytest.mark.parametrize(("framer", "key"), [(RtuFramer, "rtu"), (AsciiFramer, "ascii"), (MbapFramer, "tcp")], ids=["rtu", "ascii", "tcp"])
def test_reply_is_cut_from_the_stream(frame: dict[str, Any], framer: type[Framer], key: str) -> None:
    cutter = framer()
    cutter.start(Read(unit_id=U1, table=Table.HOLDING, address=A0, count=1))
    cutter.feed(frame[key].encode() if key == "ascii" else hexed(frame[key]))
    cut = cutter.cut()
    assert cut is not None
    assert (cut.unit_id, cut.pdu) == (frame["unit"], hexed(frame["pdu"]))
    assert cut.tid == (frame["transaction_id"] if key == "tcp" else None)


PAIRS = [
    (FRAMES[f"{name}-req"], FRAMES[f"{name}-rsp"]) for name in ("fc02", "fc03", "fc04", "fc05", "fc16", "fc22", "fc23", "fc43-14-basic")
]


@pytest.mark.parametrize(("request_", "reply"), PAIRS, ids=[pair[0]["id"][:4] for pair in PAIRS])
def test_published_reply_is_decoded(request_: dict[str, str], reply: dict[str, dict[str, object]]) -> None:
    asked = parsed(hexed(request_["pdu"]), int(request_["unit"]))
    payload = decode(asked, hexed(str(reply["pdu"])))
    meaning = reply["meaning"]
    if "registers" in meaning:
        assert list(payload.words) == meaning["registers"]
    if "objects" in meaning:
        assert {str(number): text.decode() for number, text in payload.objects} == meaning["objects"]
    assert reply_length(asked) in (None, len(hexed(str(reply["pdu"]))))


def test_d34_ten_coils_are_ten_values_least_bit_first() -> None:
    read = Read(unit_id=U1, table=Table.COIL, address=A0, count=10)
    assert decode(read, hexed("01 02 CD 6B")).words == (1, 0, 1, 1, 0, 0, 1, 1, 1, 1)


def test_objects_that_follow_are_told() -> None:
    payload = decode(Identify(unit_id=U1), hexed(FRAMES["fc43-14-more-rsp"]["pdu"]))
    assert (payload.objects, payload.next_object) == (((0, b"ACME"),), 1)


@pytest.mark.parametrize("frame", [f for f in FRAMES.values() if f["direction"] == "exception"], ids=lambda frame: frame["id"])
def test_exception_reply_raises_its_code(frame: dict[str, str]) -> None:
    pdu = hexed(frame["pdu"])
    asked = next(parsed(hexed(one["pdu"]), int(one["unit"])) for one in [*REQUESTS, *FILLED] if one["function"] == frame["function"])
    with pytest.raises(DeviceExceptionError) as caught:
        decode(asked, pdu, "line1")
    assert caught.value.number == pdu[1]
    assert "line1" in str(caught.value)


FILLED = [{"function": 1, "pdu": "01 00 13 00 13", "unit": 17}, {"function": 6, "pdu": "06 00 01 00 03", "unit": 17}]
READ2 = Read(unit_id=U1, table=Table.HOLDING, address=A0, count=2)
WRITE1 = WriteRegisters(unit_id=U1, address=PduAddress(1), words=(3,), single=True)
WRITE2 = WriteRegisters(unit_id=U1, address=PduAddress(1), words=(3, 4))
WRONG: dict[str, tuple[Request, str, str]] = {
    "F05-function": (READ2, "04 04 00 01 00 02", "function_mismatch"),
    "F06-one-of-two": (READ2, "03 02 00 0A", "length_mismatch"),
    "F06-none": (READ2, "03 00", "length_mismatch"),
    "F06-three-bytes": (READ2, "03 03 00 01 02", "length_mismatch"),
    "F06-too-many": (READ2, "03 16" + " 00" * 22, "length_mismatch"),
    "count-lies": (READ2, "03 04 00 0A", "length_mismatch"),
    "more-than-counted": (READ2, "03 04 00 0A 00 0B 00", "length_mismatch"),
    "nothing": (READ2, "", "function_mismatch"),
    "F07-exception-of-other-function": (READ2, "84 02", "function_mismatch"),
    "F20-exception-without-code": (READ2, "83", "length_mismatch"),
    "exception-too-long": (READ2, "83 02 00", "length_mismatch"),
    "W13-echo-of-other-value": (WRITE1, "06 00 01 00 04", "echo_mismatch"),
    "echo-of-other-address": (WRITE1, "06 00 02 00 03", "echo_mismatch"),
    "echo-too-short": (WRITE1, "06 00 01 00", "length_mismatch"),
    "W14-other-quantity": (WRITE2, "10 00 01 00 01", "echo_mismatch"),
    "identity-other-mei": (Identify(unit_id=U1), "2B 0D 01 01 00 00 00", "function_mismatch"),
    "identity-short": (Identify(unit_id=U1), "2B 0E 01 01 00", "length_mismatch"),
    "identity-object-short": (Identify(unit_id=U1), "2B 0E 01 01 00 00 01 00 05 41", "length_mismatch"),
    "identity-too-long": (Identify(unit_id=U1), "2B 0E 01 01 00 00 01 00 01 41 42", "length_mismatch"),
}


@pytest.mark.parametrize(("asked", "pdu", "kind"), WRONG.values(), ids=WRONG.keys())
def test_foreign_reply_is_refused(asked: Request, pdu: str, kind: str) -> None:
    with pytest.raises(FrameError) as caught:
        decode(asked, hexed(pdu), "line1")
    assert caught.value.kind == kind
    assert "line1 unit 1" in str(caught.value)


FORBIDDEN: dict[str, Request] = {
    "S23-126-registers": Read(unit_id=U1, table=Table.HOLDING, address=A0, count=126),
    "2001-coils": Read(unit_id=U1, table=Table.COIL, address=A0, count=2001),
    "nothing": Read(unit_id=U1, table=Table.INPUT, address=A0, count=0),
    "over-the-end": Read(unit_id=U1, table=Table.HOLDING, address=PduAddress(65535), count=2),
    "negative": Read(unit_id=U1, table=Table.HOLDING, address=PduAddress(-1), count=1),
    "F19-unit-0-read": Read(unit_id=UnitId(0), table=Table.HOLDING, address=A0, count=1),
    "unit-256": Read(unit_id=UnitId(256), table=Table.HOLDING, address=A0, count=1),
    "W18-124-registers": WriteRegisters(unit_id=U1, address=A0, words=(0,) * 124),
    "W18-1969-coils": WriteCoils(unit_id=U1, address=A0, bits=(True,) * 1969),
    "two-by-function-6": WriteRegisters(unit_id=U1, address=A0, words=(1, 2), single=True),
    "word-of-17-bits": WriteRegisters(unit_id=U1, address=A0, words=(0x10000,), single=True),
    "negative-word": WriteRegisters(unit_id=U1, address=A0, words=(-1,)),
    "mask-of-17-bits": MaskWrite(unit_id=U1, address=A0, and_mask=0x1FFFF, or_mask=0),
    "W20-unit-0-write": WriteRegisters(unit_id=UnitId(0), address=A0, words=(1,), single=True),
    "unit-0-coils": WriteCoils(unit_id=UnitId(0), address=A0, bits=(True,), single=True),
    "122-in-function-23": ReadWriteRegisters(unit_id=U1, read_address=A0, count=1, write_address=A0, words=(0,) * 122),
    "unit-0-identify": Identify(unit_id=UnitId(0)),
}


@pytest.mark.parametrize("asked", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_forbidden_request_is_refused(asked: Request) -> None:
    with pytest.raises(RequestRefusedError) as caught:
        check(asked, "line1")
    assert "line1" in str(caught.value)


ALLOWED: dict[str, Request] = {
    "125-registers": Read(unit_id=U1, table=Table.HOLDING, address=PduAddress(65411), count=125),
    "2000-coils": Read(unit_id=U1, table=Table.DISCRETE, address=A0, count=2000),
    "F19-unit-255": Read(unit_id=UnitId(255), table=Table.HOLDING, address=A0, count=1),
    "F19-unit-248": Read(unit_id=UnitId(248), table=Table.HOLDING, address=A0, count=1),
    "123-registers": WriteRegisters(unit_id=U1, address=A0, words=(0,) * 123),
    "1968-coils": WriteCoils(unit_id=U1, address=A0, bits=(True,) * 1968),
    "mask": MaskWrite(unit_id=U1, address=A0, and_mask=0xFFFF, or_mask=0),
    "121-in-function-23": ReadWriteRegisters(unit_id=U1, read_address=A0, count=125, write_address=A0, words=(0,) * 121),
    "identify": Identify(unit_id=U1),
}


@pytest.mark.parametrize("asked", ALLOWED.values(), ids=ALLOWED.keys())
def test_allowed_request_passes_and_fits_a_frame(asked: Request) -> None:
    check(asked)
    assert len(encode(asked)) <= 253
    assert encode(asked)[:1] == reply_prefix(asked)[:1]
    assert describe(asked)


units = st.integers(1, 255).map(UnitId)
addresses = st.integers(0, 65535).map(PduAddress)
word = st.integers(0, 65535)
reads = st.builds(
    Read, unit_id=units, table=st.sampled_from(Table), address=st.integers(0, 65411).map(PduAddress), count=st.integers(1, 125)
)
requests = st.one_of(
    reads,
    st.builds(
        WriteRegisters,
        unit_id=units,
        address=st.integers(0, 65413).map(PduAddress),
        words=st.lists(word, min_size=1, max_size=123).map(tuple),
    ),
    st.builds(WriteRegisters, unit_id=units, address=addresses, words=st.tuples(word), single=st.just(True)),
    st.builds(
        WriteCoils,
        unit_id=units,
        address=st.integers(0, 63568).map(PduAddress),
        bits=st.lists(st.booleans(), min_size=1, max_size=1968).map(tuple),
    ),
    st.builds(MaskWrite, unit_id=units, address=addresses, and_mask=word, or_mask=word),
    st.builds(Identify, unit_id=units, code=st.integers(1, 3)),
)


@given(requests)
def test_any_request_is_read_back_by_hand(asked: Request) -> None:
    check(asked)
    assert encode(parsed(encode(asked), asked.unit_id)) == encode(asked)


@given(requests, st.binary(max_size=253))
def test_any_reply_is_proved_or_raises_a_link_error(asked: Request, pdu: bytes) -> None:
    try:
        payload = decode(asked, pdu)
    except LinkError:
        return
    assert pdu.startswith(reply_prefix(asked))
    assert len(payload.words) == (asked.count if isinstance(asked, Read) else 0)
