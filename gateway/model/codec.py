"""Words to raw values and back: one row per data type. Device data never raises; it gives a reason.

A raw value is what the words say before scale: a number, text, or for `bytes` their hex digits. Sentinels
(`invalid` of a point) are compared on the raw bits, after order and `bits`, before sign.
"""

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gateway.model.order import fits, to_bits, to_words
from gateway.model.point import DataType, Order, Point, TextFormat
from gateway.model.quality import BAD_BCD_DIGIT, BAD_MOD10_GROUP, NOT_AVAILABLE, NOT_FINITE
from gateway.model.text import to_data, to_text

Raw = bool | int | float | str
Decoded = tuple[Raw | None, str | None]
"""A raw value and None, or None and the reason of its quality."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Where a value lies in its words. `width` and `low` are bits of the ordered number, LSB = 0."""

    type: DataType
    words: int
    width: int
    low: int = 0
    order: Order = Order.ABCD
    signed: bool = False
    text: TextFormat = TextFormat()

    @property
    def is_text(self) -> bool:
        """True if the registers keep their place whatever the order."""
        return self.type in (DataType.STRING, DataType.BYTES)

    @property
    def is_partial(self) -> bool:
        """True if other bits of the same registers belong to something else."""
        return self.width < self.words * 16

    @property
    def mask(self) -> int:
        """The value's bits inside the ordered number."""
        return ((1 << self.width) - 1) << self.low


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One data type. `words` and `bits` are its natural size (None: the point says), `code` its `struct` letter."""

    words: int | None
    bits: int | None
    decode: Callable[[int, Shape], Decoded]
    encode: Callable[[Raw, Shape], int | None]
    limits: Callable[[Shape], tuple[float, float] | None]
    code: str = ""
    is_float: bool = False


def shape_of(point: Point) -> Shape:
    """Where the value of a register point lies; raises ValueError if the order has no meaning for its size."""
    row = TYPES[point.type]
    if not fits(point.order, point.words):
        raise ValueError(f"{point.name}: order {point.order} needs a value of 4 registers, not {point.words}")
    if point.bit is not None:
        low, width = point.bit, 1
    elif point.bits is not None:
        high, low = max(point.bits), min(point.bits)
        width = high - low + 1
    else:
        low, width = 0, row.bits or point.words * 16
    signed = point.signed or point.type in _SIGNED
    text = point.text or TextFormat()
    return Shape(type=point.type, words=point.words, width=width, low=low, order=point.order, signed=signed, text=text)


def bits_of(words: Sequence[int], shape: Shape) -> int:
    """The raw bits of a value, shifted down."""
    return (to_bits(words, shape.order, is_text=shape.is_text) & shape.mask) >> shape.low


def words_of(bits: int, shape: Shape) -> tuple[int, ...]:
    """The registers with the value's bits in place and all others 0."""
    return to_words(bits << shape.low, shape.words, shape.order, is_text=shape.is_text)


def to_raw(words: Sequence[int], shape: Shape, invalid: Mapping[int, str]) -> Decoded:
    """The raw value of `words`, or the reason why there is none.

    >>> to_raw([0xFFFE, 0x7960], Shape(type=DataType.INT32, words=2, width=32, signed=True), {})
    (-100000, None)
    """
    bits = bits_of(words, shape)
    if bits in invalid:
        return None, invalid[bits]
    return TYPES[shape.type].decode(bits, shape)


def to_bits_of(raw: Raw, shape: Shape) -> int | None:
    """The raw bits of a raw value inside the type's limits; None if text does not fit. Raises UnicodeEncodeError."""
    return TYPES[shape.type].encode(raw, shape)


def _decode_bool(bits: int, _shape: Shape) -> Decoded:
    return bits != 0, None


def _decode_int(bits: int, shape: Shape) -> Decoded:
    return bits - (1 << shape.width) if shape.signed and bits >> shape.width - 1 else bits, None


def _encode_int(raw: Raw, shape: Shape) -> int:
    return int(raw) & (1 << shape.width) - 1


def _int_limits(shape: Shape) -> tuple[int, int]:
    return (-(1 << shape.width - 1), (1 << shape.width - 1) - 1) if shape.signed else (0, (1 << shape.width) - 1)


