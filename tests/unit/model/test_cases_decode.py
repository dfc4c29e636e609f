"""Cases D01 to D40: values that users of other gateways saw go wrong. (D35: test_address, D40: the map loader.)"""

from decimal import Decimal

import pytest

from gateway.model.address import UnitId
from gateway.model.decode import compile_block, decode_point
from gateway.model.describe import label_of
from gateway.model.plan import PlanLimits, plan_blocks
from gateway.model.point import Order, Point, ScaleFrom, TextFormat
from gateway.model.quality import (
    BAD_BCD_DIGIT,
    BAD_DATE,
    BAD_MOD10_GROUP,
    BAD_SCALE_FACTOR,
    BAD_TEXT,
    NOT_AVAILABLE,
    NOT_FINITE,
)
from tests.unit.model.points import AT, labels, point

NAN = {0x8000: NOT_AVAILABLE}
UTF8, LATIN1 = TextFormat(encoding="utf-8"), TextFormat(encoding="latin-1")


def _ordered(type_: str, value: object, *rows: tuple[str, list[int]]) -> list[tuple[Point, list[int], object]]:
    return [(point(type_, order=Order(order)), words, value) for order, words in rows]


CASES: dict[str, list[tuple[Point, list[int], object]]] = {
    "D01": _ordered(
        "int32",
        100000,
        ("ABCD", [0x0001, 0x86A0]),
        ("CDAB", [0x86A0, 0x0001]),
        ("BADC", [0x0100, 0xA086]),
        ("DCBA", [0xA086, 0x0100]),
    ),
    "D02": _ordered("int32", -100000, ("CDAB", [0x7960, 0xFFFE])),
    "D03": _ordered(
        "float32",
        123.45600128173828,
        ("ABCD", [0x42F6, 0xE979]),
        ("CDAB", [0xE979, 0x42F6]),
        ("BADC", [0xF642, 0x79E9]),
        ("DCBA", [0x79E9, 0xF642]),
    ),
    "D04": _ordered(
        "uint64",
        72623859790382856,
        ("ABCD", [0x0102, 0x0304, 0x0506, 0x0708]),
        ("CDAB", [0x0708, 0x0506, 0x0304, 0x0102]),
        ("BADC", [0x0201, 0x0403, 0x0605, 0x0807]),
        ("DCBA", [0x0807, 0x0605, 0x0403, 0x0201]),
        ("CDABGHEF", [0x0304, 0x0102, 0x0708, 0x0506]),
        ("EFGHABCD", [0x0506, 0x0708, 0x0102, 0x0304]),
    ),
    "D05": _ordered("float64", -0.1, ("ABCD", [0xBFB9, 0x9999, 0x9999, 0x999A]), ("CDAB", [0x999A, 0x9999, 0x9999, 0xBFB9])),
    "D06": [(point("uint64"), [0x0020, 0, 0, 1], 9007199254740993)],
    "D07": [(point("uint64", scale=Decimal("0.001")), [0x0020, 0, 0, 1], Decimal("9007199254740.993"))],
    "D08": [(point("uint64"), [0xFFFF] * 4, 18446744073709551615)],
    "D09": [
        (point(scale=Decimal("0.1")), [3], Decimal("0.3")),
        (point(scale=Decimal("0.1")), [7], Decimal("0.7")),
        (point(scale=Decimal("0.1")), [2301], Decimal("230.1")),
    ],
    "D10": [
        (point("uint16", scale=Decimal("0.01")), [0xFFF0], Decimal("655.20")),
        (point("int16", scale=Decimal("0.01")), [0xFFF0], Decimal("-0.16")),
    ],
    "D11": [(point("int16", invalid=NAN), [0x8000], NOT_AVAILABLE)],
    "D12": [(point("int16"), [0x8000], -32768)],
    "D13": [(point("int16", invalid={0x8001: NOT_AVAILABLE}), [0x7FFF], 32767)],
    "D14": [(point(invalid={0xFFFF: NOT_AVAILABLE}), [0xFFFF], NOT_AVAILABLE), (point(invalid={0: NOT_AVAILABLE}), [0], NOT_AVAILABLE)],
    "D15": [(point("int16", invalid={0x8000: NOT_AVAILABLE, 0xF448: NOT_AVAILABLE}), [0xF448], NOT_AVAILABLE)],
    "D16": [
        (point("uint32", invalid={0x80000000: NOT_AVAILABLE}), [0x8000, 0], NOT_AVAILABLE),
        (point("uint32", order=Order.CDAB, invalid={0x80000000: NOT_AVAILABLE}), [0, 0x8000], NOT_AVAILABLE),
    ],
    "D17": [
        (point("float32"), [0x7FC0, 0], NOT_AVAILABLE),
        (point("float32"), [0xFF80, 0], NOT_FINITE),
        (point("float32"), [0x8000, 0], 0.0),
    ],
    "D18": [
        (point("int16", invalid=NAN), [word], expected)
        for word, expected in ((0x35, 53), (0x8000, NOT_AVAILABLE), (0x36, 54), (0x8000, NOT_AVAILABLE))
    ],
    "D19": [
        (point("float16"), [0x3E00], 1.5),
        (point("float16"), [0xC000], -2.0),
        (point("float16"), [0x7C00], NOT_FINITE),
        (point("float16"), [0x7E00], NOT_AVAILABLE),
    ],
    "D20": [
        (point("bcd16"), [0x1234], 1234),
        (point("bcd16"), [0x12A4], BAD_BCD_DIGIT),
        (point("bcd32"), [0x1234, 0x5678], 12345678),
        (point("bcd16"), [0xFFFF], BAD_BCD_DIGIT),
        (point("bcd16", invalid={0xFFFF: NOT_AVAILABLE}), [0xFFFF], NOT_AVAILABLE),
    ],
    "D21": [
        (point("mod10", words=2), [0x04D2, 0x162E], 12345678),
        (point("mod10", words=2, signed=True), [0xFFFF, 0xF6D7], -12345),
        (point("mod10", words=2), [0x2710, 0], BAD_MOD10_GROUP),
        (point("mod10", words=2, signed=True), [0xFFFF, 1], BAD_MOD10_GROUP),
    ],
    "D22": [
        (point("bytes", words=4, format="iec870_date"), [0x0018, 0x0C1F, 0x173B, 0xE484], "2024-12-31T23:59:58.500"),
        (point("bytes", words=4, format="iec870_date"), [0x0018, 0x0C1F, 0x17BB, 0xE484], BAD_DATE),
    ],
    "D23": [
        (point("uint32", format="unix_s"), [0x6592, 0x0080], "2024-01-01T00:00:00Z"),
        (point("uint32", format="unix_s", invalid={0: NOT_AVAILABLE}), [0, 0], NOT_AVAILABLE),
    ],
    "D24": [(point("string", words=3), [0x4142, 0x4300, 0], "ABC")],
    "D25": [(point("string", words=3), [0x4142, 0, 0x4344], "AB")],
    "D26": [
        (point("string", words=3, text=TextFormat(pad="space")), [0x4142, 0x4320, 0x2020], "ABC"),
        (point("string", words=2, text=TextFormat(pad="space")), [0x2020, 0x4120], "  A"),
    ],
    "D27": [(point("string", words=2, order=Order.BADC), [0x4241, 0x0043], "ABC")],
    "D28": [
        (point("string", words=3, text=TextFormat(chars="low")), [0x41, 0x42, 0x43], "ABC"),
        (point("string", words=3, text=TextFormat(chars="high")), [0x4100, 0x4200, 0x4300], "ABC"),
    ],
    "D29": [(point("string", words=3, text=TextFormat(length=5)), [0x4142, 0x4344, 0x4546], "ABCDE")],
    "D30": [
        (point("string", words=2, text=UTF8), [0x4142, 0xFF00], BAD_TEXT),
        (point("string", words=2, text=LATIN1), [0x4142, 0xFF00], "AB\u00ff"),
        (point("string", words=2, text=LATIN1), [0xFFFF, 0xFFFF], NOT_AVAILABLE),
    ],
    "D32": [(point("bool", bit=bit), [0x8081], expected) for bit, expected in ((0, True), (7, True), (8, False), (15, True))],
    "D33": [(point(bits=(2, 1)), [0x0006], 3)],
    "D37": [
        (point("int16", scale_from=ScaleFrom(point="sf", rule="factor")), [0xCFC7], Decimal("-123.45")),
    ],
}
SCALES = {"D37": Decimal("0.01")}


