"""Finds out why a block cannot be read in one exchange: an address that does not exist, a gap, or too many registers.

Halves are read until single values are left. What can be read is handed on as it comes.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
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
    """The device failed in another way: what was found so far does not count."""


class Search:
    """One search over one block that was refused."""

    def __init__(self, block: ReadBlock, read: ReadPart, is_refusal: IsRefusal) -> None:
        self._block = block
        self._read = read
        self._is_refusal = is_refusal
        self._reads = 0
        self._good: set[tuple[int, int]] = set()
        self._refused: set[tuple[int, int]] = {(block.address, block.address + block.count)}

    async def run(self) -> Findings:
        """What was found out in at most `MOST_READS` reads; raises SearchEnded."""
        cells = cells_of(self._block)
        bad: list[Cell] = []
        try:
            largest = await self._explore(cells, bad)
            holes = [(cell.start, cell.end - 1) for cell in bad] + [gap async for gap in self._gaps(cells, bad)]
            if self._good and not holes and largest is None:
                largest = await self._largest_of(cells)
        except _EnoughReadsError:
            holes, largest = [(cell.start, cell.end - 1) for cell in bad], None
        return Findings(holes=sorted(holes), largest=largest) if self._good else Findings()

    async def _explore(self, cells: Sequence[Cell], bad: list[Cell]) -> int | None:
        """Read halves down to single values; those that cannot be read go to `bad`. The limit, if it is a small one."""
        middle = _middle(cells)
        left, right = cells[:middle], cells[middle:]
        halves = [half for half in (left, right) if not await self._can_read(half)]
        if len(halves) == 2 and (largest := await self._small_limit(left, right)):
            return largest
        for half in halves:
            await self._halve(half, bad)
        return None

    async def _gaps(self, cells: Sequence[Cell], bad: Sequence[Cell]) -> AsyncIterator[tuple[int, int]]:
        """Unused registers between values that cannot be read through."""
        for before, after in pairwise(cells):
            is_open = before.end < after.start and not any(low <= before.end and after.start <= high for low, high in self._good)
            if is_open and before not in bad and after not in bad and not await self._can_read([before, after]):
                yield before.end, after.start - 1

    async def _largest_of(self, cells: Sequence[Cell]) -> int:
        fits = max(place for place in range(1, len(cells)) if _span(cells[:place]) in self._good)
        refused = min(place for place in range(1, len(cells) + 1) if _span(cells[:place]) in self._refused)
        return _size(cells[: await self._largest(cells, fits, refused)])

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
        """Both halves were refused: is each of them too large, too? The largest count that is given, or None if it is not that.

        It is, if some first values can be read, the next one too, both together not, and as many not elsewhere either.
        """
        refused = len(left)
        fits = refused // 2
        while fits and not await self._can_read(left[:fits]):
            refused, fits = fits, fits // 2
        if not fits or not await self._can_read(right[:fits]):
            return None
        fits = await self._largest(left, fits, refused)
        is_whole = all(after.start == before.end for before, after in pairwise(left[: fits + 1]))
        if not is_whole or not await self._can_read(left[fits : fits + 1]) or await self._can_read(right[: fits + 1]):
            return None
        return _size(left[:fits])

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
        if self._reads == MOST_READS:
            raise _EnoughReadsError
        self._reads += 1
        samples = await self._read(part_of(self._block, cells))
        if not samples.words and not self._is_refusal(samples):
            raise SearchEnded
        (self._good if samples.words else self._refused).add(_span(cells))
        return bool(samples.words)


class _EnoughReadsError(Exception):
    """The rest is left for another search."""


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


def _span(cells: Sequence[Cell]) -> tuple[int, int]:
    return cells[0].start, cells[-1].end


def _size(cells: Sequence[Cell]) -> int:
    """Registers in one read of these cells."""
    return cells[-1].end - cells[0].start


def _middle(cells: Sequence[Cell]) -> int:
    """Where to cut: at the widest gap of the middle half, the nearest to the middle; without gaps in the middle."""
    places = range(max(1, len(cells) // 4), len(cells) - len(cells) // 4)
    return max(places, key=lambda place: (cells[place].start - cells[place - 1].end, -abs(2 * place - len(cells))))
