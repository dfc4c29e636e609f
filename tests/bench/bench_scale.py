"""Many devices in one process: `python -m tests.bench.bench_scale [DEVICES] [SECONDS]`.

1,000 devices on 1,000 connections, 100 points each, polled once a second through the parts of the running gateway, against a
server in C. Printed: the process's CPU share and memory, how long it takes until everything was read once, and how late polls
are: how much later than in its device's best round each value came.
"""

import asyncio
import resource
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import perf_counter, process_time

import uvloop

from gateway.clock import SystemClock
from gateway.link.options import LinkOptions
from gateway.model.point import AlarmRule, Deadband
from gateway.model.sample import BlockSamples
from gateway.poll.scheduler import Scheduler
from tests.bench.native import build, lack, started
from tests.bench.plants import Placed, point, register_map, wired

POINTS = 100
PERIOD_S = 1.0


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


def main(devices: int = 1000, seconds: float = 20.0) -> dict[str, Load]:
    """Print one line per event loop."""
    reason = lack()
    if reason:
        sys.stdout.write(f"scale: left out, {reason}\n")
        return {}
    _allow_files(devices + 100)
    found: dict[str, Load] = {}
    with tempfile.TemporaryDirectory() as folder, started(build("epoll_server.c", Path(folder)), []) as port:
        makers: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"uvloop": uvloop.new_event_loop}
        for name, make in makers.items():
            with asyncio.Runner(loop_factory=make) as runner:
                found[name] = load = runner.run(measure(int(port), devices, seconds))
            sys.stdout.write(
                f"scale on {name}: {devices} devices x {POINTS} points each {PERIOD_S:.0f} s: {load.polls_per_s:.0f} polls/s, "
                f"{load.failed} failed, CPU {load.cpu_share:.0%} of a core, {load.memory_mb:.0f} MB, "
                f"late p50 {1000 * load.p50_s:.0f} ms p99 {1000 * load.p99_s:.0f} ms; "
                f"built in {load.build_s:.1f} s, all read once after {load.first_s:.1f} s\n"
            )
    return found


async def measure(port: int, devices: int, seconds: float) -> Load:
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
    main(*map(int, sys.argv[1:]))
