"""A link without a wire: requests are served by an object in the same process. The shipped double for tests and evaluations."""

from collections.abc import Sequence
from typing import Protocol

from gateway.clock import Clock
from gateway.errors import IllegalAddressError, IllegalFunctionError, LinkDownError
from gateway.link.base import Identify, MaskWrite, Read, ReadWriteRegisters, Reply, Request, Transport, WriteCoils, WriteRegisters
from gateway.link.frames.pdu import check, describe, encode
from gateway.link.options import LinkOptions
from gateway.link.trace import Trace
from gateway.model.address import Table


class Server(Protocol):
    """What answers: registers, or 0 and 1 for bits; nothing for a write. Faults are played by raising the link errors."""

    def serve(self, request: Request) -> Sequence[int]:
        """The words of the reply to `request`."""
        ...


class MemoryTransport:
    """A Transport over a server in the same process; it takes no time."""

    def __init__(self, server: Server, clock: Clock, *, has_transaction_ids: bool = True) -> None:
        self.trace = Trace()
        self._server = server
        self._clock = clock
        self._has_tids = has_transaction_ids
        self._open = False

    @property
    def has_transaction_ids(self) -> bool:
        """True unless told otherwise: nothing is ever late."""
        return self._has_tids

    @property
    def is_open(self) -> bool:
        """True between `open` and `close`."""
        return self._open

    async def open(self) -> None:
        """Always succeeds."""
        self._open = True

    async def close(self) -> None:
        """Always succeeds."""
        self._open = False

    async def exchange(self, request: Request, timeout_s: float) -> Reply:  # noqa: ARG002 - the server answers at once or raises
        """What the server answers to `request`; LinkDownError of the server closes the link."""
        check(request)
        if not self._open:
            raise LinkDownError("not connected", unit_id=request.unit_id, operation=describe(request))
        self.trace.sent(self._clock.utc(), bytes((request.unit_id,)) + encode(request))
        try:
            words = tuple(self._server.serve(request))
        except LinkDownError:
            self._open = False
            raise
        return Reply(words=words, read_at=self._clock.utc(), read_mono=self._clock.monotonic())

    async def drain(self, quiet_s: float) -> int:  # noqa: ARG002 - nothing is ever late
        """Nothing to drop."""
        return 0


class Registers:
    """A server that has every unit, register and bit; all are 0 until written."""

    def __init__(self) -> None:
        self._held: dict[tuple[int, Table, int], int] = {}

    def serve(self, request: Request) -> Sequence[int]:
        """Functions 1 to 6, 15, 16, 22 and 23; exception 1 for others."""
        unit = request.unit_id
        match request:
            case Read(table=table, address=address, count=count):
                return self.get(unit, table, address, count)
            case WriteRegisters(address=address, words=words):
                self.put(unit, Table.HOLDING, address, words)
            case WriteCoils(address=address, bits=bits):
                self.put(unit, Table.COIL, address, [int(bit) for bit in bits])
            case MaskWrite(address=address, and_mask=and_mask, or_mask=or_mask):
                (old,) = self.get(unit, Table.HOLDING, address, 1)
                self.put(unit, Table.HOLDING, address, [old & and_mask | or_mask & ~and_mask])
            case ReadWriteRegisters(read_address=read, count=count, write_address=write, words=words):
                self.put(unit, Table.HOLDING, write, words)
                return self.get(unit, Table.HOLDING, read, count)
            case Identify():
                raise IllegalFunctionError(1, unit_id=unit, operation=describe(request))
        return ()

    def get(self, unit: int, table: Table, address: int, count: int) -> tuple[int, ...]:
        """Words of a table."""
        if address + count > 0x10000:
            raise IllegalAddressError(2, unit_id=unit)
        return tuple(self._held.get((unit, table, place), 0) for place in range(address, address + count))

    def put(self, unit: int, table: Table, address: int, words: Sequence[int]) -> None:
        """Set words of a table."""
        self._held.update({(unit, table, address + place): word for place, word in enumerate(words)})


def make(options: LinkOptions, clock: Clock) -> Transport:  # noqa: ARG001 - a link without a wire has no options
    """A transport over empty registers."""
    return MemoryTransport(Registers(), clock)
