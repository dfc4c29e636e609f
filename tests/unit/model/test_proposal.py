"""The rules of a write, one by one and in their order (INTERFACES: refusal codes)."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.model.condition import Reading
from gateway.model.point import Access, Interlock, Point, Role, Text
from gateway.model.proposal import (
    Fresh,
    Standing,
    conditions_for,
    plant_refusals,
    rate_refusals,
    standing_refusals,
    step_refusals,
    value_refusals,
)
from gateway.model.refusal import ORDER, Refusal, in_order, plain
from gateway.model.sample import Sample, Scalar, Tag
from tests.unit.model.points import labels, point, writable

TAG = Tag("vfd1.sp")
SPEED = writable(
    point("uint16", "sp", scale=Decimal("0.1"), unit="Hz"), min=Decimal(20), max=Decimal(50), max_step=Decimal(5), cooldown_s=10.0
)
RUN = writable(
    point("uint16", "run", enum=labels(stop=0, run=1)),
    interlock=(Interlock(conditions=("fault == 0",), when=1), Interlock(conditions=("remote == 1",))),
)
OPERATOR = Standing(role=Role.OPERATOR)


def codes(refusals: Iterable[Refusal]) -> list[str]:
    found = list(refusals)
    assert all(one.text.en and one.text.zh for one in found)
    assert all(one.code in ORDER for one in found)
    return [one.code for one in found]


def fresh(value: Scalar | None, reason: str | None = None, age_s: float = 0.1, readings: dict[str, Reading] | None = None) -> Fresh:
    return Fresh(old=Sample(tag=TAG, value=value, reason=reason, age_s=age_s), readings=readings or {})


@pytest.mark.parametrize(
    ("least", "role", "allowed"),
    [
        (Role.VIEWER, Role.VIEWER, False),
        (Role.VIEWER, Role.OPERATOR, True),
        (Role.OPERATOR, Role.VIEWER, False),
        (Role.OPERATOR, Role.OPERATOR, True),
        (Role.ENGINEER, Role.OPERATOR, False),
        (Role.ENGINEER, Role.ENGINEER, True),
        (Role.ENGINEER, Role.ADMIN, True),
        (Role.ADMIN, Role.ENGINEER, False),
    ],
)
def test_t23_role(least: Role, role: Role, allowed: bool) -> None:
    target = writable(point(), role=least)
    assert codes(standing_refusals(TAG, target, Standing(role=role))) == ([] if allowed else ["ROLE"])


@pytest.mark.parametrize(
    "target",
    [
        point("uint16", "level"),
        point("uint16", "level", table="input"),
        replace(writable(point("uint16", "level")), access=Access.RO),
        writable(point("uint16", "level", table="input")),
        writable(point("bool", "door", table="discrete")),
    ],
    ids=["no-rule", "input", "W20-ro", "W20-input", "W20-discrete"],
)
def test_read_only(target: Point) -> None:
    assert codes(standing_refusals(TAG, target, OPERATOR)) == ["READ_ONLY"]
    assert codes(standing_refusals(TAG, target, Standing(role=Role.VIEWER))) == ["ROLE", "READ_ONLY"]


def test_never_locked_out_and_blocked() -> None:
    standing = Standing(role=Role.OPERATOR, lockout="men at work", is_blocked=True)
    assert codes(standing_refusals(TAG, writable(point(), confirm="never"), standing)) == ["NOT_ALLOWED", "LOCKED_OUT", "BLOCKED"]


VALUES = {
    "T20-above": (60, ["LIMIT_MAX"]),
    "T20-below": (19, ["LIMIT_MIN"]),
    "T20-nan": (float("nan"), ["UNREPRESENTABLE"]),
    "T20-inf": (float("inf"), ["UNREPRESENTABLE"]),
    "T20-text": ("45", ["UNREPRESENTABLE"]),
    "T20-true": (True, ["UNREPRESENTABLE"]),
    "T20-overflow": (6554, ["UNREPRESENTABLE", "LIMIT_MAX"]),
    "W03-negative": (Decimal("-0.1"), ["UNREPRESENTABLE", "LIMIT_MIN"]),
    "W04-fraction": (Decimal("45.25"), ["UNREPRESENTABLE"]),
    "W06-empty": ("", ["UNREPRESENTABLE"]),
    "good": (Decimal("45.5"), []),
    "good-float": (45.5, []),
    "good-int": (45, []),
    "at-min": (20, []),
    "at-max": (50, []),
}


@pytest.mark.parametrize(("value", "expected"), VALUES.values(), ids=VALUES)
def test_t20_values(value: Scalar, expected: list[str]) -> None:
    encoded, refusals = value_refusals(TAG, SPEED, value, None)
    assert codes(refusals) == expected
    assert (encoded is None) == ("UNREPRESENTABLE" in expected)


def test_refusals_name_the_limit() -> None:
    (refusal,) = value_refusals(TAG, SPEED, 60, None)[1]
    assert "50 Hz" in refusal.text.en
    assert "50 Hz" in refusal.text.zh
    (nearest,) = value_refusals(TAG, writable(point("uint16", "x", scale=Decimal("0.1"))), Decimal("12.34"), None)[1]
    assert "12.3" in nearest.text.en
    assert "12.3" in nearest.text.zh


OTHER_VALUES = {
    "W01-scale": (writable(point("uint16", "x", scale=Decimal("0.01"))), 0.29, None, (29,)),
    "W02-negative": (writable(point("int16", "x", scale=Decimal("0.1"))), Decimal("-12.3"), None, (0xFF85,)),
    "W03-70000": (writable(point("uint16", "x")), 70000, "UNREPRESENTABLE", ()),
    "W03-40000": (writable(point("int16", "x")), 40000, "UNREPRESENTABLE", ()),
    "W05-float": (writable(point("float32", "x", order="CDAB")), 12.3, None, (0xCCCD, 0x4144)),
    "W07-sentinel": (writable(point("int16", "x", invalid={0x8000: "not_available"})), -32768, "UNREPRESENTABLE", ()),
    "W08-zero": (writable(point("uint16", "x", enum=labels(off=0, on=1))), 0, None, (0,)),
    "W10-long": (writable(point("string", "x", words=3)), "ABCDEFG", "UNREPRESENTABLE", ()),
    "W10-text": (writable(point("string", "x", words=3)), "AB", None, (0x4142, 0, 0)),
    "enum-label": (writable(point("uint16", "x", enum=labels(off=0, on=1))), "on", None, (1,)),
    "enum-chinese": (writable(point("uint16", "x", enum=labels(off=0, on=1))), "on-zh", None, (1,)),
    "enum-unknown": (writable(point("uint16", "x", enum=labels(off=0, on=1))), "up", "ENUM", ()),
    "enum-code": (writable(point("uint16", "x", enum=labels(off=0, on=1))), 2, "ENUM", ()),
    "step": (writable(point("uint16", "x"), step=Decimal(5), min=Decimal(5)), 12, "STEP", (12,)),
    "limit-of-a-float": (writable(point("float32", "x"), max=Decimal("12.3")), 12.3, None, (0x4144, 0xCCCD)),
}


@pytest.mark.parametrize(("target", "value", "code", "words"), OTHER_VALUES.values(), ids=OTHER_VALUES)
def test_values_of_other_points(target: Point, value: Scalar, code: str | None, words: tuple[int, ...]) -> None:
    encoded, refusals = value_refusals(TAG, target, value, None)
    assert codes(refusals) == ([code] if code else [])
    assert (encoded.words if encoded else ()) == words


def test_w08_false_to_a_coil() -> None:
    encoded, refusals = value_refusals(TAG, writable(point("bool", "x", table="coil")), False, None)
    assert (encoded is not None and encoded.coil, refusals) == (False, [])


@pytest.mark.parametrize(
    ("reason", "age_s", "code"),
    [
        (None, 0.1, None),
        ("out_of_range", 0.1, None),
        (None, 6.0, "STALE"),
        ("stale", 0.1, "STALE"),
        ("waiting", 0.1, "STALE"),
        ("not_available", 0.1, "STALE"),
        ("timeout", 0.1, "OFFLINE"),
        ("link_down", 0.1, "OFFLINE"),
        ("exception_2", 0.1, "OFFLINE"),
        ("crc_error", 0.1, "OFFLINE"),
    ],
)
def test_old_value_must_be_fresh(reason: str | None, age_s: float, code: str | None) -> None:
    value = 45 if reason in (None, "stale", "out_of_range") else None
    assert codes(plant_refusals(TAG, SPEED, 46, OPERATOR, fresh(value, reason, age_s))) == ([code] if code else [])


def test_point_that_is_only_written_needs_no_old_value() -> None:
    assert codes(plant_refusals(TAG, SPEED, 46, OPERATOR, Fresh(old=None))) == []


STEPS = {
    "allowed": (45, 50, 0, False),
    "down": (45, 40, 0, False),
    "T21-too-large": (45, Decimal("50.1"), 0, True),
    "T21-down": (45, 30, 0, True),
    "T21-sum": (49, 50, 5, True),
    "T21-sum-down": (41, 40, -5, True),
    "undo-inside-the-window": (50, 45, 5, False),
    "float": (45.0, 50.0, 0, False),
    "unknown-old": (None, 50, 0, False),
}


@pytest.mark.parametrize(("old", "new", "moved", "refused"), STEPS.values(), ids=STEPS)
def test_t21_steps(old: Scalar | None, new: Scalar, moved: int, refused: bool) -> None:
    found = codes(step_refusals(TAG, SPEED, old, new, Standing(role=Role.OPERATOR, moved=Decimal(moved))))
    assert found == (["MAX_STEP"] if refused else [])


def test_too_large_a_step_offers_the_furthest() -> None:
    (down,) = step_refusals(TAG, SPEED, 45, 30, OPERATOR)
    assert "40 Hz" in down.text.en
    assert "40 Hz" in down.text.zh
    (up,) = step_refusals(TAG, SPEED, 48, 60, OPERATOR)
    assert "so 50 Hz" in up.text.en


def test_t22_interlock_counts_for_its_value_only() -> None:
    good = {"fault": Reading(value=7, enum={7: Text("F07 over-temperature", "F07 过热")}), "remote": Reading(value=1)}
    (refusal,) = plant_refusals(TAG, RUN, 1, OPERATOR, fresh(0, readings=good))
    assert refusal.code == "INTERLOCK"
    assert "F07 over-temperature" in refusal.text.en
    assert "F07 过热" in refusal.text.zh
    assert codes(plant_refusals(TAG, RUN, 0, OPERATOR, fresh(1, readings=good))) == []
    assert [str(one) for one in conditions_for(RUN, 0)] == ["remote == 1"]
    assert [str(one) for one in conditions_for(RUN, None)] == ["remote == 1"]
    assert conditions_for(point(), 1) == []


@pytest.mark.parametrize(
    "reading", [None, Reading(value=None, reason="timeout"), Reading(value=0, reason="stale"), Reading(value=0, reason="out_of_range")]
)
def test_t22_interlock_that_cannot_be_read_is_false(reading: Reading | None) -> None:
    readings = {"remote": Reading(value=1)} if reading is None else {"fault": reading, "remote": Reading(value=1)}
    (refusal,) = plant_refusals(TAG, RUN, 1, OPERATOR, fresh(0, readings=readings))
    assert refusal.code == "INTERLOCK"
    assert "cannot be proved" in refusal.text.en


def test_interlock_names_number_and_unit() -> None:
    target = writable(point(name="x"), interlock=(Interlock(conditions=("level >= 15",)),))
    (refusal,) = plant_refusals(TAG, target, 1, OPERATOR, fresh(0, readings={"level": Reading(value=Decimal("12.50"), unit="%")}))
    assert refusal.text.en.endswith("level >= 15 is not met, it is 12.5 %")


@pytest.mark.parametrize(
    ("since_s", "refused"), [(None, False), (0.0, True), (9.9, True), (10.0, False)], ids=["first", "W19-at-once", "almost", "over"]
)
def test_cooldown(since_s: float | None, refused: bool) -> None:
    found = list(rate_refusals(TAG, SPEED, Standing(role=Role.OPERATOR, since_last_s=since_s)))
    assert codes(found) == (["COOLDOWN"] if refused else [])
    if since_s == 0.0:
        assert "wait 10 s" in found[0].text.en
        assert "等待 10 秒" in found[0].text.zh


@pytest.mark.parametrize(("open_count", "minute_count", "refused"), [(2, 9, False), (3, 3, True), (0, 10, True)])
def test_t09_rate(open_count: int, minute_count: int, refused: bool) -> None:
    standing = Standing(role=Role.OPERATOR, open_count=open_count, minute_count=minute_count)
    assert codes(rate_refusals(TAG, SPEED, standing)) == (["RATE"] if refused else [])


@given(st.lists(st.sampled_from(ORDER)))
def test_refusals_come_in_the_order_of_testing(found: list[str]) -> None:
    ordered = in_order([Refusal(code=code, text=Text()) for code in found])
    assert [ORDER.index(one.code) for one in ordered] == sorted(map(ORDER.index, found))


@given(st.one_of(st.integers(), st.floats(), st.decimals(), st.text(), st.booleans(), st.none()))
def test_no_value_whatever_passes_unless_it_is_in_the_limits(value: Scalar | None) -> None:
    encoded, refusals = value_refusals(TAG, SPEED, value, None)
    if not refusals:
        assert encoded is not None
        assert not isinstance(value, str | bool)
        assert value is not None
        assert 20 <= value <= 50
        assert encoded.words == (round(Decimal(str(value)) * 10),)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("T1", "T1"),
        (True, "1"),
        (7, "7"),
        (Decimal("45.00"), "45"),
        (Decimal("1E+2"), "100"),
        (0.1, "0.1"),
        (1e21, "1" + 21 * "0"),
    ],
)
def test_plain(value: Scalar | None, text: str) -> None:
    assert plain(value) == text
