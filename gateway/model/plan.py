"""From points to read blocks: which registers are read together in one exchange."""

from dataclasses import dataclass

from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.point import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBlock:
    """Adjoining registers (or bits) of one table and unit, read in one exchange at one period.

    `atomic` is False if a point of the block takes its scale or range from a point outside it.
    """

    unit_id: UnitId
    table: Table
    address: PduAddress
    count: int
    group: str
    points: tuple[Point, ...]
    atomic: bool = True
