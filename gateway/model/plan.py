"""From points to read blocks: which registers are read together in one exchange."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.bustime import RequestCost
from gateway.model.partition import partition, partition_bits
from gateway.model.point import Access, DeviceFacts, Point

MAX_REGISTERS = 125
MAX_BITS = 2000
Ranges = tuple[tuple[int, int], ...]
"""Inclusive PDU address ranges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBlock:
    """Adjoining registers (or bits) of one table and unit, read in one exchange at one period.

    `atomic` is False if a point of the block takes its scale or range from a point outside it.
    `base` names what is added to `address` at run time, if anything.
    """

    unit_id: UnitId
    table: Table
    address: PduAddress
    count: int
    group: str
    points: tuple[Point, ...]
    atomic: bool = True
    base: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanLimits:
    """What one exchange may ask of a device. `readable` empty: no limit known; `holes`: addresses not to be read through.

    A point that lies in a hole itself gets an exchange of its own, so that it costs no other point its value.
    """

    max_read: int = MAX_REGISTERS
    max_bits: int = MAX_BITS
    max_gap: int = 0
    readable: Mapping[Table, Ranges] = field(default_factory=dict)
    holes: Mapping[Table, Ranges] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: DeviceFacts, holes: Mapping[Table, Ranges] | None = None) -> Self:
        """The limits a map states, with the holes learnt at run time. A stated `max_read` also limits bits."""
        return cls(
            max_read=min(facts.max_read, MAX_REGISTERS),
            max_bits=min(facts.max_read, MAX_BITS) if facts.max_read != MAX_REGISTERS else MAX_BITS,
            max_gap=facts.max_gap,
            readable=facts.readable,
            holes=holes or {},
        )

    def largest(self, table: Table) -> int:
        """Registers or bits in one exchange."""
        return self.max_bits if table.is_bits else self.max_read


class PlanError(ValueError):
    """A point that no exchange can read; names the point and the limit."""

    def __init__(self, code: str, point: Point, message: str) -> None:
        super().__init__(f"{point.name}: {message}")
        self.code = code
        self.point = point


def plan_blocks(
    points: Sequence[Point], unit_id: UnitId, group: str, limits: PlanLimits, cost: RequestCost | None = None
) -> tuple[ReadBlock, ...]:
    """The exchanges that read the points of poll group `group`, in order of unit, table and address.

    `points` are all points of the device: write-only ones and those of other groups are left out, except that
    a scale or range register of another group is read along where it fits in the same exchange. No value is
    cut in two, nothing is read through a hole, outside `readable` or over more than `max_gap` unused registers.
    Within that the total time by `cost` is the least possible. Raises PlanError.
    """
    wanted = {point.name: point for point in points if point.poll == group and point.access is not Access.WO}
    everything = {point.name: point for point in points if point.access is not Access.WO}
    sources = {point.held_by: everything[point.held_by] for point in wanted.values() if point.held_by in everything}
    areas: dict[tuple[int, str, Table], list[Point]] = {}
    for point in {**sources, **wanted}.values():
        areas.setdefault((point.unit_id if point.unit_id is not None else unit_id, point.base or "", point.table), []).append(point)
    blocks = []
    for (unit, base, table), members in sorted(areas.items(), key=lambda area: (area[0][0], area[0][1], list(Table).index(area[0][2]))):
        members.sort(key=lambda point: (point.pdu, point.words))
        for point in members:
            _check_readable(point, table, limits)
        split = partition_bits if table.is_bits else partition
        for run in split(members, limits.largest(table), cost or RequestCost(), _joiner(table, base, limits)):
            block = _block(run, wanted, UnitId(unit), table, group, base or None)
            if block:
                blocks.append(block)
    return tuple(blocks)


def _check_readable(point: Point, table: Table, limits: PlanLimits) -> None:
    if point.words > limits.largest(table):
        message = f"needs {point.words} registers in one exchange, but the device gives at most {limits.largest(table)} (max_read)"
        raise PlanError("max_read_too_small", point, message)
    ranges = _ranges(point, limits)
    if ranges and not any(low <= point.pdu and point.pdu + point.words - 1 <= high for low, high in ranges):
        raise PlanError("not_readable", point, f"PDU address {point.pdu} is outside what the device lets read (readable)")


def _ranges(point: Point, limits: PlanLimits) -> Ranges:
    """What may be read around `point`; the map's ranges say nothing about addresses whose base is found at run time."""
    return () if point.base else limits.readable.get(point.table, ())


def _joiner(table: Table, base: str, limits: PlanLimits) -> Callable[[Point, int, Point], bool]:
    """Tells whether an exchange from a first point to an end may go on to another point of the same table and base."""
    holes = limits.holes.get(table, ())
    ranges = () if base else limits.readable.get(table, ())
    widest = limits.max_gap
    if not holes and not ranges:
        return lambda _first, end, point: point.pdu - end <= widest

    def may_join(first: Point, end: int, point: Point) -> bool:
        if point.pdu - end > widest:
            return False
        last = max(end, point.pdu + point.words) - 1
        if any(low <= last and high >= first.pdu for low, high in holes):
            return False
        return not ranges or any(low <= first.pdu and last <= high for low, high in ranges)

    return may_join


def _block(run: list[Point], wanted: Mapping[str, Point], unit: UnitId, table: Table, group: str, base: str | None) -> ReadBlock | None:
    """The exchange for `run`, without the scale registers of other groups that nothing in it needs."""
    needed = {point.held_by for point in run if point.name in wanted and point.held_by}
    kept = tuple(point for point in run if point.name in wanted or point.name in needed)
    if not any(point.name in wanted for point in kept):
        return None
    address = kept[0].pdu
    count = max(point.pdu + point.words for point in kept) - address
    atomic = needed <= {point.name for point in kept}
    return ReadBlock(unit_id=unit, table=table, address=address, count=count, group=group, points=kept, atomic=atomic, base=base)