@pytest.mark.parametrize(
    ("case", "given", "words", "expected"), [pytest.param(case, *row, id=case) for case, rows in CASES.items() for row in rows]
)
def test_words_give_value_or_reason(case: str, given: Point, words: list[int], expected: object) -> None:
    before = list(words)
    value, reason = decode_point(given, words, SCALES.get(case))
    if value is None:
        assert reason == expected
    else:
        assert (value, reason, type(value)) == (expected, None, type(expected))
    assert words == before
    (block,) = plan_blocks([given], UnitId(1), "normal", PlanLimits())
    samples = compile_block(block).decode(words, AT, 0.0, lambda _name: SCALES.get(case))
    assert (samples.values, samples.reasons) == ((value,), (reason,))


def test_negative_zero_is_published_as_zero() -> None:
    assert str(decode_point(point("float32"), [0x8000, 0])[0]) == "0.0"


@pytest.mark.parametrize("order", [pytest.param(Order.CDAB, id="D31")])
def test_text_decoded_twice_from_one_list_is_the_same(order: Order) -> None:
    words = [0x5758, 0x595A]
    text = point("string", words=2, order=order)
    assert decode_point(text, words) == decode_point(text, words) == ("WXYZ", None)


@pytest.mark.parametrize("count", [pytest.param(10, id="D34")])
def test_coils_are_exactly_those_asked_for(count: int) -> None:
    coils = [point("bool", f"c{place}", place, table="coil") for place in range(count)]
    (block,) = plan_blocks(coils, UnitId(1), "normal", PlanLimits())
    bits = [0xCD >> place & 1 for place in range(8)] + [0x6B >> place & 1 for place in range(8)]
    samples = compile_block(block).decode(bits[:count], AT, 0.0)
    assert samples.values == (True, False, True, True, False, False, True, True, True, True)
    assert compile_block(block).decode(bits, AT, 0.0).reasons == ("length_mismatch",) * count


