"""Checked writes: one job, sent once, read back; what is not known is called unknown (CASES section 2)."""

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest

from gateway.clock import settle
from gateway.errors import FrameError, LinkDownError, LinkError, LinkTimeoutError, StoreError
from gateway.link.base import MaskWrite, Read, Request, WriteCoils, WriteRegisters
from gateway.link.bus import Lane
from gateway.link.queue import Priority
from gateway.model.address import Table
from gateway.model.encode import Encoded, encode_point
from gateway.model.point import Access, DataType, Deadband, Order, Point, ScaleFrom, WriteRule
from gateway.model.sample import Scalar
from gateway.poll.device import Device
from gateway.poll.written import Intent, Written, shows
from tests.polled import Bench, bench, exception, point, register_map


def rw(name: str, pdu: int, *, rule: WriteRule | None = None, **keys: Any) -> Point:
    return point(name, pdu, access=Access.RW, write=rule or WriteRule(), **keys)


SPEED = rw("speed", 1, scale=Decimal("0.01"), unit="Hz")
COIL = rw("run", 2, table=Table.COIL, type_=DataType.BOOL)
RATIO = rw("ratio", 10, type_=DataType.FLOAT32, words=2, order=Order.CDAB)
BIT = rw("enable", 5, type_=DataType.BOOL, bit=3)


async def nothing() -> None:
    return None


async def all_hold(lane: Lane) -> str:
    return ""


def writes(request: Request) -> bool:
    return not isinstance(request, Read)


def sent(b: Bench) -> list[Request]:
    return [request for request in b.server.asked if writes(request)]


async def write(
    b: Bench,
    device: Device,
    made: Point,
    value: object,
    old: Scalar | None = None,
    *,
    interlocks: Callable[[Lane], Awaitable[str]] = all_hold,
    before_send: Callable[[], Awaitable[None]] = nothing,
) -> Written:
    intent = Intent(point=made, encoded=encode_point(made, value), old=old)
    (written,) = await b.run(device.write_checked([intent], interlocks=interlocks, before_send=before_send))
    return written


WAYS: dict[str, tuple[Point, object, tuple[int, ...], Request]] = {
    "register": (SPEED, 45, (4500,), WriteRegisters(unit_id=1, address=1, words=(4500,), single=True)),  # type: ignore[arg-type]
    "coil": (COIL, True, (1,), WriteCoils(unit_id=1, address=2, bits=(True,), single=True)),  # type: ignore[arg-type]
    "W08-coil-off": (COIL, False, (0,), WriteCoils(unit_id=1, address=2, bits=(False,), single=True)),  # type: ignore[arg-type]
    "W05-float": (RATIO, 12.3, (0xCCCD, 0x4144), WriteRegisters(unit_id=1, address=10, words=(0xCCCD, 0x4144))),  # type: ignore[arg-type]
    "W12-bit-by-mask": (BIT, True, (8,), MaskWrite(unit_id=1, address=5, and_mask=0xFFF7, or_mask=8)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("made", "value", "words", "frame"), WAYS.values(), ids=WAYS.keys())
async def test_write_is_sent_once_and_read_back(made: Point, value: object, words: tuple[int, ...], frame: Request) -> None:
    async with bench() as b:
        device = b.device(register_map([made]))
        written = await write(b, device, made, value)
        assert (written.outcome, written.words_read, written.code) == ("verified", words, "")
        assert sent(b) == [frame]


async def test_w12_bits_of_the_neighbours_stay_without_function_22() -> None:
    async with bench() as b:
        device = b.device(register_map([BIT], functions=frozenset({3, 6})))
        b.server.put(1, Table.HOLDING, 5, [0x8001])
        assert (await write(b, device, BIT, True)).outcome == "verified"
        assert b.server.get(1, Table.HOLDING, 5, 1) == (0x8009,)
        assert sent(b) == [WriteRegisters(unit_id=1, address=5, words=(0x8009,), single=True)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "outcome"),
    [(Decimal("40.00"), "verified"), (40.0, "verified"), (40, "verified"), (Decimal("41"), "changed_before"), (None, "verified")],
    ids=["same", "same-as-float", "same-as-int", "changed", "nothing-shown"],
)
async def test_old_value_shown_is_compared_with_the_fresh_one(old: Scalar | None, outcome: str) -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))
        b.server.put(1, Table.HOLDING, 1, [4000])
        written = await write(b, device, SPEED, 45, old)
        assert (written.outcome, written.old) == (outcome, Decimal("40.00"))
        assert written.code == ("CHANGED" if outcome == "changed_before" else "")
        assert len(sent(b)) == int(outcome == "verified")


