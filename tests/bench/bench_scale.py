"""Many devices in one process.

1,000 devices on 1,000 connections, 100 points each, polled once a second through the parts of the running gateway, against a
server in C. Measured: the process's CPU share and memory, how long it takes until everything was read once, and how late polls
are: how much later than in its device's best round each value came. Beside it, pymodbus's client reads the same blocks from as many
connections once a second and drops them.
"""

import asyncio
import resource
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import perf_counter, process_time

import uvloop
from pymodbus.client import AsyncModbusTcpClient

from gateway.clock import SystemClock
from gateway.link.options import LinkOptions
from gateway.model.point import AlarmRule, Deadband
from gateway.model.sample import BlockSamples
from gateway.poll.scheduler import Scheduler
from tests.bench.native import build, lack, started
from tests.bench.plants import Placed, point, register_map, wired
from tests.bench.report import LeftOutError, Result, Run, say

DEVICES, POINTS = 1000, 100
PERIOD_S = 1.0
AIM_CPU, AIM_MB, AIM_LATE_S = 0.5, 400, 0.1


@dataclass(frozen=True, slots=True)
class Load:
    """What polling took."""

    build_s: float
    first_s: float
    cpu_share: float
    memory_mb: float
    polls_per_s: float
    failed: int
    p50_s: float
    p99_s: float


def measure(run: Run) -> Result:
    """As the gateway runs, on uvloop; the short form has too few devices to say whether the aim is met."""
    devices, seconds = (DEVICES, 20.0) if run.full else (100, 5.0)
    reason = lack()
    if reason:
        raise LeftOutError(reason)
    _allow_files(devices + 100)
    with tempfile.TemporaryDirectory() as folder, started(build("epoll_server.c", Path(folder)), []) as port:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            load = runner.run(poll(int(port), devices, seconds))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            bare = runner.run(pymodbus_reads(int(port), devices, seconds))
    return Result(
        figures={
            "devices": devices,
            "points": devices * POINTS,
            "polls_per_s": load.polls_per_s,
            "failed": load.failed,
            "cpu_share": load.cpu_share,
            "memory_mb": load.memory_mb,
            "late_p50_ms": 1000 * load.p50_s,
            "late_p99_ms": 1000 * load.p99_s,
            "built_s": load.build_s,
            "all_read_once_s": load.first_s,
            "aim": {"cpu_share": AIM_CPU, "memory_mb": AIM_MB, "late_p99_ms": 1000 * AIM_LATE_S},
        },
        baseline={"client": "pymodbus, its words dropped", "cpu_share": bare},
        meets_aim=None if devices < DEVICES else load.cpu_share <= AIM_CPU and load.memory_mb <= AIM_MB and load.p99_s <= AIM_LATE_S,
        is_right=load.failed == 0 and load.polls_per_s > 0,
    )


async def pymodbus_reads(port: int, devices: int, seconds: float) -> float:
    """The CPU share of the same reads alone, spread over the second."""
    clients = [AsyncModbusTcpClient("127.0.0.1", port=port) for _ in range(devices)]
    for client in clients:
        await client.connect()
    loop, over = asyncio.get_running_loop(), perf_counter() + seconds

    async def run(place: int, client: AsyncModbusTcpClient) -> None:
        at = loop.time() + place / devices * PERIOD_S
        while perf_counter() < over:
            await asyncio.sleep(max(0.0, at - loop.time()))
            await client.read_holding_registers(0, count=POINTS, device_id=1)
            at += PERIOD_S

    cpu, began = process_time(), perf_counter()
    async with asyncio.TaskGroup() as group:
        for place, client in enumerate(clients):
            group.create_task(run(place, client))
    cpu, took = process_time() - cpu, perf_counter() - began
    for client in clients:
        client.close()
    return cpu / took


async def poll(port: int, devices: int, seconds: float) -> Load:
    """Poll `devices` devices for `seconds`, after everything was read once."""
    began = perf_counter()
    rule, band = AlarmRule(hi=Decimal(60000)), Deadband(amount=Decimal(1000))
    made = register_map([point(f"p{i}", i, deadband=band, alarm=rule if i % 20 == 0 else None) for i in range(POINTS)], PERIOD_S)
    names = [f"d{number}" for number in range(devices)]
    links = [LinkOptions(id=name, transport="tcp", host="127.0.0.1", port=port) for name in names]
    clock = SystemClock()
    wire, sink = wired(links, [Placed(name, name, 1, made) for name in names], clock, lambda rows: None)
    build_s = perf_counter() - began
    unread, failed = set(names), 0
    moments: dict[str, list[float]] = {name: [] for name in names}
    is_counted, all_read = False, asyncio.Event()

    def counted(device_id: str, samples: BlockSamples) -> None:
        nonlocal failed
        sink(device_id, samples)
        unread.discard(device_id)
        if not unread:
            all_read.set()
        if is_counted:
            failed += not samples.words
            moments[device_id].append(clock.monotonic())

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(bus.run()) for bus in wire.buses.values()]
        scheduler = Scheduler(tuple(wire.devices.values()), clock, counted)
        began = perf_counter()
        tasks.append(group.create_task(scheduler.run()))
        async with asyncio.timeout(120 + devices):
            await all_read.wait()
        first_s = perf_counter() - began
        await clock.sleep(2 * PERIOD_S)
        is_counted = True
        cpu, began = process_time(), perf_counter()
        for _ in range(int(seconds)):
            await clock.sleep(1.0)
            sink.take_news()
        cpu, took = process_time() - cpu, perf_counter() - began
        is_counted = False
        memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        for task in tasks:
            task.cancel()
    late = sorted(lateness for each in moments.values() for lateness in _late(each))
    polls = sum(map(len, moments.values()))
    return Load(
        build_s=build_s,
        first_s=first_s,
        cpu_share=cpu / took,
        memory_mb=memory_mb,
        polls_per_s=polls / took,
        failed=failed,
        p50_s=late[len(late) // 2],
        p99_s=late[int(0.99 * len(late))],
    )


def _late(moments: list[float]) -> list[float]:
    """How much later than in its best round each of a device's values came, on its grid of one period."""
    offsets = [moment - moments[0] - PERIOD_S * round((moment - moments[0]) / PERIOD_S) for moment in moments]
    return [offset - min(offsets) for offset in offsets]


def _allow_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(count, hard)), hard))


if __name__ == "__main__":
    say("scale", measure)