@pytest.mark.parametrize("raw", [pytest.param(7, id="D36")])
def test_unknown_code_is_a_good_value_with_a_telling_label(raw: int) -> None:
    switch = point(enum=labels(off=0, on=1))
    assert decode_point(switch, [raw]) == (7, None)
    assert label_of(switch, raw) == "unknown(7)"


def _sunspec(value: int, exponent: int) -> tuple[object, str | None]:
    power = point("int16", "w", 0, scale_from=ScaleFrom(point="sf", rule="exponent"))
    held = point("int16", "sf", 1, invalid=NAN)
    (block,) = plan_blocks([power, held], UnitId(1), "normal", PlanLimits())
    samples = compile_block(block).decode([value, exponent], AT, 0.0)
    return samples.values[0], samples.reasons[0]


@pytest.mark.parametrize(
    ("value", "exponent", "expected"),
    [
        pytest.param(0xCFC7, 0xFFFE, (Decimal("-123.45"), None), id="D37"),
        pytest.param(10, 0x8000, (None, BAD_SCALE_FACTOR), id="D38-not-implemented"),
        pytest.param(10, 11, (None, BAD_SCALE_FACTOR), id="D38-eleven"),
        pytest.param(4500, 0xFFFF, (Decimal("450.0"), None), id="D39-before"),
        pytest.param(450, 0, (450, None), id="D39-after"),
    ],
)
def test_exponent_register_of_the_same_exchange_scales_the_value(value: int, exponent: int, expected: tuple[object, str | None]) -> None:
    assert _sunspec(value, exponent) == expected
