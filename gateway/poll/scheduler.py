"""Polls the groups of all devices on a monotonic time grid and hands every outcome to a sink."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from gateway.clock import Clock
from gateway.poll.device import Device
from gateway.poll.load import serial_loads
from gateway.poll.poller import Sink
from gateway.poll.unit import UnitKey, UnitPoller, periods_of, unit_key, units_of

_log = logging.getLogger(__name__)

ONCE_RETRY_S = 10.0
SPREAD_S = 0.001
"""Units begin so far apart, so that a thousand of them spread over a second and do not all ask in the same instant."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What is read together at a time; `poll` gives how many reads got no reply."""

    poll: Callable[[], Awaitable[int]]
    devices: Sequence[Device]
    what: str


class Scheduler:
    """One task per unit and period, started by `run`; devices may come and go while it runs."""

    def __init__(self, devices: Sequence[Device], clock: Clock, sink: Sink) -> None:
        self._devices = devices
        self._clock = clock
        self._sink = sink
        self._group: asyncio.TaskGroup | None = None
        self._units: dict[UnitKey, Sequence[Device]] = {}
        self._polling: dict[UnitKey, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Poll until cancelled. Groups on demand, and devices on a link that is used on demand, are left alone."""
        for link, load in serial_loads(self._devices).items():
            if load > 1.0:
                _log.warning("link %s: polling needs %.0f %% of its time; polls will come late", link, 100 * load, extra={"link": link})
        async with asyncio.TaskGroup() as group:
            self._group = group
            for place, unit in enumerate(units_of(self._devices)):
                self._begin(group, unit, self._clock.monotonic() + place * SPREAD_S % min(periods_of(unit), default=1.0))
            await asyncio.Event().wait()

    def add(self, device: Device) -> None:
        """Begin to poll a device, while `run` is under way; others of its unit begin anew with it."""
        if self._group is not None:
            self._begin(self._group, [*self._units.get(unit_key(device), ()), device], self._clock.monotonic())

    async def remove(self, device_id: str) -> None:
        """Poll a device no more; after this nothing of it reaches the sink. Others of its unit begin anew."""
        key = next((key for key, unit in self._units.items() if any(device.id == device_id for device in unit)), None)
        if key is None:
            return
        left = [device for device in self._units.pop(key) if device.id != device_id]
        task = self._polling.pop(key)
        task.cancel()
        await asyncio.wait([task])
        if left and self._group is not None:
            self._begin(self._group, left, self._clock.monotonic())

    def _begin(self, group: asyncio.TaskGroup, unit: Sequence[Device], start: float) -> None:
        if unit[0].bus.options.on_demand:
            return
        key = unit_key(unit[0])
        before = self._polling.get(key)
        if before is not None:
            before.cancel()
        self._units[key] = unit
        self._polling[key] = group.create_task(self._unit(unit, start, before))

    async def _unit(self, unit: Sequence[Device], start: float, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        shared = UnitPoller(unit, self._clock, self._sink)
        async with asyncio.TaskGroup() as group:
            for device in unit:
                for name, period_s in device.map.periods.items():
                    own = _Round(partial(shared.pollers[device.id].poll, name), [device], f"{device.id}, group {name}")
                    if period_s is None and name not in device.map.on_demand:
                        group.create_task(self._once(own))
                    elif period_s is not None and len(unit) == 1:
                        group.create_task(self._every(own, period_s, start))
            for period_s in periods_of(unit) if len(unit) > 1 else ():
                what = f"unit {unit[0].unit_id} of {unit[0].bus.id}, every {period_s:g} s"
                group.create_task(self._every(_Round(partial(shared.poll, period_s), unit, what), period_s, start))

    async def _every(self, one: _Round, period_s: float, start: float) -> None:
        """Poll at `start`, `start` + period, ...; a cycle that is late begins at once, cycles that are missed whole are counted."""
        due = start
        while True:
            await self._clock.sleep(due - self._clock.monotonic())
            missed = int((self._clock.monotonic() - due) / period_s)
            for device in one.devices:
                device.health.overruns += missed
            due += (missed + 1) * period_s
            await self._try(one)

    async def _once(self, one: _Round) -> None:
        """Poll until everything was answered."""
        while await self._try(one):
            await self._clock.sleep(ONCE_RETRY_S)

    async def _try(self, one: _Round) -> int:
        try:
            return await one.poll()
        except Exception:  # noqa: BLE001 - supervised: one group's trouble must not end the polling of the others
            _log.exception("poll of %s, failed", one.what, extra={"device": one.devices[0].id})
            return 1
