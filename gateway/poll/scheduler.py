"""Polls the groups of all devices on a monotonic time grid and hands every outcome to a sink."""

import asyncio
import logging
from collections.abc import Sequence

from gateway.clock import Clock
from gateway.poll.device import Device
from gateway.poll.load import serial_loads
from gateway.poll.poller import Poller, Sink

_log = logging.getLogger(__name__)

ONCE_RETRY_S = 10.0


class Scheduler:
    """One task per device and poll group, started by `run`; devices may come and go while it runs."""

    def __init__(self, devices: Sequence[Device], clock: Clock, sink: Sink) -> None:
        self._devices = devices
        self._clock = clock
        self._sink = sink
        self._group: asyncio.TaskGroup | None = None
        self._polling: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Poll until cancelled. Groups on demand, and devices on a link that is used on demand, are left alone."""
        for link, load in serial_loads(self._devices).items():
            if load > 1.0:
                _log.warning("link %s: polling needs %.0f %% of its time; polls will come late", link, 100 * load, extra={"link": link})
        async with asyncio.TaskGroup() as group:
            self._group = group
            for device in self._devices:
                self.add(device)
            await asyncio.Event().wait()

    def add(self, device: Device) -> None:
        """Begin to poll a device, while `run` is under way."""
        if self._group is not None and not device.bus.options.on_demand:
            self._polling[device.id] = self._group.create_task(self._device(device, self._clock.monotonic()))

    async def remove(self, device_id: str) -> None:
        """Poll a device no more; after this nothing of it reaches the sink."""
        task = self._polling.pop(device_id, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _device(self, device: Device, start: float) -> None:
        poller = Poller(device, self._clock, self._sink)
        async with asyncio.TaskGroup() as group:
            for name, period_s in device.map.periods.items():
                if period_s is not None:
                    group.create_task(self._every(poller, name, period_s, start))
                elif name not in device.map.on_demand:
                    group.create_task(self._once(poller, name))

    async def _every(self, poller: Poller, group: str, period_s: float, start: float) -> None:
        """Poll at `start`, `start` + period, ...; a cycle that is late begins at once, cycles that are missed whole are counted."""
        due = start
        while True:
            await self._clock.sleep(due - self._clock.monotonic())
            missed = int((self._clock.monotonic() - due) / period_s)
            poller.device.health.overruns += missed
            due += (missed + 1) * period_s
            await self._poll(poller, group)

    async def _once(self, poller: Poller, group: str) -> None:
        """Poll until every block of the group was answered."""
        while await self._poll(poller, group):
            await self._clock.sleep(ONCE_RETRY_S)

    async def _poll(self, poller: Poller, group: str) -> int:
        try:
            return await poller.poll(group)
        except Exception:  # noqa: BLE001 - supervised: one group's trouble must not end the polling of the others
            _log.exception("poll of %s, group %s, failed", poller.device.id, group, extra={"device": poller.device.id})
            return 1
