"""Registers of a point to its raw number or text and back, with code of its own: an oracle for the gateway's codec.

The plain 16, 32 and 64-bit numbers are pymodbus's, the rest (orders, float16, BCD, MOD10, text) is written here.
"""

import struct
from collections.abc import Sequence

from pymodbus.client.mixin import ModbusClientMixin

from gateway.model.point import DataType, Order, Point, TextFormat

Raw = int | float | str
"""What the registers of a point hold before scaling: a number, or text (`bytes` points: hexadecimal)."""

_PYMODBUS = {
    kind: ModbusClientMixin.DATATYPE[kind.name]
    for kind in (
        DataType.INT16,
        DataType.UINT16,
        DataType.INT32,
        DataType.UINT32,
        DataType.INT64,
        DataType.UINT64,
        DataType.FLOAT32,
        DataType.FLOAT64,
    )
}
FLOATS = frozenset({DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64})
TEXTS = frozenset({DataType.STRING, DataType.BYTES})
_SIGNED = frozenset({DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64})
_BCD = frozenset({DataType.BCD16, DataType.BCD32, DataType.BCD48, DataType.BCD64})


def reorder(words: Sequence[int], order: Order) -> tuple[int, ...]:
    """Most significant first to wire order, or back: every order undoes itself.

    >>> [f"{word:04x}" for word in reorder([0x0102, 0x0304, 0x0506, 0x0708], Order.CDABGHEF)]
    ['0304', '0102', '0708', '0506']
    """
    match order:
        case Order.ABCD:
            return tuple(words)
        case Order.CDAB:
            return tuple(reversed(words))
        case Order.BADC:
            return _swap_bytes(words)
        case Order.DCBA:
            return _swap_bytes(tuple(reversed(words)))
        case Order.EFGHABCD:
            return (*words[2:], *words[:2])
        case Order.CDABGHEF:
            return (words[1], words[0], words[3], words[2])


def words_of_bits(bits: int, count: int, order: Order) -> tuple[int, ...]:
    """An unsigned number of `count` registers in wire order."""
    return reorder([(bits >> (16 * place)) & 0xFFFF for place in reversed(range(count))], order)


def bits_of_words(words: Sequence[int], order: Order) -> int:
    """The unsigned number that registers in wire order hold."""
    bits = 0
    for word in reorder(words, order):
        bits = bits << 16 | word
    return bits


def encode(point: Point, raw: Raw, old: Sequence[int]) -> tuple[int, ...]:
    """The registers of `point` holding `raw`, in wire order; the bits of `old` that are not the point's stay.

    Raises ValueError if `raw` does not fit.
    """
    try:
        return _encode(point, raw, old)
    except (struct.error, OverflowError) as exc:
        raise ValueError(f"{point.name}: {raw} does not fit into {point.type}") from exc


def decode(point: Point, words: Sequence[int]) -> Raw:
    """The raw number or text that registers in wire order hold; raises ValueError for digits that are none."""
    span = _bit_span(point)
    if span is not None:
        low, width = span
        part = bits_of_words(words, point.order) >> low & (1 << width) - 1
        return part - (1 << width) if point.type in _SIGNED and part >> (width - 1) else part
    if point.type in TEXTS:
        return _decode_text(point, words)
    if point.type in _BCD:
        return int(f"{bits_of_words(words, point.order):x}")
    if point.type is DataType.MOD10:
        return _mod10_number(point, reorder(words, point.order))
    if point.type is DataType.FLOAT16:
        half: float = struct.unpack(">e", bits_of_words(words, point.order).to_bytes(2, "big"))[0]
        return half
    number = ModbusClientMixin.convert_from_registers(reorder(words, point.order), _PYMODBUS[point.type])
    if isinstance(number, int | float):
        return number
    raise ValueError(f"{point.name}: {len(words)} registers are not one {point.type}")


