"""What is read over a line, and how much of its time that takes, as planned from maps alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.bustime import Framing, RequestCost, exchange_bytes, serial_time
from gateway.model.plan import PlanLimits, ReadBlock, plan_blocks
from gateway.model.point import RegisterMap
from gateway.model.share import SharedRead, alone, share

ROUND_TRIP_S = 0.010
"""What an exchange over a network is taken to last; the line itself costs next to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What decides how long an exchange lasts: `baud` None on a network. `gap_s` is the pause after a reply."""

    id: str | None
    framing: Framing
    baud: int | None
    bits_per_character: int
    gap_s: float = 0.0

    @property
    def cost(self) -> RequestCost:
        """As the gateway plans the reads of the line."""
        if self.baud is None:
            return RequestCost()
        silences_s = serial_time(0, self.baud, self.bits_per_character, gap_s=self.gap_s)
        return RequestCost.serial(self.baud, self.bits_per_character, turnaround_s=silences_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A device on a line; `id` is empty for a map alone."""

    id: str
    unit_id: UnitId
    map: RegisterMap


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRead:
    """One exchange: `size` bytes of request and reply, `bus_s` on the line; `period_s` None: read once or on demand.

    `atomic` is False if a value's scale register is read apart. Where several `devices` take part, `points` are tags.
    """

    devices: tuple[str, ...]
    unit_id: UnitId
    table: Table
    address: PduAddress
    count: int
    group: str
    points: tuple[str, ...]
    atomic: bool
    size: int
    bus_s: float
    period_s: float | None


def map_line(register_map: RegisterMap) -> Line:
    """The line that a map states for its device."""
    facts = register_map.device
    framing: Framing = "rtu" if facts.baud else "tcp"
    return Line(id=None, framing=framing, baud=facts.baud, bits_per_character=facts.bits_per_character, gap_s=facts.gap_s)


def planned_reads(line: Line, members: Sequence[Member]) -> list[PlannedRead]:
    """All exchanges of a line, device by device; logical devices of one unit share them."""
    units: dict[UnitId, list[Member]] = {}
    for member in members:
        units.setdefault(member.unit_id, []).append(member)
    return [read for unit in units.values() for read in _unit_reads(line, unit)]


def load_of(reads: Sequence[PlannedRead]) -> float:
    """Share of the line's time that the periodic reads need, to four digits; above 1 the periods cannot be kept."""
    return round(sum(read.bus_s / read.period_s for read in reads if read.period_s is not None), 4)


def _unit_reads(line: Line, unit: Sequence[Member]) -> Iterator[PlannedRead]:
    """Blocks read once are read by each device for itself, for each begins when its own values are missing."""
    limits = {member.id: PlanLimits.of(member.map.device) for member in unit}
    blocks = [(member.id, period_s, block) for member in unit for period_s, block in _blocks(line, member)]
    for period_s in dict.fromkeys(period_s for _, period_s, _ in blocks):
        parts = [(name, block) for name, period, block in blocks if period == period_s]
        if len(unit) == 1 or period_s is None:
            yield from (_planned(line, alone(name, block), period_s) for name, block in parts)
        else:
            yield from (_planned(line, read, period_s) for read in share(parts, limits, line.cost))


def _blocks(line: Line, member: Member) -> Iterator[tuple[float | None, ReadBlock]]:
    points, limits = tuple(member.map.points.values()), PlanLimits.of(member.map.device)
    for group, period_s in member.map.periods.items():
        for block in plan_blocks(points, member.unit_id, group, limits, line.cost):
            yield period_s, block


def _planned(line: Line, read: SharedRead, period_s: float | None) -> PlannedRead:
    size = exchange_bytes(read.count, is_bits=read.table.is_bits, framing=line.framing)
    devices = tuple(dict.fromkeys(name for name, _ in read.parts))
    named = [(name, point.name) for name, block in read.parts for point in block.points]
    return PlannedRead(
        devices=devices,
        unit_id=read.unit_id,
        table=read.table,
        address=read.address,
        count=read.count,
        group=read.parts[0][1].group,
        points=tuple(point if len(devices) == 1 else f"{name}.{point}" for name, point in named),
        atomic=all(block.atomic for _, block in read.parts),
        size=size,
        bus_s=_bus_s(line, size),
        period_s=period_s,
    )


def _bus_s(line: Line, size: int) -> float:
    if line.baud is None:
        return ROUND_TRIP_S + line.gap_s
    return serial_time(size, line.baud, line.bits_per_character, gap_s=line.gap_s)
