"""One worker per link: order, pacing, re-dialling, retries of reads, and what cancelling does not do."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import pytest

from gateway.clock import ManualClock, settle
from gateway.errors import DeviceBusyError, FrameError, IllegalAddressError, LinkDownError, LinkError, LinkTimeoutError, RequestRefusedError
from gateway.link.backoff import DialPace
from gateway.link.base import Read, Reply, Request, WriteRegisters
from gateway.link.bus import Bus, Lane
from gateway.link.options import LinkOptions
from gateway.link.queue import Priority
from gateway.link.status import link_status
from gateway.link.trace import Trace
from gateway.model.address import PduAddress, Table, UnitId


class Wire:
    """A transport whose exchanges take `takes_s` of the manual clock and end as `ends` say, then with zeros."""

    def __init__(self, clock: ManualClock, *, takes_s: float = 0.0, tids: bool = True) -> None:
        self.trace = Trace()
        self.clock = clock
        self.takes_s = takes_s
        self.has_transaction_ids = tids
        self.is_open = False
        self.refuses = 0
        self.ends: list[LinkError] = []
        self.sent: list[tuple[float, Request]] = []
        self.opened: list[float] = []
        self.closed = 0
        self.drained: list[float] = []
        self.silent_units: set[int] = set()

    async def open(self) -> None:
        self.opened.append(self.clock.monotonic())
        if self.refuses:
            self.refuses -= 1
            raise LinkDownError("refused")
        self.is_open = True

    async def close(self) -> None:
        self.closed += self.is_open
        self.is_open = False

    async def exchange(self, request: Request, timeout_s: float) -> Reply:
        self.sent.append((self.clock.monotonic(), request))
        if request.unit_id in self.silent_units:
            await self.clock.sleep(timeout_s)
            raise LinkTimeoutError("silent", unit_id=request.unit_id)
        await self.clock.sleep(self.takes_s)
        if self.ends:
            error = self.ends.pop(0)
            if isinstance(error, LinkDownError):
                self.is_open = False
            raise error
        count = request.count if isinstance(request, Read) else 0
        return Reply(words=(0,) * count, read_at=self.clock.utc(), read_mono=self.clock.monotonic())

    async def drain(self, quiet_s: float) -> int:
        self.drained.append(quiet_s)
        await self.clock.sleep(quiet_s)
        return 0


class Bench:
    def __init__(self, clock: ManualClock, wire: Wire, bus: Bus, tasks: asyncio.TaskGroup) -> None:
        self.clock, self.wire, self.bus, self.tasks = clock, wire, bus, tasks
        self.worker = tasks.create_task(bus.run())

    def ask(self, unit: int = 1, priority: Priority = Priority.POLL, address: int = 0) -> asyncio.Task[str]:
        """A read in a task of its own; its result is how it ended: `ok` or the error's code."""
        return self.tasks.create_task(caught(lambda: self.bus.exchange(read(unit, address), priority=priority)))

    async def outcomes(self, *asked: asyncio.Task[str]) -> list[str]:
        return list(await asyncio.gather(*asked))


async def caught(work: Callable[[], Coroutine[None, None, Reply]]) -> str:
    """`ok` or the code of the error that awaiting `work()` raises."""
    try:
        await work()
    except LinkError as error:
        return error.code
    return "ok"


def read(unit: int = 1, address: int = 0) -> Read:
    return Read(unit_id=UnitId(unit), table=Table.HOLDING, address=PduAddress(address), count=1)


WRITE = WriteRegisters(unit_id=UnitId(1), address=PduAddress(0), words=(1,), single=True)


@asynccontextmanager
async def bench(*, takes_s: float = 0.0, tids: bool = True, pace: bool = False, **options: object) -> AsyncIterator[Bench]:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    link = LinkOptions(**{"id": "l", "transport": "tcp", **options})  # type: ignore[arg-type]
    wire = Wire(clock, takes_s=takes_s, tids=tids)
    async with asyncio.TaskGroup() as tasks:
        bus = Bus("l", wire, link, clock, pace=DialPace(clock) if pace else None)
        made = Bench(clock, wire, bus, tasks)
        await settle()
        yield made
        made.worker.cancel()
        await settle()


async def test_s14_write_is_the_next_frame_behind_200_polls() -> None:
    async with bench(takes_s=0.01) as b:
        polls = [b.ask(address=at) for at in range(200)]
        await settle()
        await b.clock.advance(0.025)
        write = b.tasks.create_task(b.bus.exchange(WRITE, priority=Priority.WRITE))
        await settle()
        asked_at = b.clock.monotonic()
        await b.clock.advance(5)
        await write
        at = next(at for at, request in b.wire.sent if request is WRITE)
        assert at - asked_at <= 0.01
        assert len(await asyncio.gather(*polls)) == 200


