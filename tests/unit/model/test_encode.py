"""Wanted values to words, or a refusal before anything is sent."""

import math
from decimal import Decimal

import pytest

from gateway.model.address import Table
from gateway.model.encode import Encoded, EncodeError, access_fault, encode_point, limit_faults, write_functions
from gateway.model.point import Order, Point, Range, RangeFrom, ScaleFrom, TextFormat
from gateway.model.quality import NOT_AVAILABLE
from tests.unit.model.points import labels, point, writable

TENTH, HUNDREDTH = Decimal("0.1"), Decimal("0.01")
SWITCH = point(enum=labels(off=0, on=1))


@pytest.mark.parametrize(
    ("given", "value", "words", "back"),
    [
        pytest.param(point(scale=HUNDREDTH), 0.29, (29,), Decimal("0.29"), id="W01-0.29"),
        pytest.param(point(scale=TENTH), Decimal("8.2"), (82,), Decimal("8.2"), id="W01-8.2"),
        pytest.param(point(scale=HUNDREDTH), 1.15, (115,), Decimal("1.15"), id="W01-1.15"),
        pytest.param(point(scale=HUNDREDTH), 4.35, (435,), Decimal("4.35"), id="W01-4.35"),
        pytest.param(point("int16", scale=TENTH), -12.3, (0xFF85,), Decimal("-12.3"), id="W02"),
        pytest.param(point("float32", order=Order.CDAB), 12.3, (0xCCCD, 0x4144), 12.300000190734863, id="W05"),
        pytest.param(point(), 0, (0,), 0, id="W08-register"),
        pytest.param(SWITCH, 0, (0,), 0, id="W08-enum"),
        pytest.param(SWITCH, "off", (0,), 0, id="W08-label"),
        pytest.param(SWITCH, "on-zh", (1,), 1, id="chinese-label"),
        pytest.param(point("float32", enum=labels(three=3)), "three", (0x4040, 0), 3.0, id="enum-in-a-float"),
        pytest.param(point("int16", enum=labels(off=-1)), "off", (0xFFFF,), -1, id="negative-code"),
        pytest.param(point("string", words=3), "AB", (0x4142, 0, 0), "AB", id="W10"),
        pytest.param(point("bytes", words=2), "abcd0102", (0xABCD, 0x0102), "ABCD0102", id="bytes"),
        pytest.param(point("bytes", words=2, order=Order.BADC), "ABCD0102", (0xCDAB, 0x0201), "ABCD0102", id="bytes-swapped"),
        pytest.param(point(scale=Decimal(5), decimals=0), 15, (3,), 15, id="whole-scale"),
        pytest.param(point("int16", scale=Decimal("-0.1")), 0, (0,), Decimal("0.0"), id="no-negative-zero"),
        pytest.param(point("float64"), Decimal("-0.1"), (0xBFB9, 0x9999, 0x9999, 0x999A), -0.1, id="float64"),
        pytest.param(point("float32"), Decimal(0), (0, 0), 0.0, id="float-zero"),
        pytest.param(point("float32"), Decimal("0E-999999999"), (0, 0), 0.0, id="zero-with-an-absurd-exponent"),
        pytest.param(point("float32", scale=Decimal("0.001")), Decimal("1.5"), (0x44BB, 0x8000), 1.5, id="scaled-float"),
        pytest.param(point("uint16", scale=Decimal("0.006103515625"), decimals=1), Decimal("33.3"), (5456,), None, id="shown-decimals"),
        pytest.param(point(scale_from=ScaleFrom(point="sf", rule="exponent")), Decimal("12.35"), (1235,), Decimal("12.35"), id="W21"),
        pytest.param(
            point(range=Range(raw_low=Decimal(0), raw_high=Decimal(16384), low=Decimal(0), high=Decimal(100))), 50, (8192,), 50, id="range"
        ),
        pytest.param(point("mod10", words=3, signed=True), -10001, (0, 0xFFFF, 0xFFFF), -10001, id="mod10-signed"),
        pytest.param(point(format="hhmm"), "06:30", (630,), "06:30", id="time-of-day"),
    ],
)
def test_value_becomes_words_and_reads_back(given: Point, value: object, words: tuple[int, ...], back: object) -> None:
    encoded = encode_point(given, value, scale=-2 if given.held_by else None)
    assert encoded.words == words
    assert encoded.keep == ()
    assert encoded.merged([9] * len(words)) == words
    if back is not None:
        assert (str(encoded.value), type(encoded.value)) == (str(back), type(back)) or encoded.value == back


