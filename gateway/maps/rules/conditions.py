"""Interlocks and waits: conditions that can be read, understood and met."""

from collections.abc import Callable, Iterator, Mapping

from gateway.maps.rules.base import TEXTS, Fault, Item, MapView
from gateway.model.condition import Condition, ConditionError, parse
from gateway.model.point import Access, FieldOf, Point, Text
from gateway.yamlfile import YamlPath

Resolve = Callable[[str], tuple[Point, FieldOf | None] | None]
"""The point (and field) a name in a condition stands for."""


def interlocks(item: Item, around: MapView) -> Iterator[Fault]:
    """The conditions of a point's interlocks; they speak of points of the same map."""
    for number, interlock in enumerate(item.point.write.interlock if item.point.write else ()):
        for condition in interlock.conditions:
            yield from own_faults(condition, ("write", "interlock", number), around)


def own_faults(text: str, keys: YamlPath, around: MapView) -> Iterator[Fault]:
    """What is wrong with a condition on points of one map."""
    yield from condition_faults(text, keys, resolver(around.points), broken=around.broken)


def resolver(points: Mapping[str, Point]) -> Resolve:
    """Names of one map: `point` or `point.field`."""

    def resolve(name: str) -> tuple[Point, FieldOf | None] | None:
        point_name, _, field_name = name.partition(".")
        point = points.get(point_name)
        if point is None:
            return None
        field = next((field for field in point.fields if field.name == field_name), None)
        return None if field_name and field is None else (point, field)

    return resolve


def condition_faults(
    text: str, keys: YamlPath, resolve: Resolve, *, unknown: str = "unknown_point", broken: frozenset[str] = frozenset()
) -> Iterator[Fault]:
    """What is wrong with one condition; `unknown` is the code for a name that `resolve` does not know.

    Names that begin with one of `broken` have faults of their own and are passed over.
    """
    try:
        condition = parse(text)
    except ConditionError as exc:
        yield Fault(keys, "bad_condition", str(exc), "write NAME, one of == != < <= > >=, and a number or 'label'")
        return
    found = resolve(condition.name)
    if found is None and condition.name.split(".")[0] in broken:
        return
    if found is None:
        is_tag = unknown == "unknown_point" and "." in condition.name and resolve(condition.name.split(".")[0]) is None
        if is_tag:
            message = f"{text!r} speaks of another device, which a map can't know"
            yield Fault(keys, "tag_in_map", message, "put this condition into the configuration, at the device's `points`")
        else:
            fix = (
                "write the name of a point of this map"
                if unknown == "unknown_point"
                else "write DEVICE.point, or a point of the same device"
            )
            yield Fault(keys, unknown, f"{text!r} speaks of {condition.name}, which is not there", fix)
        return
    yield from _meaning(condition, text, keys, *found)


def _meaning(condition: Condition, text: str, keys: YamlPath, point: Point, field: FieldOf | None) -> Iterator[Fault]:
    if point.access is Access.WO:
        yield Fault(keys, "condition_unreadable", f"{text!r}: {point.name} can't be read", "name the point that shows it")
        return
    enum = point.enum if field is None else field.enum
    is_text = point.type in TEXTS or point.format is not None
    if condition.label is not None and not is_text and condition.label not in _labels(enum):
        fix = f"write one of {', '.join(_labels(enum))}" if enum else "compare with a number"
        yield Fault(keys, "unknown_label", f"{text!r}: {point.name} has no label {condition.label!r}", fix)
    elif condition.number is not None and is_text:
        yield Fault(keys, "bad_condition", f"{text!r}: {point.name} is text", "compare it with a 'text'")
    elif condition.number is not None and enum and condition.op in ("==", "!=") and condition.number not in enum:
        fix = f"write one of {', '.join(map(str, enum))}"
        yield Fault(keys, "code_not_in_enum", f"{text!r}: {condition.number} is no code of {point.name}", fix)


def _labels(enum: Mapping[int, Text]) -> list[str]:
    return [words for label in enum.values() for words in (label.en, label.zh) if words]