def _decode_float(bits: int, shape: Shape) -> Decoded:
    value: float = _FLOATS[shape.width].unpack(bits.to_bytes(shape.width // 8, "big"))[0]
    if math.isfinite(value):
        return value + 0.0, None
    return None, NOT_AVAILABLE if math.isnan(value) else NOT_FINITE


def _encode_float(raw: Raw, shape: Shape) -> int:
    return int.from_bytes(_FLOATS[shape.width].pack(raw), "big")


def _float_limits(shape: Shape) -> tuple[float, float]:
    largest: float = _FLOATS[shape.width].unpack(_LARGEST[shape.width])[0]
    return -largest, largest


def _decode_bcd(bits: int, shape: Shape) -> Decoded:
    digits = f"{bits:0{shape.width // 4}x}"
    return (int(digits), None) if digits.isdecimal() else (None, BAD_BCD_DIGIT)


def _encode_bcd(raw: Raw, _shape: Shape) -> int:
    return int(str(raw), 16)


def _bcd_limits(shape: Shape) -> tuple[int, int]:
    return 0, 10 ** (shape.width // 4) - 1


def _decode_mod10(bits: int, shape: Shape) -> Decoded:
    groups = [bits >> 16 * place & 0xFFFF for place in reversed(range(shape.words))]
    if shape.signed:
        groups = [group - 0x10000 if group >= 0x8000 else group for group in groups]
    if any(abs(group) > 9999 for group in groups) or (min(groups) < 0 < max(groups)):
        return None, BAD_MOD10_GROUP
    total = 0
    for group in groups:
        total = total * 10000 + group
    return total, None


def _encode_mod10(raw: Raw, shape: Shape) -> int:
    rest, sign, bits = abs(int(raw)), -1 if int(raw) < 0 else 1, 0
    for place in range(shape.words):
        rest, group = divmod(rest, 10000)
        bits |= (sign * group & 0xFFFF) << 16 * place
    return bits


def _mod10_limits(shape: Shape) -> tuple[int, int]:
    largest = 10000**shape.words - 1
    return -largest if shape.signed else 0, largest


def _decode_string(bits: int, shape: Shape) -> Decoded:
    return to_text(bits.to_bytes(shape.words * 2, "big"), shape.text)


def _encode_string(raw: Raw, shape: Shape) -> int | None:
    data = to_data(str(raw), shape.words, shape.text)
    return None if data is None else int.from_bytes(data, "big")


def _decode_bytes(bits: int, shape: Shape) -> Decoded:
    return f"{bits:0{shape.words * 4}X}", None


def _encode_bytes(raw: Raw, shape: Shape) -> int | None:
    digits = str(raw)
    return int(digits, 16) if len(digits) == shape.words * 4 else None


def _no_limits(_shape: Shape) -> None:
    return None


def _int_row(bits: int, code: str = "") -> TypeRow:
    return TypeRow(max(1, bits // 16), bits, _decode_int, _encode_int, _int_limits, code)


def _float_row(bits: int, code: str) -> TypeRow:
    return TypeRow(bits // 16, bits, _decode_float, _encode_float, _float_limits, code, is_float=True)


def _bcd_row(bits: int) -> TypeRow:
    return TypeRow(bits // 16, bits, _decode_bcd, _encode_bcd, _bcd_limits)


INTEGERS = frozenset(DataType(f"{sign}int{width}") for sign in ("", "u") for width in (8, 16, 32, 64))
"""The types whose bits may be taken apart."""
_SIGNED = frozenset({DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64})
_FLOATS = {16: struct.Struct(">e"), 32: struct.Struct(">f"), 64: struct.Struct(">d")}
_LARGEST = {16: bytes.fromhex("7BFF"), 32: bytes.fromhex("7F7FFFFF"), 64: bytes.fromhex("7FEFFFFFFFFFFFFF")}

TYPES: Mapping[DataType, TypeRow] = {
    DataType.BOOL: TypeRow(None, None, _decode_bool, _encode_int, _int_limits),
    DataType.INT8: _int_row(8),
    DataType.UINT8: _int_row(8),
    DataType.INT16: _int_row(16, "h"),
    DataType.UINT16: _int_row(16, "H"),
    DataType.INT32: _int_row(32, "i"),
    DataType.UINT32: _int_row(32, "I"),
    DataType.INT64: _int_row(64, "q"),
    DataType.UINT64: _int_row(64, "Q"),
    DataType.FLOAT16: _float_row(16, "e"),
    DataType.FLOAT32: _float_row(32, "f"),
    DataType.FLOAT64: _float_row(64, "d"),
    DataType.BCD16: _bcd_row(16),
    DataType.BCD32: _bcd_row(32),
    DataType.BCD48: _bcd_row(48),
    DataType.BCD64: _bcd_row(64),
    DataType.MOD10: TypeRow(None, None, _decode_mod10, _encode_mod10, _mod10_limits),
    DataType.STRING: TypeRow(None, None, _decode_string, _encode_string, _no_limits),
    DataType.BYTES: TypeRow(None, None, _decode_bytes, _encode_bytes, _no_limits),
}
