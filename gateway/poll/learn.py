"""What a device was found to be able to do, beside what its map says: holes, block sizes, refused write functions."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from gateway.model.address import Table
from gateway.model.plan import PlanLimits, Ranges
from gateway.model.point import DeviceFacts

_TOP = 65535
_ALL_FUNCTIONS = frozenset({1, 2, 3, 4, 5, 6, 15, 16, 22})


class Learnt:
    """Facts found at run time; `limits` puts them into the plan, `patch` offers them as lines for the map."""

    def __init__(self, facts: DeviceFacts, moved_by: Mapping[Table, int] | None = None) -> None:
        self._facts = facts
        self._moved_by = moved_by or {}
        self._holes: dict[Table, set[tuple[int, int]]] = {}
        self._largest: dict[bool, int] = {}

    def add_hole(self, table: Table, first: int, last: int) -> bool:
        """Addresses `first` to `last` cannot be read; True if that is news."""
        known = self._holes.setdefault(table, set())
        if (first, last) in known:
            return False
        known.add((first, last))
        return True

    def drop_hole(self, table: Table, first: int, last: int) -> None:
        """The addresses can be read after all."""
        self._holes.get(table, set()).discard((first, last))

    def add_largest(self, table: Table, count: int) -> bool:
        """No more than `count` registers (or bits) are given in one exchange; True if that is news."""
        if count >= self._largest.get(table.is_bits, self.limits().largest(table)):
            return False
        self._largest[table.is_bits] = count
        return True

    def drop_largest(self) -> None:
        """What was found about sizes may not hold any more."""
        self._largest.clear()

    def is_hole(self, table: Table, first: int, last: int) -> bool:
        """True if all of `first` to `last` lies in a hole."""
        return any(low <= first and last <= high for low, high in self._holes.get(table, ()))

    def limits(self) -> PlanLimits:
        """The limits of the map, tightened by what was found."""
        stated = PlanLimits.of(self._facts, self.holes())
        return replace(stated, max_read=self._largest.get(False, stated.max_read), max_bits=self._largest.get(True, stated.max_bits))

    def holes(self) -> Mapping[Table, Ranges]:
        """The holes found, per table in order."""
        return {table: tuple(sorted(ranges)) for table, ranges in self._holes.items() if ranges}

    def patch(self, refused_functions: Collection[int] = ()) -> dict[str, object]:
        """Keys for the map's `device` section that say what was found (MAPS 1a), in the addresses of its file; empty if nothing was."""
        found: dict[str, object] = {}
        if False in self._largest:
            found["max_read"] = self._largest[False]
        readable = {str(table): self._readable(table, ranges) for table, ranges in self.holes().items()}
        if readable:
            found["readable"] = readable
        if refused_functions:
            found["functions"] = sorted((self._facts.functions or _ALL_FUNCTIONS).difference(refused_functions))
        return found

    def _readable(self, table: Table, holes: Ranges) -> list[str]:
        by = self._moved_by.get(table, 0)
        return [f"{max(low - by, 0)}..{high - by}" for low, high in _between(holes) if high >= by]


def _between(holes: Ranges) -> list[tuple[int, int]]:
    """What is left of 0 to 65535 without the holes."""
    left: list[tuple[int, int]] = []
    start = 0
    for low, high in holes:
        if start < low:
            left.append((start, low - 1))
        start = max(start, high + 1)
    if start <= _TOP:
        left.append((start, _TOP))
    return left
