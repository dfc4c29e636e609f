"""Cuts a row of points into exchanges at the least total price."""

from collections.abc import Callable, Sequence

from gateway.model.bustime import RequestCost
from gateway.model.point import Point

Price = tuple[int, float, int]
"""Values parted from their scale register, seconds, registers; compared in this order."""


def partition(points: Sequence[Point], largest: int, cost: RequestCost, may_join: Callable[[Point, int, Point], bool]) -> list[list[Point]]:
    """The cheapest runs of `points` (sorted by address) that span at most `largest`; of equal ones the longest first.

    `may_join(first, end, point)` tells whether an exchange that begins with `first` and covers all before `end`
    may go on to `point`. Dynamic programming from the last point back.
    """
    if _is_one_run(points, largest, cost, may_join):
        return [list(points)]
    source, users = _links(points)
    best: list[Price] = [(0, 0.0, 0)] * (len(points) + 1)
    cut = [0] * len(points)
    for first in reversed(range(len(points))):
        start = points[first].pdu
        end, parted, found = int(start), 0, None
        for last in range(first, len(points)):
            point = points[last]
            if last > first and not may_join(points[first], end, point):
                break
            end = max(end, point.pdu + point.words)
            if end - start > largest:
                break
            if source:
                if (held := source.get(last)) is not None and not first <= held < last:
                    parted += 1
                parted -= sum(1 for user in users.get(last, ()) if first <= user < last)
            after = best[last + 1]
            price = (parted + after[0], cost.request_s + cost.register_s * (end - start) + after[1], end - start + after[2])
            if found is None or price <= found:
                found, cut[first] = price, last + 1
        best[first] = found or best[first]
    runs, first = [], 0
    while first < len(points):
        runs.append(list(points[first : cut[first]]))
        first = cut[first]
    return runs


def partition_bits(
    points: Sequence[Point], largest: int, cost: RequestCost, may_join: Callable[[Point, int, Point], bool]
) -> list[list[Point]]:
    """The fewest runs of coils or discrete inputs, cut also where reading through a gap costs more than a request."""
    widest_gap = cost.request_s * 16 / cost.register_s if cost.register_s else largest
    runs: list[list[Point]] = []
    end = 0
    for point in points:
        run = runs[-1] if runs else []
        fits = run and point.pdu + point.words - run[0].pdu <= largest and point.pdu - end <= widest_gap and may_join(run[0], end, point)
        if fits:
            run.append(point)
            end = max(end, point.pdu + point.words)
        else:
            runs.append([point])
            end = point.pdu + point.words
    return runs


def _is_one_run(points: Sequence[Point], largest: int, cost: RequestCost, may_join: Callable[[Point, int, Point], bool]) -> bool:
    """True if one exchange may cover all and no cut could pay: each saves the registers of one gap and costs a request."""
    if not points:
        return False
    first, end = points[0], points[0].pdu + points[0].words
    for point in points[1:]:
        if not may_join(first, end, point) or (point.pdu - end) * cost.register_s > cost.request_s:
            return False
        end = max(end, point.pdu + point.words)
    return end - first.pdu <= largest


def _links(points: Sequence[Point]) -> tuple[dict[int, int], dict[int, list[int]]]:
    """Place of each point's scale register in the row, and the reverse."""
    place = {point.name: index for index, point in enumerate(points)}
    source: dict[int, int] = {}
    users: dict[int, list[int]] = {}
    for index, point in enumerate(points):
        held = point.held_by
        if held in place:
            source[index] = place[held]
            users.setdefault(place[held], []).append(index)
    return source, users
