"""Which addresses of one table can be read: the largest reads first, halves of what is refused; nothing is written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gateway.clock import Clock
from gateway.errors import (
    AcknowledgeError,
    DeviceBusyError,
    DeviceExceptionError,
    FrameError,
    GatewayPathError,
    GatewayTargetError,
    IllegalFunctionError,
    LinkTimeoutError,
)
from gateway.link.base import Read
from gateway.link.frames.pdu import describe
from gateway.model.address import LAST_ADDRESS, PduAddress, Table, UnitId
from gateway.model.plan import MAX_BITS, MAX_REGISTERS
from gateway.model.quality import LENGTH_MISMATCH
from gateway.service.scan_units import ASKED, WRONG_LINK, Exchange, Progress

Span = tuple[int, int]
"""First and last address."""
_Ends = Literal["read", "refused", "silent", "unknown"]

_BUSY_WAITS_S = (0.2, 0.5, 1.0)
_SILENCES = 2
"""A read that met silence so often counts as refused, if the unit is alive."""
_SILENT_TIMES = 4
"""After so many silent reads in a row the unit is asked for something that it answered before."""


@dataclass(slots=True, kw_only=True)
class RangeScan:
    """A scan; what it holds is right at every moment, so that one that is broken off still says what it found.

    `largest` is the most that was given at once if larger reads were refused, else None. `unknown` are addresses whose
    replies were damaged, or whose unit stayed busy, `pending` those that met silence since the last sign of life:
    unless another comes, the unit is rather gone. `is_unsupported`: the unit does not know the function.
    """

    unit_id: UnitId
    table: Table
    first: int
    last: int
    readable: list[Span] = field(default_factory=list)
    refused: list[Span] = field(default_factory=list)
    unknown: list[Span] = field(default_factory=list)
    pending: list[Span] = field(default_factory=list)
    reads: int = 0
    largest: int | None = None
    is_complete: bool = False
    is_unsupported: bool = False
    _silent: int = 0
    _answered: Read | None = None

    async def run(self, exchange: Exchange, clock: Clock, progress: Progress) -> None:
        """Read all; raises LinkError if the link or the unit is lost, or replies show that the link's options are wrong."""
        at = self.first
        try:
            while at <= self.last:
                end = min(self.last, at + self._most() - 1)
                await self._explore(at, end, exchange, clock, progress)
                at = end + 1
            if self.pending:
                await self._prove_alive(exchange)
        except IllegalFunctionError:
            self.is_unsupported = True
            self.refused = [(self.first, self.last)]
        self.is_complete = True

    def patch(self) -> dict[str, object]:
        """Keys for the map's `device` section that say what was found; addresses that were not tried stay readable."""
        found: dict[str, object] = {}
        if self.largest is not None and not self.table.is_bits:
            found["max_read"] = self.largest
        if self.refused and self.readable:
            found["readable"] = {str(self.table): [f"{low}..{high}" for low, high in _between(merged(self.refused))]}
        return found

    def _most(self) -> int:
        return self.largest or (MAX_BITS if self.table.is_bits else MAX_REGISTERS)

    async def _explore(self, low: int, high: int, exchange: Exchange, clock: Clock, progress: Progress) -> bool:
        """True if every address of the span can be read."""
        size = high - low + 1
        end: _Ends = "refused"
        if size <= self._most():
            progress(f"{self.table} {low}..{high}, {self.reads} reads")
            end = await self._read(low, size, exchange, clock)
        if end == "read":
            self.readable.append((low, high))
            return True
        if end == "unknown" or size == 1:
            {"unknown": self.unknown, "refused": self.refused, "silent": self.pending}[end].append((low, high))
            return False
        middle = (low + high) // 2
        lower = await self._explore(low, middle, exchange, clock, progress)
        upper = await self._explore(middle + 1, high, exchange, clock, progress)
        if lower and upper:
            self.largest = min(self._most(), middle - low + 1)
        return lower and upper

    async def _read(self, low: int, size: int, exchange: Exchange, clock: Clock) -> _Ends:
        """One read; silence is asked once more, a busy unit a few times."""
        read = Read(unit_id=self.unit_id, table=self.table, address=PduAddress(low), count=size)
        end: _Ends = "unknown"
        silences = 0
        for wait_s in _BUSY_WAITS_S:
            end = await self._once(read, exchange)
            silences += end == "silent"
            if end in ("read", "refused") or silences == _SILENCES:
                break
            if end == "unknown":
                await clock.sleep(wait_s)
        if end == "silent" and self._silent >= _SILENT_TIMES:
            await self._prove_alive(exchange)
        return end

    async def _once(self, read: Read, exchange: Exchange) -> _Ends:
        self.reads += 1
        end: _Ends
        try:
            await exchange(read)
        except (LinkTimeoutError, GatewayTargetError, GatewayPathError):
            self._silent += 1
            return "silent"
        except (AcknowledgeError, DeviceBusyError):
            end = "unknown"
        except DeviceExceptionError as error:
            if isinstance(error, IllegalFunctionError) and not self.readable:
                raise
            end = "refused"
        except FrameError as error:
            if error.kind in WRONG_LINK:
                raise
            end = "refused" if error.kind == LENGTH_MISMATCH else "unknown"
        else:
            end = "read"
        self._note_alive(read)
        return end

    async def _prove_alive(self, exchange: Exchange) -> None:
        """Read what was answered before, or anything: if that comes, silence is how the unit refuses; if not, it is gone."""
        known = self._answered
        reads = [known] if known else [Read(unit_id=self.unit_id, table=table, address=PduAddress(0), count=1) for table in ASKED]
        for read in reads:
            self.reads += 1
            try:
                await exchange(read)
            except (LinkTimeoutError, GatewayTargetError, GatewayPathError):
                continue
            except DeviceExceptionError:
                pass
            self._note_alive(read)
            return
        raise LinkTimeoutError(
            "the unit does not answer any more" if known else "the unit does not answer",
            unit_id=self.unit_id,
            operation=describe(reads[0]),
            fix="see who answers with `busmate scan CONFIG LINK`",
        )

    def _note_alive(self, read: Read) -> None:
        self._answered = read
        self._silent = 0
        self.refused += self.pending
        self.pending.clear()


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch as one.

    >>> merged([(5, 9), (0, 4), (20, 20)])
    [(0, 9), (20, 20)]
    """
    found: list[Span] = []
    for low, high in sorted(spans):
        if found and low == found[-1][1] + 1:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found


def _between(holes: Sequence[Span]) -> list[Span]:
    """What is left of all addresses without the holes, which are in order."""
    starts = [0, *(high + 1 for _, high in holes)]
    ends = [*(low - 1 for low, _ in holes), LAST_ADDRESS]
    return [(low, high) for low, high in zip(starts, ends, strict=True) if low <= high]


def fewest_and_most_reads(table: Table, count: int) -> tuple[int, int]:
    """How many reads a scan of `count` addresses takes: if all can be read, and if none can.

    >>> fewest_and_most_reads(Table.HOLDING, 1000)
    (8, 1992)
    """
    blocks = -(-count // (MAX_BITS if table.is_bits else MAX_REGISTERS))
    return blocks, 2 * count - blocks
