"""Values: scales, ranges, enums, sentinels and units."""

import re
from collections.abc import Iterator
from decimal import Decimal

from gateway.maps.rules.base import TEXTS, Fault, Item, MapView, is_number, is_scaled, raw_limits, shape
from gateway.model.codec import TYPES, to_bits_of
from gateway.model.point import Access, DataType, Point, Range
from gateway.model.scaling import scaling_of
from gateway.yamlfile import YamlPath

_ASCII_UNITS = {
    "°C": "degC",
    "℃": "degC",
    "°F": "degF",
    "℉": "degF",
    "°": "deg",
    "Ω": "Ohm",
    "µ": "u",
    "μ": "u",
    "³": "3",
    "²": "2",
    "％": "%",
    "·": ".",
}


def scales(item: Item, _around: MapView) -> Iterator[Fault]:
    """`scale_zero`, `scale_and_range`, `scale_on_text`, `flat_range`, `enum_with_scale`."""
    point, model = item.point, item.model
    linear = "scale" if model.scale is not None else "offset" if model.offset is not None else ""
    ways = [key for key, given in ((linear, linear), ("range", model.range), ("range_from", model.range_from)) if given]
    if point.scale == 0:
        yield Fault(("scale",), "scale_zero", "a scale of 0 makes every value 0", "write the factor from raw number to unit, such as 0.1")
    if len(ways) > 1 or (model.scale_from is not None and {"range", "range_from"} & set(ways)):
        both = [*ways, *(["scale_from"] if model.scale_from else [])]
        yield Fault((both[-1],), "scale_and_range", f"{' and '.join(both)} on one point", "keep one way of scaling")
    if is_scaled(point) and (point.type in TEXTS or point.type is DataType.BOOL):
        own = next((key for key in ("scale", "offset", "range", "scale_from", "range_from") if key in item.own), None)
        if own:
            yield Fault((own,), "scale_on_text", f"`{own}` on a {point.type}", "remove it")
    elif is_scaled(point) and (point.enum or point.flags or point.fields):
        kind = "enum" if point.enum else "flags" if point.flags else "fields"
        yield Fault(
            ("scale",),
            "enum_with_scale",
            f"{kind} on a scaled value: its codes would never match",
            "write `scale: 1` (and no offset) at the point",
        )
    ranges: list[tuple[YamlPath, Range]] = [(("range",), point.range)] if point.range else []
    ranges += [(("range_from", "as", code), found) for code, found in (point.range_from.table if point.range_from else {}).items()]
    for keys, found in ranges:
        if found.raw_low == found.raw_high or found.low == found.high:
            yield Fault(
                keys, "flat_range", "both ends of the range are the same", "write raw: [lowest, highest] and eng: [lowest, highest]"
            )


def sources(item: Item, around: MapView) -> Iterator[Fault]:
    """`unknown_point`, `scale_source_type`, `scale_cycle`."""
    point = item.point
    if point.held_by is None:
        return
    key = "scale_from" if point.scale_from else "range_from"
    source = around.points.get(point.held_by)
    if source is None:
        if not around.lacks(point.held_by):
            return
        yield Fault((key, "point"), "unknown_point", f"no point {point.held_by}", "write the name of a point of this map")
        return
    if source.type in TEXTS or source.access is Access.WO or source.format is not None:
        yield Fault(
            (key, "point"), "scale_source_type", f"{source.name} holds no number that can be read", "name the point that holds the scale"
        )
    seen = {point.name}
    while source is not None and source.name not in seen:
        seen.add(source.name)
        source = around.points.get(source.held_by or "")
    if source is not None:
        yield Fault(
            (key, "point"), "scale_cycle", f"the scale of {point.name} leads back to {source.name}", "name a point with a scale of its own"
        )


