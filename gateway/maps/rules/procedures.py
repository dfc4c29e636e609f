"""Procedures: each step writes what can be written, or waits for what can be read."""

from collections.abc import Iterator
from decimal import Decimal

from gateway.maps.rules.base import Fault, MapView, is_encodable
from gateway.maps.rules.conditions import own_faults
from gateway.maps.schema import MapHeadIn, StepIn
from gateway.model.encode import EncodeError, encode_point, limit_faults
from gateway.model.point import Access, Point
from gateway.yamlfile import YamlPath


def procedures(head: MapHeadIn, around: MapView) -> Iterator[Fault]:
    """`step_shape`, `unknown_point`, `not_writable`, `bad_value` and the conditions of waits."""
    for name, procedure in head.procedures.items():
        for number, step in enumerate(procedure.steps):
            yield from _step(step, ("procedures", name, "steps", number), around)


def _step(step: StepIn, keys: YamlPath, around: MapView) -> Iterator[Fault]:
    is_write = step.write is not None and step.value is not None and step.wait is None and step.timeout is None
    is_wait = step.wait is not None and step.write is None and step.value is None
    if not is_write and not is_wait:
        yield Fault(
            keys,
            "step_shape",
            "neither a write with its value nor a wait",
            "write {write: POINT, value: V} or {wait: CONDITION, timeout: 5s}",
        )
    elif step.wait is not None:
        yield from own_faults(step.wait, (*keys, "wait"), around)
    else:
        yield from _write(step, keys, around)


def _write(step: StepIn, keys: YamlPath, around: MapView) -> Iterator[Fault]:
    point = around.points.get(step.write or "")
    if point is None:
        if not around.lacks(step.write or ""):
            return
        yield Fault((*keys, "write"), "unknown_point", f"no point {step.write}", "write the name of a point of this map")
        return
    if point.access is Access.RO or point.write is None:
        yield Fault((*keys, "write"), "not_writable", f"{point.name} can't be written", "name a point with access rw or wo")
        return
    for fault in _value_faults(point, step.value)[:1]:
        yield Fault((*keys, "value"), "bad_value", f"{point.name}: {fault.message}", "write a value or label the point takes")


def _value_faults(point: Point, value: int | Decimal | str | None) -> tuple[EncodeError, ...]:
    """What the point says to the value; where another point holds the scale only the limits tell before it is read."""
    if not is_encodable(point):
        return () if value is None else limit_faults(point, value)
    try:
        encoded = encode_point(point, value)
    except EncodeError as exc:
        return (exc,)
    return limit_faults(point, encoded.value if value is None or isinstance(value, str) else value)
