"""The worker that owns one link: one exchange at a time, in order of priority, paced, and cancelled by nobody."""

import asyncio
import logging
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from gateway.clock import Clock
from gateway.errors import DeviceExceptionError, FrameError, LinkDownError, LinkTimeoutError
from gateway.link.backoff import Backoff, DialPace
from gateway.link.base import Identify, Read, Reply, Request, Transport
from gateway.link.frames.pdu import check, describe
from gateway.link.latency import Latency
from gateway.link.options import LinkOptions
from gateway.link.queue import Job, JobQueue, Priority
from gateway.link.stats import LinkStats
from gateway.model.address import UnitId
from gateway.model.quality import CRC_ERROR

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_SILENT_EXCHANGES = 3
_STOP_GRACE_S = 0.5
_HANGS_UP_S = 1.0
_TURNS = 5


class Bus:
    """One link's queue and worker. `run` is started once by the application; all else may be called by anyone."""

    def __init__(self, link_id: str, transport: Transport, options: LinkOptions, clock: Clock, *, pace: DialPace | None = None) -> None:
        self.id = link_id
        self.options = options
        self.transport = transport
        self.stats = LinkStats()
        self.latency: defaultdict[UnitId, Latency] = defaultdict(Latency)
        self.down_cause = ""
        self._clock = clock
        self._made_at = clock.monotonic()
        self._pace = pace
        self._queue = JobQueue(link_id)
        self._wake = asyncio.Event()
        self._backoff = Backoff(random.Random(link_id))  # noqa: S311 - spreads dials, protects no secret
        self._gap_s = max(options.gap_s, options.silence_s)
        self._rest_until: dict[UnitId, float] = {}
        self._last_end = float("-inf")
        self._units: set[UnitId] = set()
        self._silent: list[UnitId] = []
        self._heard = 0
        self._on_connection = 0
        self._hangs_up = False
        self._stopped = False

    @property
    def gap_s(self) -> float:
        """Silence that is kept after each reply."""
        return self._gap_s

    @property
    def load(self) -> float:
        """Share of the time since the bus was made in which it carried exchanges."""
        elapsed = self._clock.monotonic() - self._made_at
        return self.stats.busy_s / elapsed if elapsed > 0 else 0.0

    @property
    def queued(self) -> int:
        """Jobs that wait."""
        return len(self._queue)

    def widen_gap(self, gap_s: float) -> None:
        """A device on the link needs `gap_s` of silence after each reply; the longest counts for all."""
        if self.options.transport != "memory":
            self._gap_s = max(self._gap_s, gap_s)

    async def exchange(self, request: Request, *, priority: Priority = Priority.POLL, timeout_s: float | None = None) -> Reply:
        """One exchange in its turn; raises a LinkError. A cancelled caller does not cancel it."""
        check(request, self.id)
        return await self.job(lambda lane: lane.exchange(request, timeout_s=timeout_s), priority=priority, unit_id=request.unit_id)

    async def job(self, work: "Callable[[Lane], Awaitable[_T]]", *, priority: Priority, unit_id: UnitId | None = None) -> _T:
        """Run `work` while it alone holds the link; what it returns or raises comes back.

        A caller that is cancelled before the link is free leaves the queue; afterwards the work goes on without it.
        """
        if self._stopped:
            raise LinkDownError("the link was stopped", link=self.id, unit_id=unit_id)
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._queue.push(Job(work=work, future=future, priority=priority, unit_id=unit_id))
        self._wake.set()
        return cast("_T", await future)

    async def run(self) -> None:
        """Serve the queue until cancelled; a write in flight gets its moment to end, then the link is closed."""
        lane = Lane(self)
        try:
            while True:
                job = await self._next()
                if job.future.done():
                    continue
                if job.priority is Priority.WRITE:
                    await self._do_unbroken(job, lane)
                else:
                    await self._do(job, lane)
                if self.options.close_after_poll or self.options.on_demand:
                    await self._close_if_idle()
        finally:
            self._stopped = True
            for job in self._queue.drain():
                _fail(job, LinkDownError("the link was stopped", link=self.id, unit_id=job.unit_id))
            await self.transport.close()

    async def _close_if_idle(self) -> None:
        """Close, unless whoever was just answered has more to ask."""
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        if not self._queue:
            await self._close()

    async def _next(self) -> Job:
        while True:
            job = self._queue.pop(self._is_resting)
            if job is not None:
                return job
            self._wake.clear()
            await self._wake.wait()

    async def _do(self, job: Job, lane: "Lane") -> None:
        try:
            result = await job.work(lane)
        except asyncio.CancelledError:
            _fail(job, LinkDownError("the link was stopped", sent=True, link=self.id, unit_id=job.unit_id))
            raise
        except Exception as error:  # noqa: BLE001 - whatever the work raised belongs to its caller
            _fail(job, error)
        else:
            if not job.future.done():
                job.future.set_result(result)

    async def _do_unbroken(self, job: Job, lane: "Lane") -> None:
        """Run a write so that stopping the worker ends it by closing the link, which it sees as a lost link, never by cancelling it."""
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self._do(job, lane))
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError:
                self._stopped = True
                await asyncio.wait([task], timeout=_STOP_GRACE_S)
                await self.transport.close()
                await asyncio.wait([task], timeout=_STOP_GRACE_S)
                raise

    async def _exchange(self, request: Request, timeout_s: float) -> Reply:
        is_read = isinstance(request, Read | Identify)
        if not is_read and self._hangs_up and self._on_connection:
            await self._close()
        try:
            return await self._attempt(request, timeout_s)
        except LinkDownError as error:
            if error.sent and not is_read:
                raise
        except FrameError as error:
            if error.kind != CRC_ERROR or not is_read:
                raise
        return await self._attempt(request, timeout_s)

    async def _attempt(self, request: Request, timeout_s: float) -> Reply:
        await self._connect(request)
        await self._pause(request.unit_id)
        return await self._once(request, timeout_s)

    async def _connect(self, request: Request) -> None:
        if self.transport.is_open:
            return
        now = self._clock.monotonic()
        if self._on_connection:
            self._hangs_up = self._hangs_up or (self._on_connection == 1 and now - self._last_end < _HANGS_UP_S)
        self._on_connection = 0
        if self._stopped or now < self._backoff.ready_at:
            cause = self.down_cause or "the link was stopped"
            raise LinkDownError(cause, link=self.id, unit_id=request.unit_id, operation=describe(request))
        if self._pace is not None:
            await self._pace.turn()
        self.stats.dials += 1
        try:
            await self.transport.open()
        except LinkDownError as error:
            self.stats.failed_dials += 1
            self._backoff.failed(self._clock.monotonic())
            self._note_down(error.cause)
            raise
        self._silent.clear()
        await self._clock.sleep(self.options.connect_delay_s)

    async def _pause(self, unit_id: UnitId) -> None:
        rest = self._rest_until.pop(unit_id, 0.0) - self._clock.monotonic()
        if rest > 0:
            await self.transport.drain(rest)
        wait = self._last_end + self._gap_s - self._clock.monotonic()
        if wait > 0:
            await self._clock.sleep(wait)

    async def _once(self, request: Request, timeout_s: float) -> Reply:
        unit = request.unit_id
        self._units.add(unit)
        self.stats.exchanges += 1
        started = self._clock.monotonic()
        try:
            reply = await self.transport.exchange(request, timeout_s)
        except LinkTimeoutError:
            self._rest(unit, timeout_s)
            await self._note_silence(unit)
            raise
        except LinkDownError as error:
            if not self._on_connection:
                self._backoff.failed(self._clock.monotonic())
                self._note_down(error.cause)
            raise
        except DeviceExceptionError:
            self._note_alive()
            raise
        except FrameError as error:
            if error.kind != CRC_ERROR:
                self._rest(unit, timeout_s)
            self._note_alive()
            raise
        else:
            self._note_alive()
            self.latency[unit].add(self._clock.monotonic() - started)
            return reply
        finally:
            self._last_end = self._clock.monotonic()
            self.stats.busy_s += self._last_end - started

    def _is_resting(self, unit: UnitId) -> bool:
        return self._rest_until.get(unit, 0.0) > self._clock.monotonic()

    def _rest(self, unit: UnitId, timeout_s: float) -> None:
        """Where a late reply has no transaction id, leave its unit alone for the longest reply time."""
        if not self.transport.has_transaction_ids:
            self._rest_until[unit] = self._clock.monotonic() + max(timeout_s, self.options.timeout_s)

    def _note_alive(self) -> None:
        self._on_connection += 1
        if self._on_connection > 1:
            self._hangs_up = False
        self._silent.clear()
        self._backoff.reset()
        if self.down_cause:
            self.down_cause = ""
            _log.info("link %s is up again", self.id, extra={"link": self.id})

    async def _note_silence(self, unit: UnitId) -> None:
        """Close a socket on which every unit is silent, to dial anew; one silent unit among others is its own trouble.

        Replies that come too late are signs of life.
        """
        self.stats.timeouts += 1
        heard = self.transport.trace.bytes_in
        if heard != self._heard:
            self._silent.clear()
        self._heard = heard
        self._silent.append(unit)
        if not self.options.is_serial and len(self._silent) >= _SILENT_EXCHANGES and self._units.issubset(self._silent):
            _log.info("link %s is silent; it is dialled anew", self.id, extra={"link": self.id})
            await self._close()

    async def _close(self) -> None:
        self._on_connection = 0
        await self.transport.close()

    def _note_down(self, cause: str) -> None:
        if not self.down_cause:
            _log.warning("link %s is down: %s", self.id, cause, extra={"link": self.id})
        self.down_cause = cause


class Lane:
    """The link, for the one job that holds it."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus

    async def exchange(self, request: Request, *, timeout_s: float | None = None) -> Reply:
        """One exchange now; a read is repeated once after a broken check sum or a lost link, a write only if no byte of it had left."""
        return await self.bus._exchange(request, self.bus.options.timeout_s if timeout_s is None else timeout_s)  # noqa: SLF001 - one unit


def _fail(job: Job, error: Exception) -> None:
    if not job.future.done():
        job.future.set_exception(error)
