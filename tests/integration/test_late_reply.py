"""A value belongs to its request: replies that come late, twice or never are never given to another one (CASES F01 to F04)."""

import asyncio

import pytest

from gateway.errors import FrameError, LinkDownError, LinkError, LinkTimeoutError
from gateway.link.base import Read, WriteRegisters
from gateway.model.address import PduAddress, Table, UnitId
from tests.fake_device import KINDS, STREAMS, Asked, FakeDevice, Kind, Rig, rig


def holding(address: int, count: int = 1, unit: int = 1) -> Read:
    return Read(unit_id=UnitId(unit), table=Table.HOLDING, address=PduAddress(address), count=count)


async def value(r: Rig, address: int, unit: int = 1) -> int | str:
    """What the gateway says about a register: its value, or the kind of failure."""
    try:
        (word,) = (await r.bus.exchange(holding(address, unit=unit))).words
    except FrameError as error:
        return error.kind
    except LinkError as error:
        return error.code
    return word


def delayed(by: int) -> FakeDevice:
    """A device that gives the reply to each request only when `by` more requests have come. Register n holds 1000 + n."""

    async def script(device: FakeDevice, asked: Asked) -> None:
        if len(device.asked) > by:
            device.send(device.right(device.asked[-1 - by]))

    return FakeDevice(bank={place: 1000 + place for place in range(200)}, script=script)


async def test_f01_stale_and_right_reply_in_one_segment() -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        if len(device.asked) == 2:
            device.send(device.asked[0].words([0x1111]) + asked.words([0x2222]))

    async with rig("tcp", FakeDevice(script=script)) as r:
        assert await value(r, 0) == "TIMEOUT"
        assert await value(r, 1) == 0x2222
        assert r.bus.transport.trace.dropped["rejected_late"] == 1


async def test_f02_only_the_stale_reply_comes() -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        match len(device.asked):
            case 1:
                pass
            case 2:
                device.send(device.asked[0].words([0x1111]))
            case _:
                device.send(device.right(asked))

    async with rig("tcp", FakeDevice(bank={2: 22}, script=script)) as r:
        assert [await value(r, 0), await value(r, 1), await value(r, 2)] == ["TIMEOUT", "TIMEOUT", 22]


@pytest.mark.parametrize("missing", [1, 2, 4], ids=lambda missing: f"{missing}-missing")
async def test_f02_late_tcp_reply_in_pieces_does_not_complete_one_that_broke_off(missing: int) -> None:
    """What was put together in this way is read again on a new connection, a write never."""

    async def script(device: FakeDevice, asked: Asked) -> None:
        right, late = device.right(asked), device.right(device.asked[-2]) if len(device.asked) > 1 else b""
        if len(device.asked) == 3:
            send = device._send  # of this connection, which is soon given up
            for piece in (right[:-missing], late[:missing], late[missing:]):
                send(piece)
                await asyncio.sleep(0.01)
        elif len(device.asked) != 2:
            device.send(right)

    async with rig("tcp", FakeDevice(bank={0: 0x1111, 1: 0x2222}, script=script)) as r:
        assert [await value(r, 1), await value(r, 0), await value(r, 1)] == [0x2222, "TIMEOUT", 0x2222]
        assert [asked.address for asked in r.device.asked] == [1, 0, 1, 1]
        assert r.device.connections == 2


async def test_f02_write_is_not_sent_again_after_its_reply_broke_off_and_another_came() -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        if asked.function == 6:
            send = device._send
            for piece in (device.right(asked)[:-2], device.right(device.asked[0])):
                send(piece)
                await asyncio.sleep(0.01)

    async with rig("tcp", FakeDevice(script=script)) as r:
        assert await value(r, 0) == "TIMEOUT"
        with pytest.raises(LinkDownError, match="broke off and another one followed") as caught:
            await r.bus.exchange(WriteRegisters(unit_id=UnitId(1), address=PduAddress(0), words=(7,), single=True))
        assert caught.value.sent
        assert [asked.function for asked in r.device.asked] == [3, 6]


async def test_tcp_reply_that_broke_off_costs_its_connection() -> None:
    """Its rest may still come, and would be taken for the begin of the next one."""

    async def script(device: FakeDevice, asked: Asked) -> None:
        right = device.right(asked)
        device.send(right[:-2] if len(device.asked) == 1 else right)

    async with rig("tcp", FakeDevice(bank={0: 5}, script=script), timeout_s=0.05) as r:
        assert [await value(r, 0), await value(r, 0)] == ["length_mismatch", 5]
        assert r.device.connections == 2


async def test_late_tcp_reply_that_begins_before_the_next_request_is_followed() -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        if len(device.asked) == 2:
            device.send(device.right(device.asked[0])[8:] + device.right(asked))

    async with rig("tcp", FakeDevice(bank={0: 5, 1: 6}, script=script), timeout_s=0.05) as r:
        assert await value(r, 0) == "TIMEOUT"
        r.device.send(r.device.right(r.device.asked[0])[:8])
        while not r.bus.transport.trace.dropped["unasked_bytes"]:  # noqa: ASYNC110 - a counter tells no one
            await asyncio.sleep(0)
        assert await value(r, 1) == 6
        assert r.device.connections == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_f03_replies_that_are_all_late_never_reach_another_request(kind: Kind) -> None:
    device = delayed(by=1)
    async with rig(kind, device, timeout_s=0.05) as r:
        values = [await value(r, address) for address in range(10)]
        assert all(isinstance(one, str) for one in values), values
        device.script = None
        after = [await value(r, address) for address in range(20, 23)]
        assert after == [1020, 1021, 1022], "no permanent shift"


