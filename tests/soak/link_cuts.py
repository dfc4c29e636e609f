"""Polling for minutes while links are cut at random: no wrong value, every link comes back, nothing is left over, memory stays flat."""

import asyncio
import ctypes
import gc
import random
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gateway.clock import SystemClock
from gateway.model.sample import BlockSamples
from gateway.poll.scheduler import Scheduler
from tests.bench.plants import Placed, point, register_map, wired
from tests.fake_device import Kind
from tests.soak.fragile_links import REGISTERS, FragileLink, open_files, words_of

LINKS: tuple[Kind, ...] = ("tcp", "tcp", "tcp", "rtu_over_tcp", "rtu_over_tcp", "pty", "pty")
PERIOD_S = 0.1
SAMPLE_S = 1.0
_PAGE_KB = resource.getpagesize() / 1024


@dataclass
class Seen:
    """What came from the wire."""

    good: int = 0
    parts: int = 0
    """Of the good ones, those of blocks that the gateway cut, as it took a mute device for one that refuses large reads."""
    failed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    fresh: set[str] = field(default_factory=set)

    def take(self, device_id: str, samples: BlockSamples) -> None:
        if not samples.words:
            self.failed[str(samples.reasons[0])] += 1
            return
        self.good += 1
        self.fresh.add(device_id)
        block = samples.block
        self.parts += block.count < REGISTERS
        expected = words_of(int(device_id[1:]))[block.address : block.address + block.count]
        if list(samples.words) != expected or list(samples.values) != expected:
            self.wrong[device_id] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """Some time of polling: good reads a second, memory at its end, how fast memory and blocks that Python holds grew in its second half,
    without those of the samples themselves.

    (Least squares; in the first half the allocator takes what it will need.)
    """

    reads_per_s: float
    rss_mb: float
    rss_slope_kb_per_min: float
    blocks_per_min: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Soaked:
    """What was found; `leaked` holds tasks and open files that are left when all has stopped."""

    calm: Phase
    cut: Phase
    seen: Seen
    cuts: Counter[str]
    dials: int
    back_s: float
    leaked: dict[str, int]


async def soak(warm_s: float, calm_s: float, cut_s: float, seed: int) -> Soaked:
    """Poll undisturbed, then with cuts, then until every device was read again (`back_s`), then stop and count what is left."""
    before = open_files()
    with tempfile.TemporaryDirectory() as folder:
        found = await _polled(Path(folder), warm_s, calm_s, cut_s, seed)
    for _ in range(10):
        await asyncio.sleep(0.01)
    gc.collect()
    leaked = {
        "tasks": len(asyncio.all_tasks()) - 1,
        **{kind: open_files()[kind] - before[kind] for kind in ("sockets", "terminals", "others")},
    }
    return Soaked(leaked=leaked, **found)  # type: ignore[arg-type]


async def _polled(folder: Path, warm_s: float, calm_s: float, cut_s: float, seed: int) -> dict[str, object]:
    clock, seen, calm = SystemClock(), Seen(), asyncio.Event()
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    links = [FragileLink(place, kind, folder, random.Random(chance.random())) for place, kind in enumerate(LINKS)]  # noqa: S311
    made = register_map([point(f"p{at}", at) for at in range(REGISTERS)], PERIOD_S)
    calm.set()
    with suppress(asyncio.CancelledError):
        async with asyncio.TaskGroup() as group:
            tasks = []
            for link in links:
                up = asyncio.Event()
                tasks.append(group.create_task(link.run(up, calm)))
                await up.wait()
            wire, sink = wired(
                [link.options for link in links], [Placed(f"d{link.place}", link.id, 1, made) for link in links], clock, lambda rows: None
            )

            def both(device_id: str, samples: BlockSamples) -> None:
                sink(device_id, samples)
                seen.take(device_id, samples)

            tasks += [group.create_task(bus.run()) for bus in wire.buses.values()]
            tasks.append(group.create_task(Scheduler(tuple(wire.devices.values()), clock, both).run()))
            await _phase(seen, clock, warm_s, sink.take_news)
            undisturbed = await _phase(seen, clock, calm_s, sink.take_news)
            calm.clear()
            cut = await _phase(seen, clock, cut_s, sink.take_news)
            calm.set()
            back_s = await _all_back(seen, clock)
            dials = sum(bus.stats.dials for bus in wire.buses.values())
            for task in tasks:
                task.cancel()
    cuts = sum((link.cuts for link in links), Counter[str]())
    return {"calm": undisturbed, "cut": cut, "seen": seen, "cuts": cuts, "dials": dials, "back_s": back_s}


async def _phase(seen: Seen, clock: SystemClock, seconds: float, take_news: Callable[[], object]) -> Phase:
    good, began = seen.good, clock.monotonic()
    memory: list[tuple[float, float]] = []
    blocks: list[tuple[float, float]] = []
    own = 0
    while clock.monotonic() - began < seconds:
        await clock.sleep(min(SAMPLE_S, seconds))
        take_news()
        now = clock.monotonic() - began
        if now > seconds / 2:
            before = sys.getallocatedblocks()
            memory.append((now, _held_kb()))
            blocks.append((now, before - own))
            own += sys.getallocatedblocks() - before
    took = clock.monotonic() - began
    return Phase(
        reads_per_s=(seen.good - good) / took,
        rss_mb=_held_kb() / 1024,
        rss_slope_kb_per_min=60 * _slope(memory),
        blocks_per_min=60 * _slope(blocks),
    )


async def _all_back(seen: Seen, clock: SystemClock) -> float:
    """Seconds until every device was read again; a link that does not come back within a minute ends the soak with TimeoutError."""
    seen.fresh.clear()
    began = clock.monotonic()
    async with asyncio.timeout(60):
        while len(seen.fresh) < len(LINKS):
            await clock.sleep(0.05)
    return clock.monotonic() - began


def _held_kb() -> float:
    """Resident memory, once the C library has given back the pages that it only keeps for later (glibc; elsewhere they count)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE_KB


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line of least squares through `points`, per second."""
    count = len(points)
    if count < 2:
        return 0.0
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) * (x - mean_x) for x, _ in points)
