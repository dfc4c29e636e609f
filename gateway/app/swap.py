"""Puts a new configuration in the place of the running one, device by device: what did not change keeps its bus, socket and samples."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TypeVar

from gateway.alarms.engine import Alarms
from gateway.app.wire import MakeTransport, SampleSink, Wire, all_watches, make_device, plant_devices, track
from gateway.clock import Clock
from gateway.link.backoff import DialPace
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.poll.scheduler import Scheduler
from gateway.service.plant import Plant
from gateway.settings import DeviceSettings, Settings

_T = TypeVar("_T")
Spawn = Callable[[Coroutine[object, object, None]], asyncio.Task[None]]


class Polling:
    """The workers of the buses and the scheduler, which outlive single links and devices."""

    def __init__(self, scheduler: Scheduler, spawn: Spawn) -> None:
        self.scheduler = scheduler
        self._spawn = spawn
        self._workers: dict[str, asyncio.Task[None]] = {}

    def serve(self, bus: Bus) -> None:
        """Start the worker of a bus."""
        self._workers[bus.id] = self._spawn(bus.run())

    async def end(self, link: str) -> None:
        """Stop the worker of a link and wait until its socket or port is free; a write in flight gets its moment."""
        worker = self._workers.pop(link)
        worker.cancel()
        await asyncio.wait([worker])

    def stop(self) -> None:
        """Stop all workers."""
        for worker in self._workers.values():
            worker.cancel()


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """What a reload acts on."""

    plant: Plant
    wire: Wire
    sink: SampleSink
    alarms: Alarms
    links: dict[str, LinkOptions]
    polling: Polling
    clock: Clock
    make_transport: MakeTransport

    async def to(self, old: Settings, new: Settings) -> None:
        """From `old` to `new`. New buses and devices are built before anything that runs is touched."""
        kept, gone = _kept_devices(old, new), {device.id for device in old.devices}
        gone -= {device.id for device in kept}
        used = {device.link for device in new.devices}
        options = {link.id: link for link in new.links}
        pace = DialPace(self.clock)
        stays = {id_ for id_, bus in self.wire.buses.items() if id_ in used and options.get(id_) == bus.options}
        made = {
            id_: Bus(id_, self.make_transport(link, self.clock), link, self.clock, pace=pace)
            for id_, link in options.items()
            if id_ in used and id_ not in stays
        }
        buses = {**{id_: self.wire.buses[id_] for id_ in stays}, **made}
        built = {device.id: make_device(device, buses[device.link], self.clock) for device in new.devices if device not in kept}
        for device_id in gone:
            await self.polling.scheduler.remove(device_id)
        for id_ in self.wire.buses.keys() - stays:
            await self.polling.end(id_)
        for device_id in gone:
            self.wire.latest.forget(device_id)
            self.wire.devices.pop(device_id)
        self.plant.put(plant_devices(new))
        _refill(self.wire.buses, buses)
        _refill(self.links, options)
        devices = {device.id: built.get(device.id) or self.wire.devices[device.id] for device in new.devices}
        _refill(self.wire.devices, devices)
        for settings in new.devices:
            self.sink.forget(settings.id)
            if settings.id in built:
                track(self.wire.latest, settings)
        self.alarms.rewatch(all_watches(self.wire, self.plant))
        for bus in made.values():
            self.polling.serve(bus)
        for device in built.values():
            self.polling.scheduler.add(device)


def _kept_devices(old: Settings, new: Settings) -> list[DeviceSettings]:
    """Those of `new` that are read as before, over a link that is as before; their words may differ."""
    before = {device.id: device for device in old.devices}
    same_links = {link.id for link in old.links} & {link.id for link in new.links if link in old.links}
    return [
        device
        for device in new.devices
        if device.link in same_links and device.id in before and on_wire(before[device.id]) == on_wire(device)
    ]


def on_wire(device: DeviceSettings) -> tuple[str, int, str, float | None]:
    """What makes a device another one."""
    return device.link, device.unit_id, device.map.version, device.stale_after_s


def _refill(into: dict[str, _T], with_: dict[str, _T]) -> None:
    into.clear()
    into.update(with_)
