"""Types and bits: whether the keys of a point describe something its words can hold."""

from collections.abc import Iterator

from gateway.maps.rules.base import WHOLE, Fault, Item, MapView
from gateway.model.codec import TYPES, shape_of
from gateway.model.formats import FORMATS
from gateway.model.order import fits
from gateway.model.point import DataType, Point

_TEXT_KEYS = ("encoding", "chars", "pad", "length")


def tables(item: Item, _around: MapView) -> Iterator[Fault]:
    """`bits_table_needs_bool`, `bit_on_bits_table`, `bool_needs_bit`, `bit_and_bits`, `bit_needs_integer`."""
    point = item.point
    bit_key = "bit" if point.bit is not None else "bits"
    has_bits = point.bit is not None or point.bits is not None
    if point.table.is_bits:
        if point.type is not DataType.BOOL:
            yield Fault(("type",), "bits_table_needs_bool", f"a {point.table} is one bit, not {point.type}", "write type: bool")
        if has_bits:
            yield Fault((bit_key,), "bit_on_bits_table", f"a {point.table} is one bit", f"remove `{bit_key}`, or correct the table")
        return
    if point.bit is not None and point.bits is not None:
        yield Fault(("bits",), "bit_and_bits", "both bit and bits", "keep one of them")
    if point.type is DataType.BOOL:
        if point.bit is None:
            yield Fault(
                ("type",), "bool_needs_bit", f"a bool in a {point.table} register needs its bit", "add `bit:`, counted from 0 at the right"
            )
    elif has_bits and point.type not in WHOLE:
        yield Fault((bit_key,), "bit_needs_integer", f"a {point.type} has no bits of its own", "write an integer type, or remove it")
    for key, given in (("flags", point.flags), ("fields", point.fields)):
        if given and point.type not in WHOLE:
            yield Fault((key,), "bit_needs_integer", f"a {point.type} has no bits of its own", f"write an integer type, or remove `{key}`")


def widths(item: Item, _around: MapView) -> Iterator[Fault]:
    """`bits_beyond_width`: bits, flags and fields that the value does not have."""
    point = item.point
    if point.table.is_bits or point.type not in {*WHOLE, DataType.BOOL}:
        return
    width = point.words * 16
    if point.bit is not None and point.bit >= width:
        yield _beyond(("bit",), point.bit, width)
    if point.bits is not None and point.bits[0] >= width:
        yield _beyond(("bits",), point.bits[0], width)
        return
    own = point.bits[0] - point.bits[1] + 1 if point.bits else (TYPES[point.type].bits or width)
    for bit in point.flags:
        if bit >= own:
            yield _beyond(("flags", bit), bit, own)
    for field in point.fields:
        if field.bits is not None and field.bits[0] >= own:
            yield _beyond(("fields", field.name, "bits"), field.bits[0], own)
        elif field.mask is not None and field.mask.bit_length() > own:
            yield _beyond(("fields", field.name, "mask"), field.mask.bit_length() - 1, own)


def order(item: Item, _around: MapView) -> Iterator[Fault]:
    """`order_needs_64_bits`."""
    point = item.point
    if not point.table.is_bits and not fits(point.order, point.words):
        message = f"order {point.order} is for values of 4 registers, {point.name} has {point.words}"
        yield Fault(("order",), "order_needs_64_bits", message, "write ABCD, CDAB, BADC or DCBA")


def text(item: Item, _around: MapView) -> Iterator[Fault]:
    """`text_key_on_number`, `length_beyond_words`."""
    point, model = item.point, item.model
    if point.type is not DataType.STRING:
        for key in _TEXT_KEYS:
            if key in item.own:
                yield Fault((key,), "text_key_on_number", f"`{key}` on a {point.type}", "remove it, or write type: string")
    elif model.length is not None and model.length > point.words * (1 if model.chars in ("low", "high") else 2):
        message = f"{model.length} characters do not fit into {point.words} registers"
        yield Fault(("length",), "length_beyond_words", message, "correct `length` or `words`")
    if model.signed and point.type is not DataType.MOD10 and "signed" in item.own:
        yield Fault(("signed",), "wrong_type", f"`signed` on a {point.type}", f"choose a signed type such as {_signed(point)}")


def formats(item: Item, _around: MapView) -> Iterator[Fault]:
    """`format_needs_type`."""
    point = item.point
    if point.format is None:
        return
    if point.table.is_bits or not fits(point.order, point.words) or not FORMATS[point.format].fits(shape_of(point)):
        message = f"format {point.format} can't be held by a {point.type} of {point.words} registers"
        yield Fault(("format",), "format_needs_type", message, "choose the type the manual gives for it")


def _signed(point: Point) -> str:
    return point.type.value.removeprefix("u") if point.type in WHOLE else "int16"


def _beyond(keys: tuple[str | int, ...], bit: int, width: int) -> Fault:
    return Fault(keys, "bits_beyond_width", f"bit {bit} of a value of {width} bits", f"bits count from 0 to {width - 1}")
