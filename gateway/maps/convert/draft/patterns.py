"""Raw bit patterns of numbers, as `invalid` lists them."""

import struct
from decimal import Decimal

_FLOATS = {"float16": "e", "float32": "f", "float64": "d"}
_BITS = {"8": 8, "16": 16, "32": 32, "64": 64}


def pattern(value: int | Decimal, type_name: str) -> int | None:
    """The raw bits by which `type_name` holds `value`; None if it can't.

    >>> hex(pattern(-32768, "int16")), hex(pattern(-1, "int8")), hex(pattern(1, "float32"))
    ('0x8000', '0xff', '0x3f800000')
    """
    if type_name in _FLOATS:
        try:
            return int.from_bytes(struct.pack(f">{_FLOATS[type_name]}", float(value)), "big")
        except OverflowError:
            return None
    width = next((bits for end, bits in _BITS.items() if type_name in (f"int{end}", f"uint{end}")), None)
    if width is None or value != int(value):
        return None
    number = int(value)
    return number & (1 << width) - 1 if -(1 << width - 1) <= number < 1 << width else None
