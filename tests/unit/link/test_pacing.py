"""Back-off, dial pace, queue order, latency buckets."""

import asyncio
import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.clock import ManualClock, settle
from gateway.errors import LinkBusyError
from gateway.link.backoff import Backoff, DialPace
from gateway.link.bus import Lane
from gateway.link.latency import BOUNDS_MS, Latency
from gateway.link.queue import LONGEST, Job, JobQueue, Priority
from gateway.model.address import UnitId


@given(st.integers(0, 2**32))
def test_backoff_doubles_with_jitter_up_to_its_cap(seed: int) -> None:
    backoff = Backoff(random.Random(seed), first_s=0.5, cap_s=10)  # noqa: S311 - spreads delays
    delays = []
    for _ in range(8):
        backoff.failed(100.0)
        delays.append(backoff.ready_at - 100)
    longest = [0.5, 1, 2, 4, 8, 10, 10, 10]
    assert all(top / 2 <= delay <= top for delay, top in zip(delays, longest, strict=True))
    backoff.reset()
    assert backoff.ready_at == 0
    backoff.failed(0)
    assert backoff.ready_at <= 0.5


async def test_s11_no_more_than_five_dials_in_a_tenth_of_a_second() -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    pace, dialled = DialPace(clock), []

    async def dial() -> None:
        await pace.turn()
        dialled.append(clock.monotonic())

    async with asyncio.TaskGroup() as group:
        for _ in range(50):
            group.create_task(dial())
        await settle()
        await clock.advance(5)
    assert len(dialled) == 50
    assert all(later - first > 0.0999 for first, later in zip(dialled, dialled[5:], strict=False))


async def nothing(lane: Lane) -> None:
    return None


def job(priority: Priority, unit: int = 1) -> Job:
    future = asyncio.get_running_loop().create_future()
    return Job(work=nothing, future=future, priority=priority, unit_id=UnitId(unit))


async def test_queue_gives_writes_first_and_each_in_its_order() -> None:
    queue = JobQueue("l")
    jobs = [job(priority) for priority in (Priority.POLL, Priority.READ, Priority.WRITE, Priority.POLL, Priority.WRITE)]
    for one in jobs:
        queue.push(one)
    order = [queue.pop(lambda unit: False) for _ in jobs]
    assert order == [jobs[2], jobs[4], jobs[1], jobs[0], jobs[3]]
    assert queue.pop(lambda unit: False) is None


async def test_resting_unit_lets_others_go_first() -> None:
    queue = JobQueue("l")
    resting, other = job(Priority.READ, 2), job(Priority.POLL, 1)
    queue.push(resting)
    queue.push(other)
    assert queue.pop(lambda unit: unit == 2) is other
    assert queue.pop(lambda unit: unit == 2) is resting


async def test_full_queue_refuses_polls_and_takes_writes() -> None:
    queue = JobQueue("l")
    for _ in range(LONGEST):
        queue.push(job(Priority.POLL))
    with pytest.raises(LinkBusyError, match="poll slower"):
        queue.push(job(Priority.READ))
    queue.push(job(Priority.WRITE))
    assert len(queue) == LONGEST + 1
    assert len(queue.drain()) == LONGEST + 1
    assert len(queue) == 0


@pytest.mark.parametrize(("seconds", "bucket"), [(0.0, 0), (0.001, 0), (0.0011, 1), (0.09, 6), (5.0, 11), (9.0, 12)])
def test_latency_falls_into_its_bucket(seconds: float, bucket: int) -> None:
    latency = Latency()
    latency.add(seconds)
    assert latency.counts[bucket] == 1
    assert (latency.total, latency.longest_s, latency.mean_s) == (1, seconds, seconds)
    assert len(latency.counts) == len(BOUNDS_MS) + 1