def enums(item: Item, _around: MapView) -> Iterator[Fault]:
    """`enum_code_out_of_range`, `duplicate_label`, `enum_label_repeated`, `enum_is_sentinel`."""
    point = item.point
    limits = (0, 1) if point.table.is_bits else raw_limits(point)
    labels: dict[str, int] = {}
    for code, label in point.enum.items():
        keys: YamlPath = ("enum",) if isinstance(item.model.enum, str) else ("enum", code)
        if limits is not None and not limits[0] <= code <= limits[1]:
            yield Fault(keys, "enum_code_out_of_range", f"code {code} can't be held by {_described(point)}", "correct the code or the type")
        elif _bits(point, code) in point.invalid:
            yield Fault(keys, "enum_is_sentinel", f"code {code} is also in `invalid`", "remove it from one of the two")
        for words in {label.en, label.zh} - {""}:
            first = labels.setdefault(words, code)
            if first != code:
                kind = "enum_label_repeated" if point.access is Access.RO else "duplicate_label"
                yield Fault(keys, kind, f"codes {first} and {code} are both {words!r}", "give each code its own label")


def sentinels(item: Item, _around: MapView) -> Iterator[Fault]:
    """`pattern_beyond_width`, `zero_is_sentinel`."""
    point = item.point
    found = shape(point)
    width = 1 if point.table.is_bits else found.width if found else 64 * 16
    for pattern in point.invalid:
        if pattern < 0 or pattern.bit_length() > width:
            yield Fault(
                ("invalid",),
                "pattern_beyond_width",
                f"{_hex(pattern)} is no pattern of {width} bits",
                f"write the raw bits as 0x{'F' * max(1, width // 4)} or smaller",
            )
        elif pattern == 0 and is_number(point) and point.access is not Access.WO and not point.note:
            yield Fault(
                ("invalid",),
                "zero_is_sentinel",
                f"a real 0 of {point.name} would be shown as no value",
                "keep it only if the manual says so; say so in `note`",
            )


def units(item: Item, _around: MapView) -> Iterator[Fault]:
    """`unit_not_ascii`, `percent_above_100`."""
    point = item.point
    given: list[tuple[YamlPath, str]] = [(("unit",), point.unit)]
    given += [
        (("range_from", "as", code, "unit"), found.unit) for code, found in (point.range_from.table if point.range_from else {}).items()
    ]
    for keys, unit in given:
        if not unit.isascii():
            plain = re.sub("|".join(map(re.escape, _ASCII_UNITS)), lambda match: _ASCII_UNITS[match[0]], unit)
            hint = f"write {plain}; pages show {unit}" if plain.isascii() else "write it in ASCII, such as degC, m3/h, Ohm"
            yield Fault(keys, "unit_not_ascii", f"unit {unit!r}", hint)
    if point.unit == "%" and is_number(point) and _top(point) > 100 and not _is_bounded(point):
        fix = "add `valid: {min: 0, max: 100}`, and check type and scale"
        yield Fault(("unit",), "percent_above_100", f"{point.name} can read up to {_top(point):.6g} %", fix)


def _top(point: Point) -> Decimal:
    limits = raw_limits(point)
    if limits is None or point.held_by is not None:
        return Decimal(0)
    scaling = scaling_of(point)
    if scaling is None or TYPES[point.type].is_float:
        return Decimal(limits[1]) if scaling else Decimal(0)
    return max(scaling.apply(Decimal(end)) for end in limits)


def _is_bounded(point: Point) -> bool:
    return (point.valid is not None and point.valid.max is not None) or (point.write is not None and point.write.max is not None)


def _bits(point: Point, code: int) -> int | None:
    found = shape(point)
    return to_bits_of(code, found) if found else code


def _hex(pattern: int) -> str:
    return f"0x{pattern:X}" if pattern >= 0 else str(pattern)


def _described(point: Point) -> str:
    return f"a {point.table}" if point.table.is_bits else f"bits {point.bits[0]}..{point.bits[1]}" if point.bits else f"a {point.type}"
