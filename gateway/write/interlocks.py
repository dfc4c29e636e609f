"""Interlocks at the moment of the write: read on the link that is held, or on other links beside it."""

from collections.abc import Mapping, Sequence

from gateway.link.bus import Lane
from gateway.model.condition import Condition, Source, holds, reading_of, source_of
from gateway.model.point import Point
from gateway.model.proposal import conditions_for, interlock_refusal
from gateway.model.refusal import Refusal
from gateway.model.sample import Sample
from gateway.write.order import OrderedWrite
from gateway.write.readable import Readable

Broken = tuple[OrderedWrite, Refusal]


class Interlocks:
    """The conditions of writes, held against values read now. What cannot be read is not met."""

    def __init__(self, devices: Mapping[str, Readable]) -> None:
        self._devices = devices

    async def first_broken(self, device: Readable, writes: Sequence[OrderedWrite], lane: Lane | None) -> Broken | None:
        """The first write with a condition that is not met, and why; `lane` is the link that the caller holds."""
        wanted = self._conditions(device, writes)
        needed: dict[str, dict[str, Point]] = {}
        for _, _, source in wanted:
            if source is not None:
                needed.setdefault(source.device, {})[source.point.name] = source.point
        samples: dict[tuple[str, str], Sample] = {}
        for name, points in needed.items():
            read = await self._devices[name].read_fresh(list(points.values()), lane=lane)
            samples.update({(name, point): sample for point, sample in zip(points, read, strict=True)})
        for write, condition, source in wanted:
            reading = None if source is None else reading_of(source, samples[source.device, source.point.name])
            if reading is None or not holds(condition, reading):
                return write, interlock_refusal(write.tag, condition, reading)
        return None

    def reach_across(self, device: Readable, writes: Sequence[OrderedWrite]) -> bool:
        """True if a condition is read on another link: two such writes at once could wait for each other's link."""
        sources = (source for _, _, source in self._conditions(device, writes) if source is not None)
        return any(self._devices[source.device].bus is not device.bus for source in sources)

    def _conditions(self, device: Readable, writes: Sequence[OrderedWrite]) -> list[tuple[OrderedWrite, Condition, Source | None]]:
        return [
            (write, condition, source_of(condition, device.id, self._find))
            for write in writes
            for condition in conditions_for(device.map.points[write.point], write.new)
        ]

    def _find(self, device: str, point: str) -> Point | None:
        found = self._devices.get(device)
        return None if found is None else found.map.points.get(point)
