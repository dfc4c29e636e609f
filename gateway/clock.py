"""Time as a thing that is handed in: the system's clock, or one a test moves by hand."""

import asyncio
import heapq
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Wall time for people, monotonic time for deadlines."""

    def utc(self) -> datetime:
        """Now, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never jump."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds` of monotonic time."""
        ...


class SystemClock:
    """The machine's clock."""

    def utc(self) -> datetime:
        """Now, aware, in UTC."""
        return datetime.fromtimestamp(time.time(), UTC)

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep on the running loop."""
        await asyncio.sleep(seconds)


class ManualClock:
    """A clock that stands still until `advance`; wall and monotonic time can be moved apart."""

    def __init__(self, start: datetime) -> None:
        self._utc = start.astimezone(UTC)
        self._mono = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._serial = 0

    def utc(self) -> datetime:
        """The wall time set so far."""
        return self._utc

    def monotonic(self) -> float:
        """Seconds advanced so far."""
        return self._mono

    async def sleep(self, seconds: float) -> None:
        """Return when `advance` has moved past `seconds` from now."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        self._serial += 1
        heapq.heappush(self._sleepers, (self._mono + seconds, self._serial, woken))
        await woken

    def jump(self, seconds: float) -> None:
        """Move the wall clock alone, as an NTP step or a daylight change does."""
        self._utc += timedelta(seconds=seconds)

    async def advance(self, seconds: float) -> None:
        """Move both clocks on, waking sleepers in order and letting them run."""
        target = self._mono + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, woken = heapq.heappop(self._sleepers)
            self._utc += timedelta(seconds=max(0.0, due - self._mono))
            self._mono = max(self._mono, due)
            if not woken.done():
                woken.set_result(None)
            await settle()
        self._utc += timedelta(seconds=target - self._mono)
        self._mono = target
        await settle()


async def settle(rounds: int = 20) -> None:
    """Let ready tasks run: `rounds` turns of the event loop."""
    for _ in range(rounds):
        await asyncio.sleep(0)
