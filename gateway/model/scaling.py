"""Raw numbers to values in the engineering unit and back, in exact decimals.

Whole numbers stay int while scale and offset are whole; a float type stays a float, rounded once; all others
become Decimal with every digit.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import TypeVar, assert_never

from gateway.model.codec import TYPES, Decoded, Raw, shape_of
from gateway.model.formats import FORMATS
from gateway.model.point import DataType, Point, Range, ScaleFrom
from gateway.model.quality import BAD_SCALE_FACTOR, NOT_FINITE, OUT_OF_RANGE
from gateway.model.sample import Scalar

Number = int | float | Decimal
Finished = tuple[Scalar | None, str | None]
Finisher = Callable[[Raw], Finished]

_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN, traps=[])
_ROUNDED = Context(prec=15, rounding=ROUND_HALF_EVEN, traps=[])


@dataclass(frozen=True, slots=True)
class Linear:
    """value = raw x scale + offset."""

    scale: Decimal
    offset: Decimal

    def apply(self, raw: int | Decimal) -> Decimal:
        """The value of `raw`."""
        return _EXACT.fma(raw, self.scale, self.offset)

    def invert(self, value: Fraction) -> Fraction:
        """The raw number, not yet rounded, that means `value`."""
        return (value - Fraction(self.offset)) / Fraction(self.scale)


@dataclass(frozen=True, slots=True)
class TwoPoint:
    """The line through two points; 15 digits where the division does not end."""

    range: Range

    def apply(self, raw: int | Decimal) -> Decimal:
        """The value of `raw`."""
        line = self.range
        rise = _EXACT.multiply(_EXACT.subtract(raw, line.raw_low), _EXACT.subtract(line.high, line.low))
        return _ROUNDED.add(line.low, _EXACT.divide(rise, _EXACT.subtract(line.raw_high, line.raw_low)))

    def invert(self, value: Fraction) -> Fraction:
        """The raw number, not yet rounded, that means `value`."""
        line = self.range
        raw_low, low = Fraction(line.raw_low), Fraction(line.low)
        return raw_low + (value - low) * (Fraction(line.raw_high) - raw_low) / (Fraction(line.high) - low)


Scaling = Linear | TwoPoint


def scaling_of(point: Point, source: Scalar | None = None) -> Scaling | None:
    """How the raw numbers of `point` scale, given the value `source` of the point named by `point.held_by`.

    None if the source has no value or one that cannot be a scale (SunSpec allows exponents -10 to 10).
    """
    if point.range_from is not None:
        chosen = _chosen(point.range_from.table, source)
        return TwoPoint(chosen) if chosen else None
    if point.range is not None:
        return TwoPoint(point.range)
    if point.scale_from is None:
        return Linear(point.scale, point.offset)
    factor = _factor(point.scale_from, source)
    return Linear(_EXACT.multiply(point.scale, factor), point.offset) if factor else None


def unit_of(point: Point, source: Scalar | None = None) -> str:
    """The unit of the point's value; a range chosen by another point brings its own."""
    chosen = _chosen(point.range_from.table, source) if point.range_from else point.range
    return (chosen.unit if chosen else "") or point.unit


def finisher(point: Point, source: Scalar | None = None) -> Finisher:
    """A function from raw value to value and reason, built once where the scale is fixed."""
    if point.format is not None:
        row, shape = FORMATS[point.format], shape_of(point)
        if not row.fits(shape):
            raise ValueError(f"{point.name}: format {point.format} cannot be held by {point.words} registers of {point.type}")
        return lambda raw: row.show(raw, shape)
    if point.type in _UNSCALED or point.bit is not None:
        return lambda raw: (raw, None)
    scaling = scaling_of(point, source)
    if scaling is None:
        return lambda _raw: (None, BAD_SCALE_FACTOR)
    is_float = TYPES[point.type].is_float
    return _checked(_line(scaling, is_float=is_float), point, is_float=is_float)


def is_plain(point: Point) -> bool:
    """True if the raw value of `point` is its value as it stands."""
    return (
        point.format is None
        and point.held_by is None
        and (point.type in _UNSCALED or scaling_of(point) == _UNITY)
        and (point.valid is None or point.type in _UNSCALED)
    )


def finish(point: Point, decoded: Decoded, source: Scalar | None = None) -> Finished:
    """The value and reason of what `codec.to_raw` gave."""
    raw, reason = decoded
    return (None, reason) if raw is None else finisher(point, source)(raw)


_T = TypeVar("_T")
_UNSCALED = frozenset({DataType.BOOL, DataType.STRING, DataType.BYTES})
_UNITY = Linear(Decimal(1), Decimal(0))


def _factor(rule: ScaleFrom, source: Scalar | None) -> Decimal | None:
    match rule.rule:
        case "exponent":
            exponent = _whole(source)
            return Decimal(1).scaleb(exponent) if exponent is not None and -10 <= exponent <= 10 else None
        case "factor":
            return None if source is None or isinstance(source, str | bool) else Decimal(source)
        case "table":
            return _chosen(rule.table, source)
        case _ as never:
            assert_never(never)


def _chosen(table: Mapping[int, _T], source: Scalar | None) -> _T | None:
    code = _whole(source)
    return None if code is None else table.get(code)


def _whole(source: Scalar | None) -> int | None:
    if source is None or isinstance(source, str):
        return None
    return int(source) if source == int(source) else None


def _line(scaling: Scaling, *, is_float: bool) -> Callable[[Raw], Number]:
    if is_float:
        return (lambda raw: float(raw) + 0.0) if scaling == _UNITY else (lambda raw: float(scaling.apply(Decimal(raw))))
    if isinstance(scaling, Linear):
        if _is_whole(scaling.scale) and _is_whole(scaling.offset):
            scale, offset = int(scaling.scale), int(scaling.offset)
            return lambda raw: int(raw) * scale + offset
        fma, factor, start = _EXACT.fma, scaling.scale, scaling.offset
        return lambda raw: fma(int(raw), factor, start)
    return lambda raw: scaling.apply(int(raw))


def _is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value()


def _checked(line: Callable[[Raw], Number], point: Point, *, is_float: bool) -> Finisher:
    if point.valid is None and not is_float:
        return lambda raw: (line(raw), None)
    low, high = (_bound(limit, is_float=is_float) for limit in ((point.valid.min, point.valid.max) if point.valid else (None, None)))

    def checked(raw: Raw) -> Finished:
        value = line(raw)
        if is_float and not math.isfinite(value):
            return None, NOT_FINITE
        if (low is not None and value < low) or (high is not None and value > high):
            return value, OUT_OF_RANGE
        return value, None

    return checked


def _bound(limit: Decimal | None, *, is_float: bool) -> float | Decimal | None:
    """In the type of the values, which also lets a float limit of 0.1 admit the float 0.1."""
    return float(limit) if limit is not None and is_float else limit
