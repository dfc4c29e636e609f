"""Exchanges over a line made of lists: what goes out, what comes in, and when it is given up."""

import asyncio
from collections.abc import Callable

import pytest

from gateway.clock import SystemClock
from gateway.errors import LinkDownError, LinkError, LinkTimeoutError
from gateway.link import wire
from gateway.link.base import Identify, Read, ReadWriteRegisters, Request, WriteCoils, WriteRegisters
from gateway.link.frames.late import Owed
from gateway.link.frames.pdu import check, reply_prefix
from gateway.link.frames.rtu import RtuFramer, crc16
from gateway.link.options import LinkOptions
from gateway.link.wire import WireTransport
from gateway.model.address import PduAddress, Table, UnitId

U1 = UnitId(1)
READ0 = Read(unit_id=U1, table=Table.HOLDING, address=PduAddress(0), count=1)
READ9 = Read(unit_id=U1, table=Table.HOLDING, address=PduAddress(9), count=1)
WRITE = WriteRegisters(unit_id=U1, address=PduAddress(0), words=(1,), single=True)


def rtu(text: str) -> bytes:
    body = bytes.fromhex(text)
    return body + crc16(body).to_bytes(2, "little")


class ListLine:
    """Gives the replies in order, one per frame sent; an empty one is silence."""

    def __init__(self, *replies: bytes, opens: bool = True) -> None:
        self.replies = list(replies)
        self.sent: list[bytes] = []
        self.is_open = False
        self.opens = opens
        self.received: Callable[[bytes], None] = lambda data: None
        self.lost: Callable[[str], None] = lambda cause: None

    async def open(self, received: Callable[[bytes], None], lost: Callable[[str], None]) -> None:
        if not self.opens:
            await asyncio.Event().wait()
        self.received, self.lost, self.is_open = received, lost, True

    def send(self, data: bytes) -> None:
        self.sent.append(data)
        reply = self.replies.pop(0) if self.replies else b""
        if reply:
            asyncio.get_running_loop().call_soon(self.received, reply)

    def close(self) -> None:
        self.is_open = False


async def opened(line: ListLine, **options: object) -> WireTransport:
    made = LinkOptions(**{"id": "l", "transport": "rtu", "device": "x", **options})  # type: ignore[arg-type]
    transport = WireTransport(made, SystemClock(), RtuFramer(), lambda: line)
    await transport.open()
    return transport


async def end(transport: WireTransport, request: Request, timeout_s: float = 0.01) -> object:
    try:
        return tuple((await transport.exchange(request, timeout_s)).words)
    except LinkError as error:
        return error.code


async def test_connection_that_never_comes_up_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_DIAL_S", 0.01)
    with pytest.raises(LinkDownError, match="no connection to x in time"):
        await opened(ListLine(opens=False), timeout_s=0.01)


async def test_exception_to_the_read_between_shows_that_replies_are_in_step() -> None:
    line = ListLine(b"", rtu("01 83 02"), rtu("01 03 04 00 07 00 08") + rtu("01 03 02 BB BB"))
    transport = await opened(line)
    assert [await end(transport, READ0), await end(transport, READ9)] == ["TIMEOUT", (0xBBBB,)]
    assert [frame[5] for frame in line.sent] == [1, 2, 1]
    assert transport.trace.dropped["rejected_late"] == 1, "the reply to the read between came after all"


async def test_read_between_that_is_not_answered_sends_nothing_more() -> None:
    line = ListLine()
    transport = await opened(line)
    assert [await end(transport, READ0), await end(transport, READ9)] == ["TIMEOUT", "TIMEOUT"]
    assert len(line.sent) == 2


async def test_same_write_again_is_not_proved_by_the_echo_of_the_first() -> None:
    line = ListLine(b"", rtu("01 03 04 00 00 00 00"), b"")
    transport = await opened(line)
    assert [await end(transport, WRITE), await end(transport, WRITE)] == ["TIMEOUT", "TIMEOUT"]
    assert [frame[1] for frame in line.sent] == [6, 3, 6]


async def test_proved_reply_ends_what_was_owed_before_it() -> None:
    two = Read(unit_id=U1, table=Table.HOLDING, address=PduAddress(0), count=2)
    line = ListLine(b"", rtu("01 03 04 00 01 00 02"), rtu("01 03 02 00 05"))
    transport = await opened(line)
    assert [await end(transport, READ0), await end(transport, two), await end(transport, READ9)] == ["TIMEOUT", (1, 2), (5,)]
    assert len(line.sent) == 3


