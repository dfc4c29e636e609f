"""Raw numbers and values in the engineering unit."""

from decimal import Decimal

import pytest

from gateway.model.point import DataType, FieldOf, Flag, Range, RangeFrom, ScaleFrom, Text
from gateway.model.sample import Scalar
from simulators.values import field_of, field_raw, to_raw, to_value, with_field
from tests.unit.simulators.small_maps import point, point_with

ENUM = {0: Text(en="stop", zh="停止"), 1: Text(en="run", zh="运行")}
FLAGS = {0: Flag(text=Text(en="ready", zh="就绪")), 3: Flag(text=Text(en="faulted", zh="故障"))}
CURRENT = Range(raw_low=Decimal(0), raw_high=Decimal(65535), low=Decimal(4), high=Decimal(20))


def other(name: str) -> Decimal:
    return Decimal({"exponent": "-2", "code": "7", "factor": "5", "ratio": "2.5"}[name])


@pytest.mark.parametrize(
    ("more", "value", "raw"),
    [
        pytest.param({"scale": Decimal("0.01")}, 45.0, 4500, id="scale"),
        pytest.param({"scale": Decimal("0.1")}, Decimal("230.1"), 2301, id="scale exact"),
        pytest.param({"scale": Decimal("0.5"), "offset": Decimal(-40)}, -10, 60, id="offset"),
        pytest.param({"scale_from": ScaleFrom(point="exponent", rule="exponent")}, Decimal("12.34"), 1234, id="exponent"),
        pytest.param({"scale_from": ScaleFrom(point="factor", rule="factor")}, 50, 10, id="factor"),
        pytest.param({"scale_from": ScaleFrom(point="ratio", rule="factor")}, 250, 100, id="factor that is scaled itself"),
        pytest.param({"scale_from": ScaleFrom(point="code", rule="table", table={7: Decimal("0.1")})}, 5, 50, id="table"),
        pytest.param({"range": CURRENT}, 20, 65535, id="range"),
        pytest.param({"range_from": RangeFrom(point="code", table={7: CURRENT})}, 4, 0, id="range by code"),
        pytest.param({"enum": ENUM}, 1, 1, id="enum code"),
    ],
)
def test_value_and_raw_agree_both_ways(more: dict[str, object], value: Scalar, raw: int) -> None:
    subject = point_with(more)
    assert to_raw(subject, value, other) == raw
    assert to_value(subject, raw, other) == value


@pytest.mark.parametrize(
    ("kind", "more", "text", "raw"),
    [
        pytest.param(DataType.UINT32, {"format": "unix_s", "words": 2}, "2025-01-01T00:00:00Z", 0x67748580, id="unix_s"),
        pytest.param(DataType.UINT16, {"format": "ddmm"}, "03-15", 1503, id="ddmm"),
        pytest.param(DataType.BCD16, {"format": "hhmm"}, "06:30", 630, id="hhmm"),
        pytest.param(DataType.BCD48, {"format": "yymmddhhmmss", "words": 3}, "2017-01-11T22:19:20", 170111221920, id="clock"),
        pytest.param(DataType.BYTES, {"format": "iec870_date", "words": 4}, "2024-12-31T23:59:58.500", "00180c1f173be484", id="iec870"),
        pytest.param(DataType.UINT32, {"format": "ipv4", "words": 2}, "192.168.1.100", 0xC0A80164, id="ipv4"),
        pytest.param(DataType.BYTES, {"format": "eui48", "words": 3}, "00:80:25:01:AB:CD", "00802501abcd", id="eui48"),
        pytest.param(DataType.UINT16, {"format": "hex"}, "0x0BD3", 0x0BD3, id="hex"),
        pytest.param(DataType.INT16, {"format": "hex"}, "0xFFFE", -2, id="hex negative"),
        pytest.param(DataType.BYTES, {"format": "hex", "words": 2}, "ABCD0001", "ABCD0001", id="hex bytes"),
    ],
)
def test_a_format_is_text_both_ways(kind: DataType, more: dict[str, object], text: str, raw: int | str) -> None:
    subject = point_with(more, kind)
    assert to_raw(subject, text, other) == raw
    assert to_value(subject, raw, other) == text


def test_a_number_that_is_no_date_stays_a_number() -> None:
    assert to_value(point_with({"format": "yymmddhhmmss", "words": 3}, DataType.BCD48), 0, other) == 0
    with pytest.raises(ValueError, match="12G4"):
        to_raw(point_with({"format": "hex"}), "12G4", other)


def test_a_measured_value_is_rounded_to_what_the_register_can_say() -> None:
    assert to_raw(point(scale=Decimal("0.1")), 31.26, other) == 313


@pytest.mark.parametrize(
    ("more", "words", "raw"),
    [
        pytest.param({"enum": ENUM}, "run", 1, id="label"),
        pytest.param({"enum": ENUM}, "停止", 0, id="label zh"),
        pytest.param({"flags": FLAGS}, "ready, faulted", 9, id="flags"),
        pytest.param({"flags": FLAGS}, "", 0, id="no flag"),
    ],
)
def test_words_stand_for_codes(more: dict[str, object], words: str, raw: int) -> None:
    assert to_raw(point_with(more), words, other) == raw


def test_unknown_words_are_refused_with_those_known() -> None:
    with pytest.raises(ValueError, match="stop, run"):
        to_raw(point(enum=ENUM), "fly", other)
    with pytest.raises(ValueError, match="not text"):
        to_raw(point(kind=DataType.STRING), 5, other)
    with pytest.raises(ValueError, match="table"):
        to_value(point(scale_from=ScaleFrom(point="code", rule="table", table={1: Decimal(1)})), 5, other)


def test_a_float_keeps_its_double() -> None:
    assert to_value(point(kind=DataType.FLOAT32), 0.6200000047683716, other) == 0.6200000047683716
    assert to_value(point(kind=DataType.FLOAT32, scale=Decimal(2)), 1.5, other) == 3.0


@pytest.mark.parametrize(
    ("part", "code", "bits"),
    [
        pytest.param(FieldOf(name="high", bits=(15, 8)), 3, 0x03FF, id="bits are shifted"),
        pytest.param(FieldOf(name="state", mask=0x006F), 0x27, 0xFFB7, id="a mask is not"),
    ],
)
def test_a_field_changes_only_its_own_bits(part: FieldOf, code: int, bits: int) -> None:
    before = 0xFFFF
    after = with_field(before, part, code)
    assert after == bits
    assert field_of(after, part) == code


def test_a_field_takes_labels_and_refuses_what_does_not_fit() -> None:
    part = FieldOf(name="mode", bits=(1, 0), enum={2: Text(en="auto")})
    assert field_raw(part, "auto") == 2
    with pytest.raises(ValueError, match="does not fit"):
        with_field(0, part, 4)
