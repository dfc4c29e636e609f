"""A unit on a link with its register map: read blocks compiled once, fresh reads, and the one way to write."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gateway.clock import Clock
from gateway.errors import AcknowledgeError, DeviceBusyError, DeviceExceptionError, LinkDownError, LinkError, RequestRefusedError
from gateway.link.base import Read, Reply, Request
from gateway.link.bus import Bus, Lane
from gateway.link.queue import Priority
from gateway.model.address import PduAddress, UnitId
from gateway.model.decode import BlockDecoder, compile_block, failed
from gateway.model.plan import ReadBlock, plan_blocks
from gateway.model.point import Point, RegisterMap
from gateway.model.quality import NOT_AVAILABLE
from gateway.model.sample import BlockSamples, Sample, Scalar
from gateway.poll.bases import Bases, Exchange
from gateway.poll.breaker import Breaker
from gateway.poll.cost import exchange_cost
from gateway.poll.functions import WriteFunctions
from gateway.poll.health import UnitHealth, UnitStatus
from gateway.poll.learn import Learnt
from gateway.poll.reasons import is_silence, reason_of
from gateway.poll.sampling import sample_at, tag_of
from gateway.poll.write_job import BeforeSend, Interlocks, WriteJob
from gateway.poll.written import Intent, Written

_log = logging.getLogger(__name__)

_BUSY_WAITS_S = (0.1, 0.2, 0.4, 0.8)
_FRESH = "fresh"
_FRESH_PLANS = 256


class Device:
    """One configured device. Trouble on the wire becomes reasons of samples, never an exception."""

    def __init__(self, device_id: str, bus: Bus, unit_id: UnitId, register_map: RegisterMap, clock: Clock) -> None:
        self.id = device_id
        self.bus = bus
        self.unit_id = unit_id
        self.map = register_map
        self.health = UnitHealth()
        self.timeout_s = register_map.device.timeout_s or bus.options.timeout_s
        self.breaker = Breaker(self.timeout_s, bus.latency[unit_id])
        self.functions = WriteFunctions(register_map.device)
        self._clock = clock
        self.learnt = Learnt(register_map.device, register_map.moved_by)
        self._bases = Bases(register_map.bases)
        self._fresh_plans: dict[tuple[str, ...], tuple[_Compiled, ...]] = {}
        self._scales: dict[str, Scalar | None] = {point.held_by: None for point in register_map.points.values() if point.held_by}
        self._blocks: dict[str, tuple[ReadBlock, ...]] = {}
        self._compiled: dict[int, _Compiled] = {}
        bus.widen_gap(register_map.device.gap_s)
        self.replan()
        if not 1 <= unit_id <= 247 and (unit_id != 255 or bus.options.is_serial):
            _log.warning(
                "%s: unit id %s is outside 1..247; many devices do not answer to it", device_id, unit_id, extra={"device": device_id}
            )

    def replan(self) -> None:
        """Plan the read blocks anew, by what the map says and what was learnt."""
        points = tuple(self.map.points.values())
        limits, cost = self.learnt.limits(), exchange_cost(self.bus)
        self._blocks = {group: plan_blocks(points, self.unit_id, group, limits, cost) for group in self.map.periods}
        self._compiled = {id(block): self._compile(block) for blocks in self._blocks.values() for block in blocks}
        self._fresh_plans.clear()

    def blocks(self, group: str) -> tuple[ReadBlock, ...]:
        """The read blocks of a poll group, as they are read now."""
        return self._blocks[group]

    def status(self) -> UnitStatus:
        """How the unit does."""
        latency, health = self.bus.latency[self.unit_id], self.health
        return UnitStatus(
            device=self.id,
            link=self.bus.id,
            unit_id=self.unit_id,
            state=health.state,
            reason=health.reason,
            since=health.since,
            last_good=health.last_good,
            reads=health.reads,
            errors=dict(health.errors),
            latency_ms=1000 * latency.mean_s if latency.total else None,
            latency_counts=tuple(latency.counts),
            overruns=health.overruns,
        )

    async def read_block(self, block: ReadBlock, *, priority: Priority = Priority.POLL, timeout_s: float | None = None) -> BlockSamples:
        """One exchange for one block of `blocks`, or a part of one."""
        return await self._read(self._of(block), self._in_turn(priority, timeout_s or self.timeout_s))

    async def request(self, read: Read) -> Reply:
        """One exchange in turn of the polls, for blocks of several devices of the unit; raises LinkError."""
        return await self._in_turn(Priority.POLL, self.timeout_s)(read)

    async def read_missing_scales(self, block: ReadBlock) -> None:
        """Read the scale registers that the block needs from outside and that were never read."""
        await self._read_missing_scales(self._of(block), self._in_turn(Priority.POLL, self.timeout_s))

    def taken(self, block: ReadBlock, reply: Reply) -> BlockSamples:
        """The samples of a block that was read together with others; `reply` holds its own words only."""
        return self._decoded(self._of(block), reply)

    def missed(self, block: ReadBlock, error: LinkError, *, is_first: bool) -> BlockSamples:
        """The samples of a block that was not read together with others; only the `first` of them counts as silence of the unit."""
        return self._failed(block, error, is_first=is_first)

    async def read_fresh(self, points: Sequence[Point], *, priority: Priority = Priority.READ, lane: Lane | None = None) -> list[Sample]:
        """Samples of exactly these points, read now; those that failed carry the reason of their own exchange.

        `lane` is the link that the caller holds already, if it is this device's. A point that is only written is `not_available`.
        """
        exchange = self._held(lane) if lane is not None and lane.bus is self.bus else self._in_turn(priority, self.timeout_s)
        read = [await self._read(compiled, exchange) for compiled in self._fresh_plan(points)]
        now = self._clock.monotonic()
        found = {
            point.name: sample_at(self.id, samples, index, now) for samples in read for index, point in enumerate(samples.block.points)
        }
        return [found.get(point.name) or Sample(tag=tag_of(self.id, point), value=None, reason=NOT_AVAILABLE) for point in points]

    async def write_checked(self, intents: Sequence[Intent], *, interlocks: Interlocks, before_send: BeforeSend) -> tuple[Written, ...]:
        """Write in ONE job: read afresh, compare with the old values shown, interlocks, `before_send`, write once, settle, read back.

        What `interlocks` and `before_send` raise comes back, with nothing sent.
        """
        job = WriteJob(
            intents,
            place=self._place,
            read=lambda lane, points: self.read_fresh(points, lane=lane),
            functions=self.functions,
            points=self.map.points,
            clock=self._clock,
            timeout_s=self.timeout_s,
            interlocks=interlocks,
            before_send=before_send,
        )
        try:
            return await self.bus.job(job.run, priority=Priority.WRITE)
        except LinkError:
            return job.cut_off()

    def _in_turn(self, priority: Priority, timeout_s: float) -> Exchange:
        """Exchanges through the queue; a device that says it is busy is asked again a few times, without holding the link."""

        async def exchange(request: Request) -> Reply:
            for wait_s in _BUSY_WAITS_S:
                try:
                    return await self.bus.exchange(request, priority=priority, timeout_s=timeout_s)
                except (AcknowledgeError, DeviceBusyError):
                    await self._clock.sleep(wait_s)
            return await self.bus.exchange(request, priority=priority, timeout_s=timeout_s)

        return exchange

    def _held(self, lane: Lane) -> Exchange:
        return lambda request: lane.exchange(request, timeout_s=self.timeout_s)

    async def _read(self, compiled: "_Compiled", exchange: Exchange) -> BlockSamples:
        block = compiled.block
        try:
            base = await self._bases.find(block.base, block.unit_id, exchange) if block.base else 0
            if base is None:
                return failed(block, NOT_AVAILABLE, self._clock.utc(), self._clock.monotonic())
            await self._read_missing_scales(compiled, exchange)
            reply = await exchange(
                Read(unit_id=block.unit_id, table=block.table, address=PduAddress(base + block.address), count=block.count)
            )
        except LinkError as error:
            return self._failed(block, error)
        return self._decoded(compiled, reply)

    async def _read_missing_scales(self, compiled: "_Compiled", exchange: Exchange) -> None:
        """Scale registers outside of the block that were never read must come first; later ones come with their own group."""
        missing = [self.map.points[name] for name in compiled.needs if self._scales[name] is None]
        if missing:
            for holder in self._fresh_plan(missing):
                await self._read(holder, exchange)

    async def _place(self, lane: Lane, point: Point) -> tuple[UnitId, PduAddress]:
        """Where a point is written: the base was found by the read before, on the same held link."""
        unit_id = UnitId(point.unit_id if point.unit_id is not None else self.unit_id)
        base = await self._bases.find(point.base, unit_id, self._held(lane)) if point.base else 0
        if base is None:
            raise RequestRefusedError(f"the device has no base {point.base}", link=self.bus.id, unit_id=unit_id)
        return unit_id, PduAddress(base + point.pdu)

    def _decoded(self, compiled: "_Compiled", reply: Reply) -> BlockSamples:
        samples = compiled.decoder.decode(reply.words, reply.read_at, reply.read_mono, self._scales.get)
        for index, name in compiled.scales:
            self._scales[name] = samples.values[index]
        self.breaker.alive()
        self.health.good(reply.read_at)
        return samples

    def _failed(self, block: ReadBlock, error: LinkError, *, is_first: bool = True) -> BlockSamples:
        now, reason = self._clock.monotonic(), reason_of(error)
        if is_silence(error) and is_first:
            self.breaker.silent(now)
        elif isinstance(error, DeviceExceptionError):
            self.breaker.alive()
        if not self.learnt.is_hole(block.table, block.address, block.address + block.count - 1):
            self.health.bad(reason, self._clock.utc(), is_down=self.breaker.is_demoted or isinstance(error, LinkDownError))
        return failed(block, reason, self._clock.utc(), now)

    def _of(self, block: ReadBlock) -> "_Compiled":
        return self._compiled.get(id(block)) or self._compile(block)

    def _compile(self, block: ReadBlock) -> "_Compiled":
        names = [point.name for point in block.points]
        scales = tuple((index, name) for index, name in enumerate(names) if name in self._scales)
        needs = {point.held_by for point in block.points if point.held_by and point.held_by not in names}
        return _Compiled(block, compile_block(block), scales, tuple(sorted(needs)))

    def _fresh_plan(self, points: Sequence[Point]) -> "tuple[_Compiled, ...]":
        """Blocks for exactly these points and the scale registers they need, these first."""
        names = tuple(point.name for point in points)
        if names not in self._fresh_plans:
            if len(self._fresh_plans) >= _FRESH_PLANS:
                self._fresh_plans.clear()
            wanted = {point.name: replace(point, poll=_FRESH) for point in self._with_holders(points)}
            blocks = plan_blocks(tuple(wanted.values()), self.unit_id, _FRESH, self.learnt.limits(), exchange_cost(self.bus))
            self._fresh_plans[names] = tuple(sorted(map(self._compile, blocks), key=lambda compiled: not compiled.scales))
        return self._fresh_plans[names]

    def _with_holders(self, points: Sequence[Point]) -> list[Point]:
        found = list(points)
        for point in found:
            holder = self.map.points.get(point.held_by or "")
            if holder is not None and holder not in found:
                found.append(holder)
        return found


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A block, its decoder, where in it scale registers stand, and which ones it needs from outside."""

    block: ReadBlock
    decoder: BlockDecoder
    scales: tuple[tuple[int, str], ...]
    needs: tuple[str, ...]