SENTINEL = point("int16", scale=TENTH, invalid={0x8000: NOT_AVAILABLE})


@pytest.mark.parametrize(
    ("given", "value", "code", "nearest"),
    [
        pytest.param(point(scale=TENTH, unit="Hz"), -0.1, "out_of_range", None, id="W03-negative"),
        pytest.param(point(), 70000, "out_of_range", None, id="W03-70000"),
        pytest.param(point("int16"), 40000, "out_of_range", None, id="W03-40000"),
        pytest.param(point(scale=TENTH), 12.34, "not_representable", Decimal("12.3"), id="W04"),
        pytest.param(point(scale=TENTH, decimals=1), 12.34, "not_representable", Decimal("12.3"), id="W04-decimals"),
        pytest.param(point(), math.nan, "not_a_number", None, id="W06-nan"),
        pytest.param(point("float32"), math.inf, "not_a_number", None, id="W06-inf"),
        pytest.param(point(), Decimal("sNaN"), "not_a_number", None, id="W06-snan"),
        pytest.param(point(), None, "wrong_type", None, id="W06-none"),
        pytest.param(point(), "", "wrong_type", None, id="W06-empty"),
        pytest.param(point(), True, "wrong_type", None, id="W06-true"),
        pytest.param(SENTINEL, Decimal("-3276.8"), "is_sentinel", None, id="W07"),
        pytest.param(point("string", words=3), "ABCDEFG", "too_long", None, id="W10-seven"),
        pytest.param(point("string", words=3, text=TextFormat(length=2)), "ABC", "too_long", None, id="length-in-characters"),
        pytest.param(point("string", words=2), "主", "bad_text", None, id="not-ascii"),
        pytest.param(point("string", words=2), "A\0B", "bad_text", None, id="nul-inside"),
        pytest.param(point("string", words=2, text=TextFormat(pad="space")), "A ", "bad_text", None, id="pad-at-end"),
        pytest.param(point("string", words=1, text=TextFormat(encoding="latin-1")), "\u00ff\u00ff", "is_sentinel", None, id="all-ff"),
        pytest.param(point("string", words=1), 5, "wrong_type", None, id="number-as-text"),
        pytest.param(point("bytes", words=1), "XYZW", "bad_text", None, id="not-hex"),
        pytest.param(point("bytes", words=1), "+1AB", "bad_text", None, id="hex-with-sign"),
        pytest.param(point("bytes", words=1), "ABC", "too_long", None, id="hex-length"),
        pytest.param(point(scale_from=ScaleFrom(point="sf", rule="exponent")), 1, "not_representable", None, id="scale-unknown"),
        pytest.param(SWITCH, 7, "not_allowed", None, id="code-not-in-enum"),
        pytest.param(SWITCH, "of", "unknown_label", None, id="label-not-in-enum"),
        pytest.param(SWITCH, True, "wrong_type", None, id="true-to-enum"),
        pytest.param(point("float32"), Decimal("1E999999999"), "out_of_range", None, id="absurd-exponent"),
        pytest.param(point("float32"), Decimal("1E-999999999"), "out_of_range", None, id="absurd-small-exponent"),
        pytest.param(point("float64"), Decimal("1E400"), "out_of_range", None, id="beyond-float64"),
        pytest.param(point("float64"), Decimal("-1E400"), "out_of_range", None, id="beyond-negative-float64"),
        pytest.param(point("float32"), Decimal("1E-60"), "not_representable", 0.0, id="underflow"),
        pytest.param(point(format="hhmm"), "25:00", "wrong_type", None, id="no-such-time"),
        pytest.param(point(format="hhmm"), 630, "wrong_type", None, id="number-for-format"),
        pytest.param(point("bool", bit=2), 2, "wrong_type", None, id="two-to-a-bit"),
        pytest.param(point("bool", bit=2), "on", "wrong_type", None, id="label-without-enum"),
        pytest.param(point(bits=(3, 0)), 16, "out_of_range", None, id="too-wide-for-bits"),
        pytest.param(point(format="hex", bits=(3, 0)), "0x1F", "out_of_range", None, id="hex-too-wide"),
    ],
)
def test_value_is_refused_before_the_wire(given: Point, value: object, code: str, nearest: object) -> None:
    with pytest.raises(EncodeError) as caught:
        encode_point(given, value)
    assert (caught.value.code, caught.value.nearest) == (code, nearest)
    assert caught.value.message


