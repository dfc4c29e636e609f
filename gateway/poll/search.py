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
        middle = _middle(cells)
        left, right = cells[:middle], cells[middle:]
        halves = [half for half in (left, right) if not await self._can_read(half)]
        if len(halves) == 2 and (largest := await self._small_limit(left, right)):
            return Findings(largest=largest)
        for half in halves:
            await self._halve(half, bad)
        if not self._good:
            return Findings()
        holes = [(cell.start, cell.end - 1) for cell in bad]
        for before, after in pairwise(cells):
            is_open = before.end < after.start and not self._is_covered(before.end, after.start)
            if is_open and before not in bad and after not in bad and not await self._can_read([before, after]):
                holes.append((before.end, after.start - 1))
        if holes:
            return Findings(holes=sorted(holes))
        return Findings(largest=_size(cells[: await self._largest(cells, middle, len(cells))]))

    async def _halve(self, cells: Sequence[Cell], bad: list[Cell]) -> None:
        """Read both halves of what was refused, until single values are left."""
        if len(cells) == 1:
            bad.append(cells[0])
            return
        middle = _middle(cells)
        for half in (cells[:middle], cells[middle:]):
            if not await self._can_read(half):
                await self._halve(half, bad)

    async def _small_limit(self, left: Sequence[Cell], right: Sequence[Cell]) -> int | None:
        """Both halves were refused: is each of them too large, too? The largest count that is given, or None if it is not that."""
        refused = len(left)
        fits = refused // 2
        while fits and not await self._can_read(left[:fits]):
            refused, fits = fits, fits // 2
        if not fits or not await self._can_read(right[:fits]):
            return None
        fits = await self._largest(left, fits, refused)
        return None if await self._can_read(right[: fits + 1]) else _size(left[:fits])

    async def _largest(self, cells: Sequence[Cell], fits: int, refused: int) -> int:
        """How many of the first cells are given at once: more than `fits` perhaps, less than `refused`."""
        while refused - fits > 1:
            middle = (fits + refused) // 2
            if await self._can_read(cells[:middle]):
                fits = middle
            else:
                refused = middle
        return fits

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


def _size(cells: Sequence[Cell]) -> int:
    """Registers in one read of these cells."""
    return cells[-1].end - cells[0].start


def _middle(cells: Sequence[Cell]) -> int:
    """Where to cut: at the widest gap of the middle half, the nearest to the middle; without gaps in the middle."""
    places = range(max(1, len(cells) // 4), len(cells) - len(cells) // 4)
    return max(places, key=lambda place: (cells[place].start - cells[place - 1].end, -abs(2 * place - len(cells))))
