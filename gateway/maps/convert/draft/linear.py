"""What other formats can say of a point's scaling, and what they leave unsaid."""

from collections.abc import Iterator
from decimal import Decimal

from gateway.model.point import DataType, Order, Point

_OF_TEXT = {Order.CDAB: Order.ABCD, Order.DCBA: Order.BADC}


def linear(point: Point) -> tuple[Decimal, Decimal] | None:
    """Factor and offset in exact decimals; None if the point's scaling is not one fixed line, or has no finite decimals."""
    if point.held_by is not None:
        return None
    if point.range is None:
        return point.scale, point.offset
    span = point.range
    factor = (span.high - span.low) / (span.raw_high - span.raw_low)
    offset = span.low - factor * span.raw_low
    is_exact = factor * (span.raw_high - span.raw_low) == span.high - span.low
    return (factor, offset) if is_exact else None


def order_on_wire(point: Point) -> Order:
    """The order, said so that text, whose registers keep their place, has none of words."""
    return _OF_TEXT.get(point.order, point.order) if point.type is DataType.STRING else point.order


def unsaid(point: Point) -> Iterator[str]:
    """What a plain list of registers loses of a point that it can read."""
    for key, value in (("enum", point.enum), ("flags", point.flags), ("fields", point.fields), ("format", point.format)):
        if value:
            yield f"`{key}`: the raw code is shown"
    if point.invalid:
        yield '`invalid`: the device\'s "no value" is shown as a number'
