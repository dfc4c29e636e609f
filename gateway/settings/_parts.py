"""Parts of one unit that stand on each other."""

from collections.abc import Iterator, Mapping, Sequence

from gateway.errors import Finding
from gateway.maps.findings import place
from gateway.maps.rules.overlaps import Cell, cells, clash, writes
from gateway.model.point import Point, RegisterMap
from gateway.settings._copies import Placed
from gateway.yamlfile import YamlFile

Taken = dict[Cell, list[tuple[Placed, Point]]]


def part_findings(yaml: YamlFile, devices: Sequence[Placed], maps: Mapping[str, RegisterMap]) -> Iterator[Finding]:
    """`two_writable` between parts of one unit, and `overlap` of parts with one map, whose bases are then too close.

    Each once for an entry of the file: a stride that is wrong is wrong for hundreds of copies.
    """
    units: dict[tuple[str, int], list[Placed]] = {}
    for each in devices:
        if each.device.base is not None and each.device.id in maps:
            units.setdefault((each.device.link, each.device.unit_id), []).append(each)
    told: set[tuple[int, str]] = set()
    for parts in units.values():
        if len(parts) > 1:
            yield from _clashes(yaml, parts, maps, told)


def _clashes(yaml: YamlFile, parts: Sequence[Placed], maps: Mapping[str, RegisterMap], told: set[tuple[int, str]]) -> Iterator[Finding]:
    """Every part is held against the latest one that has a register, and against all that write it."""
    latest: Taken = {}
    writers: Taken = {}
    for part in parts:
        points = tuple(maps[part.device.id].points.values())
        for point in points:
            asks_writers = writes(point) and (part.number, "two_writable") not in told
            for cell in cells(point):
                for other, earlier in (*latest.get(cell, ()), *(writers.get(cell, ()) if asks_writers else ())):
                    code = clash(earlier, point, cell)
                    if code is None or (part.number, code) in told or (code == "overlap" and other.device.map != part.device.map):
                        continue
                    told.add((part.number, code))
                    yield _finding(yaml, code, (other, earlier), (part, point))
        latest |= _where(part, points)
        for cell, found in _where(part, [point for point in points if writes(point)]).items():
            writers.setdefault(cell, []).extend(found)


def _where(part: Placed, points: Sequence[Point]) -> Taken:
    found: Taken = {}
    for point in points:
        for cell in cells(point):
            found.setdefault(cell, []).append((part, point))
    return found


def _finding(yaml: YamlFile, code: str, first: tuple[Placed, Point], second: tuple[Placed, Point]) -> Finding:
    (one, earlier), (other, later) = first, second
    shares = "writes the same bits as" if code == "two_writable" else "shares registers with"
    message = f"{other.device.id}.{later.name} {shares} {one.device.id}.{earlier.name}"
    return place(yaml, ("devices", other.number, "base"), code, message, "move the bases further apart")
