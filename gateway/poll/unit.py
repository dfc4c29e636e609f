"""Polls the logical devices of one unit: what adjoins is read once, and each device takes its part of the reply."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gateway.clock import Clock
from gateway.errors import LinkError
from gateway.link.base import Read
from gateway.model.plan import ReadBlock
from gateway.model.share import SharedRead, share
from gateway.poll.cost import exchange_cost
from gateway.poll.device import Device
from gateway.poll.poller import REFUSALS, REPROBE_S, SILENCES, SILENT_TIMES, Poller, Sink
from gateway.poll.reasons import reason_of

UnitKey = tuple[str, int]
"""Link and unit id."""


def unit_key(device: Device) -> UnitKey:
    """Names the unit that a device is, or is a part of."""
    return device.bus.id, device.unit_id


def units_of(devices: Sequence[Device]) -> list[list[Device]]:
    """The devices by the unit that they are part of, both in the order given."""
    units: dict[UnitKey, list[Device]] = {}
    for device in devices:
        units.setdefault(unit_key(device), []).append(device)
    return list(units.values())


def periods_of(unit: Sequence[Device]) -> list[float]:
    """The periods at which something of the unit is polled."""
    return sorted({period_s for device in unit for period_s in device.map.periods.values() if period_s is not None})


def shared_reads(devices: Sequence[Device], period_s: float) -> tuple[SharedRead, ...]:
    """The exchanges that read everything which the devices of one unit poll at one period."""
    parts = [(device.id, block) for device in devices for group in _groups(device, period_s) for block in device.blocks(group)]
    return share(parts, {device.id: device.learnt.limits() for device in devices}, exchange_cost(devices[0].bus))


def _groups(device: Device, period_s: float) -> list[str]:
    return [group for group, period in device.map.periods.items() if period == period_s]


@dataclass(slots=True)
class _Doubt:
    """How a shared read failed lately: times in a row, the unit's good reads when that began, until when its parts are read apart."""

    good_before: int
    times: int = 0
    apart_until: float = 0.0


class UnitPoller:
    """The polling of all devices of one unit, and by `pollers` that of each. A unit that is silent is silent for all of them."""

    def __init__(self, devices: Sequence[Device], clock: Clock, sink: Sink) -> None:
        self._devices = {device.id: device for device in devices}
        self.pollers = {device.id: Poller(device, clock, sink) for device in devices}
        self._clock = clock
        self._sink = sink
        self._planned: dict[float, tuple[tuple[tuple[ReadBlock, ...], ...], tuple[SharedRead, ...]]] = {}
        self._doubts: dict[tuple[str, int, int, int], _Doubt] = {}
        for device in devices:
            device.breaker = devices[0].breaker

    async def poll(self, period_s: float) -> int:
        """Read everything of one period; how many reads got no reply."""
        unanswered = 0
        for read in self._reads(period_s):
            if len(read.parts) == 1 or self._doubt(read).apart_until > self._clock.monotonic():
                unanswered += await self._apart(read)
            else:
                unanswered += not (await self._is_awake(read) and await self._together(read))
        return unanswered

    def _reads(self, period_s: float) -> tuple[SharedRead, ...]:
        """As planned; planned anew when a device was."""
        devices = list(self._devices.values())
        blocks = tuple(device.blocks(group) for device in devices for group in _groups(device, period_s))
        known = self._planned.get(period_s)
        if known is None or any(now is not before for now, before in zip(blocks, known[0], strict=True)):
            known = self._planned[period_s] = blocks, shared_reads(devices, period_s)
        return known[1]

    async def _apart(self, read: SharedRead) -> int:
        return sum([not await self.pollers[name].poll_block(block) for name, block in read.parts])

    async def _is_awake(self, read: SharedRead) -> bool:
        (name, block), *others = read.parts
        poller = self.pollers[name]
        return not poller.device.breaker.is_demoted or await poller.probe(block, others)

    async def _together(self, read: SharedRead) -> bool:
        devices = [self._devices[name] for name, _ in read.parts]
        for device, (_, block) in zip(devices, read.parts, strict=True):
            await device.read_missing_scales(block)
        try:
            reply = await devices[0].request(Read(unit_id=read.unit_id, table=read.table, address=read.address, count=read.count))
        except LinkError as error:
            return await self._missed(read, error)
        self._doubt(read).times = 0
        for device, (name, block) in zip(devices, read.parts, strict=True):
            start = block.address - read.address
            self._sink(name, device.taken(block, replace(reply, words=reply.words[start : start + block.count])))
        return True

    async def _missed(self, read: SharedRead, error: LinkError) -> bool:
        """What one device does not have must not cost the others: each is asked by itself, until the next try."""
        doubt, reason = self._doubt(read), reason_of(error)
        if doubt.times == 0:
            doubt.good_before = self._good_reads()
        doubt.times += 1
        is_silent_for_this = reason in SILENCES and doubt.times >= SILENT_TIMES and self._good_reads() > doubt.good_before
        if reason in REFUSALS or is_silent_for_this:
            doubt.apart_until = self._clock.monotonic() + REPROBE_S
            return not await self._apart(read)
        for number, (name, block) in enumerate(read.parts):
            self._sink(name, self._devices[name].missed(block, error, is_first=number == 0))
        return False

    def _good_reads(self) -> int:
        return sum(device.health.good_reads for device in self._devices.values())

    def _doubt(self, read: SharedRead) -> _Doubt:
        return self._doubts.setdefault((read.table, read.unit_id, read.address, read.count), _Doubt(self._good_reads()))
