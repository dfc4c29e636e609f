"""Logical devices of one unit: one read on the wire for all of them, and no fault that costs another device."""

from collections.abc import Callable

import pytest

from gateway.clock import settle
from gateway.errors import LinkError, LinkTimeoutError
from gateway.link.base import Read, Request
from gateway.model.address import Table
from gateway.model.point import DataType, RegisterMap, ScaleFrom
from gateway.model.sample import BlockSamples
from gateway.poll.device import Device
from gateway.poll.load import serial_loads
from gateway.poll.scheduler import Scheduler
from tests.polled import Bench, bench, exception, point, register_map

Refusal = Callable[[Request], LinkError | None]


class Polled:
    """A running scheduler, and what each device was given."""

    def __init__(self, b: Bench, devices: list[Device]) -> None:
        self.got: dict[str, list[BlockSamples]] = {}
        self.scheduler = Scheduler(devices, b.clock, lambda name, samples: self.got.setdefault(name, []).append(samples))
        self.task = b.tasks.create_task(self.scheduler.run())

    def last(self, name: str) -> tuple[object, ...]:
        return self.got[name][-1].values

    def reasons(self, name: str) -> tuple[object, ...]:
        return self.got[name][-1].reasons


def part(start: int, count: int = 4, period_s: float = 1.0) -> RegisterMap:
    return register_map([point(f"p{n}", start + n) for n in range(count)], periods={"normal": period_s})


def parts(b: Bench, *maps: RegisterMap) -> list[Device]:
    return [b.device(made, name=f"d{number}") for number, made in enumerate(maps, start=1)]


def hole(register: int) -> Refusal:
    def refuses(request: Request) -> LinkError | None:
        is_touched = isinstance(request, Read) and request.address <= register < request.address + request.count
        return exception(2) if is_touched else None

    return refuses


def larger_than(count: int, make: Callable[[], LinkError]) -> Refusal:
    return lambda request: make() if isinstance(request, Read) and request.count > count else None


async def go(b: Bench, seconds: int) -> None:
    """Some seconds, and the moment in which what is due by then is answered."""
    await settle(200)
    for _ in range(seconds):
        await b.clock.advance(1.0)
    await b.clock.advance(0.01)
    await settle(200)


async def test_one_read_on_the_wire_feeds_every_device() -> None:
    async with bench() as b:
        polled = Polled(b, parts(b, part(0), part(4), part(8)))
        b.server.put(1, Table.HOLDING, 0, list(range(100, 112)))
        await go(b, 3)
        assert b.server.reads == [(0, 12)] * 4
        assert [polled.last(name) for name in ("d1", "d2", "d3")] == [(100, 101, 102, 103), (104, 105, 106, 107), (108, 109, 110, 111)]
        assert [len(polled.got[name]) for name in ("d1", "d2", "d3")] == [4, 4, 4]
        moments = {(polled.got[name][-1].read_at, polled.got[name][-1].read_mono) for name in polled.got}
        assert len(moments) == 1, "what was read together has one time"
        polled.task.cancel()


async def test_forty_pumps_of_a_controller_are_two_reads() -> None:
    async with bench() as b:
        polled = Polled(b, parts(b, *(part(6 * n, 6) for n in range(40))))
        await go(b, 0)
        assert b.server.reads == [(0, 120), (120, 120)]
        polled.task.cancel()


async def test_other_periods_tables_and_units_are_read_by_themselves() -> None:
    async with bench() as b:
        bits = register_map([point("on", 0, type_=DataType.BOOL, table=Table.COIL)])
        other_unit = b.device(part(4), unit=2, name="other")
        polled = Polled(b, [*parts(b, part(0), part(4, period_s=2.0), bits), other_unit])
        await go(b, 2)
        reads = [(request.unit_id, request.table.value, request.address) for request in b.server.asked if isinstance(request, Read)]
        assert sorted(reads) == sorted([(1, "coil", 0)] * 3 + [(1, "holding", 0)] * 3 + [(1, "holding", 4)] * 2 + [(2, "holding", 4)] * 3)
        polled.task.cancel()


async def test_a_register_that_one_device_lacks_costs_no_other_its_value() -> None:
    async with bench() as b:
        polled = Polled(b, parts(b, part(0), part(4), part(8)))
        b.server.refuses = hole(5)
        await go(b, 0)
        assert polled.last("d1") == polled.last("d3") == (0, 0, 0, 0)
        await go(b, 3)
        asked = len(b.server.reads)
        await go(b, 1)
        assert sorted(b.server.reads[asked:]) == [(0, 5), (6, 6)], "read together again, around the hole"
        assert {name: [reason for one in polled.got[name][-2:] for reason in one.reasons] for name in ("d1", "d3")} == {
            "d1": [None] * 8,
            "d3": [None] * 8,
        }
        polled.task.cancel()


