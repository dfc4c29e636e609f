"""The same words under every order, side by side, each with a mark of how likely it is.

A mark never changes a value: it helps the engineer see a wrong order at a glance.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from gateway.model.codec import TYPES
from gateway.model.decode import decode_point
from gateway.model.order import orders_for, to_words
from gateway.model.point import DataType, Order, Point, Text
from gateway.model.sample import Scalar

Mark = Literal["likely", "unlikely", "unknown"]

_USUAL: Mapping[str, tuple[float, float]] = {
    "Hz": (0, 1000),
    "degC": (-60, 1500),
    "%": (-150, 250),
    "V": (-100_000, 1_000_000),
    "bar": (-1, 1000),
}
"""Outside of these a reading of the unit is hardly one."""
_TINY, _HUGE = 1e-6, 1e12
_ALIKE, _STRANGE = 30.0, 10_000.0
"""How many times a value may differ from its neighbours of the same unit before that counts for it, and against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What the words would mean under `orders`, which all read them alike; `is_used` marks the map's own."""

    orders: tuple[Order, ...]
    value: Scalar | None
    reason: str | None
    mark: Mark
    why: Text
    is_used: bool


def candidates(point: Point, words: Sequence[int], source: Scalar | None, neighbours: Sequence[float]) -> tuple[Candidate, ...]:
    """One for each different reading; none for a coil or a discrete input. `neighbours` are values of the same unit."""
    if point.table.is_bits:
        return ()
    readings: dict[tuple[int, ...], list[Order]] = {}
    for order in orders_for(point.words):
        if point.type in (DataType.STRING, DataType.BYTES) and order not in (Order.ABCD, Order.BADC):
            continue
        readings.setdefault(_arranged(point, order, words), []).append(order)
    found = []
    for orders in readings.values():
        read = replace(point, order=orders[0])
        value, reason = decode_point(read, words, source)
        mark, why = plausible(point, value, reason, neighbours)
        is_used = _arranged(point, point.order, words) == _arranged(point, orders[0], words)
        found.append(Candidate(orders=tuple(orders), value=value, reason=reason, mark=mark, why=why, is_used=is_used))
    return tuple(found)


def plausible(point: Point, value: Scalar | None, reason: str | None, neighbours: Sequence[float]) -> tuple[Mark, Text]:
    """How likely `value` is, and why: the first thing against it, else the first thing for it."""
    verdicts = list(_verdicts(point, value, reason, neighbours))
    for wanted in ("unlikely", "likely"):
        for mark, why in verdicts:
            if mark == wanted:
                return mark, why
    return "unknown", Text("nothing in the map tells", "点表中没有可比的依据")


def _verdicts(point: Point, value: Scalar | None, reason: str | None, neighbours: Sequence[float]) -> Iterator[tuple[Mark, Text]]:
    if value is None:
        yield "unlikely", Text(f"no value: {reason}", f"无有效值：{reason}")
        return
    if point.valid is not None:
        limits = f"{_side(point.valid.min)}..{_side(point.valid.max)}"
        if reason == "out_of_range":
            yield "unlikely", Text(f"outside the map's valid {limits}", f"超出点表有效范围 {limits}")
        else:
            yield "likely", Text(f"inside the map's valid {limits}", f"在点表有效范围 {limits} 内")
    if isinstance(value, str):
        is_text = value.isprintable() and bool(value.strip())
        yield ("likely", Text("readable text", "可读文本")) if is_text else ("unlikely", Text("no readable text", "不可读的文本"))
        return
    if point.enum and not point.fields:
        known = any(code == value for code in point.enum)
        yield (
            ("likely", Text("a code of the map", "点表中有此代码")) if known else ("unlikely", Text("no code of the map", "点表中无此代码"))
        )
    yield from _sizes(point, float(value), neighbours)


def _sizes(point: Point, number: float, neighbours: Sequence[float]) -> Iterator[tuple[Mark, Text]]:
    usual = _USUAL.get(point.unit)
    if usual is not None and not usual[0] <= number <= usual[1]:
        yield "unlikely", Text(f"hardly a number of {point.unit}", f"不像 {point.unit} 的数值")
    size = abs(number)
    if TYPES[point.type].is_float and size and not _TINY <= size <= _HUGE:
        yield "unlikely", Text("far too small or too large for a reading", "数值过小或过大")
    factors = [max(size / other, other / size) for other in map(abs, neighbours) if other and size and math.isfinite(other)]
    if factors and min(factors) <= _ALIKE:
        yield "likely", Text(f"of the size of other points in {point.unit}", f"与其他 {point.unit} 测点量级相近")
    elif factors and min(factors) > _STRANGE:
        yield "unlikely", Text(f"far from all other points in {point.unit}", f"与其他 {point.unit} 测点相差悬殊")


def _arranged(point: Point, order: Order, words: Sequence[int]) -> tuple[int, ...]:
    """The words as `order` reads them; every order is its own inverse, so `to_words` arranges as well."""
    bits = 0
    for word in words:
        bits = bits << 16 | word
    return to_words(bits, len(words), order, is_text=point.type in (DataType.STRING, DataType.BYTES))


def _side(limit: Decimal | None) -> str:
    return "" if limit is None else format(limit, "f")
