"""Points that share registers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from gateway.maps.rules.base import Fault, Item, MapView, shape
from gateway.model.address import Table
from gateway.model.codec import words_of
from gateway.model.point import Access, Point


def overlaps(items: Mapping[str, Item], _around: MapView) -> Iterator[tuple[Item, Fault]]:
    """`two_writable` and `overlap`, each pair of points once, at the later one."""
    for code, first, second in shared_registers([item.point for item in items.values()]):
        yield items[second.name], _fault(code, first, second)


def shared_registers(points: Sequence[Point]) -> Iterator[tuple[str, Point, Point]]:
    """`two_writable` or `overlap` and the two points, for each pair that shares registers and may not; the later one last."""
    by_register: dict[tuple[int, Table, int | None, str | None], list[Point]] = {}
    for point in points:
        for register in range(point.pdu, point.pdu + point.words):
            by_register.setdefault((register, point.table, point.unit_id, point.base), []).append(point)
    seen: set[tuple[int, int]] = set()
    for (register, *_), sharing in by_register.items():
        for first, second in combinations(sharing, 2):
            code = _code(first, second, register)
            if code and (id(first), id(second)) not in seen:
                seen.add((id(first), id(second)))
                yield code, first, second


def _fault(code: str, first: Point, second: Point) -> Fault:
    if code == "two_writable":
        message = f"{second.name} writes the same bits as {first.name} (line {first.line})"
        return Fault((), code, message, "make one of them read-only, or `confirm: never`")
    message = f"{second.name} shares registers with {first.name} (line {first.line})"
    return Fault((), code, message, "check the addresses; say why in `note` if it is meant")


def _code(first: Point, second: Point, register: int) -> str | None:
    if not _mask(first, register) & _mask(second, register):
        return None
    if _writes(first) and _writes(second):
        return "two_writable"
    divided = any(point.bit is not None or point.bits is not None or point.fields for point in (first, second))
    return None if divided or first.note or second.note else "overlap"


def _writes(point: Point) -> bool:
    return point.access is not Access.RO and point.write is not None and point.write.confirm != "never"


def _mask(point: Point, register: int) -> int:
    found = shape(point)
    return 0xFFFF if found is None or found.is_text else words_of((1 << found.width) - 1, found)[register - point.pdu]