@pytest.mark.parametrize(
    ("make", "first_s"), [(lambda: exception(3), 0), (lambda: LinkTimeoutError("x"), 10)], ids=["refused", "met with silence"]
)
async def test_a_read_that_is_too_large_together_is_made_apart(make: Callable[[], LinkError], first_s: int) -> None:
    async with bench(timeout_s=0.1) as b:
        polled = Polled(b, parts(b, part(0), part(4), part(20)))
        b.server.refuses = larger_than(4, make)
        await go(b, first_s)
        asked = len(b.server.reads)
        await go(b, 1)
        assert sorted(b.server.reads[asked:]) == [(0, 4), (4, 4), (20, 4)]
        assert [polled.last(name) for name in ("d1", "d2", "d3")] == [(0, 0, 0, 0)] * 3
        b.server.refuses = lambda _: None
        await go(b, 300)
        assert b.server.reads[-2:] == [(0, 8), (20, 4)], "tried together again after a while"
        polled.task.cancel()


async def test_a_silent_unit_is_asked_once_for_all_its_devices() -> None:
    async with bench(timeout_s=0.2) as b:
        devices = parts(b, part(0), part(4), part(8))
        polled = Polled(b, devices)
        b.server.silent = {1}
        await go(b, 2)
        await b.clock.advance(0.2)
        assert len(b.server.asked) == 3
        assert [polled.reasons(name) for name in ("d1", "d2", "d3")] == [("timeout",) * 4] * 3
        assert {device.status().state for device in devices} == {"down"}
        asked = len(b.server.asked)
        await go(b, 30)
        assert len(b.server.asked) - asked <= 8, "probes of one unit, not of three devices"
        assert {name: len(polled.got[name]) for name in ("d1", "d2", "d3")} == dict.fromkeys(("d1", "d2", "d3"), len(polled.got["d1"]))
        b.server.silent = set()
        await go(b, 12)
        assert [polled.last(name) for name in ("d1", "d2", "d3")] == [(0, 0, 0, 0)] * 3
        polled.task.cancel()


async def test_a_failing_unit_fails_for_all_with_its_reason() -> None:
    async with bench() as b:
        polled = Polled(b, parts(b, part(0), part(4)))
        b.server.faults = [exception(4)]
        await go(b, 0)
        assert [polled.reasons(name) for name in ("d1", "d2")] == [("exception_4",) * 4] * 2
        await go(b, 1)
        assert [polled.reasons(name) for name in ("d1", "d2")] == [(None,) * 4] * 2
        polled.task.cancel()


async def test_a_scale_that_is_held_elsewhere_is_read_first() -> None:
    async with bench() as b:
        scaled = register_map(
            [point("v", 4, scale_from=ScaleFrom(point="sf", rule="exponent")), point("sf", 200, poll="once", type_=DataType.INT16)],
            periods={"normal": 1.0, "once": None},
        )
        polled = Polled(b, parts(b, part(0), scaled))
        b.server.put(1, Table.HOLDING, 4, [250])
        b.server.put(1, Table.HOLDING, 200, [0xFFFF])
        await go(b, 1)
        assert float(str(polled.last("d2")[0])) == 25.0
        assert b.server.reads[-1] == (0, 5)
        polled.task.cancel()


async def test_devices_of_a_unit_come_and_go() -> None:
    async with bench() as b:
        first, second, third = parts(b, part(0), part(4), part(8))
        polled = Polled(b, [first, second])
        await go(b, 1)
        await polled.scheduler.remove("d2")
        given = len(polled.got["d2"])
        await go(b, 2)
        assert (b.server.reads[-1], len(polled.got["d2"])) == ((0, 4), given)
        polled.scheduler.add(second)
        polled.scheduler.add(third)
        await go(b, 2)
        assert b.server.reads[-1] == (0, 12)
        await polled.scheduler.remove("d1")
        await go(b, 1)
        assert b.server.reads[-1] == (4, 8)
        polled.task.cancel()


async def test_the_load_of_a_line_counts_a_shared_read_once() -> None:
    async with bench(transport="rtu", baud=9600) as b:
        alone = serial_loads(parts(b, part(0, 8)))["l"]
        assert serial_loads(parts(b, part(0), part(4)))["l"] == pytest.approx(alone)
