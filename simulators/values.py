"""Raw number to value in the engineering unit and back, rounded as a device rounds what it measures."""

import contextlib
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TypeVar

from gateway.model.point import DataType, FieldOf, Flag, Point, Range, Text
from gateway.model.sample import Scalar
from simulators.encoding import FLOATS, Raw
from simulators.formats import raw_of_text, text_of_raw

ValueOf = Callable[[str], Decimal]
"""The value of another point of the same device, in its unit, for `scale_from` and `range_from`."""

_Entry = TypeVar("_Entry")


def to_raw(point: Point, value: Scalar, value_of: ValueOf) -> Raw:
    """The raw number nearest to `value`; an enum's label stands for its code, labels of flags (joined by commas) for their bits.

    Raises ValueError for text that is no label, and for a number where text belongs.
    """
    if point.format is not None and isinstance(value, str):
        return raw_of_text(point, value)
    if point.type in (DataType.STRING, DataType.BYTES):
        if not isinstance(value, str):
            raise ValueError(f"{point.name}: {value!r} is not text")
        return value
    if isinstance(value, str):
        return _code(point.name, point.enum, point.flags, value)
    if point.type is DataType.BOOL:
        return int(bool(value))
    number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return float(number)
    factor, offset = _line(point, value_of)
    raw = (number - offset) / factor
    return float(raw) if point.type in FLOATS else int(raw.to_integral_value(ROUND_HALF_EVEN))


def to_value(point: Point, raw: Raw, value_of: ValueOf) -> Scalar:
    """The value of `raw`: exact int or Decimal, a float for float types, bool, or text (also of a `format`, where `raw` is one)."""
    if point.format is not None:
        with contextlib.suppress(ValueError):
            return text_of_raw(point, raw)
    if isinstance(raw, str):
        return raw
    if point.type is DataType.BOOL:
        return bool(raw)
    factor, offset = _line(point, value_of)
    if isinstance(raw, float):
        return raw if factor == 1 and offset == 0 else raw * float(factor) + float(offset)
    return raw if factor == 1 and offset == 0 else raw * factor + offset


def field_raw(part: FieldOf, value: Scalar) -> int:
    """The code of one field of a word: a number, an enum's label, or the labels of its flags, joined by commas."""
    return _code(part.name, part.enum, part.flags, value) if isinstance(value, str) else int(value)


def with_field(bits: int, part: FieldOf, code: int) -> int:
    """`bits` with this field holding `code` (`bits` fields count from their own lowest bit, `mask` fields do not)."""
    mask, shift = _field_place(part)
    if code << shift & ~mask:
        raise ValueError(f"{part.name}: {code} does not fit")
    return bits & ~mask | code << shift


def field_of(bits: int, part: FieldOf) -> int:
    """The code that the field holds."""
    mask, shift = _field_place(part)
    return (bits & mask) >> shift


def _field_place(part: FieldOf) -> tuple[int, int]:
    if part.bits is None:
        return part.mask or 0, 0
    low, high = sorted(part.bits)
    return (1 << high + 1) - (1 << low), low


def _code(name: str, enum: Mapping[int, Text], flags: Mapping[int, Flag], words: str) -> int:
    for code, text in enum.items():
        if words in (text.en, text.zh):
            return code
    bits = {label: 1 << bit for bit, flag in flags.items() for label in (flag.text.en, flag.text.zh)}
    labels = [label.strip() for label in words.split(",") if label.strip()]
    if flags and all(label in bits for label in labels):
        return sum(bits[label] for label in labels)
    offer = ", ".join([*(text.en for text in enum.values()), *(flag.text.en for flag in flags.values())]) or "a number"
    raise ValueError(f"{name}: {words!r} is not one of: {offer}")


def _line(point: Point, value_of: ValueOf) -> tuple[Decimal, Decimal]:
    """Slope and offset of the straight line from raw to value."""
    if point.range is not None:
        return _slope(point.range)
    if point.range_from is not None:
        return _slope(_entry(point.range_from.table, value_of(point.range_from.point)))
    if point.scale_from is None:
        return point.scale, point.offset
    code = value_of(point.scale_from.point)
    match point.scale_from.rule:
        case "exponent":
            factor = Decimal(10) ** code
        case "factor":
            factor = code
        case "table":
            factor = _entry(point.scale_from.table, code)
    return factor * point.scale, point.offset


def _entry(table: Mapping[int, _Entry], code: Decimal) -> _Entry:
    if code not in table:
        raise ValueError(f"code {code} is not in the table of scales")
    return table[int(code)]


def _slope(span: Range) -> tuple[Decimal, Decimal]:
    factor = (span.high - span.low) / (span.raw_high - span.raw_low)
    return factor, span.low - span.raw_low * factor
