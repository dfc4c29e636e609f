"""How long a write waits while a link is polled without pause.

A device on TCP that takes 10 ms for each reply, polled by 20 units at once as fast as it answers. A write goes before all polls
that wait, so from asking for it until its reply it should take what one exchange takes, twice at most (the poll on the wire ends
first), plus 5 ms. Printed: p50 and p99 of the wait until the write is on the wire, beside the exchange's own time.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.clock import SystemClock
from gateway.link.base import Read, WriteRegisters
from gateway.link.queue import Priority
from gateway.model.address import PduAddress, Table, UnitId
from tests.bench.report import Result, Run, say
from tests.fake_device import Asked, FakeDevice, rig

REPLY_S = 0.01
POLLERS = 20
AIM_MORE_S = 0.005


@dataclass(frozen=True, slots=True)
class Waits:
    """How long writes waited, and how long one exchange takes in the middle."""

    waits_s: Sequence[float]
    exchange_s: float

    def figures(self) -> dict[str, float]:
        p50, p99 = (1000 * _quantile(self.waits_s, share) for share in (0.5, 0.99))
        return {"writes": len(self.waits_s), "wait_p50_ms": p50, "wait_p99_ms": p99, "exchange_ms": 1000 * self.exchange_s}


async def measure(run: Run) -> Result:
    """Writes that go first, and writes that wait their turn."""
    ours = await write_among_polls(1000 if run.full else 100, Priority.WRITE, run.seed)
    theirs = await write_among_polls(50, Priority.POLL, run.seed)
    return Result(
        figures={**ours.figures(), "pollers": POLLERS, "aim": {"wait_p99_ms": 1000 * (ours.exchange_s + AIM_MORE_S)}},
        baseline={"queue": "first come, first served", **theirs.figures()},
        meets_aim=_quantile(ours.waits_s, 0.99) <= ours.exchange_s + AIM_MORE_S,
    )


async def write_among_polls(writes: int, priority: Priority, seed: int) -> Waits:
    """Each write's wait, from asking until it is on the wire."""
    clock, chance = SystemClock(), random.Random(seed)  # noqa: S311 - repeatable, no secret
    arrived: dict[int, float] = {}

    async def script(device: FakeDevice, asked: Asked) -> None:
        if asked.function == 6:
            arrived[asked.count] = clock.monotonic()
        device.asked.clear()
        await clock.sleep(REPLY_S)
        await device.answer(asked)

    waits: list[float] = []
    exchanges: list[float] = []
    async with rig("tcp", FakeDevice(script=script), timeout_s=2.0) as made, asyncio.TaskGroup() as group:

        async def poll(unit: int) -> None:
            while True:
                started = clock.monotonic()
                request = Read(unit_id=UnitId(unit), table=Table.HOLDING, address=PduAddress(0), count=10)
                await made.bus.exchange(request, priority=Priority.POLL)
                exchanges.append((clock.monotonic() - started) / POLLERS)

        pollers = [group.create_task(poll(unit)) for unit in range(1, POLLERS + 1)]
        for number in range(writes):
            await clock.sleep(chance.uniform(0.02, 0.06))
            request = WriteRegisters(unit_id=UnitId(1), address=PduAddress(0), words=(number,), single=True)
            asked_at = clock.monotonic()
            await made.bus.exchange(request, priority=priority)
            waits.append(arrived[number] - asked_at)
        for poller in pollers:
            poller.cancel()
    return Waits(waits, _quantile(exchanges, 0.5))


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


if __name__ == "__main__":
    say("write_latency", lambda run: asyncio.run(measure(run)))
