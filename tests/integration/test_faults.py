"""Wire faults over real sockets and pseudo-terminals: never a wrong value, and the next exchange is right (CASES section 4)."""

import asyncio
from collections.abc import Callable

import pytest

from gateway.errors import DeviceExceptionError, FrameError, LinkTimeoutError
from gateway.link.base import Read, WriteRegisters
from gateway.model.address import PduAddress, Table, UnitId
from tests.fake_device import KINDS, STREAMS, Asked, FakeDevice, Kind, rig


def holding(address: int, count: int = 1, unit: int = 1, table: Table = Table.HOLDING) -> Read:
    return Read(unit_id=UnitId(unit), table=table, address=PduAddress(address), count=count)


def write(address: int, word: int) -> WriteRegisters:
    return WriteRegisters(unit_id=UnitId(1), address=PduAddress(address), words=(word,), single=True)


def once(bytes_of: Callable[[Asked], bytes]) -> FakeDevice:
    """A device that gives `bytes_of` for its first request and is right afterwards. Register n holds n."""

    async def script(device: FakeDevice, asked: Asked) -> None:
        device.send(bytes_of(asked) if len(device.asked) == 1 else device.right(asked))

    return FakeDevice(bank={place: place for place in range(300)}, script=script)


WRONG: dict[str, tuple[Callable[[Asked], bytes], str]] = {
    "F05-function": (lambda a: a.frame(bytes((4, 2, 0, 9))), "function_mismatch"),
    "F06-two-of-eight-bytes": (lambda a: a.frame(bytes((3, 2, 0, 9))), "length_mismatch"),
    "F06-no-bytes": (lambda a: a.frame(bytes((3, 0))), "length_mismatch"),
    "F06-three-bytes": (lambda a: a.frame(bytes((3, 3, 1, 2, 3))), "length_mismatch"),
    "F06-too-many-bytes": (lambda a: a.words(range(11)), "length_mismatch"),
    "F07-exception-of-other-function": (lambda a: a.frame(bytes((0x84, 2))), "function_mismatch"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("bytes_of", "reason"), WRONG.values(), ids=WRONG.keys())
async def test_wrong_reply_is_no_value(kind: Kind, bytes_of: Callable[[Asked], bytes], reason: str) -> None:
    async with rig(kind, once(bytes_of)) as r:
        with pytest.raises(FrameError) as caught:
            await r.bus.exchange(holding(0, 4))
        assert caught.value.kind == reason
        assert tuple((await r.bus.exchange(holding(20, 4))).words) == (20, 21, 22, 23)


RIGHT: dict[str, Callable[[Asked], list[bytes]]] = {
    "F08-other-unit-first": lambda a: [a.words([9, 9], unit=2) + a.words([20, 21])],
    "F08-other-unit-apart": lambda a: [a.words([9, 9], unit=2), a.words([20, 21])],
    "F12-byte-by-byte": lambda a: [bytes((byte,)) for byte in a.words([20, 21])],
    "F12-split": lambda a: [a.words([20, 21])[:5], a.words([20, 21])[5:]],
    "F13-trailing-bytes": lambda a: [a.words([20, 21]) + b"\xde\xad"],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pieces_of", RIGHT.values(), ids=RIGHT.keys())
async def test_right_reply_is_found(kind: Kind, pieces_of: Callable[[Asked], list[bytes]]) -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        for piece in pieces_of(asked) if len(device.asked) == 1 else [device.right(asked)]:
            device.send(piece)
            await asyncio.sleep(0)

    async with rig(kind, FakeDevice(bank={20: 20, 21: 21, 30: 30}, script=script)) as r:
        assert tuple((await r.bus.exchange(holding(20, 2))).words) == (20, 21)
        assert tuple((await r.bus.exchange(holding(30))).words) == (30,)


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("noise", [b"\x00", b"\xff\xff", b"\x01\x03\xff"], ids=["F14-00", "F14-ffff", "F14-like-a-reply"])
async def test_noise_before_the_reply_costs_nothing(kind: Kind, noise: bytes) -> None:
    async with rig(kind, once(lambda asked: noise + asked.words([5]))) as r:
        assert tuple((await r.bus.exchange(holding(5))).words) == (5,)
        assert len(r.device.asked) == 1


@pytest.mark.parametrize("kind", STREAMS)
async def test_f15_broken_check_sum_is_counted_and_read_again(kind: Kind) -> None:
    async with rig(kind, once(lambda asked: asked.words([5])[:-1] + b"\x00")) as r:
        assert tuple((await r.bus.exchange(holding(5))).words) == (5,)
        assert len(r.device.asked) == 2
        assert r.bus.transport.trace.dropped["crc_error"] == 1
        assert r.bus.stats.timeouts == 0


@pytest.mark.parametrize("kind", KINDS)
async def test_f07_unknown_exception_code_is_told(kind: Kind) -> None:
    async with rig(kind, once(lambda asked: asked.refusal(0x55))) as r:
        with pytest.raises(DeviceExceptionError, match="exception 85"):
            await r.bus.exchange(holding(5))


@pytest.mark.parametrize("kind", KINDS)
async def test_f09_unit_0_in_the_reply(kind: Kind) -> None:
    async with rig(kind, once(lambda asked: asked.words([5], unit=0))) as r:
        with pytest.raises(FrameError) as caught:
            await r.bus.exchange(holding(5, unit=19))
        assert caught.value.kind == "unit_mismatch"
    async with rig(kind, once(lambda asked: asked.words([5], unit=0)), unit_reply="any") as r:
        assert tuple((await r.bus.exchange(holding(5, unit=19))).words) == (5,)


TIDS: dict[str, Callable[[Asked], int]] = {"F10-zero": lambda asked: 0, "F10-plus-one": lambda asked: (asked.tid or 0) + 1}


@pytest.mark.parametrize("tid_of", TIDS.values(), ids=TIDS.keys())
async def test_gateway_that_rewrites_transaction_ids(tid_of: Callable[[Asked], int]) -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        device.send(asked.words([asked.address], tid=tid_of(asked)))

    async with rig("tcp", FakeDevice(script=script)) as r:
        with pytest.raises(FrameError, match="tid: ignore") as caught:
            await r.bus.exchange(holding(5))
        assert caught.value.kind == "transaction_mismatch"
    async with rig("tcp", FakeDevice(script=script), tid="ignore") as r:
        assert [tuple((await r.bus.exchange(holding(at))).words) for at in (5, 6)] == [(5,), (6,)]


HEADERS: dict[str, dict[str, int]] = {"protocol-id": {"protocol": 1}, "length-0": {"length": 0}, "length-300": {"length": 300}}


@pytest.mark.parametrize("header", HEADERS.values(), ids=[f"F11-{name}" for name in HEADERS])
async def test_impossible_header_closes_and_dials_again(header: dict[str, int]) -> None:
    async with rig("tcp", once(lambda asked: asked.words([5], **header))) as r:
        with pytest.raises(FrameError) as caught:
            await r.bus.exchange(holding(5))
        assert caught.value.kind == "protocol_error"
        assert tuple((await r.bus.exchange(holding(5))).words) == (5,)
        assert r.device.connections == 2


async def test_f20_exception_with_a_short_length_harms_no_other_reply() -> None:
    async with rig("tcp", once(lambda asked: asked.refusal(2, length=2))) as r:
        with pytest.raises(FrameError) as caught:
            await r.bus.exchange(holding(5))
        assert caught.value.kind == "length_mismatch"
        assert tuple((await r.bus.exchange(holding(6))).words) == (6,)


@pytest.mark.parametrize("kind", STREAMS)
async def test_f16_local_echo(kind: Kind) -> None:
    async def echoing(device: FakeDevice, asked: Asked) -> None:
        device.send(asked.raw + device.right(asked))

    async with rig(kind, FakeDevice(bank={5: 5}, script=echoing), local_echo=True) as r:
        assert tuple((await r.bus.exchange(holding(5))).words) == (5,)
        await r.bus.exchange(write(5, 6))
        assert r.device.bank[5] == 6
    async with rig(kind, FakeDevice(bank={5: 5}, script=echoing)) as r:
        with pytest.raises(FrameError, match="local_echo: true"):
            await r.bus.exchange(holding(5))
        assert r.bus.transport.trace.dropped["echo_seen"] == 1


@pytest.mark.parametrize("kind", STREAMS)
async def test_f17_echo_of_a_write_to_a_mute_device_is_no_success(kind: Kind) -> None:
    async def only_echo(device: FakeDevice, asked: Asked) -> None:
        device.send(asked.raw)

    async with rig(kind, FakeDevice(script=only_echo), local_echo=True, timeout_s=0.05) as r:
        with pytest.raises(LinkTimeoutError):
            await r.bus.exchange(write(5, 6))
        assert len(r.device.asked) == 1


async def test_f19_unit_255_is_sent_as_it_is() -> None:
    async with rig("tcp", FakeDevice(bank={5: 5})) as r:
        assert tuple((await r.bus.exchange(holding(5, unit=255))).words) == (5,)
        assert r.device.asked[0].unit == 0xFF


WRITES: dict[str, tuple[Callable[[Asked], bytes], str]] = {
    "W13-echo-of-another-value": (lambda asked: asked.frame(asked.pdu[:3] + b"\x00\x63"), "echo_mismatch"),
    "echo-of-another-address": (lambda asked: asked.frame(b"\x06\x00\x63" + asked.pdu[3:]), "echo_mismatch"),
    "reply-of-a-read": (lambda asked: asked.frame(bytes((3, 2, 0, 1))), "function_mismatch"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("bytes_of", "reason"), WRITES.values(), ids=WRITES.keys())
async def test_foreign_reply_to_a_write_is_no_success(kind: Kind, bytes_of: Callable[[Asked], bytes], reason: str) -> None:
    async with rig(kind, once(bytes_of)) as r:
        with pytest.raises(FrameError) as caught:
            await r.bus.exchange(write(5, 1))
        assert caught.value.kind == reason
        assert len(r.device.asked) == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_w14_reply_with_another_quantity_is_no_success(kind: Kind) -> None:
    two = WriteRegisters(unit_id=UnitId(1), address=PduAddress(5), words=(1, 2))
    async with rig(kind, once(lambda asked: asked.frame(asked.pdu[:3] + b"\x00\x01"))) as r:
        with pytest.raises(FrameError) as caught:
            await r.bus.exchange(two)
        assert caught.value.kind == "echo_mismatch"