@pytest.mark.parametrize("kind", STREAMS)
async def test_f04_late_reply_during_the_next_read(kind: Kind) -> None:
    """The reply to the read of 0 is sent when the read of 10 arrives, before the reply to that."""

    async def script(device: FakeDevice, asked: Asked) -> None:
        if len(device.asked) == 1:
            return
        if len(device.asked) == 2:
            device.send(device.right(device.asked[0]))
        device.send(device.right(asked))

    async with rig(kind, FakeDevice(bank={0: 0xAAAA, 10: 0xBBBB}, script=script)) as r:
        assert await value(r, 0) == "TIMEOUT"
        assert await value(r, 10) == 0xBBBB
        assert await value(r, 0) == 0xAAAA


@pytest.mark.parametrize("kind", STREAMS)
async def test_f04_late_reply_in_the_quiet_time_costs_no_further_read(kind: Kind) -> None:
    device = FakeDevice(bank={0: 0xAAAA, 10: 0xBBBB})
    late = asyncio.Event()

    async def script(fake: FakeDevice, asked: Asked) -> None:
        if len(fake.asked) == 1:
            await late.wait()
        fake.send(fake.right(asked))

    device.script = script
    async with rig(kind, device, timeout_s=0.1) as r:
        assert await value(r, 0) == "TIMEOUT"
        late.set()
        assert await value(r, 10) == 0xBBBB
        assert [asked.address for asked in device.asked] == [0, 10]
        assert r.bus.transport.trace.dropped["rejected_late"] == 1


@pytest.mark.parametrize("kind", STREAMS)
async def test_f04_piece_of_another_units_reply_is_not_taken_for_a_broken_one(kind: Kind) -> None:
    """As many bytes as the reply has, but another unit's: the reply is still owed, and is not given to the next read."""

    async def script(device: FakeDevice, asked: Asked) -> None:
        match len(device.asked):
            case 1:
                pass
            case 2:
                device.send(device.right(device.asked[0])[:11])
            case 3:
                device.send(device.right(device.asked[0])[11:] + device.right(device.asked[1]))
            case _:
                device.send(device.right(device.asked[-2]))

    async with rig(kind, FakeDevice(bank={place: 1000 + place for place in range(200)}, script=script), timeout_s=0.1) as r:
        with pytest.raises(LinkTimeoutError):
            await r.bus.exchange(holding(0, 4, unit=3))
        values = [await value(r, address) for address in (20, 30, 40)]
        assert all(isinstance(one, str) for one in values), values
        r.device.script = None
        assert [await value(r, address) for address in (50, 60)] == [1050, 1060]


@pytest.mark.parametrize("kind", STREAMS)
async def test_silent_unit_does_not_keep_another_one_waiting(kind: Kind) -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        if asked.unit == 1:
            device.send(device.right(asked))

    async with rig(kind, FakeDevice(bank={0: 7}, script=script), timeout_s=0.1) as r:
        assert await value(r, 0, unit=2) == "TIMEOUT"
        started = asyncio.get_running_loop().time()
        assert await value(r, 0, unit=1) == 7
        assert asyncio.get_running_loop().time() - started < 0.09


@pytest.mark.parametrize("kind", STREAMS)
async def test_unit_that_comes_back_after_a_timeout_is_read_at_once(kind: Kind) -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        if len(device.asked) > 1:
            device.send(device.right(asked))

    async with rig(kind, FakeDevice(bank={0: 5, 1: 6}, script=script), timeout_s=0.1) as r:
        assert await value(r, 0) == "TIMEOUT"
        assert await value(r, 0) == 5
        assert len(r.device.asked) == 3, "the same read is ambiguous: one other read proves that replies are in step"
        assert await value(r, 0) == 5
        assert len(r.device.asked) == 4


async def test_f10_with_ignored_ids_a_late_reply_is_still_told_apart() -> None:
    device = delayed(by=1)
    async with rig("tcp", device, timeout_s=0.05, tid="ignore") as r:
        values = [await value(r, address) for address in range(6)]
        assert all(isinstance(one, str) for one in values), values


@pytest.mark.parametrize("kind", KINDS)
async def test_cancelled_read_does_not_shift_the_next(kind: Kind) -> None:
    held = asyncio.Event()

    async def script(device: FakeDevice, asked: Asked) -> None:
        if len(device.asked) == 1:
            await held.wait()
        device.send(device.right(asked))

    async with rig(kind, FakeDevice(bank={0: 0xAAAA, 10: 0xBBBB}, script=script), timeout_s=5) as r, asyncio.TaskGroup() as tasks:
        first = tasks.create_task(r.bus.exchange(holding(0)))
        await r.device.heard(1)
        first.cancel()
        second = tasks.create_task(value(r, 10))
        held.set()
        assert await second == 0xBBBB


@pytest.mark.parametrize("kind", KINDS)
async def test_timeout_is_an_error_of_its_link(kind: Kind) -> None:
    async def mute(device: FakeDevice, asked: Asked) -> None:
        return None

    async with rig(kind, FakeDevice(script=mute), timeout_s=0.05) as r:
        with pytest.raises(LinkTimeoutError, match=r"link l unit 1 read holding 5 x1: no reply in time"):
            await r.bus.exchange(holding(5))
