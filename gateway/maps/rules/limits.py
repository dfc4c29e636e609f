"""Limits of a write: present, in order, on the register's grid, and clear of sentinels. Used for maps and for site rules."""

from collections.abc import Iterator
from decimal import Decimal

from gateway.maps.rules.base import Fault, MapView, is_encodable, is_number, shape
from gateway.model.codec import TYPES
from gateway.model.encode import EncodeError, encode_point, limit_faults
from gateway.model.point import Access, Point, WriteRule
from gateway.model.scaling import finish

_KEYS = ("min", "max", "step", "max_step")


def limits(point: Point, _around: MapView) -> Iterator[Fault]:
    """Everything about `min`, `max`, `step` and `max_step` of one point."""
    rule = point.write
    if rule is None or point.access is Access.RO:
        return
    given = [key for key, value in zip(_KEYS, (rule.min, rule.max, rule.step, rule.max_step), strict=True) if value is not None]
    if not is_number(point):
        if given:
            message = f"`{given[0]}` on {point.name}, which takes {'the codes of its enum' if point.enum else 'no number'}"
            yield Fault(("write", given[0]), "limits_with_enum", message, "remove the limits")
        return
    if rule.confirm != "never":
        missing = [key for key in ("min", "max") if key not in given]
        if missing:
            message = f"{point.name} can be written without {' and '.join(missing)}"
            yield Fault(("write",), "no_limits", message, f"add {' and '.join(missing)} in the unit, or write confirm: never")
        if rule.step is None and not TYPES[point.type].is_float:
            yield Fault(("write",), "step_missing", f"{point.name} has no step", "add `step`, the smallest change the device takes")
    if rule.min is not None and rule.max is not None and rule.min > rule.max:
        yield Fault(("write", "min"), "limits_crossed", f"min {rule.min} is above max {rule.max}", "exchange them")
        return
    yield from _steps(rule)
    if is_encodable(point):
        yield from _on_grid(point, rule)
        yield from _sentinels(point, rule)


def _steps(rule: WriteRule) -> Iterator[Fault]:
    for key, value in (("step", rule.step), ("max_step", rule.max_step)):
        if value is not None and value <= 0:
            yield Fault(("write", key), "step_not_positive", f"{key} {value}", "write a number above 0")
    if rule.step is not None and rule.step > 0 and rule.max is not None and (rule.max - (rule.min or 0)) % rule.step:
        message = f"max {rule.max} is no whole number of steps of {rule.step} from {rule.min or 0}"
        yield Fault(("write", "max"), "max_off_steps", message, "correct max, min or step; what lies between steps is refused")
    if rule.step is not None and rule.max_step is not None and 0 < rule.max_step < rule.step:
        message = f"max_step {rule.max_step} is smaller than one step of {rule.step}: nothing could be written"
        yield Fault(("write", "max_step"), "max_step_below_step", message, "write at least one step")


def _on_grid(point: Point, rule: WriteRule) -> Iterator[Fault]:
    is_float = TYPES[point.type].is_float
    second = rule.min + rule.step if rule.min is not None and rule.step is not None and rule.step > 0 else None
    for key, value in (("min", rule.min), ("max", rule.max), ("step", None if is_float else second)):
        if value is None:
            continue
        try:
            encode_point(point, value)
        except EncodeError as exc:
            if exc.code != "is_sentinel":
                what = f"{key} {value}" if key != "step" else f"step {rule.step}"
                yield Fault(("write", key), "limit_not_representable", f"{what}: {exc.message}", "correct it, the scale or the type")
                return


def _sentinels(point: Point, rule: WriteRule) -> Iterator[Fault]:
    found = shape(point)
    for pattern, reason in point.invalid.items():
        if found is None or not 0 <= pattern < 1 << found.width:
            continue
        value, _ = finish(point, TYPES[point.type].decode(pattern, found))
        if isinstance(value, int | float | Decimal) and _is_writable(point, rule, Decimal(str(value))):
            message = f"{value} lies inside the limits, and 0x{pattern:X} means {reason}"
            yield Fault(("write",), "sentinel_in_limits", message, "narrow min and max, or correct `invalid`")


def _is_writable(point: Point, rule: WriteRule, value: Decimal) -> bool:
    return (rule.min is not None or rule.max is not None) and not limit_faults(point, value)
