"""A wanted value to the words that write it, or the reason why it cannot be written. Pure: sends nothing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gateway.model.address import Table
from gateway.model.codec import TYPES, Raw, Shape, shape_of, to_bits_of, to_raw, words_of
from gateway.model.formats import FORMATS
from gateway.model.point import Access, DataType, Point, Text
from gateway.model.sample import Scalar
from gateway.model.scaling import Scaling, finish, scaling_of


class EncodeError(ValueError):
    """A value that cannot be written; `code` is of INTERFACES "errors of encode", `nearest` the closest value that can."""

    def __init__(self, code: str, message: str, *, nearest: Scalar | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.nearest = nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """What a write puts on the wire, and the `value` that it will read back as.

    `words` are the registers; where the point owns only some of their bits, `keep` masks the bits of its neighbours
    (function 22 sends `keep[0]` and `words[0]` as AND and OR masks). `coil` is the bit of a coil instead.
    """

    value: Scalar
    words: tuple[int, ...] = ()
    keep: tuple[int, ...] = ()
    coil: bool | None = None

    def merged(self, current: Sequence[int]) -> tuple[int, ...]:
        """The registers to write over `current` so that the neighbours' bits stay."""
        if not self.keep:
            return self.words
        return tuple(now & keep | word for now, keep, word in zip(current, self.keep, self.words, strict=True))


def encode_point(point: Point, value: object, *, scale: Scalar | None = None) -> Encoded:
    """The words for `value`: a number in the point's unit, an exact enum label (English or Chinese), or text.

    `scale` is what the point named by `scale_from` or `range_from` reads now. Raises EncodeError.
    Limits are not checked here: see `limit_faults`.
    """
    if point.table.is_bits:
        on = _truth(point, value)
        return Encoded(value=on, coil=on)
    shape = shape_of(point)
    raw = _raw(point, shape, value, scale)
    bits = _bits(point, shape, raw, value)
    if bits in point.invalid:
        raise EncodeError("is_sentinel", f"{value} is the value by which the device says {point.invalid[bits]}")
    words = words_of(bits, shape)
    back, reason = finish(point, to_raw(words, shape, point.invalid), scale)
    if back is None:
        raise EncodeError("is_sentinel", f"{value} would read back as no value ({reason})")
    if isinstance(raw, str) and point.format is None and back != raw:
        raise EncodeError("bad_text", f"{value!r} would read back as {back!r}")
    return Encoded(value=back, words=words, keep=keep_of(point))


def keep_of(point: Point) -> tuple[int, ...]:
    """Per register the bits that belong to the point's neighbours; empty if the registers are all its own."""
    shape = shape_of(point)
    return tuple(0xFFFF ^ word for word in words_of((1 << shape.width) - 1, shape)) if shape.is_partial else ()


def limit_faults(point: Point, value: Scalar) -> tuple[EncodeError, ...]:
    """Every limit of the point's write rule that `value` (in its unit) breaks: below_min, above_max, not_a_step.

    Text, and numbers that `encode_point` refuses anyway, break none.
    """
    rule = point.write
    if rule is None or isinstance(value, str):
        return ()
    number, unit = _decimal(value), f" {point.unit}" if point.unit else ""
    if not number.is_finite() or _is_absurd(number):
        return ()
    faults = []
    if rule.min is not None and number < rule.min:
        faults.append(EncodeError("below_min", f"{number}{unit} is below the limit {rule.min}{unit}", nearest=rule.min))
    if rule.max is not None and number > rule.max:
        faults.append(EncodeError("above_max", f"{number}{unit} is above the limit {rule.max}{unit}", nearest=rule.max))
    if rule.step is not None:
        start = Fraction(rule.min or 0)
        steps = (Fraction(number) - start) / Fraction(rule.step)
        if steps.denominator != 1:
            nearest = _as_decimal(start + round(steps) * Fraction(rule.step))
            fault = EncodeError(
                "not_a_step", f"{number}{unit} is not a step of {rule.step}{unit}, nearest {nearest}{unit}", nearest=nearest
            )
            faults.append(fault)
    return tuple(faults)


def access_fault(point: Point, function: int | None = None) -> EncodeError | None:
    """Why the point cannot be written at all (read_only) or not by `function` (bad_function); None if it can."""
    if point.access is Access.RO or point.table in (Table.DISCRETE, Table.INPUT):
        return EncodeError("read_only", f"{point.name} cannot be written")
    if function is not None and function not in write_functions(point):
        return EncodeError("bad_function", f"function {function} cannot write {point.name} ({point.type} in table {point.table})")
    return None


def write_functions(point: Point) -> tuple[int, ...]:
    """The function codes that can write the point, the usual one first (MAPS section 2, rule 7)."""
    if point.table is Table.COIL:
        return (5, 15)
    if point.words > 1:
        return (16,)
    return (22, 6, 16) if point.bit is not None or point.bits is not None else (6, 16)


def _truth(point: Point, value: object) -> bool:
    if isinstance(value, str):
        return _code_of(point.enum, value) != 0
    if isinstance(value, bool | int | float | Decimal) and value in (0, 1):
        return bool(value)
    raise EncodeError("wrong_type", f"{value!r} is neither on nor off")


