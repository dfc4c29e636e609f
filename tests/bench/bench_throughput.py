"""From poll to alarm check, end to end over TCP loopback: points a second and CPU a point.

10 units x 500 float32 points in blocks of 100 registers, polled as fast as they answer, through the parts of the running
gateway: scheduler, bus, framing, decoding, quality, last samples, alarm rules (one point in ten), deadbands (every point).
The server is libmodbus in C on another core. Beside it, in the same run, pymodbus reads the same blocks and does nothing
with them. A read that fails is a fault.
"""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import perf_counter, process_time

import uvloop
from pymodbus.client import AsyncModbusTcpClient

from gateway.clock import SystemClock
from gateway.link.options import LinkOptions
from gateway.model.point import AlarmRule, DataType, Deadband
from gateway.model.sample import BlockSamples
from gateway.poll.scheduler import Scheduler
from tests.bench.native import build, lack, started
from tests.bench.plants import Placed, point, register_map, wired
from tests.bench.report import LeftOutError, Result, Run, say

UNITS, POINTS, BLOCK = 10, 500, 100
_AT_ONCE_S = 0.001
"""A period that no poll keeps: each begins when the one before has ended."""
AIM_PER_S, AIM_CPU_US = 300_000, 3.0
_WARM = 3 * UNITS * POINTS


@dataclass(frozen=True, slots=True)
class Rate:
    """What one way of reading did in its time."""

    points: int
    wall_s: float
    cpu_s: float
    failed: int = 0

    @property
    def per_s(self) -> float:
        return self.points / self.wall_s

    @property
    def cpu_us(self) -> float:
        """CPU time of this process for one point."""
        return 1e6 * self.cpu_s / self.points

    def figures(self) -> dict[str, float]:
        return {"points_per_s": self.per_s, "cpu_us_a_point": self.cpu_us, "failed": self.failed}


def measure(run: Run) -> Result:
    """Both ways of reading on both event loops."""
    reason = lack()
    if reason:
        raise LeftOutError(reason)
    seconds = 10.0 if run.full else 3.0
    ours: dict[str, Rate] = {}
    theirs: dict[str, Rate] = {}
    with tempfile.TemporaryDirectory() as folder, started(build("libmodbus_server.c", Path(folder)), ["tcp", "moving"]) as port:
        for loop, make in (("asyncio", asyncio.new_event_loop), ("uvloop", uvloop.new_event_loop)):
            for rates, read in ((ours, gateway_reads), (theirs, pymodbus_reads)):
                with asyncio.Runner(loop_factory=make) as runner:
                    rates[loop] = runner.run(read(int(port), seconds))
    fast = ours["uvloop"]
    return Result(
        figures={
            **{loop: rate.figures() for loop, rate in ours.items()},
            "of_pymodbus": {loop: rate.per_s / theirs[loop].per_s for loop, rate in ours.items()},
            "aim": {"points_per_s": AIM_PER_S, "cpu_us_a_point": AIM_CPU_US},
        },
        baseline={"client": "pymodbus, its words dropped", **{loop: rate.figures() for loop, rate in theirs.items()}},
        meets_aim=fast.per_s >= AIM_PER_S and fast.cpu_us <= AIM_CPU_US,
        is_right=all(rate.points and not rate.failed for rate in ours.values()),
    )


async def gateway_reads(port: int, seconds: float) -> Rate:
    """The gateway's own way."""
    rule = AlarmRule(hi=Decimal(80), hihi=Decimal(90), hysteresis=Decimal(1))
    band = Deadband(amount=Decimal("0.5"))
    points = [point(f"p{i}", 2 * i, DataType.FLOAT32, deadband=band, alarm=rule if i % 10 == 0 else None) for i in range(POINTS)]
    made = register_map(points, _AT_ONCE_S, max_read=BLOCK)
    links = [LinkOptions(id=f"l{unit}", transport="tcp", host="127.0.0.1", port=port) for unit in range(1, UNITS + 1)]
    clock = SystemClock()
    wire, sink = wired(links, [Placed(f"d{unit}", f"l{unit}", unit, made) for unit in range(1, UNITS + 1)], clock, lambda rows: None)
    count = failed = 0

    def counted(device_id: str, samples: BlockSamples) -> None:
        nonlocal count, failed
        sink(device_id, samples)
        count += len(samples.values)
        failed += not samples.words

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            for bus in wire.buses.values():
                group.create_task(bus.run())
            group.create_task(Scheduler(tuple(wire.devices.values()), clock, counted).run())

    def news() -> int:
        sink.take_news()
        return count

    async with asyncio.TaskGroup() as group:
        task = group.create_task(run())
        rate = await _timed(news, seconds)
        rate = Rate(rate.points, rate.wall_s, rate.cpu_s, failed)
        task.cancel()
    return rate


async def pymodbus_reads(port: int, seconds: float) -> Rate:
    """The same blocks with pymodbus's client, its words dropped."""
    count = 0
    is_over = False
    clients = [AsyncModbusTcpClient("127.0.0.1", port=port) for _ in range(UNITS)]

    async def run(client: AsyncModbusTcpClient, unit: int) -> None:
        nonlocal count
        await client.connect()
        while not is_over:  # pymodbus swallows a cancellation
            for address in range(0, 2 * POINTS, BLOCK):
                reply = await client.read_holding_registers(address, count=BLOCK, device_id=unit)
                count += len(reply.registers) // 2
        client.close()

    async with asyncio.TaskGroup() as group:
        for unit, client in enumerate(clients, start=1):
            group.create_task(run(client, unit))
        rate = await _timed(lambda: count, seconds)
        is_over = True
    return rate


async def _timed(count: Callable[[], int], seconds: float) -> Rate:
    """What is counted in `seconds`, after everything was read a few times."""
    while count() < _WARM:  # noqa: ASYNC110 - the counters are plain numbers
        await asyncio.sleep(0.05)
    before, wall, cpu = count(), perf_counter(), process_time()
    await asyncio.sleep(seconds)
    return Rate(count() - before, perf_counter() - wall, process_time() - cpu)


if __name__ == "__main__":
    say("throughput", measure)