@pytest.mark.parametrize(("now", "outcome"), [(4004, "verified"), (4005, "changed_before")], ids=["inside", "beyond"])
async def test_deadband_forgives_a_small_change(now: int, outcome: str) -> None:
    made = rw("speed", 1, scale=Decimal("0.01"), deadband=Deadband(amount=Decimal("0.05")))
    async with bench() as b:
        device = b.device(register_map([made]))
        b.server.put(1, Table.HOLDING, 1, [now])
        assert (await write(b, device, made, 45, Decimal("40"))).outcome == outcome


OFFLINE: dict[str, tuple[list[LinkError], str, str]] = {
    "silent": ([LinkTimeoutError("x")], "OFFLINE", "timeout"),
    "down": ([LinkDownError("x", sent=True)] * 2, "OFFLINE", "link_down"),
    "exception": ([exception(2)], "OFFLINE", "exception_2"),
}


@pytest.mark.parametrize(("faults", "code", "reason"), OFFLINE.values(), ids=OFFLINE.keys())
async def test_without_a_fresh_old_value_nothing_is_sent(faults: list[LinkError], code: str, reason: str) -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))
        b.server.faults = list(faults)
        written = await write(b, device, SPEED, 45, Decimal(0))
        assert (written.outcome, written.code, written.reason) == ("refused", code, reason)
        assert sent(b) == []


async def test_old_value_that_is_none_is_stale() -> None:
    made = rw("speed", 1, invalid={0xFFFF: "not_available"})
    async with bench() as b:
        device = b.device(register_map([made]))
        b.server.put(1, Table.HOLDING, 1, [0xFFFF])
        written = await write(b, device, made, 45, 7)
        assert (written.outcome, written.code, written.reason) == ("refused", "STALE", "not_available")


async def test_interlocks_are_asked_on_the_held_link_after_the_comparison() -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED, point("fault", 7)]))
        fault = device.map.points["fault"]
        b.server.put(1, Table.HOLDING, 7, [3])

        async def interlocks(lane: Lane) -> str:
            (sample,) = await device.read_fresh([fault], lane=lane)
            return "" if sample.value == 0 else "INTERLOCK"

        poll = b.tasks.create_task(device.read_block(device.blocks("normal")[0]))
        written = await write(b, device, SPEED, 45, interlocks=interlocks)
        await poll
        assert (written.outcome, written.code) == ("refused", "INTERLOCK")
        assert sent(b) == []
        b.server.put(1, Table.HOLDING, 7, [0])
        assert (await write(b, device, SPEED, 45, interlocks=interlocks)).outcome == "verified"


async def test_audit_comes_immediately_before_the_first_byte() -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))
        seen: list[list[Request]] = []

        async def commit() -> None:
            seen.append(list(b.server.asked))

        await write(b, device, SPEED, 45, before_send=commit)
        assert [[type(request) for request in asked] for asked in seen] == [[Read]]
        assert isinstance(b.server.asked[1], WriteRegisters)


async def test_audit_that_cannot_be_written_sends_nothing() -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))

        async def broken() -> None:
            raise StoreError("disk full")

        with pytest.raises(StoreError):
            await device.write_checked(
                [Intent(point=SPEED, encoded=encode_point(SPEED, 45), old=None)], interlocks=all_hold, before_send=broken
            )
        assert sent(b) == []


