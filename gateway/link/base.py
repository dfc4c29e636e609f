"""What a link carries, and the protocol every transport keeps."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gateway.link.trace import Trace
from gateway.model.address import PduAddress, Table, UnitId


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Functions 1 to 4: `count` registers or bits of `table` from `address`."""

    unit_id: UnitId
    table: Table
    address: PduAddress
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRegisters:
    """Function 6 (`single`, one word) or 16."""

    unit_id: UnitId
    address: PduAddress
    words: tuple[int, ...]
    single: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteCoils:
    """Function 5 (`single`, one bit) or 15."""

    unit_id: UnitId
    address: PduAddress
    bits: tuple[bool, ...]
    single: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskWrite:
    """Function 22: register = (register AND and_mask) OR (or_mask AND NOT and_mask)."""

    unit_id: UnitId
    address: PduAddress
    and_mask: int
    or_mask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWriteRegisters:
    """Function 23: write `words` at `write_address`, then read `count` from `read_address`, in one exchange."""

    unit_id: UnitId
    read_address: PduAddress
    count: int
    write_address: PduAddress
    words: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identify:
    """Function 43/14: device identification objects from `object_id` on, `code` 1 basic, 2 regular, 3 extended."""

    unit_id: UnitId
    code: int = 1
    object_id: int = 0


Request = Read | WriteRegisters | WriteCoils | MaskWrite | ReadWriteRegisters | Identify


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply that was proved to belong to its request.

    `words` holds registers, or 0 and 1 for coils and discrete inputs; empty for writes. `next_object` is set if more
    identification objects follow from there.
    """

    words: Sequence[int]
    read_at: datetime
    read_mono: float
    objects: tuple[tuple[int, bytes], ...] = ()
    next_object: int | None = None


class Transport(Protocol):
    """Carries one exchange at a time over one kind of link; owned by one bus worker.

    `exchange` raises LinkDownError, LinkTimeoutError, FrameError or DeviceExceptionError, and never returns
    a reply whose function, unit, length, transaction id or echo does not match the request. It sends once.
    """

    @property
    def trace(self) -> Trace:
        """The last frames, and counts of what was dropped."""
        ...

    @property
    def has_transaction_ids(self) -> bool:
        """True if a late reply can be told from the right one by its id (Modbus/TCP)."""
        ...

    @property
    def is_open(self) -> bool:
        """True while the socket or port is usable."""
        ...

    async def open(self) -> None:
        """Connect, or raise LinkDownError."""
        ...

    async def close(self) -> None:
        """Release socket or port; never raises."""
        ...

    async def exchange(self, request: Request, timeout_s: float) -> Reply:
        """Send `request` once and return its proved reply."""
        ...

    async def drain(self, quiet_s: float) -> int:
        """Keep the port open and drop what still arrives until it has been quiet for `quiet_s`; bytes dropped."""
        ...