def _raw(point: Point, shape: Shape, value: object, scale: Scalar | None) -> Raw:
    """The raw value, inside the limits of the type."""
    if point.type is DataType.BOOL:
        return _truth(point, value)
    if point.format is not None:
        return _formatted(point, shape, value)
    if point.type in (DataType.STRING, DataType.BYTES):
        if not isinstance(value, str):
            raise EncodeError("wrong_type", f"{value!r} is not text")
        return value.upper() if point.type is DataType.BYTES else value
    number = _number(point, value)
    scaling = scaling_of(point, scale)
    if scaling is None:
        raise EncodeError("not_representable", f"the scale held by {point.held_by} is not known now")
    return _unscaled(point, shape, number, scaling)


def _formatted(point: Point, shape: Shape, value: object) -> Raw:
    row = FORMATS[point.format or ""]
    try:
        raw = row.read(value if isinstance(value, str) else "", shape)
    except ValueError as exc:
        raise EncodeError("wrong_type", f"{value!r} is not a value such as {row.like!r}") from exc
    limits = TYPES[point.type].limits(shape)
    if limits and not isinstance(raw, str) and not limits[0] <= raw <= limits[1]:
        raise EncodeError("out_of_range", f"{value!r} does not fit {shape.width} bits of {point.type}")
    return raw


def _number(point: Point, value: object) -> Decimal:
    """The wanted number; an enum takes a label or one of its codes."""
    if isinstance(value, str) and point.enum:
        return Decimal(_code_of(point.enum, value))
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise EncodeError("wrong_type", f"{value!r} is not a number")
    number = _decimal(value)
    if not number.is_finite():
        raise EncodeError("not_a_number", f"{value} is not a finite number")
    if _is_absurd(number):
        raise EncodeError("out_of_range", f"{value} is beyond what registers hold")
    if number == 0:
        number = Decimal(0)
    if point.enum and number not in point.enum:
        raise EncodeError("not_allowed", f"{value} is none of {', '.join(map(str, point.enum))}")
    return number


def _code_of(enum: Mapping[int, Text], label: str) -> int:
    for code, text in enum.items():
        if label in (text.en, text.zh):
            return code
    labels = ", ".join(text.en or text.zh for text in enum.values())
    raise EncodeError(
        "unknown_label" if enum else "wrong_type",
        f"{label!r} is none of: {labels}" if labels else f"{label!r} has no labels to choose from",
    )


def _unscaled(point: Point, shape: Shape, number: Decimal, scaling: Scaling) -> Raw:
    row = TYPES[point.type]
    exact = scaling.invert(Fraction(number))
    wanted = _as_float(exact) if row.is_float else exact
    low, high = row.limits(shape) or (0, 0)
    if not low <= wanted <= high:
        raise EncodeError("out_of_range", _range_words(point, number, sorted((scaling.apply(Decimal(low)), scaling.apply(Decimal(high))))))
    if isinstance(wanted, float):
        return _nearest_float(point, shape, wanted, scaling)
    raw = round(wanted)
    back = scaling.apply(raw)
    if wanted.denominator != 1 and not _shows_as(point, back, number):
        raise EncodeError("not_representable", f"{number} is not representable, nearest {back:f}", nearest=back)
    return raw


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _range_words(point: Point, number: Decimal, ends: Sequence[Decimal]) -> str:
    unit = f" {point.unit}" if point.unit else ""
    low, high = (f"{float(end):.8g}" if TYPES[point.type].is_float else f"{end:f}" for end in ends)
    return f"{number}{unit} does not fit {point.type}, which holds {low} to {high}{unit}"


def _shows_as(point: Point, back: Decimal, number: Decimal) -> bool:
    """True if `back` reads as `number` in the point's decimals (or exactly): 33.30078125 is 33.3 with one decimal."""
    if back == number:
        return True
    return point.decimals is not None and round(Fraction(back), point.decimals) == Fraction(number)


def _nearest_float(point: Point, shape: Shape, wanted: float, scaling: Scaling) -> Raw:
    """A float's own rounding is accepted, losing the value (underflow) is not."""
    stored = float(TYPES[point.type].decode(to_bits_of(wanted, shape) or 0, shape)[0] or 0)
    if abs(stored - wanted) > abs(wanted) / 1000:
        nearest = float(scaling.apply(Decimal(stored)))
        raise EncodeError("not_representable", f"too small for {point.type}, nearest {nearest}", nearest=nearest)
    return wanted


def _bits(point: Point, shape: Shape, raw: Raw, value: object) -> int:
    try:
        bits = to_bits_of(raw, shape)
    except ValueError as exc:
        words = f"{value!r} cannot be written as {shape.text.encoding}" if point.type is DataType.STRING else f"{value!r} is not hex digits"
        raise EncodeError("bad_text", words) from exc
    if bits is None:
        raise EncodeError("too_long", f"{value!r} does not fit {point.words} registers")
    return bits


def _decimal(value: float | Decimal) -> Decimal:
    """The number as written: a float by its shortest text."""
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _is_absurd(number: Decimal) -> bool:
    """True for exponents that would take exact arithmetic ages (1e999999999) and that no register holds."""
    return number != 0 and abs(number.adjusted()) > 400


def _as_decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)
