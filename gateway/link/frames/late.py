"""Replies that are still owed on links without transaction ids, and the request that tells them from new ones.

A request that ran into its time-out may be answered at any later moment. Where frames carry no transaction id, its reply
can be told from that of a later request only if the two begin differently (function, byte count, echo). If they do not,
another read is made first whose reply cannot be mistaken.
"""

from collections.abc import Iterator

from gateway.link.base import Identify, Read, ReadWriteRegisters, Request, WriteCoils
from gateway.link.frames.pdu import MAX_READ_BITS, MAX_READ_WORDS, reply_prefix
from gateway.model.address import PduAddress, Table, UnitId

_ANYONE = -1


class Owed:
    """The beginnings of replies that have not come yet, per unit; for all units at once if replies from any are taken."""

    def __init__(self, *, any_unit: bool) -> None:
        self._any_unit = any_unit
        self._prefixes: dict[int, set[bytes]] = {}

    def add(self, request: Request) -> None:
        """`request` was sent and not answered."""
        self._prefixes.setdefault(self._key(request.unit_id), set()).add(reply_prefix(request))

    def take(self, unit_id: int, pdu: bytes) -> bool:
        """True if `pdu` is a reply that was owed; it is owed no more."""
        owed = self._prefixes.get(self._key(unit_id), set())
        found = next((prefix for prefix in owed if pdu.startswith(prefix)), None)
        if found is None:
            return False
        owed.discard(found)
        return True

    def clear(self, unit_id: int) -> None:
        """The unit has shown that its replies are in step again."""
        self._prefixes.pop(self._key(unit_id), None)

    def clashes(self, request: Request) -> bool:
        """True if a late reply could be taken for the reply to `request`."""
        return reply_prefix(request) in self._prefixes.get(self._key(request.unit_id), set())

    def distinct_read(self, request: Request) -> Read | None:
        """A read close to `request` whose reply cannot be mistaken for an owed one; None for an identification."""
        owed = self._prefixes.get(self._key(request.unit_id), set()) | {reply_prefix(request)}
        return next((read for read in _neighbours(request) if reply_prefix(read) not in owed), None)

    def _key(self, unit_id: int) -> int:
        return _ANYONE if self._any_unit else unit_id


def _neighbours(request: Request) -> Iterator[Read]:
    """Reads at the address of `request` with other counts, the nearest counts first; none for an identification."""
    match request:
        case Read(unit_id=unit, table=table, address=address, count=count):
            pass
        case WriteCoils(unit_id=unit, address=address):
            table, count = Table.COIL, 1
        case ReadWriteRegisters(unit_id=unit, read_address=address, count=count):
            table = Table.HOLDING
        case Identify():
            return iter(())
        case _:
            unit, table, address, count = request.unit_id, Table.HOLDING, request.address, 1
    return _reads(unit, table, address, count)


def _reads(unit: UnitId, table: Table, address: PduAddress, count: int) -> Iterator[Read]:
    step, limit = (8, MAX_READ_BITS) if table.is_bits else (1, MAX_READ_WORDS)
    for far in range(1, limit // step):
        for number in (count - far * step, count + far * step):
            if 1 <= number <= limit:
                yield Read(unit_id=unit, table=table, address=PduAddress(min(address, 0x10000 - number)), count=number)