async def test_s13_pause_is_counted_from_the_end_of_the_reply_across_units() -> None:
    async with bench(takes_s=0.02, gap_s=0.05) as b:
        asked = [b.ask(unit) for unit in (1, 2, 1)]
        await settle()
        await b.clock.advance(1)
        assert await b.outcomes(*asked) == ["ok"] * 3
        assert [round(at, 6) for at, _ in b.wire.sent] == [0.0, 0.07, 0.14]


async def test_device_that_needs_more_rest_widens_the_pause_of_its_link() -> None:
    async with bench(gap_s=0.05) as b:
        b.bus.widen_gap(0.2)
        b.bus.widen_gap(0.1)
        asked = [b.ask(), b.ask()]
        await settle()
        await b.clock.advance(1)
        assert await b.outcomes(*asked) == ["ok"] * 2
        assert [at for at, _ in b.wire.sent] == [0.0, 0.2]


SILENCE = {"9600-8N1": (9600, "none", 3.5 * 10 / 9600), "1200-8E1": (1200, "even", 3.5 * 11 / 1200), "115200": (115200, "none", 0.00175)}


@pytest.mark.parametrize(("baud", "parity", "gap"), SILENCE.values(), ids=SILENCE.keys())
async def test_serial_line_has_its_silence_between_frames(baud: int, parity: str, gap: float) -> None:
    async with bench(transport="rtu", baud=baud, parity=parity, tids=False) as b:
        asked = [b.ask(), b.ask()]
        await settle()
        await b.clock.advance(1)
        assert await b.outcomes(*asked) == ["ok"] * 2
        assert [at for at, _ in b.wire.sent] == pytest.approx([0.0, gap])


async def test_s12_first_request_waits_for_the_connect_delay() -> None:
    async with bench(connect_delay_s=2.0) as b:
        asked = b.ask()
        await settle()
        await b.clock.advance(3)
        assert await b.outcomes(asked) == ["ok"]
        assert [at for at, _ in b.wire.sent] == [2.0]
        assert (b.bus.stats.failed_dials, b.bus.stats.timeouts) == (0, 0)


async def test_s07_closed_link_is_dialled_again_before_the_next_request() -> None:
    async with bench() as b:
        for _ in range(3):
            assert await b.outcomes(b.ask()) == ["ok"]
            b.wire.is_open = False
        assert len(b.wire.opened) == 3
        assert b.bus.down_cause == ""


RETRIES: dict[str, tuple[Request, LinkError, str, int]] = {
    "F15-read-crc": (read(), FrameError("x", kind="crc_error"), "ok", 2),
    "read-link-lost": (read(), LinkDownError("x", sent=True), "ok", 2),
    "W17-write-nothing-sent": (WRITE, LinkDownError("x", sent=False), "ok", 2),
    "W16-write-link-lost": (WRITE, LinkDownError("x", sent=True), "LINK_DOWN", 1),
    "W16-write-silent": (WRITE, LinkTimeoutError("x"), "TIMEOUT", 1),
    "write-crc": (WRITE, FrameError("x", kind="crc_error"), "FRAME", 1),
    "read-silent": (read(), LinkTimeoutError("x"), "TIMEOUT", 1),
    "read-wrong-length": (read(), FrameError("x", kind="length_mismatch"), "FRAME", 1),
    "read-exception": (read(), IllegalAddressError(2), "DEVICE", 1),
    "read-busy": (read(), DeviceBusyError(6), "DEVICE", 1),
}


@pytest.mark.parametrize(("request_", "error", "end", "frames"), RETRIES.values(), ids=RETRIES.keys())
async def test_only_what_is_safe_is_sent_again(request_: Request, error: LinkError, end: str, frames: int) -> None:
    async with bench() as b:
        assert await b.outcomes(b.ask()) == ["ok"]
        b.wire.ends.append(error)
        assert await caught(lambda: b.bus.exchange(request_, priority=Priority.WRITE)) == end
        assert len(b.wire.sent) - 1 == frames


async def test_read_is_repeated_only_once() -> None:
    async with bench() as b:
        b.wire.ends += [FrameError("x", kind="crc_error"), FrameError("x", kind="crc_error")]
        assert await b.outcomes(b.ask()) == ["FRAME"]
        assert len(b.wire.sent) == 2


async def test_exception_never_resets_the_link() -> None:
    async with bench() as b:
        for code in (1, 2, 3, 4, 5, 6, 10, 11) * 3:
            b.wire.ends.append(IllegalAddressError(code))
            assert await b.outcomes(b.ask()) == ["DEVICE"]
        assert (len(b.wire.opened), b.wire.closed) == (1, 0)


