"""From settings to links, devices and polling, and where every outcome of an exchange goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from gateway.alarms.engine import Alarms
from gateway.alarms.watch import Watch, watches
from gateway.clock import Clock
from gateway.link.backoff import DialPace
from gateway.link.base import Transport
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.model.plan import ReadBlock
from gateway.model.point import RegisterMap
from gateway.model.sample import BlockSamples, Tag
from gateway.poll.device import Device
from gateway.poll.latest import Latest, stale_after_of
from gateway.service.base import DeviceInfo
from gateway.service.plant import Plant, tag_of
from gateway.settings import DeviceSettings, Settings
from gateway.store.recorder import BlockRecorder, Put

MakeTransport = Callable[[LinkOptions, Clock], Transport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """The buses, devices and last samples of one configuration; a reload puts others in their place."""

    buses: dict[str, Bus]
    devices: dict[str, Device]
    latest: Latest


def make_wire(settings: Settings, clock: Clock, make_transport: MakeTransport, *, only: frozenset[str] | None = None) -> Wire:
    """Buses and devices of a configuration (`only` some devices); nothing is opened yet."""
    pace = DialPace(clock)
    chosen = [device for device in settings.devices if only is None or device.id in only]
    links = {device.link for device in chosen}
    buses = {
        options.id: Bus(options.id, make_transport(options, clock), options, clock, pace=pace)
        for options in settings.links
        if options.id in links
    }
    latest = Latest(clock)
    devices = {}
    for device in chosen:
        devices[device.id] = make_device(device, buses[device.link], clock)
        track(latest, device)
    return Wire(buses=buses, devices=devices, latest=latest)


def make_device(device: DeviceSettings, bus: Bus, clock: Clock) -> Device:
    """A configured device on its bus."""
    return Device(device.id, bus, device.unit_id, device.map, clock)


def track(latest: Latest, device: DeviceSettings) -> None:
    """Make the tags of a device known."""
    latest.track(device.id, device.map.points.values(), stale_after_of(device.map, device.stale_after_s))


def make_plant(settings: Settings) -> Plant:
    """The catalogue of devices and points."""
    return Plant(plant_devices(settings))


def plant_devices(settings: Settings) -> list[tuple[DeviceInfo, RegisterMap]]:
    """The devices of a configuration with their maps, as services know them."""
    return [(device_info(device), device.map) for device in settings.devices]


def device_info(device: DeviceSettings) -> DeviceInfo:
    """A configured device as services show it."""
    return DeviceInfo(
        id=device.id,
        link=device.link,
        unit_id=device.unit_id,
        map=device.map.id,
        vendor=device.map.vendor,
        model=device.map.model,
        title=device.title,
        aliases=device.aliases,
        area=device.area,
        points=len(device.map.points),
    )


def all_watches(wire: Wire, plant: Plant) -> list[Watch]:
    """The alarm conditions of all blocks that are polled."""
    return [
        watch
        for device in wire.devices.values()
        for group in device.map.periods
        for block in device.blocks(group)
        for watch in _watches_of(device.id, block, plant)
    ]


class SampleSink:
    """Takes the outcome of every exchange: last samples, alarms, history; remembers which tags have news for open pages."""

    def __init__(self, wire: Wire, plant: Plant, alarms: Alarms, put: Put) -> None:
        self._latest = wire.latest
        self._plant = plant
        self._alarms = alarms
        self._put = put
        self._blocks: dict[str, dict[int, tuple[ReadBlock, tuple[Watch, ...], BlockRecorder, tuple[Tag, ...]]]] = {}
        self._news: dict[int, tuple[Tag, ...]] = {}

    def __call__(self, device_id: str, samples: BlockSamples) -> None:
        """Hand one outcome on."""
        blocks = self._blocks.setdefault(device_id, {})
        known = blocks.get(id(samples.block))
        if known is None:
            known = blocks[id(samples.block)] = self._prepare(device_id, samples.block)
        _, watched, recorder, tags = known
        self._latest.put(device_id, samples)
        if watched:
            self._alarms.evaluate(watched, samples)
        recorder.record(samples)
        self._news[id(tags)] = tags

    def forget(self, device_id: str) -> None:
        """A device is another one from now on: what was prepared for it is prepared anew."""
        self._blocks.pop(device_id, None)

    def take_news(self) -> Sequence[Tag]:
        """The tags that were read since the last call."""
        news, self._news = self._news, {}
        return tuple(dict.fromkeys(chain.from_iterable(news.values())))

    def _prepare(self, device_id: str, block: ReadBlock) -> tuple[ReadBlock, tuple[Watch, ...], BlockRecorder, tuple[Tag, ...]]:
        tags = tuple(tag_of(device_id, point.name) for point in block.points)
        return block, _watches_of(device_id, block, self._plant), BlockRecorder(block, tags, self._put), tags


def _watches_of(device_id: str, block: ReadBlock, plant: Plant) -> tuple[Watch, ...]:
    title = next(info.title for info in plant.devices if info.id == device_id)
    return watches(block, lambda name: tag_of(device_id, name), title)
