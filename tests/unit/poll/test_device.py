"""Reading: blocks and fresh points, faults as reasons, busy devices, scale registers elsewhere, SunSpec bases."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gateway.clock import settle
from gateway.errors import FrameError, LinkDownError, LinkError, LinkTimeoutError
from gateway.model.address import Table
from gateway.model.point import Access, DataType, Order, ScaleFrom, WriteRule
from gateway.model.quality import Quality
from gateway.poll.reasons import is_silence, reason_of
from tests.polled import Bench, bench, exception, point, register_map

LEVEL = point("level", 5, scale=Decimal("0.1"), unit="%")
FLOW = point("flow", 6, type_=DataType.FLOAT32, words=2, order=Order.CDAB)
SWITCH = point("switch", 3, table=Table.COIL, type_=DataType.BOOL)
PULSE = point("reset", 9, access=Access.WO, write=WriteRule(pulse=True))

FAULTS: dict[str, tuple[LinkError, str]] = {
    "timeout": (LinkTimeoutError("x"), "timeout"),
    "crc": (FrameError("x", kind="crc_error"), "crc_error"),
    "F06-length": (FrameError("x", kind="length_mismatch"), "length_mismatch"),
    "F07-exception-85": (exception(0x55), "exception_85"),
    "F18-gateway-path": (exception(10), "exception_10"),
    "F18-unit-down": (exception(11), "exception_11"),
}


@pytest.mark.parametrize(("fault", "reason"), FAULTS.values(), ids=FAULTS.keys())
async def test_fault_is_the_reason_of_every_point_and_of_no_later_read(fault: LinkError, reason: str) -> None:
    async with bench() as b:
        device = b.device(register_map([LEVEL, FLOW]))
        b.server.put(1, Table.HOLDING, 5, [123, 0, 0x4120])
        (block,) = device.blocks("normal")
        b.server.faults = [fault, fault]
        bad = await b.run(device.read_block(block))
        assert (bad.values, bad.reasons, tuple(bad.words)) == ((None, None), (reason, reason), ())
        b.server.faults = []
        assert (await device.read_block(block)).values == (Decimal("12.3"), 10.0)
        assert device.status().errors == {reason: 1}


async def test_link_that_is_down_is_the_reason() -> None:
    async with bench() as b:
        device = b.device(register_map([LEVEL]))
        b.server.faults = [LinkDownError("gone", sent=True)] * 2
        assert (await device.read_block(device.blocks("normal")[0])).reasons == ("link_down",)
        assert device.status().state == "down"


async def test_fresh_samples_are_of_their_own_exchange() -> None:
    async with bench(takes_s=0.25) as b:
        device = b.device(register_map([LEVEL, FLOW, SWITCH, PULSE]))
        b.server.put(1, Table.HOLDING, 5, [123, 0, 0x4120])
        b.server.put(1, Table.COIL, 3, [1])
        reading = b.tasks.create_task(device.read_fresh([SWITCH, PULSE, LEVEL]))
        await settle()
        await b.clock.advance(1)
        switch, pulse, level = await reading
        assert (switch.value, level.value, level.unit, level.words) == (True, Decimal("12.3"), "%", (123,))
        assert (level.tag, level.age_s, switch.age_s, level.quality) == ("d1.level", 0.0, 0.25, Quality.GOOD)
        assert (pulse.value, pulse.reason) == (None, "not_available")
        assert b.server.reads == [(3, 1), (5, 1)]


async def test_fresh_sample_of_a_silent_device_says_so() -> None:
    async with bench() as b:
        device = b.device(register_map([LEVEL]))
        await device.read_block(device.blocks("normal")[0])
        b.server.silent = {1}
        (sample,) = await b.run(device.read_fresh([LEVEL]))
        assert (sample.value, sample.reason, sample.quality) == (None, "timeout", Quality.BAD)


@pytest.mark.parametrize("code", [5, 6], ids=["F18-acknowledge", "F18-busy"])
async def test_busy_device_is_asked_again_without_holding_the_link(code: int) -> None:
    async with bench() as b:
        device = b.device(register_map([LEVEL]))
        other = b.device(register_map([LEVEL]), unit=2, name="d2")
        b.server.put(1, Table.HOLDING, 5, [7])
        b.server.faults = [exception(code)]
        reading = b.tasks.create_task(device.read_block(device.blocks("normal")[0]))
        await settle()
        b.server.faults = [None, exception(code), exception(code)]
        assert (await other.read_block(other.blocks("normal")[0])).reasons == (None,)
        await b.clock.advance(2)
        assert (await reading).values == (Decimal("0.7"),)
        assert b.bus.stats.exchanges == 5


async def test_device_that_stays_busy_is_given_up_for_now() -> None:
    async with bench() as b:
        device = b.device(register_map([LEVEL]))
        b.server.refuses = lambda request: exception(6)
        assert (await b.run(device.read_block(device.blocks("normal")[0]))).reasons == ("exception_6",)
        assert len(b.server.asked) == 5
        assert not device.breaker.is_demoted


POWER = point("power", 100, type_=DataType.INT16, scale_from=ScaleFrom(point="power_sf", rule="exponent"))
SCALE = point("power_sf", 110, type_=DataType.INT16, poll="once")


async def test_scale_register_far_away_is_read_before_and_remembered() -> None:
    async with bench() as b:
        device = b.device(register_map([POWER, SCALE], periods={"normal": 1.0, "once": None}))
        b.server.put(1, Table.HOLDING, 100, [0xCFC7])
        b.server.put(1, Table.HOLDING, 110, [0xFFFE])
        (fresh,) = await device.read_fresh([POWER])
        assert fresh.value == Decimal("-123.45")
        assert (await device.read_block(device.blocks("normal")[0])).values[0] == Decimal("-123.45")
        assert b.server.reads == [(110, 1), (100, 1), (100, 1)]


async def test_scale_register_of_another_group_is_read_before_the_first_poll() -> None:
    async with bench() as b:
        device = b.device(register_map([POWER, SCALE], periods={"normal": 1.0, "once": None}))
        b.server.put(1, Table.HOLDING, 100, [0xCFC7])
        b.server.put(1, Table.HOLDING, 110, [0xFFFE])
        assert [(await device.read_block(device.blocks("normal")[0])).values[0] for _ in range(2)] == [Decimal("-123.45")] * 2
        assert b.server.reads == [(110, 1), (100, 1), (100, 1)]


async def test_s20_counter_that_starts_anew_is_shown_as_it_is() -> None:
    async with bench() as b:
        device = b.device(register_map([point("total", 0, type_=DataType.UINT32, words=2)]))
        values = []
        for words in ([1, 500], [0, 0], [1, 501]):
            b.server.put(1, Table.HOLDING, 0, words)
            samples = await device.read_block(device.blocks("normal")[0])
            values.append((samples.values[0], samples.reasons[0]))
        assert values == [(66036, None), (0, None), (66037, None)]


def sunspec(b: Bench, start: int, models: list[tuple[int, int]]) -> None:
    b.server.put(1, Table.HOLDING, start, [0x5375, 0x6E53])
    at = start + 2
    for model, length in models:
        b.server.put(1, Table.HOLDING, at, [model, length])
        at += 2 + length
    b.server.put(1, Table.HOLDING, at, [0xFFFF, 0])


W = point(
    "w", 14, type_=DataType.INT16, base="m103", scale_from=ScaleFrom(point="w_sf", rule="exponent"), access=Access.RW, write=WriteRule()
)
W_SF = point("w_sf", 15, type_=DataType.INT16, base="m103")


@pytest.mark.parametrize("start", [40000, 50000, 0])
async def test_sunspec_base_is_found_where_the_device_has_it(start: int) -> None:
    async with bench() as b:
        device = b.device(register_map([W, W_SF], bases={"m103": 103}))
        sunspec(b, start, [(1, 66), (103, 50), (120, 26)])
        b.server.put(1, Table.HOLDING, start + 2 + 68 + 14, [1234, 0xFFFF])
        (w,) = await device.read_fresh([W])
        assert w.value == Decimal("123.4")
        before = len(b.server.asked)
        await device.read_block(device.blocks("normal")[0])
        assert len(b.server.asked) == before + 1, "the base is found once"


@pytest.mark.parametrize("models", [[(1, 66)], []], ids=["other-models", "no-models"])
async def test_sunspec_model_that_is_not_there_is_not_available(models: list[tuple[int, int]]) -> None:
    async with bench() as b:
        device = b.device(register_map([W, W_SF], bases={"m103": 103}))
        if models:
            sunspec(b, 40000, models)
        else:
            b.server.refuses = lambda request: exception(2)
        (w,) = await device.read_fresh([W])
        assert (w.value, w.reason) == (None, "not_available")


async def test_link_that_fails_while_the_base_is_sought_is_the_reason() -> None:
    async with bench() as b:
        device = b.device(register_map([W, W_SF], bases={"m103": 103}))
        b.server.faults = [FrameError("x", kind="crc_error")] * 2
        (w,) = await device.read_fresh([W])
        assert w.reason == "crc_error"
        sunspec(b, 40000, [(103, 50)])
        (w,) = await device.read_fresh([W])
        assert w.value == 0


async def test_unit_of_a_point_may_differ_from_its_device() -> None:
    async with bench() as b:
        device = b.device(register_map([point("a", 0), point("b", 0, unit_id=100)]))
        b.server.put(100, Table.HOLDING, 0, [7])
        a, other = await device.read_fresh(list(device.map.points.values()))
        assert (a.value, other.value) == (0, 7)


async def test_device_needs_its_rest_between_requests() -> None:
    async with bench(transport="tcp") as b:
        device = b.device(register_map([LEVEL], gap_s=0.03))
        reading = [b.tasks.create_task(device.read_fresh([LEVEL])) for _ in range(2)]
        await settle()
        await b.clock.advance(1)
        first, second = [(await one)[0] for one in reading]
        assert first.read_at is not None
        assert second.read_at is not None
        assert (second.read_at - first.read_at).total_seconds() == pytest.approx(0.03)


async def test_device_has_the_timeout_of_its_map() -> None:
    async with bench(timeout_s=1.0) as b:
        device = b.device(register_map([LEVEL], timeout_s=0.2))
        b.server.silent = {1}
        reading = b.tasks.create_task(device.read_fresh([LEVEL]))
        await settle()
        await b.clock.advance(0.2)
        assert reading.done()


REASONS: dict[str, tuple[LinkError, str, bool]] = {
    "timeout": (LinkTimeoutError("x"), "timeout", True),
    "down": (LinkDownError("x"), "link_down", False),
    "unit": (FrameError("x", kind="unit_mismatch"), "unit_mismatch", True),
    "crc": (FrameError("x", kind="crc_error"), "crc_error", False),
    "exception-2": (exception(2), "exception_2", False),
    "exception-10": (exception(10), "exception_10", True),
    "exception-11": (exception(11), "exception_11", True),
}


@pytest.mark.parametrize(("error", "reason", "silent"), REASONS.values(), ids=REASONS.keys())
def test_error_is_named_and_is_silence_or_not(error: LinkError, reason: str, silent: bool) -> None:
    assert (reason_of(error), is_silence(error)) == (reason, silent)


async def test_health_tells_waiting_ok_degraded_and_down() -> None:
    async with bench() as b:
        device = b.device(register_map([LEVEL]))
        (block,) = device.blocks("normal")

        async def read_all(times: int) -> str:
            for _ in range(times):
                await device.read_block(block)
            return device.status().state

        assert device.status().state == "waiting"
        assert await read_all(1) == "ok"
        b.server.faults = [exception(2)]
        assert await read_all(1) == "degraded"
        assert device.status().reason == "exception_2"
        assert await read_all(19) == "degraded"
        assert await read_all(1) == "ok"
        assert device.status().reason == ""
        b.server.faults = [LinkTimeoutError("x")] * 3
        assert await b.run(read_all(3)) == "down"
        status = device.status()
        assert (status.reads, status.errors, status.since) == (
            25,
            {"exception_2": 1, "timeout": 3},
            datetime(2026, 1, 1, 0, 0, 3, tzinfo=UTC),
        )
        assert status.last_good is not None
        assert status.latency_ms == 0.0


@pytest.mark.parametrize(("unit", "transport", "warns"), [(1, "tcp", False), (255, "tcp", False), (248, "tcp", True), (255, "rtu", True)])
async def test_f19_odd_unit_id_is_warned_of(unit: int, transport: str, warns: bool, caplog: pytest.LogCaptureFixture) -> None:
    async with bench(transport=transport) as b:
        b.device(register_map([LEVEL]), unit=unit)
        assert ("outside 1..247" in caplog.text) is warns
