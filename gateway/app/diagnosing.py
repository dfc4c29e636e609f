"""Drives a diagnosis: every block of the chosen devices is read a few times, over links of its own, and nothing is written."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from gateway.app.groups import single_error
from gateway.app.wire import MakeTransport, make_wire
from gateway.clock import Clock
from gateway.errors import DeviceExceptionError, FrameError, LinkError
from gateway.link.bus import Bus
from gateway.link.identify import identify
from gateway.link.status import link_status
from gateway.link.trace import TracedFrame
from gateway.model.address import UnitId
from gateway.model.sample import BlockSamples
from gateway.poll.device import Device
from gateway.poll.load import serial_loads
from gateway.poll.unit import UnitPoller, periods_of, units_of
from gateway.service.diagnose import GroupCost, LinkFindings, UnitFindings, refused_functions
from gateway.service.explain_frames import FRAMINGS
from gateway.service.frame_words import Exchanged, exchanged
from gateway.settings import Settings

_ROUND_S = 1.0
_EXCHANGES = 4


async def diagnose(
    settings: Settings, clock: Clock, make_transport: MakeTransport, *, devices: frozenset[str], seconds: float
) -> list[LinkFindings]:
    """What reading the devices for `seconds` shows, per link; each device is polled at least once, however long that takes."""
    wire = make_wire(settings, clock, make_transport, only=devices)
    with single_error():
        async with asyncio.TaskGroup() as group:
            workers = [group.create_task(bus.run()) for bus in wire.buses.values()]
            runs = [
                group.create_task(_diagnose_link(bus, [one for one in wire.devices.values() if one.bus is bus], clock, seconds))
                for bus in wire.buses.values()
            ]
            found = [await run for run in runs]
            for worker in workers:
                worker.cancel()
    return found


async def read_identity(bus: Bus, unit_id: UnitId) -> Mapping[str, str]:
    """What a unit says it is, by function 43/14, the regular objects or else the basic ones; empty if it offers none."""
    try:
        return await identify(bus, unit_id, code=2)
    except (DeviceExceptionError, FrameError):
        pass
    except LinkError:
        return {}
    try:
        return await identify(bus, unit_id)
    except LinkError:
        return {}


@dataclass(slots=True)
class _Watched:
    """One device under diagnosis."""

    device: Device
    functions: dict[int, Counter[str]] = field(default_factory=dict)
    costs: dict[str, list[float]] = field(default_factory=dict)
    exchanges: deque[Exchanged] = field(default_factory=lambda: deque(maxlen=_EXCHANGES))
    failure: Exchanged | None = None

    def note(self, _device: str, samples: BlockSamples) -> None:
        """How one exchange ended."""
        ends = self.functions.setdefault(samples.block.table.read_function, Counter())
        ends["ok" if samples.words else samples.reasons[0] or ""] += 1

    def keep(self, exchanges: Sequence[Exchanged]) -> None:
        """The last exchanges, and the last one that failed however long ago."""
        self.exchanges.extend(exchanges)
        self.failure = next((one for one in reversed(exchanges) if not one.is_good), self.failure)

    def findings(self, identity: Mapping[str, str]) -> UnitFindings:
        refused = {*self.device.functions.refused, *refused_functions(self.functions)}
        periods = self.device.map.periods
        kept = tuple(self.exchanges)
        return UnitFindings(
            status=self.device.status(),
            functions=self.functions,
            groups=[
                GroupCost(name=name, period_s=periods[name], polls=len(costs), bus_s=median(costs)) for name, costs in self.costs.items()
            ],
            patch=self.device.learnt.patch(refused),
            identity=identity,
            exchanges=(self.failure, *kept) if self.failure is not None and self.failure not in kept else kept,
        )


async def _diagnose_link(bus: Bus, devices: Sequence[Device], clock: Clock, seconds: float) -> LinkFindings:
    units = [[_Watched(device) for device in unit] for unit in units_of(devices)]
    watched = [one for unit in units for one in unit]
    turns = [turn for unit in units for turn in _turns(unit, clock)]
    due = clock.monotonic()
    end = due + seconds
    is_first = True
    while is_first or due < end:
        await clock.sleep(due - clock.monotonic())
        for turn in turns:
            if is_first or clock.monotonic() < end:
                await _poll(bus, turn)
        is_first = False
        due = max(due + _ROUND_S, clock.monotonic())
    status = link_status(bus)
    found = [one.findings(await _identity_of(bus, one.device)) for one in watched]
    costs = [cost.bus_s / cost.period_s for unit in found for cost in unit.groups if cost.period_s is not None]
    return LinkFindings(
        options=bus.options,
        status=status,
        heard_bytes=bus.transport.trace.bytes_in,
        planned_load=serial_loads(devices).get(bus.id),
        measured_load=sum(costs),
        units=found,
    )


@dataclass(frozen=True, slots=True)
class _Turn:
    """Groups that are polled together: one, or those of one period of all devices of a unit, which share their reads."""

    groups: Sequence[tuple[_Watched, str]]
    poll: Callable[[], Awaitable[int]]


def _turns(unit: Sequence[_Watched], clock: Clock) -> Iterator[_Turn]:
    devices = {one.device.id: one for one in unit}
    poller = UnitPoller([one.device for one in unit], clock, lambda device, samples: devices[device].note(device, samples))
    groups = [(one, group, period_s) for one in unit for group, period_s in one.device.map.periods.items()]
    for one, group, period_s in groups:
        if len(unit) == 1 or period_s is None:
            yield _Turn([(one, group)], partial(poller.pollers[one.device.id].poll, group))
    for shared_s in periods_of([one.device for one in unit]) if len(unit) > 1 else ():
        yield _Turn([(one, group) for one, group, period_s in groups if period_s == shared_s], partial(poller.poll, shared_s))


async def _poll(bus: Bus, turn: _Turn) -> None:
    """Poll what goes together; the link carries nothing else meanwhile, so that its time and frames are of these groups, in equal parts."""
    before, busy_s, exchanges = bus.transport.trace.frames(), bus.stats.busy_s, bus.stats.exchanges
    await turn.poll()
    cost_s = bus.stats.busy_s - busy_s + (bus.stats.exchanges - exchanges) * bus.gap_s
    seen = exchanged(_after(before, bus.transport.trace.frames()), FRAMINGS[bus.options.transport])
    for one, group in turn.groups:
        one.costs.setdefault(group, []).append(cost_s / len(turn.groups))
        one.keep(seen)


def _after(before: Sequence[TracedFrame], now: Sequence[TracedFrame]) -> Sequence[TracedFrame]:
    """The frames that came since; all, if the last one of before is kept no more."""
    last = before[-1] if before else None
    place = next((place for place, frame in enumerate(now) if frame is last), -1)
    return now[place + 1 :]


async def _identity_of(bus: Bus, device: Device) -> Mapping[str, str]:
    """Silent units are not asked: they would only cost time."""
    return await read_identity(bus, device.unit_id) if device.status().last_good is not None else {}