async def test_dead_link_is_dialled_with_backoff_and_fails_fast_between() -> None:
    async with bench() as b:
        b.wire.refuses = 10**6
        for _ in range(120):
            assert await b.outcomes(b.ask()) == ["LINK_DOWN"]
            await b.clock.advance(0.5)
        gaps = [later - first for first, later in zip(b.wire.opened, b.wire.opened[1:], strict=False)]
        assert 8 <= len(b.wire.opened) <= 16
        assert max(gaps) <= 10.5
        assert b.bus.stats.failed_dials == len(b.wire.opened)
        b.wire.refuses = 0
        await b.clock.advance(10)
        assert await b.outcomes(b.ask()) == ["ok"]
        assert b.bus.down_cause == ""


async def test_link_that_breaks_on_every_request_backs_off() -> None:
    async with bench() as b:
        b.wire.ends = [LinkDownError("reset", sent=True) for _ in range(1000)]
        for _ in range(100):
            assert await b.outcomes(b.ask()) == ["LINK_DOWN"]
            await b.clock.advance(0.1)
        assert len(b.wire.opened) < 12


async def test_s09_black_hole_is_closed_after_some_silence_and_recovers() -> None:
    async with bench() as b:
        b.wire.silent_units = {1, 2}
        for unit in (1, 2, 1):
            asked = b.ask(unit)
            await settle()
            await b.clock.advance(1)
            assert await b.outcomes(asked) == ["TIMEOUT"]
        assert b.wire.closed == 1
        b.wire.silent_units = set()
        await b.clock.advance(10)
        assert await b.outcomes(b.ask(1), b.ask(2)) == ["ok", "ok"]


async def test_s01_one_silent_unit_does_not_close_the_socket() -> None:
    async with bench() as b:
        b.wire.silent_units = {2}
        assert await b.outcomes(b.ask(1)) == ["ok"]
        for _ in range(10):
            asked = b.ask(2)
            await settle()
            await b.clock.advance(1)
            assert await b.outcomes(asked) == ["TIMEOUT"]
        assert b.wire.closed == 0


async def test_serial_port_stays_open_whatever_is_silent() -> None:
    async with bench(transport="rtu", tids=False) as b:
        b.wire.silent_units = {1}
        for _ in range(6):
            asked = b.ask(1)
            await settle()
            await b.clock.advance(3)
            assert await b.outcomes(asked) == ["TIMEOUT"]
        assert b.wire.closed == 0


async def test_silent_unit_rests_without_ids_and_others_go_on() -> None:
    async with bench(tids=False, timeout_s=1.0, transport="rtu_over_tcp") as b:
        b.wire.silent_units = {2}
        first = b.ask(2)
        await settle()
        again, other = b.ask(2), b.ask(1)
        await settle()
        await b.clock.advance(1)
        assert await b.outcomes(first, other) == ["TIMEOUT", "ok"]
        b.wire.silent_units = set()
        await b.clock.advance(5)
        assert await b.outcomes(again) == ["ok"]
        assert [request.unit_id for _, request in b.wire.sent] == [2, 1, 2]
        assert b.wire.drained == [1.0]


async def test_transaction_ids_need_no_rest() -> None:
    async with bench() as b:
        b.wire.silent_units = {2}
        first, again = b.ask(2), b.ask(2)
        await settle()
        await b.clock.advance(2)
        assert await b.outcomes(first, again) == ["TIMEOUT", "TIMEOUT"]
        assert b.wire.drained == []


async def test_cancelled_caller_does_not_cancel_the_exchange() -> None:
    async with bench(takes_s=1.0) as b:
        asked = b.ask(address=7)
        await settle()
        asked.cancel()
        following = b.ask(address=8)
        await settle()
        await b.clock.advance(3)
        assert await b.outcomes(following) == ["ok"]
        assert [request.address for _, request in b.wire.sent if isinstance(request, Read)] == [7, 8]


async def test_caller_cancelled_in_the_queue_is_never_sent() -> None:
    async with bench(takes_s=1.0) as b:
        first, second = b.ask(address=1), b.ask(address=2)
        await settle()
        second.cancel()
        await b.clock.advance(3)
        assert await b.outcomes(first) == ["ok"]
        assert len(b.wire.sent) == 1


