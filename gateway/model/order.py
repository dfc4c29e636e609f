"""Order of bytes and registers: words as they come over the wire to one big-endian number, and back (MAPS 1b)."""

from collections.abc import Sequence

from gateway.model.point import Order

_SWAPS_BYTES = frozenset({Order.BADC, Order.DCBA})
_REVERSES = frozenset({Order.CDAB, Order.DCBA})
_QUAD = {Order.EFGHABCD: (2, 3, 0, 1), Order.CDABGHEF: (1, 0, 3, 2)}


def fits(order: Order, words: int) -> bool:
    """True if `order` has a meaning for a value of `words` registers: the two 64-bit orders need four."""
    return order not in _QUAD or words == 4


def orders_for(words: int) -> tuple[Order, ...]:
    """The orders that have a meaning for a value of `words` registers."""
    return tuple(order for order in Order if fits(order, words))


def to_bits(words: Sequence[int], order: Order, *, is_text: bool = False) -> int:
    """The number whose most significant register comes first; text keeps its registers in place.

    >>> hex(to_bits([0x5678, 0x1234], Order.CDAB))
    '0x12345678'
    """
    bits = 0
    for word in _arranged(words, order, is_text=is_text):
        bits = bits << 16 | word
    return bits


def to_words(bits: int, count: int, order: Order, *, is_text: bool = False) -> tuple[int, ...]:
    """The `count` registers that `to_bits` turns into `bits`.

    >>> [hex(word) for word in to_words(0x12345678, 2, Order.BADC)]
    ['0x3412', '0x7856']
    """
    plain = [bits >> 16 * place & 0xFFFF for place in reversed(range(count))]
    return tuple(_arranged(plain, order, is_text=is_text))


def _arranged(words: Sequence[int], order: Order, *, is_text: bool) -> Sequence[int]:
    """Each order is its own inverse."""
    if order in _QUAD and not is_text:
        return [words[place] for place in _QUAD[order]]
    if order in _SWAPS_BYTES:
        words = [(word & 0xFF) << 8 | word >> 8 for word in words]
    if order in _REVERSES and not is_text:
        words = words[::-1]
    return words