REFUSED: dict[str, tuple[int, str, str]] = {
    "exception-2": (2, "refused", "DEVICE"),
    "exception-3": (3, "refused", "DEVICE"),
    "exception-4": (4, "refused", "DEVICE"),
    "exception-6-busy": (6, "refused", "DEVICE"),
    "exception-10": (10, "refused", "DEVICE"),
    "exception-5-in-progress": (5, "unknown", ""),
    "exception-11-behind-a-gateway": (11, "unknown", ""),
}


@pytest.mark.parametrize(("number", "outcome", "code"), REFUSED.values(), ids=REFUSED.keys())
async def test_exception_to_a_write(number: int, outcome: str, code: str) -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))
        b.server.refuses = lambda request: exception(number) if writes(request) else None
        written = await write(b, device, SPEED, 45)
        assert (written.outcome, written.code, written.exception, written.reason) == (outcome, code, number, f"exception_{number}")
        assert len(sent(b)) == 1


LOST: dict[str, tuple[LinkError, str]] = {
    "W16-mute": (LinkTimeoutError("x"), "timeout"),
    "W13-wrong-echo": (FrameError("x", kind="echo_mismatch"), "echo_mismatch"),
    "crc": (FrameError("x", kind="crc_error"), "crc_error"),
    "link-lost": (LinkDownError("x", sent=True), "link_down"),
    "exception-5": (exception(5), "exception_5"),
}


@pytest.mark.parametrize("done", [True, False], ids=["done", "not-done"])
@pytest.mark.parametrize(("fault", "reason"), LOST.values(), ids=LOST.keys())
async def test_no_proof_of_a_write_is_settled_by_one_read_back(fault: LinkError, reason: str, done: bool) -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))

        def refuse(request: Request) -> LinkError | None:
            if not writes(request):
                return None
            if done:
                b.server.put(1, Table.HOLDING, 1, [4500])
            return fault

        b.server.refuses = refuse
        written = await write(b, device, SPEED, 45)
        assert (written.outcome, written.reason) == ("verified" if done else "unknown", reason)
        assert written.words_read == ((4500,) if done else (0,))
        assert len(sent(b)) == 1
        assert len(b.server.reads) == 2


async def test_write_whose_read_back_fails_too_is_unknown() -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))
        b.server.faults = [None, None, LinkTimeoutError("x")]
        written = await write(b, device, SPEED, 45)
        assert (written.outcome, written.reason, written.read_back) == ("unknown", "timeout", None)


async def test_w15_device_that_clamps_differs() -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))

        def clamp(request: Request) -> LinkError | None:
            if isinstance(request, Read) and sent(b):
                b.server.put(1, Table.HOLDING, 1, [8000])
            return None

        b.server.refuses = clamp
        written = await write(b, device, SPEED, 100)
        assert (written.outcome, written.read_back, written.words_read) == ("differs", Decimal("80.00"), (8000,))


@pytest.mark.parametrize("down_for", [1, 2], ids=["W17-once", "twice"])
async def test_write_that_never_left_is_sent_again_once(down_for: int) -> None:
    async with bench() as b:
        device = b.device(register_map([SPEED]))
        b.server.faults = [None, *[LinkDownError("x", sent=False)] * down_for]
        written = await write(b, device, SPEED, 45)
        assert written.outcome == ("verified" if down_for == 1 else "not_sent")
        assert len(sent(b)) == down_for + (down_for == 1)


FUNCTIONS: dict[str, tuple[Point, object, dict[str, Any], set[int], list[str]]] = {
    "W09-6-then-16": (SPEED, 45, {}, {6}, ["single", "many"]),
    "W09-16-then-6": (SPEED, 45, {"functions": frozenset({3, 16})}, {16}, ["many"]),
    "map-names-no-6": (SPEED, 45, {"functions": frozenset({3, 16})}, set(), ["many"]),
    "22-then-6": (BIT, True, {}, {22}, ["mask", "single"]),
    "coil-5-then-15": (COIL, True, {}, {5}, ["single", "many"]),
}


