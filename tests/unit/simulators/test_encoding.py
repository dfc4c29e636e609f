"""Registers of every type and order, against rows from manuals and against `struct`."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.model.point import DataType, Order, TextFormat
from simulators.encoding import decode, encode, reorder
from tests.unit.simulators.small_maps import point, point_with

B64 = 0x0102030405060708
ROWS = [
    ("int16", DataType.INT16, {}, -20, [0xFFEC]),
    ("int16-badc", DataType.INT16, {"order": Order.BADC}, 316, [0x3C01]),
    ("int32-abcd", DataType.INT32, {}, 100_000, [0x0001, 0x86A0]),
    ("int32-cdab", DataType.INT32, {"order": Order.CDAB}, 100_000, [0x86A0, 0x0001]),
    ("int32-badc", DataType.INT32, {"order": Order.BADC}, 100_000, [0x0100, 0xA086]),
    ("int32-dcba", DataType.INT32, {"order": Order.DCBA}, 100_000, [0xA086, 0x0100]),
    ("uint64-abcd", DataType.UINT64, {}, B64, [0x0102, 0x0304, 0x0506, 0x0708]),
    ("uint64-cdab", DataType.UINT64, {"order": Order.CDAB}, B64, [0x0708, 0x0506, 0x0304, 0x0102]),
    ("uint64-badc", DataType.UINT64, {"order": Order.BADC}, B64, [0x0201, 0x0403, 0x0605, 0x0807]),
    ("uint64-dcba", DataType.UINT64, {"order": Order.DCBA}, B64, [0x0807, 0x0605, 0x0403, 0x0201]),
    ("uint64-cdabghef", DataType.UINT64, {"order": Order.CDABGHEF}, B64, [0x0304, 0x0102, 0x0708, 0x0506]),
    ("uint64-efghabcd", DataType.UINT64, {"order": Order.EFGHABCD}, B64, [0x0506, 0x0708, 0x0102, 0x0304]),
    ("uint64-exact", DataType.UINT64, {}, 9007199254740993, [0x0020, 0, 0, 1]),
    ("float16", DataType.FLOAT16, {}, -2.0, [0xC000]),
    ("float16-badc", DataType.FLOAT16, {"order": Order.BADC}, 1.5, [0x003E]),
    ("float64", DataType.FLOAT64, {}, -0.1, [0xBFB9, 0x9999, 0x9999, 0x999A]),
    ("bcd16", DataType.BCD16, {}, 1234, [0x1234]),
    ("bcd32-cdab", DataType.BCD32, {"order": Order.CDAB}, 12345678, [0x5678, 0x1234]),
    ("bcd48-clock", DataType.BCD48, {"order": Order.CDAB}, 170111221920, [0x1920, 0x1122, 0x1701]),
    ("bcd64", DataType.BCD64, {}, 1234567890123456, [0x1234, 0x5678, 0x9012, 0x3456]),
    ("mod10", DataType.MOD10, {"words": 2}, 12345678, [1234, 5678]),
    ("mod10-low-first", DataType.MOD10, {"words": 4, "order": Order.CDAB}, 1234567, [0x11D7, 0x007B, 0, 0]),
    ("mod10-signed", DataType.MOD10, {"words": 2, "signed": True}, -12345, [0xFFFF, 0xF6D7]),
    ("int8-low", DataType.INT8, {}, -2, [0x00FE]),
    ("uint8-high", DataType.UINT8, {"bits": (15, 8)}, 7, [0x0700]),
    ("bits", DataType.UINT16, {"bits": (2, 1)}, 3, [0x0006]),
    ("bit-20-of-32", DataType.UINT32, {"bit": 20}, 1, [0x0010, 0x0000]),
    ("bit-0-of-32-cdab", DataType.BOOL, {"bit": 0, "words": 2, "order": Order.CDAB}, 1, [0x0001, 0x0000]),
    ("string", DataType.STRING, {"words": 3}, "ABC", [0x4142, 0x4300, 0]),
    ("string-spaces", DataType.STRING, {"words": 3, "text": TextFormat(pad="space")}, "ABC", [0x4142, 0x4320, 0x2020]),
    ("string-swapped", DataType.STRING, {"words": 2, "order": Order.BADC}, "ABC", [0x4241, 0x0043]),
    ("string-dcba-keeps-order", DataType.STRING, {"words": 2, "order": Order.DCBA}, "WXYZ", [0x5857, 0x5A59]),
    ("string-cdab-keeps-order", DataType.STRING, {"words": 2, "order": Order.CDAB}, "WXYZ", [0x5758, 0x595A]),
    ("string-low", DataType.STRING, {"words": 3, "text": TextFormat(chars="low")}, "ABC", [0x41, 0x42, 0x43]),
    ("string-high", DataType.STRING, {"words": 3, "text": TextFormat(chars="high")}, "ABC", [0x4100, 0x4200, 0x4300]),
    ("string-utf8", DataType.STRING, {"words": 4, "text": TextFormat(encoding="utf-8")}, "主泵", [0xE4B8, 0xBBE6, 0xB3B5, 0]),
    ("string-length", DataType.STRING, {"words": 3, "text": TextFormat(length=5)}, "ABCDE", [0x4142, 0x4344, 0x4500]),
    ("bytes", DataType.BYTES, {"words": 3}, "00802501abcd", [0x0080, 0x2501, 0xABCD]),
]


@pytest.mark.parametrize(("kind", "more", "raw", "words"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_registers_hold_raw_both_ways(kind: DataType, more: dict[str, object], raw: int, words: list[int]) -> None:
    subject = point_with(more, kind)
    assert list(encode(subject, raw, [0] * subject.words)) == words
    assert decode(subject, words) == raw


@pytest.mark.parametrize("order", [Order.ABCD, Order.CDAB, Order.BADC, Order.DCBA])
def test_float32_in_each_order_is_the_documented_one(order: Order) -> None:
    rows = {"ABCD": [0x42F6, 0xE979], "CDAB": [0xE979, 0x42F6], "BADC": [0xF642, 0x79E9], "DCBA": [0x79E9, 0xF642]}
    subject = point(kind=DataType.FLOAT32, order=order)
    assert list(encode(subject, 123.456, [0, 0])) == rows[order]
    assert decode(subject, rows[order]) == 123.45600128173828


@pytest.mark.parametrize(("kind", "code"), [(DataType.INT32, "i"), (DataType.UINT32, "I"), (DataType.INT64, "q"), (DataType.FLOAT64, "d")])
@settings(deadline=None)
@given(data=st.data())
def test_plain_numbers_agree_with_struct(kind: DataType, code: str, data: st.DataObject) -> None:
    width = struct.calcsize(code) * 8
    low, high = (0, 2**width - 1) if code == "I" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    number = data.draw(st.floats(allow_nan=False) if code == "d" else st.integers(low, high))
    wire = struct.pack(">" + code, number)
    words = [int.from_bytes(wire[at : at + 2], "big") for at in range(0, len(wire), 2)]
    assert list(encode(point(kind=kind), number, [0] * len(words))) == words
    assert list(encode(point(kind=kind, order=Order.CDAB), number, [0] * len(words))) == words[::-1]


@settings(deadline=None)
@given(st.lists(st.integers(0, 0xFFFF), min_size=4, max_size=4), st.sampled_from(list(Order)))
def test_every_order_undoes_itself(words: list[int], order: Order) -> None:
    assert list(reorder(reorder(words, order), order)) == words


def test_a_bit_leaves_its_neighbours_alone() -> None:
    assert encode(point(kind=DataType.BOOL, bit=3), 1, [0x8001]) == (0x8009,)
    assert encode(point(kind=DataType.UINT8, bits=(15, 8)), 0, [0xFF12]) == (0x0012,)


@pytest.mark.parametrize(
    ("kind", "more", "raw"),
    [
        pytest.param(DataType.UINT16, {}, -1, id="negative unsigned"),
        pytest.param(DataType.INT16, {}, 40_000, id="too large"),
        pytest.param(DataType.INT32, {}, float("inf"), id="infinite integer"),
        pytest.param(DataType.FLOAT32, {}, 1e39, id="beyond float32"),
        pytest.param(DataType.FLOAT16, {}, 70_000.0, id="beyond float16"),
        pytest.param(DataType.BCD16, {}, 10_000, id="five digits"),
        pytest.param(DataType.BCD16, {}, -1, id="negative bcd"),
        pytest.param(DataType.MOD10, {"words": 2}, 10**8, id="nine digits"),
        pytest.param(DataType.MOD10, {"words": 2}, -1, id="negative mod10"),
        pytest.param(DataType.INT8, {}, 128, id="int8"),
        pytest.param(DataType.STRING, {"words": 2}, "ABCDE", id="long text"),
        pytest.param(DataType.UINT16, {}, "text", id="text for a number"),
    ],
)
def test_what_does_not_fit_is_refused(kind: DataType, more: dict[str, object], raw: int) -> None:
    subject = point_with(more, kind)
    with pytest.raises(ValueError, match="value"):
        encode(subject, raw, [0] * subject.words)


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        pytest.param(DataType.BCD16, {}, [0x12A4], id="bcd"),
        pytest.param(DataType.MOD10, {}, [0x2710, 0], id="five digits in a group"),
        pytest.param(DataType.MOD10, {"signed": True}, [1, 0xFFFF], id="groups of different signs"),
    ],
)
def test_digits_that_are_none_are_refused(kind: DataType, more: dict[str, object], words: list[int]) -> None:
    with pytest.raises(ValueError, match=r"12a4|group"):
        decode(point_with({"words": len(words), **more}, kind), words)
