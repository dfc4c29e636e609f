"""Checked writes over real sockets and pseudo-terminals: one frame each, whatever the device does (CASES W09, W13 to W17)."""

from collections.abc import Awaitable, Callable
from decimal import Decimal

import pytest

from gateway.clock import SystemClock
from gateway.link.bus import Lane
from gateway.model.address import UnitId
from gateway.model.encode import encode_point
from gateway.model.point import Access, DataType, WriteRule
from gateway.poll.device import Device
from gateway.poll.written import Intent, Written
from tests.fake_device import KINDS, Asked, FakeDevice, Kind, Rig, rig
from tests.polled import point, register_map

SPEED = point("speed", 7, scale=Decimal("0.01"), unit="Hz", access=Access.RW, write=WriteRule())


async def nothing() -> None:
    return None


async def all_hold(lane: Lane) -> str:
    return ""


async def write(r: Rig, value: object, old: Decimal) -> Written:
    device = Device("d1", r.bus, UnitId(1), register_map([SPEED]), SystemClock())
    intent = Intent(point=SPEED, encoded=encode_point(SPEED, value), old=old)
    (written,) = await device.write_checked([intent], interlocks=all_hold, before_send=nothing)
    return written


def frames(device: FakeDevice) -> list[int]:
    """Functions of all write frames that the device saw."""
    return [asked.function for asked in device.asked if asked.function > 4]


Answer = Callable[[FakeDevice, Asked], Awaitable[None]]


async def mute(device: FakeDevice, asked: Asked) -> None:
    """Does nothing and says nothing."""


async def done_but_mute(device: FakeDevice, asked: Asked) -> None:
    device.right(asked)


async def hangs_up(device: FakeDevice, asked: Asked) -> None:
    device.hang_up()


async def done_and_hangs_up(device: FakeDevice, asked: Asked) -> None:
    device.right(asked)
    device.hang_up()


async def wrong_echo(device: FakeDevice, asked: Asked) -> None:
    device.send(asked.frame(asked.pdu[:3] + b"\x00\x63"))


async def clamps(device: FakeDevice, asked: Asked) -> None:
    device.bank[asked.address] = 4800
    device.send(asked.done())


async def in_progress(device: FakeDevice, asked: Asked) -> None:
    device.right(asked)
    device.send(asked.refusal(5))


async def refuses(device: FakeDevice, asked: Asked) -> None:
    device.send(asked.refusal(3))


async def knows_only_16(device: FakeDevice, asked: Asked) -> None:
    device.send(asked.refusal(1) if asked.function == 6 else device.right(asked))


CASES: dict[str, tuple[Answer, str, str, list[int]]] = {
    "W16-mute": (mute, "unknown", "timeout", [6]),
    "W16-done-but-mute": (done_but_mute, "verified", "timeout", [6]),
    "W13-wrong-echo": (wrong_echo, "unknown", "echo_mismatch", [6]),
    "W15-clamps": (clamps, "differs", "", [6]),
    "exception-5": (in_progress, "verified", "exception_5", [6]),
    "exception-3": (refuses, "refused", "exception_3", [6]),
    "W09-knows-only-16": (knows_only_16, "verified", "", [6, 16]),
}
LOST: dict[str, tuple[Answer, str, str, list[int]]] = {
    "hangs-up": (hangs_up, "unknown", "link_down", [6]),
    "done-and-hangs-up": (done_and_hangs_up, "verified", "link_down", [6]),
}


async def played(kind: Kind, answer: Answer, outcome: str, reason: str, functions: list[int]) -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        await (answer(device, asked) if asked.function > 4 else device.answer(asked))

    async with rig(kind, FakeDevice(bank={7: 4000}, script=script), timeout_s=0.1) as r:
        written = await write(r, 50, Decimal("40.00"))
        assert (written.outcome, written.reason, written.old) == (outcome, reason, Decimal("40.00"))
        assert frames(r.device) == functions
        assert written.code == ("DEVICE" if outcome == "refused" else "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("answer", "outcome", "reason", "functions"), CASES.values(), ids=CASES.keys())
async def test_write_is_one_frame_and_ends_as_what_is_known(
    kind: Kind, answer: Answer, outcome: str, reason: str, functions: list[int]
) -> None:
    await played(kind, answer, outcome, reason, functions)


@pytest.mark.parametrize("kind", ["tcp", "rtu_over_tcp"])
@pytest.mark.parametrize(("answer", "outcome", "reason", "functions"), LOST.values(), ids=LOST.keys())
async def test_link_lost_after_the_first_byte(kind: Kind, answer: Answer, outcome: str, reason: str, functions: list[int]) -> None:
    await played(kind, answer, outcome, reason, functions)


@pytest.mark.parametrize("kind", KINDS)
async def test_value_that_changed_meanwhile_is_not_overwritten(kind: Kind) -> None:
    async with rig(kind, FakeDevice(bank={7: 4100})) as r:
        written = await write(r, 50, Decimal("40.00"))
        assert (written.outcome, written.code, written.old) == ("changed_before", "CHANGED", Decimal("41.00"))
        assert frames(r.device) == []


async def test_w17_idle_connection_closed_by_the_server_costs_no_write() -> None:
    async with rig("tcp", FakeDevice(bank={7: 4000})) as r:
        await write(r, 45, Decimal("40.00"))
        r.device.hang_up()
        assert (await write(r, 50, Decimal("45.00"))).outcome == "verified"
        assert frames(r.device) == [6, 6]


@pytest.mark.parametrize("kind", ["tcp", "rtu_over_tcp"])
async def test_server_that_hangs_up_after_each_reply_can_be_written(kind: Kind) -> None:
    async def closing(device: FakeDevice, asked: Asked) -> None:
        device.send(device.right(asked))
        device.hang_up()

    async with rig(kind, FakeDevice(bank={7: 4000}, script=closing)) as r:
        device = Device("d1", r.bus, UnitId(1), register_map([SPEED]), SystemClock())
        for _ in range(3):
            assert (await device.read_fresh([SPEED]))[0].reason is None
        assert (await write(r, 50, Decimal("40.00"))).outcome == "verified"
        assert frames(r.device) == [6]


@pytest.mark.parametrize("kind", KINDS)
async def test_w11_text_of_three_registers_is_written_whole(kind: Kind) -> None:
    """One frame for all three, padding included, so that no rest of an older text stays."""
    name = point("name", 30, type_=DataType.STRING, words=3, access=Access.RW, write=WriteRule())
    async with rig(kind, FakeDevice(bank={30: 0x5858, 31: 0x5858, 32: 0x5858, 33: 7})) as r:
        device = Device("d1", r.bus, UnitId(1), register_map([name]), SystemClock())
        intent = Intent(point=name, encoded=encode_point(name, "AB"), old="XXXXXX")
        (written,) = await device.write_checked([intent], interlocks=all_hold, before_send=nothing)
        assert written.outcome == "verified"
        assert written.read_back == "AB"
        assert [r.device.bank[at] for at in range(30, 34)] == [0x4142, 0, 0, 7]
        assert frames(r.device) == [16]