@pytest.mark.parametrize(("made", "value", "facts", "unknown", "ways"), FUNCTIONS.values(), ids=FUNCTIONS.keys())
async def test_another_function_is_tried_only_after_exception_1(
    made: Point, value: object, facts: dict[str, Any], unknown: set[int], ways: list[str]
) -> None:
    def way(request: Request) -> str:
        return "mask" if isinstance(request, MaskWrite) else "single" if getattr(request, "single", False) else "many"

    numbers = {"WriteRegisters": (16, 6), "WriteCoils": (15, 5), "MaskWrite": (22, 22)}
    async with bench() as b:
        device = b.device(register_map([made], **facts))

        def refuse(request: Request) -> LinkError | None:
            if not writes(request):
                return None
            return exception(1) if numbers[type(request).__name__][way(request) == "single"] in unknown else None

        b.server.refuses = refuse
        written = await write(b, device, made, value)
        assert [way(request) for request in sent(b)] == ways
        assert written.outcome == ("verified" if len(ways) > len(unknown) else "refused")
        b.server.asked.clear()
        await write(b, device, made, value)
        assert [way(request) for request in sent(b)] == ways[-1:], "what was learnt is kept"


async def test_function_that_the_map_names_is_the_only_one() -> None:
    made = rw("speed", 1, rule=WriteRule(function=6))
    async with bench() as b:
        device = b.device(register_map([made]))
        b.server.refuses = lambda request: exception(1) if writes(request) else None
        written = await write(b, device, made, 45)
        assert (written.outcome, written.code, written.exception) == ("refused", "DEVICE", 1)
        assert len(sent(b)) == 1


NOT_READ_BACK: dict[str, Point] = {
    "pulse": rw("reset", 1, rule=WriteRule(pulse=True)),
    "write-only": point("reset", 1, access=Access.WO, write=WriteRule()),
    "map-says-no": rw("unit", 1, rule=WriteRule(readback=False)),
}


@pytest.mark.parametrize("made", NOT_READ_BACK.values(), ids=NOT_READ_BACK.keys())
async def test_what_cannot_be_read_back_is_acknowledged(made: Point) -> None:
    async with bench() as b:
        device = b.device(register_map([made]))
        assert (await write(b, device, made, 1)).outcome == "acknowledged"
        assert len(b.server.reads) == (0 if made.access is Access.WO else 1)
        b.server.refuses = lambda request: LinkTimeoutError("x") if writes(request) else None
        assert (await write(b, device, made, 1)).outcome == "unknown"


@pytest.mark.parametrize(("shown", "outcome"), [(450, "verified"), (449, "differs")])
async def test_read_back_by_another_point_compares_values(shown: int, outcome: str) -> None:
    made = point("speed_cmd", 1, access=Access.WO, scale=Decimal("0.01"), write=WriteRule(readback="speed_sp"))
    shows_it = point("speed_sp", 2, scale=Decimal("0.1"))
    async with bench() as b:
        device = b.device(register_map([made, shows_it]))
        b.server.put(1, Table.HOLDING, 2, [shown])
        written = await write(b, device, made, 45)
        assert (written.outcome, written.read_back) == (outcome, Decimal(shown) / 10)


async def test_device_may_settle_before_the_read_back() -> None:
    made = rw("speed", 1, rule=WriteRule(settle_s=0.5))
    async with bench() as b:
        device = b.device(register_map([made]))
        started = b.clock.monotonic()
        assert (await write(b, device, made, 3)).outcome == "verified"
        assert b.clock.monotonic() - started >= 0.5


async def test_write_of_several_points_stops_at_the_first_that_fails() -> None:
    async with bench() as b:
        one, two, three = (rw(name, pdu) for pdu, name in enumerate(("one", "two", "three")))
        device = b.device(register_map([one, two, three]))
        b.server.refuses = lambda request: exception(3) if isinstance(request, WriteRegisters) and request.address == 1 else None
        intents = [Intent(point=made, encoded=encode_point(made, 9), old=0) for made in (one, two, three)]
        written = await device.write_checked(intents, interlocks=all_hold, before_send=nothing)
        assert [one.outcome for one in written] == ["verified", "refused", "not_sent"]


