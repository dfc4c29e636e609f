"""Raw numbers to values: exact, typed, and with a reason where there is none."""

import json
from decimal import Decimal, localcontext

import pytest

from gateway.model.decode import decode_point
from gateway.model.point import Point, Range, RangeFrom, ScaleFrom
from gateway.model.quality import BAD_SCALE_FACTOR, NOT_FINITE, OUT_OF_RANGE
from gateway.model.sample import Scalar
from gateway.model.scaling import is_plain, unit_of
from tests.unit.model.points import point, valid

MILLIAMPS = Range(raw_low=Decimal(0), raw_high=Decimal(65535), low=Decimal(4), high=Decimal(20), unit="mA")
VOLTS = Range(raw_low=Decimal(0), raw_high=Decimal(65535), low=Decimal(-10), high=Decimal(10), unit="V")
CHOSEN = point(range_from=RangeFrom(point="kind", table={7: MILLIAMPS, 8: VOLTS}), unit="?")
FACTOR = point(scale_from=ScaleFrom(point="ratio", rule="factor"))
TABLE = point(scale_from=ScaleFrom(point="pvs", rule="table", table={3: Decimal(1), 4: Decimal("0.1")}))
EXPONENT = point("int16", scale=Decimal(5), offset=Decimal(1), scale_from=ScaleFrom(point="sf", rule="exponent"))


@pytest.mark.parametrize(
    ("given", "words", "source", "expected"),
    [
        pytest.param(point(scale=Decimal(100)), [100], None, 10000, id="whole-scale-stays-int"),
        pytest.param(point(scale=Decimal("1E+2")), [100], None, 10000, id="whole-scale-with-exponent"),
        pytest.param(point(offset=Decimal(-40)), [100], None, 60, id="whole-offset-stays-int"),
        pytest.param(point(offset=Decimal("0.5")), [100], None, Decimal("100.5"), id="offset-alone"),
        pytest.param(point(scale=Decimal("-0.1")), [0], None, Decimal("0.0"), id="no-negative-zero"),
        pytest.param(point("float32", scale=Decimal("0.001")), [0x44BB, 0x8000], None, 1.5, id="scaled-float-stays-float"),
        pytest.param(point("float32", scale=Decimal("-2")), [0, 0], None, 0.0, id="scaled-float-zero"),
        pytest.param(point("float64", scale=Decimal("1E300")), [0x7FEF, 0xFFFF, 0xFFFF, 0xFFFF], None, NOT_FINITE, id="scaled-overflow"),
        pytest.param(point(range=MILLIAMPS), [65535], None, Decimal(20), id="range-end-is-exact"),
        pytest.param(point(range=MILLIAMPS), [32767], None, Decimal("11.9998779278248"), id="range-ends-after-15-digits"),
        pytest.param(point("float32", range=MILLIAMPS), [0, 0], None, 4.0, id="range-of-a-float"),
        pytest.param(CHOSEN, [0], 7, Decimal(4), id="range-from-7"),
        pytest.param(CHOSEN, [0], 8, Decimal(-10), id="range-from-8"),
        pytest.param(CHOSEN, [0], 9, BAD_SCALE_FACTOR, id="range-from-unknown-code"),
        pytest.param(CHOSEN, [0], None, BAD_SCALE_FACTOR, id="range-from-nothing"),
        pytest.param(FACTOR, [3], Decimal("0.1"), Decimal("0.3"), id="factor-decimal"),
        pytest.param(FACTOR, [3], 10, 30, id="factor-int"),
        pytest.param(FACTOR, [3], 0.5, Decimal("1.5"), id="factor-float"),
        pytest.param(FACTOR, [3], 0, BAD_SCALE_FACTOR, id="factor-zero"),
        pytest.param(FACTOR, [3], "x", BAD_SCALE_FACTOR, id="factor-text"),
        pytest.param(FACTOR, [3], True, BAD_SCALE_FACTOR, id="factor-bool"),
        pytest.param(TABLE, [2301], 4, Decimal("230.1"), id="table"),
        pytest.param(TABLE, [2301], 4.0, Decimal("230.1"), id="table-code-in-a-float"),
        pytest.param(TABLE, [2301], 4.5, BAD_SCALE_FACTOR, id="table-code-with-fraction"),
        pytest.param(TABLE, [2301], "4", BAD_SCALE_FACTOR, id="table-code-as-text"),
        pytest.param(TABLE, [2301], 5, BAD_SCALE_FACTOR, id="table-code-missing"),
        pytest.param(EXPONENT, [10], -1, Decimal("6.0"), id="exponent-with-scale-and-offset"),
        pytest.param(EXPONENT, [10], 10, 500000000001, id="exponent-10"),
        pytest.param(EXPONENT, [10], -11, BAD_SCALE_FACTOR, id="exponent-beyond-sunspec"),
        pytest.param(EXPONENT, [10], None, BAD_SCALE_FACTOR, id="exponent-missing"),
        pytest.param(point("bool", bit=1, scale=Decimal(3)), [2], None, True, id="bool-has-no-scale"),
        pytest.param(point("uint32", bit=20), [0x10, 0], None, 1, id="bit-of-an-integer"),
    ],
)
def test_raw_scales_to_value_or_reason(given: Point, words: list[int], source: Scalar | None, expected: object) -> None:
    value, reason = decode_point(given, words, source)
    if value is None:
        assert reason == expected
    else:
        assert (str(value), type(value)) == (str(expected), type(expected))


@pytest.mark.parametrize(
    ("limits", "raw", "reason"),
    [
        (("0", "50"), 500, None),
        (("0", "50"), 501, OUT_OF_RANGE),
        (("0", "50"), 0xFFFF, OUT_OF_RANGE),
        (("0", None), 0x7FFF, None),
        ((None, "50"), 0x8000, None),
    ],
)
def test_value_outside_valid_is_kept_and_marked(limits: tuple[str | None, str | None], raw: int, reason: str | None) -> None:
    value, found = decode_point(point("int16", scale=Decimal("0.1"), valid=valid(*limits)), [raw])
    assert (value is not None, found) == (True, reason)


def test_decimal_context_of_the_caller_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 3
        assert decode_point(point("uint32", scale=Decimal("0.001")), [0xFFFF, 0xFFFF])[0] == Decimal("4294967.295")


def test_values_print_as_plain_json_numbers() -> None:
    value, _ = decode_point(point("uint64", scale=Decimal("1E+1")), [0xFFFF] * 4)
    assert json.dumps(value) == "184467440737095516150"


@pytest.mark.parametrize(
    ("given", "source", "unit"),
    [
        pytest.param(point(unit="V"), None, "V", id="own"),
        pytest.param(point(unit="V", range=MILLIAMPS), None, "mA", id="of-the-range"),
        pytest.param(CHOSEN, 8, "V", id="of-the-chosen-range"),
        pytest.param(CHOSEN, None, "?", id="nothing-chosen"),
    ],
)
def test_unit_follows_the_range(given: Point, source: Scalar | None, unit: str) -> None:
    assert unit_of(given, source) == unit


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        pytest.param(point(), True, id="int"),
        pytest.param(point("string", words=2, valid=valid("0", None)), True, id="text"),
        pytest.param(point(scale=Decimal("0.1")), False, id="scaled"),
        pytest.param(point(valid=valid("0", None)), False, id="with-valid"),
        pytest.param(point(format="hhmm"), False, id="with-format"),
        pytest.param(FACTOR, False, id="scale-held"),
    ],
)
def test_plain_points_need_no_finishing(given: Point, plain: bool) -> None:
    assert is_plain(given) is plain
