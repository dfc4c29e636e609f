"""Polls one device group by group: spares a unit that is silent and addresses that do not exist, and learns what they are."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gateway.clock import Clock
from gateway.model.decode import failed
from gateway.model.plan import ReadBlock
from gateway.model.quality import LENGTH_MISMATCH, TIMEOUT
from gateway.model.sample import BlockSamples
from gateway.poll.device import Device
from gateway.poll.search import Search, SearchEnded, cells_of, part_of

_log = logging.getLogger(__name__)

Sink = Callable[[str, BlockSamples], None]
"""Takes device id and the outcome of one exchange; must not block."""

REPROBE_S = 300.0
"""How often a hole is read again, and how soon a block that taught nothing is searched again."""
RELEARN_S = 3600.0
"""How long a limit of size is believed: a firmware update or a mended line ends it."""
REFUSALS = frozenset({"exception_2", "exception_3"})
"""What a device says to a read that it does not have, or not in this size."""
SILENCES = frozenset({TIMEOUT, LENGTH_MISMATCH})
"""What devices do instead that do not say so."""
SILENT_TIMES = 2
_REFUSED_TIMES = 3


@dataclass(slots=True)
class _Record:
    """How a block failed lately: times in a row, and the unit's good reads when that began."""

    block: ReadBlock
    times: int = 0
    good_before: int = 0
    not_before: float = 0.0


class Poller:
    """One device's polling."""

    def __init__(self, device: Device, clock: Clock, sink: Sink) -> None:
        self.device = device
        self._clock = clock
        self._sink = sink
        self._records: dict[int, _Record] = {}
        self._limit_until: float | None = None

    async def poll(self, group: str) -> int:
        """Read the blocks of a group; how many of them got no reply."""
        unanswered = 0
        for block in self.device.blocks(group):
            unanswered += not await self.poll_block(block)
        return unanswered

    async def poll_block(self, block: ReadBlock) -> bool:
        """True if the block was answered, or needs no answer now."""
        if self._limit_until is not None and self._clock.monotonic() >= self._limit_until:
            self._limit_until = None
            self.device.learnt.drop_largest()
            self._replan("the limit of size is tried again")
        record = self._records.setdefault(id(block), _Record(block))
        if self._is_hole(block) and self._clock.monotonic() < record.not_before:
            return True
        if self.device.breaker.is_demoted and not await self.probe(block):
            return False
        samples = await self.device.read_block(block)
        self._sink(self.device.id, samples)
        if samples.words:
            record.times = 0
            if self._is_hole(block):
                self.device.learnt.drop_hole(block.table, block.address, block.address + block.count - 1)
                self._replan("a hole is gone")
            return True
        await self._consider(record, samples)
        return samples.reasons[0] in REFUSALS

    async def probe(self, block: ReadBlock, others: Sequence[tuple[str, ReadBlock]] = ()) -> bool:
        """Ask a demoted unit for the first value of the block, if it is time to; True if it answers at all.

        `others` are blocks of further devices of the unit, which fail with it.
        """
        breaker = self.device.breaker
        if not breaker.may_ask(self._clock.monotonic()):
            return False
        first = await self.device.read_block(part_of(block, cells_of(block)[:1]), timeout_s=breaker.timeout_s())
        if breaker.is_demoted:
            for name, each in ((self.device.id, block), *others):
                self._sink(name, failed(each, first.reasons[0] or TIMEOUT, first.read_at, first.read_mono))
        return not breaker.is_demoted

    async def _consider(self, record: _Record, samples: BlockSamples) -> None:
        """Search, if the failure may be due to what was asked: the device refuses it, or answers other reads but not this."""
        reason = samples.reasons[0] or ""
        good = self.device.health.good_reads
        if record.times == 0:
            record.good_before = good
        record.times += 1
        if self._is_hole(record.block):
            record.not_before = self._clock.monotonic() + REPROBE_S
            return
        has_parts = len(cells_of(record.block)) > 1
        if reason in REFUSALS:
            is_due = has_parts or (record.times >= _REFUSED_TIMES and good > record.good_before)
        else:
            is_due = has_parts and reason in SILENCES and record.times >= SILENT_TIMES and good > record.good_before
        if is_due and self._clock.monotonic() >= record.not_before:
            record.not_before = self._clock.monotonic() + REPROBE_S
            await self._search(record.block, REFUSALS | ({reason} & SILENCES))

    async def _search(self, block: ReadBlock, refusals: frozenset[str]) -> None:
        async def read(part: ReadBlock) -> BlockSamples:
            samples = await self.device.read_block(part)
            if samples.words:
                self._sink(self.device.id, samples)
            return samples

        cells = cells_of(block)
        if len(cells) == 1:
            if self.device.learnt.add_hole(block.table, cells[0].start, cells[0].end - 1):
                self._replan(f"{block.table} {block.address} does not exist")
            return
        try:
            found = await Search(block, read, lambda samples: samples.reasons[0] in refusals).run()
        except SearchEnded:
            return
        if found.largest is not None and (await read(block)).words:
            return  # given after all: what looked like a limit was passing trouble
        news = [self.device.learnt.add_hole(block.table, low, high) for low, high in found.holes]
        if found.largest is not None:
            widest = max(point.words for point in self.device.map.points.values() if point.table.is_bits == block.table.is_bits)
            news.append(self.device.learnt.add_largest(block.table, max(found.largest, widest)))
            self._limit_until = self._clock.monotonic() + RELEARN_S
        if any(news):
            self._replan(f"{block.table} holes {found.holes}" if found.holes else f"at most {found.largest} at once")

    def _replan(self, why: str) -> None:
        _log.info("%s: %s; reads are planned anew", self.device.id, why, extra={"device": self.device.id})
        self.device.replan()
        known = [block for group in self.device.map.periods for block in self.device.blocks(group)]
        later = self._clock.monotonic() + REPROBE_S
        self._records = {id(block): _Record(block, not_before=later if self._is_hole(block) else 0.0) for block in known}

    def _is_hole(self, block: ReadBlock) -> bool:
        return self.device.learnt.is_hole(block.table, block.address, block.address + block.count - 1)
