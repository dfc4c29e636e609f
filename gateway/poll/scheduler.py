"""Polls the groups of all devices on a monotonic time grid and hands every outcome to a sink."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from gateway.clock import Clock
from gateway.model.sample import BlockSamples
from gateway.poll.device import Device

_log = logging.getLogger(__name__)

Sink = Callable[[str, BlockSamples], None]
"""Takes device id and the outcome of one exchange; must not block."""

ONCE_RETRY_S = 10.0


class Scheduler:
    """One task per device and poll group, started by `run`."""

    def __init__(self, devices: Sequence[Device], clock: Clock, sink: Sink) -> None:
        self._devices = devices
        self._clock = clock
        self._sink = sink

    async def run(self) -> None:
        """Poll until cancelled. Groups on demand, and devices on a link that is used on demand, are left alone."""
        start = self._clock.monotonic()
        async with asyncio.TaskGroup() as group:
            for device in self._devices:
                if device.bus.options.on_demand:
                    continue
                for name, period_s in device.map.periods.items():
                    if period_s is not None:
                        group.create_task(self._every(device, name, period_s, start))
                    elif name not in device.map.on_demand:
                        group.create_task(self._once(device, name))

    async def _every(self, device: Device, group: str, period_s: float, start: float) -> None:
        """Poll at `start`, `start` + period, ...; a cycle that is late begins at once, cycles that are missed whole are counted."""
        due = start
        while True:
            await self._clock.sleep(due - self._clock.monotonic())
            missed = int((self._clock.monotonic() - due) / period_s)
            device.health.overruns += missed
            due += (missed + 1) * period_s
            await self._poll(device, group)

    async def _once(self, device: Device, group: str) -> None:
        """Poll until every block of the group was answered."""
        while await self._poll(device, group):
            await self._clock.sleep(ONCE_RETRY_S)

    async def _poll(self, device: Device, group: str) -> int:
        """Read the blocks of a group; how many of them got no answer. A demoted unit is only asked when its probe is due."""
        unanswered = 0
        for block in device.blocks(group):
            if not device.breaker.may_ask(self._clock.monotonic()):
                unanswered += 1
                continue
            try:
                samples = await device.read_block(block, timeout_s=device.breaker.timeout_s())
                self._sink(device.id, samples)
            except Exception:  # noqa: BLE001 - supervised: one block must not end the polling of the others
                _log.exception("poll of %s, group %s, failed", device.id, group, extra={"device": device.id})
                unanswered += 1
            else:
                unanswered += not samples.words
        return unanswered
