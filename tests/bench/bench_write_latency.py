"""How long a write waits while a link is polled without pause: `python -m tests.bench.bench_write_latency [WRITES]`.

A device on TCP that takes 10 ms for each reply, polled by 20 units at once as fast as it answers. A write goes before all polls
that wait, so from asking for it until its reply it should take what one exchange takes, twice at most (the poll on the wire ends
first), plus 5 ms. Printed: p50 and p99 of the wait until the write is on the wire, beside the exchange's own time.
"""

import asyncio
import random
import sys
from collections.abc import Sequence

from gateway.clock import SystemClock
from gateway.link.base import Read, WriteRegisters
from gateway.link.queue import Priority
from gateway.model.address import PduAddress, Table, UnitId
from tests.fake_device import Asked, FakeDevice, rig

REPLY_S = 0.01
POLLERS = 20


async def main(writes: int = 100) -> tuple[float, float]:
    """Print and give p50 and p99 of the wait, in seconds."""
    clock, chance = SystemClock(), random.Random(1)  # noqa: S311 - repeatable, no secret
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
            await made.bus.exchange(request, priority=Priority.WRITE)
            waits.append(arrived[number] - asked_at)
        for poller in pollers:
            poller.cancel()
    p50, p99 = _quantile(waits, 0.5), _quantile(waits, 0.99)
    one = _quantile(exchanges, 0.5)
    sys.stdout.write(
        f"write_latency: {writes} writes among {POLLERS} pollers: wait p50 {1000 * p50:.1f} ms, p99 {1000 * p99:.1f} ms; "
        f"one exchange {1000 * one:.1f} ms (p99 of it {1000 * _quantile(exchanges, 0.99):.1f} ms)\n"
    )
    return p50, p99


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