async def test_identification_has_no_read_that_could_stand_in() -> None:
    line = ListLine(b"", rtu("01 2B 0E 01 01 00 00 00"))
    transport = await opened(line)
    assert [await end(transport, Identify(unit_id=U1)), await end(transport, Identify(unit_id=U1))] == ["TIMEOUT", ()]


async def test_line_lost_with_a_request_in_flight_says_that_it_was_sent() -> None:
    line = ListLine()
    transport = await opened(line)

    async def unplug() -> None:
        line.lost("unplugged")

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(unplug())
        with pytest.raises(LinkDownError, match="unplugged") as caught:
            await transport.exchange(READ0, 5)
    assert caught.value.sent
    assert not transport.is_open


async def test_drain_ends_though_the_line_is_never_quiet() -> None:
    line = ListLine()
    transport = await opened(line)
    asyncio.get_running_loop().call_soon(line.received, b"\x00" * 9)
    assert await transport.drain(0.001) == 9
    stop = asyncio.Event()

    async def chatter() -> None:
        while not stop.is_set():
            line.received(b"\xff")
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(chatter())
        assert await transport.drain(0.001) > 5
        stop.set()


async def test_time_on_the_line_is_added_to_the_timeout() -> None:
    options = LinkOptions(id="l", transport="rtu", device="x", baud=300)
    transport = WireTransport(options, SystemClock(), RtuFramer(), ListLine, options.air_time_s)
    await transport.open()
    started = asyncio.get_running_loop().time()
    with pytest.raises(LinkTimeoutError):
        await transport.exchange(READ0, 0.01)
    assert asyncio.get_running_loop().time() - started >= (8 + 7) * 10 / 300


async def test_cancelled_exchange_leaves_its_reply_owed() -> None:
    line = ListLine(b"", rtu("01 03 04 00 07 00 08"), rtu("01 03 02 BB BB"))
    transport = await opened(line)
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(transport.exchange(READ0, 5))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
    assert await end(transport, READ9) == (0xBBBB,)
    assert len(line.sent) == 3


NEIGHBOURS: dict[str, tuple[Request, Table, int]] = {
    "registers": (READ9, Table.HOLDING, 9),
    "write": (WRITE, Table.HOLDING, 0),
    "coil": (WriteCoils(unit_id=U1, address=PduAddress(4), bits=(True,), single=True), Table.COIL, 4),
    "read-write": (
        ReadWriteRegisters(unit_id=U1, read_address=PduAddress(7), count=3, write_address=PduAddress(0), words=(1,)),
        Table.HOLDING,
        7,
    ),
}


@pytest.mark.parametrize(("request_", "table", "address"), NEIGHBOURS.values(), ids=NEIGHBOURS.keys())
def test_read_between_is_close_to_the_request(request_: Request, table: Table, address: int) -> None:
    owed = Owed(any_unit=False)
    owed.add(request_)
    read = owed.distinct_read(request_)
    assert read is not None
    assert (read.table, read.address) == (table, address)
    assert reply_prefix(read) != reply_prefix(request_)


@pytest.mark.parametrize(("table", "count"), [(Table.HOLDING, 125), (Table.COIL, 2000)])
@pytest.mark.parametrize("at", ["begin", "end"])
def test_read_between_is_always_found(table: Table, count: int, at: str) -> None:
    """Whatever is owed, and wherever: there are more counts than a silent unit is asked for."""
    owed = Owed(any_unit=False)
    last = Read(unit_id=U1, table=table, address=PduAddress(0 if at == "begin" else 0x10000 - count), count=count)
    for number in range(1, 100):
        owed.add(Read(unit_id=U1, table=table, address=last.address, count=number))
    read = owed.distinct_read(last)
    assert read is not None
    check(read)


def test_owed_write_is_told_apart_too() -> None:
    owed = Owed(any_unit=False)
    owed.add(WRITE)
    assert owed.clashes(WRITE)
    assert not owed.take(1, bytes.fromhex("06 0000 0002"))
    assert owed.take(1, bytes.fromhex("06 0000 0001"))
    assert not owed.clashes(WRITE)