@pytest.mark.parametrize(
    ("given", "value", "words"),
    [
        pytest.param(point(scale=TENTH, unit="Hz"), -0.1, "-0.1 Hz does not fit uint16, which holds 0.0 to 6553.5 Hz", id="W03"),
        pytest.param(point(scale=TENTH), 12.34, "12.34 is not representable, nearest 12.3", id="W04"),
        pytest.param(point("float32"), 1e39, "1E+39 does not fit float32, which holds -3.4028235e+38 to 3.4028235e+38", id="float"),
        pytest.param(SWITCH, "open", "'open' is none of: off, on", id="label"),
        pytest.param(
            point(scale_from=ScaleFrom(point="sf", rule="exponent")), 1, "the scale held by sf is not known now", id="unknown-scale"
        ),
    ],
)
def test_refusal_says_what_would_fit(given: Point, value: object, words: str) -> None:
    with pytest.raises(EncodeError) as caught:
        encode_point(given, value)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("value", "coil"),
    [(False, False), (0, False), (Decimal(0), False), (True, True), (1, True), (1.0, True)],
)
def test_coil_takes_zero_and_false_as_off(value: object, coil: bool) -> None:
    assert encode_point(point("bool", table="coil"), value) == Encoded(value=coil, coil=coil)


def test_coil_takes_a_label() -> None:
    door = point("bool", table="coil", enum=labels(closed=0, open=1))
    assert [encode_point(door, label).coil for label in ("closed", "open", "open-zh")] == [False, True, True]
    with pytest.raises(EncodeError, match="none of: closed, open"):
        encode_point(door, "ajar")


@pytest.mark.parametrize(
    ("given", "value", "current", "keep", "words", "merged"),
    [
        pytest.param(point("bool", bit=3), True, [0x8001], (0xFFF7,), (0x0008,), (0x8009,), id="W12-set"),
        pytest.param(point("bool", bit=3), False, [0x8009], (0xFFF7,), (0,), (0x8001,), id="W12-clear"),
        pytest.param(point("uint8", bits=(15, 8)), 5, [0xAA55], (0x00FF,), (0x0500,), (0x0555,), id="high-byte"),
        pytest.param(point("int8"), -2, [0x1234], (0xFF00,), (0x00FE,), (0x12FE,), id="low-byte-keeps-the-high"),
        pytest.param(point("uint32", bit=20, order=Order.CDAB), 1, [1, 2], (0xFFFF, 0xFFEF), (0, 0x10), (1, 0x12), id="bit-of-32"),
        pytest.param(point("int16", bits=(11, 0)), -1, [0xF000], (0xF000,), (0x0FFF,), (0xFFFF,), id="signed-bits"),
    ],
)
def test_bits_leave_their_neighbours(
    given: Point, value: object, current: list[int], keep: tuple[int, ...], words: tuple[int, ...], merged: tuple[int, ...]
) -> None:
    encoded = encode_point(given, value)
    assert (encoded.keep, encoded.words, encoded.merged(current)) == (keep, words, merged)
    assert encoded.value == value


