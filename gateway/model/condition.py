"""Conditions of interlocks: `NAME op number` or `NAME op 'label'`. What cannot be read or is not fresh counts as false."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gateway.model.describe import field_value
from gateway.model.point import Point, Text
from gateway.model.sample import Sample, Scalar

_OPERATORS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_FORM = re.compile(
    r"\s*(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*){0,2})\s*(?P<op>==|!=|<=|>=|<|>)\s*"
    r"(?:(?P<number>[+-]?\d+(?:\.\d+)?)|'(?P<label>[^']*)')\s*",
    re.ASCII,
)


class ConditionError(ValueError):
    """The text is not a condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One comparison; `name` is a point of the same device, a field of one, or a tag."""

    name: str
    op: str
    number: Decimal | None = None
    label: str | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.op} {self.number if self.label is None else repr(self.label)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a condition is held against: a value read just now; `reason` is None only for GOOD."""

    value: Scalar | None
    reason: str | None = None
    enum: Mapping[int, Text] = field(default_factory=dict)
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the value of a condition comes from: a point of a device, or one field of it."""

    device: str
    point: Point
    field: str = ""


Find = Callable[[str, str], Point | None]
"""(device, point name) -> the point, if there is one."""


def parse(text: str) -> Condition:
    """The condition that `text` says. Raises ConditionError.

    >>> parse("status.state == 'running'")
    Condition(name='status.state', op='==', number=None, label='running')
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise ConditionError(f"{text!r} is not a condition such as fault_code == 0 or mode == 'auto'")
    if match["label"] is not None and match["op"] not in ("==", "!="):
        raise ConditionError(f"{text!r} compares a label with {match['op']}: labels are equal or not")
    number = None if match["number"] is None else Decimal(match["number"])
    return Condition(name=match["name"], op=match["op"], number=number, label=match["label"])


def holds(condition: Condition, reading: Reading) -> bool:
    """True only if a good, fresh value meets the condition.

    >>> holds(parse("level >= 15"), Reading(value=63)), holds(parse("level >= 15"), Reading(value=63, reason="stale"))
    (True, False)
    """
    if reading.reason is not None or reading.value is None:
        return False
    if condition.label is not None:
        return _holds_label(condition, condition.label, reading)
    if isinstance(reading.value, str) or condition.number is None:
        return False
    return _OPERATORS[condition.op](_number(reading.value), condition.number)


def source_of(condition: Condition, device: str, find: Find) -> Source | None:
    """What the name of a condition on `device` means: a point or field of that device first, else a tag; None if nothing."""
    first, *rest = condition.name.split(".")
    places = [(device, first, rest)] + ([(first, rest[0], rest[1:])] if rest else [])
    for owner, name, fields in places:
        point = find(owner, name)
        if point is None:
            continue
        if not fields:
            return Source(device=owner, point=point)
        if len(fields) == 1 and any(one.name == fields[0] for one in point.fields):
            return Source(device=owner, point=point, field=fields[0])
    return None


def reading_of(source: Source, sample: Sample) -> Reading:
    """What `sample`, read from the source's point, says to the condition."""
    if not source.field:
        return Reading(value=sample.value, reason=sample.reason, enum=source.point.enum, unit=sample.unit)
    field = next(one for one in source.point.fields if one.name == source.field)
    value = None if sample.value is None or isinstance(sample.value, str) else field_value(field, int(sample.value))
    return Reading(value=value, reason=sample.reason, enum=field.enum)


def _holds_label(condition: Condition, label: str, reading: Reading) -> bool:
    """A label that the point does not have is met by nothing, not even by `!=`."""
    if isinstance(reading.value, str):
        return (reading.value == label) is (condition.op == "==")
    codes = [code for code, text in reading.enum.items() if label in (text.en, text.zh)]
    return bool(codes) and (reading.value in codes) is (condition.op == "==")


def _number(value: float | Decimal) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
