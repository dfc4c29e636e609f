"""What waits for a link: writes before reads of people before polls, each in the order of arrival."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from gateway.errors import LinkBusyError
from gateway.model.address import UnitId

if TYPE_CHECKING:
    from gateway.link.bus import Lane

LONGEST = 1000


class Priority(IntEnum):
    """Who goes first."""

    WRITE = 0
    READ = 1
    POLL = 2


@dataclass(slots=True, kw_only=True)
class Job:
    """Work that holds the link, and the caller's future."""

    work: "Callable[[Lane], Awaitable[object]]"
    future: asyncio.Future[object]
    priority: Priority
    unit_id: UnitId | None


class JobQueue:
    """Bounded: when `LONGEST` jobs wait, reads and polls are refused with LinkBusyError; writes always find room."""

    def __init__(self, link: str) -> None:
        self._link = link
        self._lanes: tuple[deque[Job], ...] = tuple(deque() for _ in Priority)

    def __len__(self) -> int:
        return sum(len(lane) for lane in self._lanes)

    def push(self, job: Job) -> None:
        """Add a job behind those of its priority."""
        if job.priority is not Priority.WRITE and len(self) >= LONGEST:
            raise LinkBusyError(f"{LONGEST} jobs wait already", link=self._link, unit_id=job.unit_id, fix="poll slower or split the line")
        self._lanes[job.priority].append(job)

    def pop(self, is_resting: Callable[[UnitId], bool]) -> Job | None:
        """The next job; one whose unit is resting only if there is no other."""
        for lane in self._lanes:
            for place, job in enumerate(lane):
                if job.unit_id is None or not is_resting(job.unit_id):
                    del lane[place]
                    return job
        return next((lane.popleft() for lane in self._lanes if lane), None)

    def drain(self) -> list[Job]:
        """All jobs, removed."""
        jobs = [job for lane in self._lanes for job in lane]
        for lane in self._lanes:
            lane.clear()
        return jobs
