"""Points that share registers."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from gateway.maps.rules.base import Fault, Item, MapView, shape
from gateway.model.address import Table
from gateway.model.codec import words_of
from gateway.model.point import Access, Point

Cell = tuple[int, Table, int | None, str | None]
"""A register or bit: address, table, and the unit id and base of points that have their own."""


def overlaps(items: Mapping[str, Item], _around: MapView) -> Iterator[tuple[Item, Fault]]:
    """`two_writable` and `overlap`, each pair of points once, at the later one."""
    by_cell: dict[Cell, list[Item]] = {}
    for item in items.values():
        for cell in cells(item.point):
            by_cell.setdefault(cell, []).append(item)
    seen: set[tuple[str, str]] = set()
    for cell, sharing in by_cell.items():
        for first, second in combinations(sharing, 2):
            pair = (first.point.name, second.point.name)
            code = clash(first.point, second.point, cell)
            if code and pair not in seen:
                seen.add(pair)
                yield second, _fault(code, first.point, second.point)


def cells(point: Point) -> list[Cell]:
    """Where a point lies."""
    return [(register, point.table, point.unit_id, point.base) for register in range(point.pdu, point.pdu + point.words)]


def clash(first: Point, second: Point, cell: Cell) -> str | None:
    """`two_writable` or `overlap` if the two, which both lie in `cell`, may not share it."""
    register = cell[0]
    if not _mask(first, register) & _mask(second, register):
        return None
    if writes(first) and writes(second):
        return "two_writable"
    divided = any(point.bit is not None or point.bits is not None or point.fields for point in (first, second))
    return None if divided or first.note or second.note else "overlap"


def writes(point: Point) -> bool:
    """True if a person may write the point."""
    return point.access is not Access.RO and point.write is not None and point.write.confirm != "never"


def _fault(code: str, first: Point, second: Point) -> Fault:
    if code == "two_writable":
        message = f"{second.name} writes the same bits as {first.name} (line {first.line})"
        return Fault((), code, message, "make one of them read-only, or `confirm: never`")
    message = f"{second.name} shares registers with {first.name} (line {first.line})"
    return Fault((), code, message, "check the addresses; say why in `note` if it is meant")


def _mask(point: Point, register: int) -> int:
    found = shape(point)
    return 0xFFFF if found is None or found.is_text else words_of((1 << found.width) - 1, found)[register - point.pdu]