async def test_one_changed_value_holds_back_all_of_them() -> None:
    async with bench() as b:
        one, two = rw("one", 0), rw("two", 1)
        device = b.device(register_map([one, two]))
        intents = [Intent(point=made, encoded=encode_point(made, 9), old=old) for made, old in ((one, 0), (two, 5))]
        written = await device.write_checked(intents, interlocks=all_hold, before_send=nothing)
        assert [one.outcome for one in written] == ["not_sent", "changed_before"]
        assert sent(b) == []


@pytest.mark.parametrize("stage", ["queued", "sent"])
async def test_stop_of_the_link_ends_a_write_as_what_is_known(stage: str) -> None:
    async with bench(takes_s=1.0) as b:
        one, two = rw("one", 0), rw("two", 1)
        device = b.device(register_map([one, two]))
        holds = asyncio.Event()

        async def hold(lane: Lane) -> None:
            await holds.wait()

        holder = b.tasks.create_task(b.bus.job(hold, priority=Priority.WRITE)) if stage == "queued" else None
        await settle()
        intents = [Intent(point=made, encoded=encode_point(made, 9), old=0) for made in (one, two)]
        writing = b.tasks.create_task(device.write_checked(intents, interlocks=all_hold, before_send=nothing))
        await settle()
        if stage == "sent":
            await b.clock.advance(1.5)
        (worker,) = [task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__qualname__", "") == "Bus.run"]
        worker.cancel()
        holds.set()
        await asyncio.wait([worker])
        assert [one.outcome for one in await writing] == (["not_sent", "not_sent"] if holder else ["unknown", "not_sent"])


async def test_write_with_a_scale_held_elsewhere() -> None:
    made = rw("power", 3, type_=DataType.INT16, scale_from=ScaleFrom(point="sf", rule="exponent"))
    async with bench() as b:
        device = b.device(register_map([made, point("sf", 50, type_=DataType.INT16)]))
        b.server.put(1, Table.HOLDING, 50, [0xFFFE])
        intent = Intent(point=made, encoded=encode_point(made, Decimal("12.35"), scale=-2), old=Decimal("0.00"))
        (written,) = await device.write_checked([intent], interlocks=all_hold, before_send=nothing)
        assert (written.outcome, written.words_read, written.read_back) == ("verified", (1235,), Decimal("12.35"))


async def test_write_below_a_sunspec_base() -> None:
    made = rw("limit", 3, base="m123")
    async with bench() as b:
        device = b.device(register_map([made], bases={"m123": 123}))
        b.server.put(1, Table.HOLDING, 40000, [0x5375, 0x6E53, 123, 24])
        b.server.put(1, Table.HOLDING, 40028, [0xFFFF])
        assert (await write(b, device, made, 7)).outcome == "verified"
        assert b.server.get(1, Table.HOLDING, 40005, 1) == (7,)


async def test_write_only_point_below_a_base_that_is_not_there_is_not_sent() -> None:
    made = point("limit", 3, base="m123", access=Access.WO, write=WriteRule())
    async with bench() as b:
        device = b.device(register_map([made], bases={"m123": 123}))
        assert (await write(b, device, made, 7)).outcome == "not_sent"
        assert sent(b) == []


SHOWS: dict[str, tuple[Encoded, tuple[int, ...], bool]] = {
    "words": (Encoded(value=1, words=(1, 2)), (1, 2), True),
    "other-words": (Encoded(value=1, words=(1, 2)), (1, 3), False),
    "too-few": (Encoded(value=1, words=(1, 2)), (1,), False),
    "neighbours-changed": (Encoded(value=1, words=(8,), keep=(0xFFF7,)), (0x8009,), True),
    "bit-not-set": (Encoded(value=1, words=(8,), keep=(0xFFF7,)), (0x8001,), False),
    "coil": (Encoded(value=True, coil=True), (1,), True),
    "coil-off": (Encoded(value=True, coil=True), (0,), False),
    "nothing-read": (Encoded(value=True, coil=True), (), False),
}


@pytest.mark.parametrize(("encoded", "words", "expected"), SHOWS.values(), ids=SHOWS.keys())
def test_words_show_what_was_written(encoded: Encoded, words: tuple[int, ...], expected: bool) -> None:
    assert shows(encoded, words) is expected
