"""Reads that serve several logical devices of one unit: adjoining blocks of different devices become one exchange."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.bustime import RequestCost
from gateway.model.plan import PlanLimits, ReadBlock

Parts = tuple[tuple[str, ReadBlock], ...]
"""Logical devices and the block that each of them takes out of one exchange."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRead:
    """One exchange, and the blocks that lie in it."""

    unit_id: UnitId
    table: Table
    address: PduAddress
    count: int
    parts: Parts


def share(parts: Sequence[tuple[str, ReadBlock]], limits: Mapping[str, PlanLimits], cost: RequestCost) -> tuple[SharedRead, ...]:
    """The exchanges that read all `parts`, in order of unit, table and address.

    Every device's limits hold for every exchange it has a part in: the smallest `max_read` and `max_gap`, no hole of any of
    them, all inside one `readable` range of each that states some. A block whose base is found at run time stays alone.
    """
    reads: list[SharedRead] = []
    for owner, block in sorted(parts, key=_place):
        single = alone(owner, block)
        joined = _joined(reads[-1], single, limits, cost) if reads and block.base is None else None
        if joined is None:
            reads.append(single)
        else:
            reads[-1] = joined
    return tuple(reads)


def alone(owner: str, block: ReadBlock) -> SharedRead:
    """The exchange of one block."""
    return _read(((owner, block),))


def _place(part: tuple[str, ReadBlock]) -> tuple[bool, int, int, int, int]:
    block = part[1]
    return block.base is not None, block.unit_id, list(Table).index(block.table), block.address, block.count


def _read(parts: Parts) -> SharedRead:
    blocks = [block for _, block in parts]
    address = blocks[0].address
    end = max(block.address + block.count for block in blocks)
    return SharedRead(unit_id=blocks[0].unit_id, table=blocks[0].table, address=address, count=end - address, parts=parts)


def _joined(read: SharedRead, other: SharedRead, limits: Mapping[str, PlanLimits], cost: RequestCost) -> SharedRead | None:
    """Both in one exchange; None if they can't be, or if the gap between them costs more than a request."""
    if (read.unit_id, read.table) != (other.unit_id, other.table):
        return None
    joined = _read(read.parts + other.parts)
    gap = other.address - (read.address + read.count)
    gap_s = cost.register_s * gap / (16 if read.table.is_bits else 1)
    stated = [limits[owner] for owner, _ in joined.parts]
    fits = joined.count <= min(each.largest(read.table) for each in stated) and gap <= min(each.max_gap for each in stated)
    return joined if fits and gap_s <= cost.request_s and all(_may_read(each, joined) for each in stated) else None


def _may_read(limits: PlanLimits, read: SharedRead) -> bool:
    last = read.address + read.count - 1
    if any(low <= last and high >= read.address for low, high in limits.holes.get(read.table, ())):
        return False
    ranges = limits.readable.get(read.table, ())
    return not ranges or any(low <= read.address and last <= high for low, high in ranges)
