"""Levels of a value: valid limits, alarms, deadband."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from gateway.maps.rules.base import Fault, MapView, is_number, raw_limits
from gateway.model.codec import TYPES
from gateway.model.point import Access, Point
from gateway.model.scaling import scaling_of


def levels(point: Point, around: MapView) -> Iterator[Fault]:
    """Everything about `valid`, `alarm` and `deadband` of one point."""
    for key, given in (("valid", point.valid), ("alarm", point.alarm), ("deadband", point.deadband.amount or None)):
        has_enum_levels = key != "valid" and bool(point.enum)
        if given is not None and not is_number(point) and not has_enum_levels:
            yield Fault((key,), "level_needs_number", f"`{key}` on something that is no number", "remove it")
            return
    if point.deadband.amount < 0:
        yield Fault(("deadband",), "bad_deadband", f"a deadband of {point.deadband.amount}", "write 0 or more")
    yield from _valid(point)
    yield from _writable(point)
    yield from _alarm(point, around)


def _valid(point: Point) -> Iterator[Fault]:
    valid = point.valid
    if valid is None:
        return
    if valid.min is not None and valid.max is not None and valid.min > valid.max:
        yield Fault(("valid", "min"), "limits_crossed", f"min {valid.min} is above max {valid.max}", "exchange them")
        return
    ends = _ends(point)
    if ends is None:
        return
    if (valid.min is not None and valid.min > ends[1]) or (valid.max is not None and valid.max < ends[0]):
        message = f"{point.name} can only read {ends[0]:.6g} to {ends[1]:.6g}"
        yield Fault(("valid",), "valid_beyond_type", message, "check the limits, the type and the scale")


def _writable(point: Point) -> Iterator[Fault]:
    valid, rule = point.valid, point.write
    if valid is None or rule is None:
        return
    for key, limit in (("min", rule.min), ("max", rule.max)):
        if limit is not None and ((valid.min is not None and limit < valid.min) or (valid.max is not None and limit > valid.max)):
            message = f"{key} {limit} lies outside `valid`"
            yield Fault(
                ("write", key), "limit_outside_valid", message, "what is written there would read as UNCERTAIN; correct one of them"
            )


def _alarm(point: Point, around: MapView) -> Iterator[Fault]:
    alarm = point.alarm
    if alarm is None:
        return
    given = [
        (key, level) for key, level in (("lolo", alarm.lolo), ("lo", alarm.lo), ("hi", alarm.hi), ("hihi", alarm.hihi)) if level is not None
    ]
    if not given:
        yield Fault(("alarm",), "missing_key", "an alarm without a level", "add lolo, lo, hi or hihi")
        return
    for (lower, low), (upper, high) in pairwise(given):
        if low >= high:
            yield Fault(
                ("alarm", upper),
                "alarm_order",
                f"{upper} {high} is not above {lower} {low}",
                "levels rise from lolo over lo and hi to hihi",
            )
    width = min((high - low for (_, low), (_, high) in pairwise(given)), default=None)
    if alarm.hysteresis < 0 or (width is not None and width > 0 and alarm.hysteresis >= width):
        yield Fault(
            ("alarm", "hysteresis"),
            "bad_hysteresis",
            f"a hysteresis of {alarm.hysteresis}",
            "write less than the levels are apart, 0 or more",
        )
    if point.access is Access.WO:
        yield Fault(("alarm",), "alarm_on_write_only", f"{point.name} can't be read", "put the alarm on the point that reads it back")
    elif around.periods is not None and around.periods.get(point.poll, 1.0) is None:
        message = f"poll group {point.poll} is not read periodically"
        yield Fault(("alarm",), "alarm_not_polled", message, "put the point into a group with a period")
    ends = _ends(point)
    for key, level in given if ends else ():
        if ends and not ends[0] <= level <= ends[1]:
            message = f"{key} {level}, but {point.name} can only read {ends[0]:.6g} to {ends[1]:.6g}"
            yield Fault(("alarm", key), "alarm_beyond_type", message, "check the level, the type and the scale")
    valid = point.valid
    for key, level in given if valid else ():
        if (valid and valid.min is not None and level < valid.min) or (valid and valid.max is not None and level > valid.max):
            yield Fault(
                ("alarm", key),
                "alarm_outside_valid",
                f"{key} {level} lies outside `valid`",
                "a value out there is UNCERTAIN; correct one of them",
            )


def _ends(point: Point) -> tuple[Decimal, Decimal] | None:
    limits = raw_limits(point)
    scaling = scaling_of(point) if point.held_by is None else None
    if limits is None or scaling is None or TYPES[point.type].is_float:
        return None
    ends = sorted(scaling.apply(Decimal(end)) for end in limits)
    return ends[0], ends[1]
