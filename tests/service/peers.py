"""What peers that we did not write are put between: two joined terminals, a bus of ours, and one talk with every function."""

import asyncio
import contextlib
import os
import pty
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from gateway.clock import SystemClock
from gateway.link.base import MaskWrite, Read, ReadWriteRegisters, WriteCoils, WriteRegisters
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.link.transports import open_transport
from gateway.model.address import PduAddress, Table, UnitId


@asynccontextmanager
async def bus_on(options: LinkOptions) -> AsyncIterator[Bus]:
    """A bus at work."""
    clock = SystemClock()
    bus = Bus(options.id, open_transport(options, clock), options, clock)
    async with asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(bus.run())
        try:
            yield bus
        finally:
            worker.cancel()


@contextmanager
def joined_terminals() -> Iterator[tuple[str, str]]:
    """The ends of a null-modem cable: what is written to one is read at the other."""
    loop = asyncio.get_running_loop()
    ends = [pty.openpty(), pty.openpty()]
    for far, near in ends:
        tty.setraw(far)
        tty.setraw(near)
        os.set_blocking(far, False)

    def carry(source: int, target: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(target, os.read(source, 4096))

    (one, _), (other, _) = ends
    loop.add_reader(one, carry, one, other)
    loop.add_reader(other, carry, other, one)
    try:
        yield os.ttyname(ends[0][1]), os.ttyname(ends[1][1])
    finally:
        for far, near in ends:
            loop.remove_reader(far)
            os.close(far)
            os.close(near)


async def speak_every_function(bus: Bus, unit: int) -> None:
    """Functions 1 to 6, 15, 16, 22 and 23, each seen to have done what it says.

    The peer begins with n in register n and with bit n set where 3 divides n.
    """
    unit_id, thirds = UnitId(unit), [int(place % 3 == 0) for place in range(100)]

    async def read(table: Table, address: int, count: int) -> list[int]:
        return list((await bus.exchange(Read(unit_id=unit_id, table=table, address=PduAddress(address), count=count))).words)

    at = PduAddress(20)
    assert await read(Table.COIL, 7, 19) == thirds[7:26]
    assert await read(Table.DISCRETE, 3, 40) == thirds[3:43]
    assert await read(Table.HOLDING, 10, 60) == list(range(10, 70))
    assert await read(Table.INPUT, 0, 80) == list(range(80))
    await bus.exchange(WriteCoils(unit_id=unit_id, address=at, bits=(True,), single=True))
    await bus.exchange(WriteCoils(unit_id=unit_id, address=PduAddress(21), bits=(False, True, True, False, False, True, True, True, False)))
    assert await read(Table.COIL, 19, 12) == [0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1]
    await bus.exchange(WriteRegisters(unit_id=unit_id, address=at, words=(0xBEEF,), single=True))
    await bus.exchange(WriteRegisters(unit_id=unit_id, address=PduAddress(21), words=(1, 0xFFFF, 3)))
    assert await read(Table.HOLDING, 19, 6) == [19, 0xBEEF, 1, 0xFFFF, 3, 24]
    await bus.exchange(MaskWrite(unit_id=unit_id, address=at, and_mask=0xF0F0, or_mask=0x0A05))
    assert await read(Table.HOLDING, 20, 1) == [0xBEEF & 0xF0F0 | 0x0A05 & 0x0F0F]
    both = ReadWriteRegisters(unit_id=unit_id, read_address=PduAddress(29), count=3, write_address=PduAddress(30), words=(7, 8))
    assert list((await bus.exchange(both)).words) == [29, 7, 8], "the write comes before the read"