def test_range_chosen_by_another_point_scales_the_write() -> None:
    line = Range(raw_low=Decimal(0), raw_high=Decimal(65535), low=Decimal(-10), high=Decimal(10))
    output = point(range_from=RangeFrom(point="kind", table={8: line}))
    assert encode_point(output, 10, scale=8).words == (65535,)
    near = encode_point(output, Decimal("-9.99938963912413"), scale=8)
    assert (near.words, near.value) == ((2,), Decimal("-9.99938963912413"))
    with pytest.raises(EncodeError, match="held by kind"):
        encode_point(output, 10, scale=9)


LIMITED = writable(point(unit="degC"), min=Decimal(5), max=Decimal(30), step=Decimal("0.5"))


@pytest.mark.parametrize(
    ("given", "value", "codes", "nearest"),
    [
        pytest.param(LIMITED, 5, [], None, id="at-min"),
        pytest.param(LIMITED, Decimal(30), [], None, id="at-max"),
        pytest.param(LIMITED, 20.5, [], None, id="on-the-grid"),
        pytest.param(LIMITED, Decimal("20.3"), ["not_a_step"], Decimal("20.5"), id="off-the-grid"),
        pytest.param(LIMITED, Decimal("4.9"), ["below_min", "not_a_step"], Decimal(5), id="below"),
        pytest.param(LIMITED, 31, ["above_max"], Decimal(30), id="W19-31"),
        pytest.param(writable(point(), step=Decimal(2)), 3, ["not_a_step"], Decimal(4), id="grid-from-zero"),
        pytest.param(LIMITED, "text", [], None, id="text"),
        pytest.param(LIMITED, math.nan, [], None, id="nan"),
        pytest.param(LIMITED, Decimal("1E999999999"), [], None, id="absurd"),
        pytest.param(point(), 70000, [], None, id="no-rule"),
    ],
)
def test_limits_are_all_told(given: Point, value: float | str | Decimal, codes: list[str], nearest: Decimal | None) -> None:
    faults = limit_faults(given, value)
    assert [fault.code for fault in faults] == codes
    assert not faults or faults[0].nearest == nearest


def test_limit_fault_names_value_limit_and_unit() -> None:
    assert [str(fault) for fault in limit_faults(LIMITED, Decimal("31.2"))] == [
        "31.2 degC is above the limit 30 degC",
        "31.2 degC is not a step of 0.5 degC, nearest 31 degC",
    ]


@pytest.mark.parametrize(
    ("given", "functions"),
    [
        pytest.param(point("bool", table="coil"), (5, 15), id="coil"),
        pytest.param(point(), (6, 16), id="one-register"),
        pytest.param(point("int32"), (16,), id="two-registers"),
        pytest.param(point("bool", bit=3), (22, 6, 16), id="bit"),
        pytest.param(point("uint8", bits=(15, 8)), (22, 6, 16), id="bits"),
        pytest.param(point("uint32", bit=20), (16,), id="bit-of-two-registers"),
    ],
)
def test_write_functions_fit_table_and_size(given: Point, functions: tuple[int, ...]) -> None:
    assert write_functions(given) == functions
    assert access_fault(writable(given), functions[0]) is None
    fault = access_fault(writable(given), 23)
    assert fault is not None
    assert fault.code == "bad_function"


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(point(), id="read-only"),
        pytest.param(writable(point(table=Table.INPUT)), id="W20-input"),
        pytest.param(writable(point("bool", table=Table.DISCRETE)), id="W20-discrete"),
    ],
)
def test_read_only_points_are_refused(given: Point) -> None:
    fault = access_fault(given)
    assert fault is not None
    assert fault.code == "read_only"
