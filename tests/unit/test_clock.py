"""The manual clock."""

import asyncio
from datetime import UTC, datetime, timedelta

from gateway.clock import ManualClock, SystemClock, settle

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)


async def test_sleepers_wake_in_order_at_their_own_time() -> None:
    clock = ManualClock(T0)
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        group.create_task(sleeper("late", 3.0))
        group.create_task(sleeper("early", 1.0))
        await settle()
        await clock.advance(2.0)
        assert woken == [("early", 1.0)]
        await clock.advance(2.0)
    assert woken == [("early", 1.0), ("late", 3.0)]
    assert clock.utc() == T0 + timedelta(seconds=4)


async def test_wall_clock_jumps_apart_from_monotonic_time() -> None:
    clock = ManualClock(T0)
    clock.jump(-3600)
    assert (clock.utc(), clock.monotonic()) == (T0 - timedelta(hours=1), 0.0)


async def test_system_clock_is_aware_and_monotonic() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(0)
    assert clock.monotonic() >= before
    assert clock.utc().tzinfo is UTC
