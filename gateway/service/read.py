"""Reading the plant: latest samples, fresh ones from the wire, history, alarms, health, audit."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from gateway.alarms.engine import Alarms
from gateway.clock import Clock
from gateway.model.alarm import AlarmInfo, AlarmState
from gateway.model.point import Point
from gateway.model.sample import Sample, Tag
from gateway.service.base import Agg, AuditEntry, DeviceInfo, History, HistoryPoint, PointInfo, UnitHealth
from gateway.service.find import find
from gateway.service.history import summarise
from gateway.service.plant import Plant
from gateway.store.samples import Samples

FRESH_EVERY_S = 0.5
"""Forced reads of one device are at least this far apart; in between the last sample serves."""


class FreshReader(Protocol):
    """Reads points of one device from the wire now; samples carry the wire's reason where it failed."""

    async def __call__(self, points: Sequence[Point]) -> Sequence[Sample]:
        """Samples in the order of `points`."""
        ...


class AuditReader(Protocol):
    """Finished acts, newest first."""

    async def __call__(self, tag: str | None, start: datetime | None, end: datetime | None) -> Sequence[AuditEntry]:
        """Those of a tag and a time."""
        ...


class PlantReader:
    """ReadService over one running gateway."""

    def __init__(
        self,
        plant: Plant,
        *,
        latest: Callable[[Tag], Sample],
        fresh: Mapping[str, FreshReader],
        samples: Samples,
        alarms: Alarms,
        health: Callable[[str | None], Sequence[UnitHealth]],
        audit: AuditReader,
        clock: Clock,
    ) -> None:
        self._plant = plant
        self._latest = latest
        self._fresh = fresh
        self._samples = samples
        self._alarms = alarms
        self._health = health
        self._audit = audit
        self._clock = clock
        self._last_forced: dict[str, float] = {}

    def devices(self) -> Sequence[DeviceInfo]:
        """The configured devices in the order of the configuration."""
        return self._plant.devices

    def points(self, device: str | None = None) -> Sequence[PointInfo]:
        """All points, or those of one device."""
        return [info for info in self._plant.infos.values() if device is None or info.device == device]

    def point(self, tag: str) -> PointInfo:
        """One point; raises UnknownTagError with near names."""
        return self._plant.infos[self._plant.tag(tag)]

    def find(self, query: str, device: str | None = None, limit: int = 10) -> Sequence[PointInfo]:
        """The points that the words of `query` name, best first."""
        return find(tuple(self._plant.infos.values()), self._plant.devices, query, device, limit)

    def latest(self, tags: Sequence[str]) -> Sequence[Sample]:
        """The last sample of each tag with its present age."""
        return [self._latest(self._plant.tag(tag)) for tag in tags]

    async def fresh(self, tags: Sequence[str], *, is_shared: bool = True) -> Sequence[Sample]:
        """Samples read from the wire now, device by device at once; at most one forced read per device every half second.

        Not `is_shared`, a read of its own for each call: what a write is judged by must not be older than the write before it.
        """
        by_device: dict[str, list[Tag]] = {}
        for tag in tags:
            by_device.setdefault(self.point(tag).device, []).append(Tag(tag))
        found: dict[Tag, Sample] = {}
        async with asyncio.TaskGroup() as group:
            for device, wanted in by_device.items():
                group.create_task(self._read(device, wanted, found, is_shared=is_shared))
        return [found[Tag(tag)] for tag in tags]

    async def _read(self, device: str, tags: Sequence[Tag], found: dict[Tag, Sample], *, is_shared: bool) -> None:
        now = self._clock.monotonic()
        if is_shared and now - self._last_forced.get(device, -FRESH_EVERY_S) < FRESH_EVERY_S:
            recent = [self._latest(tag) for tag in tags]
            if all(sample.age_s is not None and sample.age_s < FRESH_EVERY_S for sample in recent):
                found.update(zip(tags, recent, strict=True))
                return
        self._last_forced[device] = now
        samples = await self._fresh[device]([self._plant.points[tag] for tag in tags])
        found.update(zip(tags, samples, strict=True))

    async def history(
        self, tag: str, start: datetime, end: datetime, agg: Agg, *, buckets: int = 0, target: Decimal | None = None
    ) -> History:
        """What the store holds of `tag` in `start..end`."""
        info = self.point(tag)
        stored = await self._samples.query(info.tag, start, end)
        points = [HistoryPoint(at=one.at, value=one.value, reason=one.reason) for one in stored]
        oldest = await self._samples.oldest(info.tag)
        return summarise(
            info.tag, info.unit, points, start, min(end, self._clock.utc()), agg, buckets=buckets, target=target, oldest=oldest
        )

    def alarms(self, states: Sequence[AlarmState] = (), tag: str | None = None) -> Sequence[AlarmInfo]:
        """Alarms that are not normal, worst first."""
        return self._alarms.list(states, tag)

    def health(self, device: str | None = None) -> Sequence[UnitHealth]:
        """State of one or all devices."""
        return self._health(device)

    async def audit(self, tag: str | None = None, start: datetime | None = None, end: datetime | None = None) -> Sequence[AuditEntry]:
        """Finished writes and acknowledgements, newest first."""
        return await self._audit(tag, start, end)
