"""Conditions of interlocks."""

import contextlib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.model.condition import Condition, ConditionError, Reading, Source, holds, parse, reading_of, source_of
from gateway.model.point import FieldOf, Point, Text
from gateway.model.sample import Sample, Scalar, Tag
from tests.unit.model.points import labels, point

MODE = {0: Text("manual", "手动"), 1: Text("auto", "自动")}


@pytest.mark.parametrize(
    ("text", "name", "op", "number", "label"),
    [
        ("fault_code == 0", "fault_code", "==", Decimal(0), None),
        ("lt1.level >= 15", "lt1.level", ">=", Decimal(15), None),
        ("a<-1.5", "a", "<", Decimal("-1.5"), None),
        ("  status.state != 'running'  ", "status.state", "!=", None, "running"),
        ("mode == '自动'", "mode", "==", None, "自动"),
        ("plant-2.status.state == ''", "plant-2.status.state", "==", None, ""),
    ],
    ids=["point", "tag", "tight", "field", "chinese", "empty-label"],
)
def test_conditions_are_parsed(text: str, name: str, op: str, number: Decimal | None, label: str | None) -> None:
    found = parse(text)
    assert (found.name, found.op, found.number, found.label) == (name, op, number, label)
    assert parse(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "level",
        "level = 5",
        "level >= ",
        ">= 5",
        "level >= five",
        "level >= 1e5",
        "level >= NaN",
        "mode < 'auto'",
        "a.b.c.d == 1",
        "a == 1 or b == 2",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConditionError):
        parse(text)


@given(st.text())
def test_parse_either_understands_or_refuses(text: str) -> None:
    with contextlib.suppress(ConditionError):
        assert isinstance(parse(text), Condition)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("x == 0", 0, True),
        ("x == 0", 0.0, True),
        ("x == 0.1", 0.1, True),
        ("x == 0.1", Decimal("0.10"), True),
        ("x >= 15", 15, True),
        ("x >= 15", Decimal("14.9"), False),
        ("x > 15", 15, False),
        ("x <= 15", 15.5, False),
        ("x < 15", 14, True),
        ("x != 3", 3, False),
        ("x == 1", True, True),
        ("x == 1", "1", False),
    ],
)
def test_numbers_are_compared(text: str, value: Scalar, expected: bool) -> None:
    assert holds(parse(text), Reading(value=value)) is expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("x == 'auto'", 1, True),
        ("x == '自动'", 1, True),
        ("x == 'auto'", 0, False),
        ("x != 'auto'", 0, True),
        ("x != 'auto'", 1, False),
        ("x != 'automatic'", 0, False),
        ("x == 'automatic'", 0, False),
        ("x != 'auto'", 7, True),
        ("x == 'T1'", "T1", True),
        ("x != 'T1'", "T2", True),
    ],
)
def test_labels_are_compared_and_an_unknown_label_is_never_met(text: str, value: Scalar, expected: bool) -> None:
    assert holds(parse(text), Reading(value=value, enum=MODE)) is expected


@pytest.mark.parametrize("reason", ["stale", "timeout", "waiting", "out_of_range", "not_available"])
def test_t22_what_is_not_good_and_fresh_is_false(reason: str) -> None:
    for text in ("x == 1", "x != 5", "x >= 0"):
        assert not holds(parse(text), Reading(value=1, reason=reason))
    assert not holds(parse("x != 5"), Reading(value=None))


STATUS = point("uint16", "status", fields=(FieldOf(name="state", bits=(3, 0), enum=labels(off=0, on=5)), FieldOf(name="high", mask=0xFF00)))
PLANT = {("vfd1", "status"): STATUS, ("vfd1", "fault"): point(name="fault"), ("lt1", "level"): point(name="level"), ("lt1", "vfd1"): STATUS}


def find(device: str, name: str) -> Point | None:
    return PLANT.get((device, name))


@pytest.mark.parametrize(
    ("name", "device", "expected"),
    [
        ("fault", "vfd1", ("vfd1", "fault", "")),
        ("status.state", "vfd1", ("vfd1", "status", "state")),
        ("lt1.level", "vfd1", ("lt1", "level", "")),
        ("vfd1.status.state", "lt1", ("vfd1", "status", "state")),
        ("vfd1.status", "lt1", ("vfd1", "status", "")),
        ("status.nothing", "vfd1", None),
        ("nowhere", "vfd1", None),
        ("lt1.nowhere", "vfd1", None),
    ],
)
def test_names_are_of_the_same_device_first(name: str, device: str, expected: tuple[str, str, str] | None) -> None:
    found = source_of(Condition(name=name, op="=="), device, find)
    assert (None if found is None else (found.device, found.point.name, found.field)) == expected


def test_field_is_taken_out_of_its_word() -> None:
    source = Source(device="vfd1", point=STATUS, field="state")
    reading = reading_of(source, Sample(tag=Tag("vfd1.status"), value=0x1205))
    assert (reading.value, holds(parse("status.state == 'on'"), reading)) == (5, True)
    assert reading_of(Source(device="vfd1", point=STATUS, field="high"), Sample(tag=Tag("vfd1.status"), value=0x1205)).value == 0x1200
    assert reading_of(source, Sample(tag=Tag("vfd1.status"), value=None, reason="timeout")).value is None


def test_whole_point_keeps_reason_label_and_unit() -> None:
    source = Source(device="a", point=point(name="mode", enum=MODE))
    assert reading_of(source, Sample(tag=Tag("a.mode"), value=1, unit="%", reason="stale")) == Reading(
        value=1, reason="stale", enum=MODE, unit="%"
    )
