"""What mute units cost the others of their link.

20 units on one link, polled five times a second on TCP and every 1.5 s on a paced 19200-baud line; then 5 of them fall silent.
Measured: reads of the 15 others before (the baseline) and after the demotion, and how long a unit that returns stays away.
"""

import asyncio
import math
from collections import Counter
from dataclasses import dataclass, field

from gateway.clock import SystemClock
from gateway.link.options import LinkOptions
from gateway.model.sample import BlockSamples
from gateway.poll.breaker import PROBE_CAP_S
from gateway.poll.scheduler import Scheduler
from simulators.frames import LinkKind
from simulators.plant import Plant, SimDevice, SimLink
from simulators.simulated_plant import SimulatedPlant
from tests.bench.plants import Placed, point, register_map, wired
from tests.bench.report import Result, Run, say

UNITS, MUTE = 20, 5
POINTS = 4
TIMEOUT_S = 0.5
AIM_SHARE = 0.95
PERIODS_S = 1.5
"""A unit is read with the next poll after the probe that finds it: at most one period more."""
_SETTLE_S = 8.0
"""Three silent reads with their time-outs, for all mute units one after the other."""


@dataclass(slots=True)
class Seen:
    """Good reads by unit, and who waits for one."""

    good: Counter[int] = field(default_factory=Counter)
    awaited: int = 0
    back: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, device_id: str, samples: BlockSamples) -> None:
        unit = int(device_id[1:])
        if samples.words:
            self.good[unit] += 1
            if unit == self.awaited:
                self.back.set()

    def living(self) -> int:
        return sum(count for unit, count in self.good.items() if unit > MUTE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Reads a second of the living units before and after, and seconds until a returned unit was read."""

    before: float
    after: float
    return_s: float

    @property
    def share(self) -> float:
        return self.after / self.before


async def measure(run: Run) -> Result:
    """Both kinds of link."""
    seconds = 10.0 if run.full else 3.0
    found = {"tcp": await mute("tcp", 0.2, seconds), "rtu": await mute("rtu", 1.5, seconds)}
    return Result(
        figures={
            "units": UNITS,
            "mute": MUTE,
            **{kind: {"reads_per_s": each.after, "share": each.share, "return_s": each.return_s} for kind, each in found.items()},
            "aim": {"share": AIM_SHARE, "return_s": PROBE_CAP_S},
        },
        baseline={kind: {"reads_per_s": each.before} for kind, each in found.items()},
        meets_aim=all(each.share >= AIM_SHARE and each.return_s <= PROBE_CAP_S + PERIODS_S for each in found.values()),
        is_right=all(each.before and each.after for each in found.values()),
    )


async def mute(kind: LinkKind, period_s: float, seconds: float) -> Outcome:
    """One kind of link."""
    made = register_map([point(f"p{place}", place) for place in range(POINTS)], period_s)
    devices = {f"d{unit}": SimDevice(link="l", unit_id=unit, map=made) for unit in range(1, UNITS + 1)}
    plant = SimulatedPlant(Plant(id="bench", links={"l": SimLink(kind=kind)}, devices=devices, values={}), SystemClock(), steady=True)
    clock, seen = SystemClock(), Seen()
    async with plant.running(paced=True) as running, asyncio.TaskGroup() as group:
        options = _options(kind, running.ports["l"])
        wire, sink = wired([options], [Placed(name, "l", at.unit_id, made) for name, at in devices.items()], clock, lambda rows: None)

        def both(device_id: str, samples: BlockSamples) -> None:
            sink(device_id, samples)
            seen.take(device_id, samples)

        tasks = [group.create_task(bus.run()) for bus in wire.buses.values()]
        tasks.append(group.create_task(Scheduler(tuple(wire.devices.values()), clock, both).run()))
        seconds = period_s * math.ceil(seconds / period_s)
        await clock.sleep(2 * period_s)
        before = await _rate(seen, clock, seconds)
        faults = [plant.fault("mute_unit", unit=unit) for unit in range(1, MUTE + 1)]
        await clock.sleep(_SETTLE_S + 3 * period_s)
        after = await _rate(seen, clock, seconds)
        seen.awaited = 1
        faults[0].clear()
        left = clock.monotonic()
        async with asyncio.timeout(3 * PROBE_CAP_S):
            await seen.back.wait()
        result = Outcome(before, after, clock.monotonic() - left)
        for task in tasks:
            task.cancel()
    return result


async def _rate(seen: Seen, clock: SystemClock, seconds: float) -> float:
    before, started = seen.living(), clock.monotonic()
    await clock.sleep(seconds)
    return (seen.living() - before) / (clock.monotonic() - started)


def _options(kind: LinkKind, port: str | tuple[str, int]) -> LinkOptions:
    if isinstance(port, str):
        return LinkOptions(id="l", transport="rtu", device=port, baud=19200, parity="even", timeout_s=TIMEOUT_S)
    return LinkOptions(id="l", transport="tcp", host=port[0], port=port[1], timeout_s=TIMEOUT_S)


if __name__ == "__main__":
    say("dead_units", lambda run: asyncio.run(measure(run)))
