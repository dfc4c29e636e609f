"""Finds out why a block cannot be read in one exchange: an address that does not exist, a gap, or too many registers.

Halves are read until single values are left. What can be read is handed on as it comes.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from gateway.model.address import PduAddress
from gateway.model.plan import ReadBlock
from gateway.model.point import Point
from gateway.model.sample import BlockSamples

MOST_READS = 60

ReadPart = Callable[[ReadBlock], Awaitable[BlockSamples]]
"""One exchange for a part of the block."""
IsRefusal = Callable[[BlockSamples], bool]
"""True if the exchange failed in the way that is searched for; any other failure ends the search."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Registers that must be read together: one value, or several that overlap."""

    start: int
    end: int
    points: tuple[Point, ...]


@dataclass(slots=True)
class Findings:
    """Inclusive ranges that cannot be read, and the largest count if only that was the trouble; both empty: nothing was found out."""

    holes: list[tuple[int, int]] = field(default_factory=list)
    largest: int | None = None


class SearchEnded(Exception):
    """The device failed in another way, or too often: what was found so far does not count."""


class Search:
    """One search over one block that was refused."""

    def __init__(self, block: ReadBlock, read: ReadPart, is_refusal: IsRefusal) -> None:
        self._block = block
        self._read = read
        self._is_refusal = is_refusal
        self._reads = 0
        self._good: list[tuple[int, int]] = []

    async def run(self) -> Findings:
        """Raises SearchEnded."""
        cells = cells_of(self._block)
        bad: list[Cell] = []
        await self._halve(cells, bad)
        if not self._good:
            return Findings()
        holes = [(cell.start, cell.end - 1) for cell in bad]
        for before, after in pairwise(cells):
            is_open = before.end < after.start and not self._is_covered(before.end, after.start)
            if is_open and before not in bad and after not in bad and not await self._can_read([before, after]):
                holes.append((before.end, after.start - 1))
        if holes:
            return Findings(holes=sorted(holes))
        return Findings(largest=await self._largest(cells))

    async def _halve(self, cells: Sequence[Cell], bad: list[Cell]) -> None:
        """Read both halves of what was refused."""
        if len(cells) == 1:
            bad.append(cells[0])
            return
        middle = _middle(cells)
        for half in (cells[:middle], cells[middle:]):
            if not await self._can_read(half):
                await self._halve(half, bad)

    async def _largest(self, cells: Sequence[Cell]) -> int:
        """The largest count that is given, found between the largest good part and the whole block, from its start."""
        low = max(end - start for start, end in self._good)
        fits = [place for place, cell in enumerate(cells, 1) if cell.end - cells[0].start > low][:-1]
        while fits:
            place = fits[len(fits) // 2]
            if await self._can_read(cells[:place]):
                low = cells[place - 1].end - cells[0].start
                fits = fits[len(fits) // 2 + 1 :]
            else:
                fits = fits[: len(fits) // 2]
        return low

    async def _can_read(self, cells: Sequence[Cell]) -> bool:
        self._reads += 1
        if self._reads > MOST_READS:
            raise SearchEnded
        samples = await self._read(part_of(self._block, cells))
        if samples.words:
            self._good.append((cells[0].start, cells[-1].end))
            return True
        if not self._is_refusal(samples):
            raise SearchEnded
        return False

    def _is_covered(self, start: int, end: int) -> bool:
        return any(low <= start and end <= high for low, high in self._good)


def cells_of(block: ReadBlock) -> list[Cell]:
    """The block's values in order of address, overlapping ones together."""
    cells: list[Cell] = []
    for point in sorted(block.points, key=lambda point: point.pdu):
        end = point.pdu + point.words
        if cells and point.pdu < cells[-1].end:
            last = cells.pop()
            cells.append(Cell(last.start, max(last.end, end), (*last.points, point)))
        else:
            cells.append(Cell(point.pdu, end, (point,)))
    return cells


def part_of(block: ReadBlock, cells: Sequence[Cell]) -> ReadBlock:
    """The block that reads only these cells."""
    points = tuple(point for cell in cells for point in cell.points)
    return replace(block, address=PduAddress(cells[0].start), count=cells[-1].end - cells[0].start, points=points)


def _middle(cells: Sequence[Cell]) -> int:
    """Where to cut: at the widest gap of the middle half, the nearest to the middle; without gaps in the middle."""
    places = range(max(1, len(cells) // 4), len(cells) - len(cells) // 4)
    return max(places, key=lambda place: (cells[place].start - cells[place - 1].end, -abs(2 * place - len(cells))))