def _encode(point: Point, raw: Raw, old: Sequence[int]) -> tuple[int, ...]:
    span = _bit_span(point)
    if span is not None:
        return _with_bits(point, int(raw), span, old)
    if point.type in TEXTS:
        return _encode_text(point, str(raw))
    if isinstance(raw, str):
        raise ValueError(f"{point.name}: {raw!r} is no number")  # noqa: TRY004 - a value no device can hold
    if point.type in _BCD:
        if not 0 <= raw < 10 ** (4 * point.words):
            raise ValueError(f"{point.name}: {raw} is not a value of {4 * point.words} digits")
        return words_of_bits(int(str(int(raw)), 16), point.words, point.order)
    if point.type is DataType.MOD10:
        return reorder(_mod10_groups(point, int(raw)), point.order)
    if point.type is DataType.FLOAT16:
        return words_of_bits(int.from_bytes(struct.pack(">e", raw), "big"), 1, point.order)
    number = float(raw) if point.type in FLOATS else int(raw)
    return reorder(ModbusClientMixin.convert_to_registers(number, _PYMODBUS[point.type]), point.order)


def _swap_bytes(words: Sequence[int]) -> tuple[int, ...]:
    return tuple((word & 0xFF) << 8 | word >> 8 for word in words)


def _bit_span(point: Point) -> tuple[int, int] | None:
    """Lowest bit and width of a point that is only a part of its registers."""
    if point.bit is not None:
        return point.bit, 1
    if point.bits is not None:
        return min(point.bits), abs(point.bits[0] - point.bits[1]) + 1
    return (0, 8) if point.type in (DataType.INT8, DataType.UINT8) else None


def _with_bits(point: Point, raw: int, span: tuple[int, int], old: Sequence[int]) -> tuple[int, ...]:
    low, width = span
    lowest, highest = (-(1 << width - 1), (1 << width - 1) - 1) if point.type in _SIGNED else (0, (1 << width) - 1)
    if not lowest <= raw <= highest:
        raise ValueError(f"{point.name}: {raw} does not fit into {width} bits")
    mask = (1 << width) - 1 << low
    bits = bits_of_words(old, point.order) & ~mask | raw << low & mask
    return words_of_bits(bits, point.words, point.order)


def _mod10_groups(point: Point, raw: int) -> list[int]:
    """Four decimal digits a register, each carrying the sign (MAPS 1b, case D21)."""
    if raw < 0 and not point.signed:
        raise ValueError(f"{point.name}: an unsigned MOD10 has no sign")
    groups = [abs(raw) // 10_000**place % 10_000 for place in reversed(range(point.words))]
    if abs(raw) >= 10_000**point.words:
        raise ValueError(f"{point.name}: {raw} has more than {4 * point.words} digits")
    return [-group & 0xFFFF if raw < 0 else group for group in groups]


def _mod10_number(point: Point, words: Sequence[int]) -> int:
    groups = [word - 0x10000 if point.signed and word & 0x8000 else word for word in words]
    if max(map(abs, groups)) > 9999 or min(groups) < 0 < max(groups):
        raise ValueError(f"{point.name}: {groups} are no groups of four digits with one sign")
    number = 0
    for group in groups:
        number = number * 10_000 + group
    return number


def _encode_text(point: Point, text: str) -> tuple[int, ...]:
    layout = point.text or TextFormat()
    data = bytes.fromhex(text) if point.type is DataType.BYTES else text.encode(layout.encoding)
    pad = b" " if layout.pad == "space" and point.type is DataType.STRING else b"\0"
    room = 2 * point.words if layout.chars == "packed" else point.words
    if len(data) > room:
        raise ValueError(f"{point.name}: {text!r} is longer than {room} bytes")
    data = data.ljust(room, pad)
    if layout.chars == "packed":
        words = [high << 8 | low for high, low in zip(data[::2], data[1::2], strict=True)]
    else:
        words = [byte << 8 if layout.chars == "high" else byte for byte in data]
    return _swap_bytes(words) if point.order in (Order.BADC, Order.DCBA) else tuple(words)


def _decode_text(point: Point, words: Sequence[int]) -> str:
    layout = point.text or TextFormat()
    plain = _swap_bytes(words) if point.order in (Order.BADC, Order.DCBA) else words
    data = b"".join(word.to_bytes(2, "big") for word in plain)
    if layout.chars != "packed":
        data = data[::2] if layout.chars == "high" else data[1::2]
    if point.type is DataType.BYTES:
        return data.hex()
    text = data.split(b"\0")[0].decode(layout.encoding)[: layout.length]
    return text.rstrip(" ") if layout.pad == "space" else text
