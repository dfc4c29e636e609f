"""Polling in time: grid, overruns, silent units, groups read once, clocks that jump (CASES section 5)."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import pytest

from gateway.clock import ManualClock, settle
from gateway.errors import LinkDownError, LinkError, LinkTimeoutError
from gateway.link.backoff import DialPace
from gateway.link.base import Read, Reply, Request
from gateway.link.bus import Bus
from gateway.link.frames.pdu import reply_length
from gateway.link.frames.rtu import RtuFramer
from gateway.link.options import LinkOptions
from gateway.model.address import Table, UnitId
from gateway.model.point import DataType, Point
from gateway.model.sample import BlockSamples, Tag
from gateway.poll.device import Device
from gateway.poll.latest import Latest, stale_after_of
from gateway.poll.load import serial_loads
from gateway.poll.poller import RELEARN_S
from gateway.poll.sampling import tag_of
from gateway.poll.scheduler import Scheduler
from tests.polled import Bench, Server, TimedTransport, bench, exception, point, register_map

Refusal = Callable[[Request], LinkError | None]
MADE = register_map([point("value", 0)])


class Polled:
    """A running scheduler and all it gave, by device."""

    def __init__(self, b: Bench, devices: list[Device]) -> None:
        self.got: dict[str, list[BlockSamples]] = {device.id: [] for device in devices}
        self.latest = Latest(b.clock)
        for device in devices:
            self.latest.track(device.id, device.map.points.values(), stale_after_of(device.map))
        self.task = b.tasks.create_task(Scheduler(devices, b.clock, self.sink).run())

    def sink(self, device_id: str, samples: BlockSamples) -> None:
        self.got[device_id].append(samples)
        self.latest.put(device_id, samples)

    def good(self, device_id: str) -> int:
        return sum(bool(samples.words) for samples in self.got[device_id])


async def go(b: Bench, seconds: float, step_s: float = 1.0) -> None:
    await settle()
    for _ in range(round(seconds / step_s)):
        await b.clock.advance(step_s)


@pytest.mark.parametrize("tids", [True, False], ids=["tcp", "rtu"])
async def test_s01_mute_unit_costs_the_others_nothing(tids: bool) -> None:
    async with bench(takes_s=0.005, tids=tids, timeout_s=1.0, transport="tcp") as b:
        devices = [b.device(MADE, unit=unit, name=f"u{unit}") for unit in (1, 2, 3)]
        b.server.silent = {2}
        polled = Polled(b, devices)
        await go(b, 10)
        assert devices[1].breaker.is_demoted
        before = {name: polled.good(name) for name in ("u1", "u3")}
        await go(b, 60)
        for name in ("u1", "u3"):
            assert polled.good(name) - before[name] >= 57, name
        assert b.bus.stats.dials == 1, "the socket is never closed"
        assert polled.good("u2") == 0
        assert devices[1].status().state == "down"
        polled.task.cancel()


@pytest.mark.parametrize("takes_s", [0.005, 0.8], ids=["fast", "slow"])
async def test_s02_unit_that_returns_is_found_within_a_probe_interval(takes_s: float) -> None:
    async with bench(takes_s=takes_s, timeout_s=1.0, transport="tcp") as b:
        device = b.device(register_map([point("value", 0)], periods={"normal": 5.0}))
        polled = Polled(b, [device])
        if takes_s < 0.1:
            b.server.silent = {1}
        await go(b, 61)
        b.server.silent = {1}
        await go(b, 120)
        assert device.status().state == "down"
        b.server.silent = set()
        good = polled.good("d1")
        await go(b, 15)
        assert polled.good("d1") > good
        assert device.status().state == "degraded"
        polled.task.cancel()


async def test_slow_unit_that_never_answered_is_found_by_a_full_probe() -> None:
    async with bench(takes_s=0.8, timeout_s=1.0, transport="tcp") as b:
        device = b.device(MADE)
        transport = b.bus.transport
        b.server.silent = {1}
        polled = Polled(b, [device])
        await go(b, 60)
        b.server.silent = set()
        b.server.refuses = lambda request: None
        await go(b, 60)
        assert polled.good("d1") > 0
        assert transport is b.bus.transport
        polled.task.cancel()


async def test_s15_cycle_longer_than_its_period_is_counted_and_never_piles_up() -> None:
    async with bench(takes_s=1.5) as b:
        device = b.device(MADE)
        polled = Polled(b, [device])
        await go(b, 150, step_s=1.5)
        assert 98 <= len(polled.got["d1"]) <= 100
        assert device.health.overruns >= 48
        assert b.bus.queued == 0
        gaps = [later.read_mono - first.read_mono for first, later in zip(polled.got["d1"], polled.got["d1"][1:], strict=False)]
        assert max(gaps) == pytest.approx(1.5)
        polled.task.cancel()


async def test_devices_begin_one_after_the_other_within_their_period() -> None:
    async with bench(takes_s=0.0) as b:
        devices = [
            b.device(register_map([point("value", 0)], periods={"normal": 0.01}), unit=unit, name=f"u{unit}") for unit in range(1, 21)
        ]
        begun = b.clock.monotonic()
        polled = Polled(b, devices)
        await settle()
        for _ in range(10):
            await b.clock.advance(0.001)
        first = [round(1000 * (polled.got[device.id][0].read_mono - begun)) for device in devices]
        assert first == [*range(10)] * 2
        polled.task.cancel()


async def test_grid_does_not_drift() -> None:
    async with bench(takes_s=0.3) as b:
        polled = Polled(b, [b.device(MADE)])
        await go(b, 20, step_s=0.1)
        assert [samples.read_mono for samples in polled.got["d1"]] == pytest.approx([at + 0.3 for at in range(20)])
        polled.task.cancel()


@pytest.mark.parametrize("jump_s", [-3600.0, 3600.0], ids=["S16-back", "S16-forth"])
async def test_wall_clock_that_jumps_changes_no_cadence(jump_s: float) -> None:
    async with bench() as b:
        polled = Polled(b, [b.device(MADE)])
        await go(b, 10)
        b.clock.jump(jump_s)
        await go(b, 10)
        got = polled.got["d1"]
        assert [samples.read_mono for samples in got] == pytest.approx(list(range(21)))
        assert got[-1].read_at - got[0].read_at == timedelta(seconds=20 + jump_s)
        assert polled.latest.get(polled_tag("d1")).age_s == 0
        polled.task.cancel()


def polled_tag(device: str) -> Tag:
    return tag_of(device, MADE.points["value"])


GROUPS: dict[str, tuple[Mapping[str, float | None], frozenset[str], int]] = {
    "period": ({"normal": 2.0}, frozenset(), 6),
    "once": ({"normal": None}, frozenset(), 1),
    "on-demand": ({"normal": None}, frozenset({"normal"}), 0),
}


@pytest.mark.parametrize(("periods", "on_demand", "reads"), GROUPS.values(), ids=GROUPS.keys())
async def test_groups_are_polled_by_their_period_once_or_never(
    periods: Mapping[str, float | None], on_demand: frozenset[str], reads: int
) -> None:
    async with bench() as b:
        polled = Polled(b, [b.device(register_map([point("value", 0)], periods=periods, on_demand=on_demand))])
        await go(b, 10)
        assert len(polled.got["d1"]) == reads
        polled.task.cancel()


async def test_device_on_a_link_on_demand_is_not_polled() -> None:
    async with bench(on_demand=True) as b:
        polled = Polled(b, [b.device(MADE)])
        await go(b, 10)
        assert polled.got["d1"] == []
        assert b.bus.stats.dials == 0
        polled.task.cancel()


async def test_group_read_once_is_tried_until_it_is_answered() -> None:
    async with bench() as b:
        device = b.device(register_map([point("value", 0)], periods={"normal": None}))
        b.server.refuses = lambda request: LinkDownError("gone")
        polled = Polled(b, [device])
        await go(b, 25)
        assert polled.good("d1") == 0
        b.server.refuses = lambda request: None
        await go(b, 60)
        assert polled.good("d1") == 1
        polled.task.cancel()


async def test_s03_same_unit_id_on_two_links_is_two_units() -> None:
    async with bench(takes_s=0.005) as dead, bench(takes_s=0.005) as live:
        dead.server.silent = {1}
        gone, there = Polled(dead, [dead.device(MADE)]), Polled(live, [live.device(MADE)])
        for _ in range(80):
            await dead.clock.advance(0.25)
            await live.clock.advance(0.25)
        assert gone.good("d1") == 0
        assert there.good("d1") >= 19
        gone.task.cancel()
        there.task.cancel()


async def test_sink_that_fails_ends_no_polling(caplog: pytest.LogCaptureFixture) -> None:
    async with bench() as b:
        device = b.device(MADE)
        calls: list[str] = []

        def sink(device_id: str, samples: BlockSamples) -> None:
            calls.append(device_id)
            raise ZeroDivisionError

        task = b.tasks.create_task(Scheduler([device], b.clock, sink).run())
        await go(b, 3)
        assert len(calls) == 4
        assert "poll of d1, group normal, failed" in caplog.text
        task.cancel()


async def test_s22_value_of_a_link_that_is_down_grows_stale_with_its_age() -> None:
    async with bench() as b:
        device = b.device(MADE)
        b.server.put(1, Table.HOLDING, 0, [42])
        polled = Polled(b, [device])
        await go(b, 1)
        b.server.refuses = lambda request: LinkDownError("gone", sent=True)
        await go(b, 30)
        sample = polled.latest.get(polled_tag("d1"))
        assert (sample.value, sample.quality, sample.reason, sample.age_s) == (42, "UNCERTAIN", "stale", 30.0)
        assert device.status().state == "down"
        polled.task.cancel()


def many(count: int, start: int = 0) -> list[Point]:
    return [point(f"p{at}", at) for at in range(start, start + count)]


def hole(first: int, last: int, code: int = 2) -> Refusal:
    def refuses(request: Request) -> LinkError | None:
        touches = isinstance(request, Read) and request.address <= last and request.address + request.count > first
        return exception(code) if touches else None

    return refuses


def larger_than(count: int, code: int | None) -> Refusal:
    def refuses(request: Request) -> LinkError | None:
        if not isinstance(request, Read) or request.count <= count:
            return None
        return LinkTimeoutError("x") if code is None else exception(code)

    return refuses


def reads_of(device: Device) -> list[tuple[int, int]]:
    return [(block.address, block.count) for block in device.blocks("normal")]


async def test_s04_one_illegal_register_costs_no_other_its_value() -> None:
    async with bench() as b:
        device = b.device(register_map(many(100), periods={"normal": 10.0}))
        b.server.refuses = hole(57, 57)
        polled = Polled(b, [device])
        await settle(200)
        assert len(b.server.asked) <= 1 + 2 * 7
        good = [polled.latest.get(tag_of("d1", made)) for made in device.map.points.values() if made.pdu != 57]
        assert [sample.reason for sample in good] == [None] * 99
        await go(b, 20)
        assert reads_of(device) == [(0, 57), (57, 1), (58, 42)]
        bad = polled.latest.get(tag_of("d1", device.map.points["p57"]))
        assert (bad.value, bad.reason) == (None, "exception_2")
        asked = len(b.server.asked)
        await go(b, 100)
        assert sum(request.address == 57 for request in b.server.asked[asked:] if isinstance(request, Read)) == 0
        assert len(b.server.asked) - asked == 20
        await go(b, 300, step_s=10)
        assert sum(request.address == 57 for request in b.server.asked[asked:] if isinstance(request, Read)) == 1
        assert device.learnt.patch() == {"readable": {"holding": ["0..56", "58..65535"]}}
        assert b.bus.stats.dials == 1
        assert device.status().state == "ok", "a hole that is known is no trouble"
        polled.task.cancel()


async def test_hole_that_is_gone_is_read_again_with_the_rest() -> None:
    async with bench() as b:
        device = b.device(register_map(many(20), periods={"normal": 10.0}))
        b.server.refuses = hole(7, 7)
        polled = Polled(b, [device])
        await go(b, 30)
        assert len(reads_of(device)) == 3
        b.server.refuses = lambda request: None
        await go(b, 320, step_s=10)
        assert reads_of(device) == [(0, 20)]
        assert device.learnt.patch() == {}
        polled.task.cancel()


async def test_s05_hole_without_points_splits_the_read() -> None:
    async with bench() as b:
        device = b.device(register_map([*many(50), *many(40, 60)], max_gap=10))
        assert reads_of(device) == [(0, 100)]
        b.server.refuses = hole(50, 59)
        polled = Polled(b, [device])
        await go(b, 3)
        assert reads_of(device) == [(0, 50), (60, 40)]
        samples = [polled.latest.get(tag_of("d1", made)) for made in device.map.points.values()]
        assert [sample.reason for sample in samples] == [None] * 90
        assert device.learnt.patch() == {"readable": {"holding": ["0..49", "60..65535"]}}
        polled.task.cancel()


@pytest.mark.parametrize("code", [3, 2, None], ids=["S06-exception-3", "S06-exception-2", "S06-silence"])
@pytest.mark.parametrize("largest", [50, 33, 99, 7, 1])
async def test_device_that_refuses_large_reads_is_learnt(code: int | None, largest: int) -> None:
    async with bench(timeout_s=0.2) as b:
        device = b.device(register_map([*many(100), point("other", 1000)], periods={"normal": 5.0}))
        b.server.refuses = larger_than(largest, code)
        polled = Polled(b, [device])
        await go(b, 10, step_s=0.1)
        await settle(1000)
        await go(b, 10)
        await settle(1000)
        assert device.learnt.patch() == {"max_read": largest}
        samples = [polled.latest.get(tag_of("d1", made)) for made in device.map.points.values()]
        assert {sample.reason for sample in samples} == {None}
        polled.task.cancel()


async def test_limit_of_size_is_tried_again_after_an_hour() -> None:
    async with bench(timeout_s=0.2) as b:
        device = b.device(register_map([*many(100), point("other", 1000)], periods={"normal": 5.0}))
        b.server.refuses = larger_than(50, 3)
        polled = Polled(b, [device])
        await go(b, 20)
        assert device.learnt.patch() == {"max_read": 50}
        b.server.refuses = larger_than(125, 3)
        await go(b, RELEARN_S, step_s=60.0)
        await go(b, 20)
        assert device.learnt.patch() == {}
        assert reads_of(device) == [(0, 100), (1000, 1)]
        polled.task.cancel()


async def test_passing_silence_is_learnt_as_no_limit() -> None:
    async with bench(timeout_s=0.2) as b:
        device = b.device(register_map([*many(100), point("other", 1000)]))
        seen = 0

        def refuses(request: Request) -> LinkError | None:
            nonlocal seen
            seen += isinstance(request, Read) and request.count == 100
            return LinkTimeoutError("passing") if isinstance(request, Read) and request.count == 100 and seen <= 2 else None

        b.server.refuses = refuses
        polled = Polled(b, [device])
        await go(b, 30)
        assert seen > 3
        assert device.learnt.patch() == {}
        polled.task.cancel()


async def test_large_read_met_with_silence_is_learnt_though_it_is_the_only_one() -> None:
    async with bench(timeout_s=0.2) as b:
        device = b.device(register_map(many(100)))
        b.server.refuses = larger_than(60, None)
        polled = Polled(b, [device])
        await go(b, 20, step_s=0.2)
        assert device.learnt.patch() == {"max_read": 60}
        assert polled.latest.get(tag_of("d1", device.map.points["p99"])).reason is None
        polled.task.cancel()


async def test_device_that_refuses_everything_teaches_nothing() -> None:
    async with bench() as b:
        device = b.device(register_map(many(20)))
        b.server.refuses = lambda request: exception(2)
        polled = Polled(b, [device])
        await go(b, 20)
        assert device.learnt.patch() == {}
        asked = len(b.server.asked)
        await go(b, 50)
        assert len(b.server.asked) - asked == 50, "searched once, then polled as before"
        b.server.refuses = lambda request: None
        await go(b, 1)
        assert polled.latest.get(tag_of("d1", device.map.points["p3"])).reason is None
        polled.task.cancel()


async def test_single_register_that_is_refused_thrice_is_asked_rarely() -> None:
    async with bench() as b:
        device = b.device(register_map([point("a", 0), point("b", 50)]))
        b.server.refuses = hole(50, 50)
        polled = Polled(b, [device])
        await go(b, 50)
        assert 3 <= sum(address == 50 for address, _ in b.server.reads) <= 4
        assert polled.latest.get(tag_of("d1", device.map.points["b"])).reason == "exception_2"
        polled.task.cancel()


async def test_two_holes_are_not_taken_for_a_small_limit() -> None:
    async with bench() as b:
        device = b.device(register_map(many(100)))
        b.server.refuses = lambda request: hole(10, 10)(request) or hole(90, 90)(request)
        polled = Polled(b, [device])
        await settle(400)
        assert device.learnt.patch() == {"readable": {"holding": ["0..9", "11..89", "91..65535"]}}
        polled.task.cancel()


async def test_many_holes_are_learnt_poll_by_poll() -> None:
    async with bench() as b:
        device = b.device(register_map(many(100)))
        holes = set(range(3, 100, 7))
        b.server.refuses = lambda request: next((refusal for at in holes if (refusal := hole(at, at)(request))), None)
        polled = Polled(b, [device])
        for _ in range(8):
            await settle(600)
            await b.clock.advance(1)
        samples = {made.pdu: polled.latest.get(tag_of("d1", made)) for made in device.map.points.values()}
        assert {at for at, sample in samples.items() if sample.reason is not None} == holes
        polled.task.cancel()


async def test_value_wider_than_the_limit_is_still_asked_for() -> None:
    async with bench() as b:
        text = point("text", 200, type_=DataType.STRING, words=20)
        device = b.device(register_map([*many(30), text]))
        b.server.refuses = larger_than(10, 3)
        polled = Polled(b, [device])
        await go(b, 5)
        assert device.learnt.patch() == {"max_read": 20, "readable": {"holding": ["0..199", "220..65535"]}}
        assert polled.latest.get(tag_of("d1", text)).reason == "exception_3"
        polled.task.cancel()


async def test_search_ends_when_the_device_falls_silent() -> None:
    async with bench(timeout_s=0.1) as b:
        device = b.device(register_map(many(100)))

        def refuses(request: Request) -> LinkError | None:
            return exception(2) if len(b.server.asked) == 1 else LinkTimeoutError("x") if len(b.server.asked) < 4 else None

        b.server.refuses = refuses
        polled = Polled(b, [device])
        await go(b, 10)
        assert device.learnt.patch() == {}
        assert reads_of(device) == [(0, 100)]
        polled.task.cancel()


class Endpoint(TimedTransport):
    """Refuses connections while the power is off, and notes when it was dialled."""

    power = True
    dialled: list[float]

    async def open(self) -> None:
        self.dialled.append(self._moving.monotonic())
        if not Endpoint.power:
            raise LinkDownError("refused")
        await super().open()

    async def exchange(self, request: Request, timeout_s: float) -> Reply:
        if not Endpoint.power:
            await self.close()
            raise LinkDownError("reset", sent=True)
        return await super().exchange(request, timeout_s)


async def test_s11_fifty_endpoints_that_lose_power_together_come_back_without_a_storm(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    pace = DialPace(clock)
    dialled: list[float] = []
    monkeypatch.setattr(Endpoint, "power", True)
    monkeypatch.setattr(Endpoint, "dialled", dialled, raising=False)
    made = register_map([point("value", 0)], periods={"normal": 15.0})
    async with asyncio.TaskGroup() as tasks:
        devices, workers = [], []
        for at in range(50):
            options = LinkOptions(id=f"lan{at}", transport="tcp")
            bus = Bus(options.id, Endpoint(Server(), clock, 0.001, tids=True), options, clock, pace=pace)
            workers.append(tasks.create_task(bus.run()))
            devices.append(Device(f"d{at}", bus, UnitId(1), made, clock))
        got = dict.fromkeys((device.id for device in devices), 0.0)

        def sink(device_id: str, samples: BlockSamples) -> None:
            if samples.words:
                got[device_id] = samples.read_mono

        workers.append(tasks.create_task(Scheduler(devices, clock, sink).run()))
        await settle()
        await clock.advance(10)
        assert len(dialled) == 50
        monkeypatch.setattr(Endpoint, "power", False)
        await clock.advance(60)
        monkeypatch.setattr(Endpoint, "power", True)
        back = clock.monotonic()
        await clock.advance(25)
        assert min(got.values()) >= back, "all are read again within the cap and one interval"
        assert all(later - first > 0.0999 for first, later in zip(dialled, dialled[5:], strict=False))
        assert len(dialled) < 50 * 12
        for worker in workers:
            worker.cancel()


class SerialLine(TimedTransport):
    """Every byte of request and reply takes its time, and the device keeps its silence between them."""

    def __init__(self, clock: ManualClock, char_s: float) -> None:
        super().__init__(Server(), clock, 0.0, tids=False)
        self.char_s = char_s

    async def exchange(self, request: Request, timeout_s: float) -> Reply:
        size = len(RtuFramer().start(request)) + 1 + (reply_length(request) or 0) + 2
        await self._moving.sleep((size + 3.5) * self.char_s)
        return await super().exchange(request, timeout_s)


async def test_s21_measured_load_of_a_line_is_the_computed_one() -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    options = LinkOptions(id="line1", transport="rtu", device="x", baud=9600)
    bus = Bus("line1", SerialLine(clock, 10 / 9600), options, clock)
    made = register_map(many(10))
    devices = [Device(f"d{unit}", bus, UnitId(unit), made, clock) for unit in range(1, 11)]
    computed = serial_loads(devices)["line1"]
    async with asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(bus.run())
        await settle()
        reads = [tasks.create_task(device.read_block(device.blocks("normal")[0])) for device in devices]
        while not all(read.done() for read in reads):
            await clock.advance(0.005)
        assert clock.monotonic() == pytest.approx(computed, rel=0.1)
        worker.cancel()


async def test_s21_plan_above_the_whole_line_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    options = LinkOptions(id="line1", transport="rtu", device="x", baud=1200)
    bus = Bus("line1", SerialLine(clock, 10 / 1200), options, clock)
    device = Device("d1", bus, UnitId(1), register_map(many(100), periods={"normal": 1.0, "once": None}), clock)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(Scheduler([device], clock, lambda device_id, samples: None).run())
        await settle()
        assert "link line1: polling needs 183 % of its time" in caplog.text
        task.cancel()