async def test_job_holds_the_link_for_several_exchanges() -> None:
    async with bench(takes_s=0.1) as b:

        async def work(lane: Lane) -> Sequence[int]:
            return [len((await lane.exchange(read(address=at))).words) for at in (1, 2)]

        poll = b.ask(address=9)
        done = b.tasks.create_task(b.bus.job(work, priority=Priority.WRITE))
        await settle()
        await b.clock.advance(1)
        assert await done == [1, 1]
        assert await b.outcomes(poll) == ["ok"]
        assert [request.address for _, request in b.wire.sent if isinstance(request, Read)] in ([1, 2, 9], [9, 1, 2])


async def test_what_the_work_raises_comes_back_and_the_worker_goes_on() -> None:
    async with bench() as b:

        async def work(lane: Lane) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await b.bus.job(work, priority=Priority.WRITE)
        assert await b.outcomes(b.ask()) == ["ok"]


async def test_forbidden_request_never_enters_the_queue() -> None:
    async with bench() as b:
        with pytest.raises(RequestRefusedError):
            await b.bus.exchange(read(unit=0))
        assert b.wire.opened == []


@pytest.mark.parametrize("option", ["close_after_poll", "on_demand"])
async def test_link_is_closed_when_nothing_waits(option: str) -> None:
    async with bench(**{option: True}) as b:
        assert await b.outcomes(b.ask(), b.ask()) == ["ok", "ok"]
        await settle()
        assert not b.wire.is_open
        assert len(b.wire.opened) == 1


async def test_link_is_not_closed_between_the_reads_of_one_poll() -> None:
    async with bench(close_after_poll=True) as b:

        async def poll() -> str:
            return "".join([await caught(lambda at=at: b.bus.exchange(read(address=at))) for at in range(5)])  # type: ignore[misc]

        assert await b.tasks.create_task(poll()) == "ok" * 5
        await settle()
        assert (len(b.wire.opened), b.wire.closed) == (1, 1)


async def test_write_on_a_link_that_hangs_up_after_each_reply_gets_a_new_connection() -> None:
    async with bench() as b:
        for _ in range(2):
            assert await b.outcomes(b.ask()) == ["ok"]
            b.wire.is_open = False
        assert await b.outcomes(b.ask()) == ["ok"]
        opened = len(b.wire.opened)
        assert await caught(lambda: b.bus.exchange(WRITE, priority=Priority.WRITE)) == "ok"
        assert len(b.wire.opened) == opened + 1


async def test_link_that_hung_up_once_is_trusted_again_when_it_stays() -> None:
    async with bench() as b:
        assert await b.outcomes(b.ask()) == ["ok"]
        b.wire.is_open = False
        assert await b.outcomes(b.ask(), b.ask()) == ["ok"] * 2
        opened = len(b.wire.opened)
        assert await caught(lambda: b.bus.exchange(WRITE, priority=Priority.WRITE)) == "ok"
        assert len(b.wire.opened) == opened


async def test_s17_stop_fails_what_waits_and_closes_the_link() -> None:
    async with bench(takes_s=1000) as b:
        asked = [b.ask() for _ in range(3)]
        await settle()
        b.worker.cancel()
        with suppress(asyncio.CancelledError):
            await b.worker
        assert await b.outcomes(*asked) == ["LINK_DOWN"] * 3
        assert not b.wire.is_open
        assert await caught(lambda: b.bus.exchange(read())) == "LINK_DOWN"


async def test_dials_keep_the_common_pace() -> None:
    async with bench(pace=True, close_after_poll=True) as b:
        for _ in range(4):
            asked = b.ask()
            await settle()
            await b.clock.advance(0.02)
            assert await b.outcomes(asked) == ["ok"]
            await settle()
        assert b.wire.opened == [0.0, 0.02, 0.04, 0.06]


async def test_counters_tell_time_and_dials() -> None:
    async with bench(takes_s=0.25) as b:
        asked = [b.ask(3), b.ask(3)]
        await settle()
        assert b.bus.queued == 1
        await b.clock.advance(1)
        assert await b.outcomes(*asked) == ["ok", "ok"]
        assert (b.bus.stats.exchanges, b.bus.stats.dials, b.bus.stats.busy_s) == (2, 1, 0.5)
        assert b.bus.latency[UnitId(3)].mean_s == 0.25
        status = link_status(b.bus)
        assert (status.state, status.load, status.queued, status.exchanges, status.place) == ("open", 0.5, 0, 2, ":502")


async def test_status_tells_a_link_that_is_down_and_why() -> None:
    async with bench() as b:
        assert (link_status(b.bus).state, link_status(b.bus).load) == ("closed", 0.0)
        b.wire.refuses = 1
        assert await b.outcomes(b.ask()) == ["LINK_DOWN"]
        status = link_status(b.bus)
        assert (status.state, status.cause, status.failed_dials) == ("down", "refused", 1)
