"""A device on a link that takes time on the manual clock, for tests of polling and writing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from gateway.clock import ManualClock, settle
from gateway.errors import DeviceExceptionError, LinkDownError, LinkError, LinkTimeoutError
from gateway.link.base import Read, Reply, Request
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.link.transports.memory import MemoryTransport, Registers
from gateway.model.address import Notation, PduAddress, Table, UnitId
from gateway.model.point import DataType, DeviceFacts, Point, RegisterMap, Text
from gateway.poll.device import Device

_T = TypeVar("_T")

ONE_S: Mapping[str, float | None] = {"normal": 1.0}


def point(name: str, pdu: int, *, type_: DataType = DataType.UINT16, words: int = 1, table: Table = Table.HOLDING, **keys: object) -> Point:
    return Point(name=name, table=table, pdu=PduAddress(pdu), words=words, type=type_, **keys)  # type: ignore[arg-type]


def register_map(
    points: Iterable[Point],
    *,
    periods: Mapping[str, float | None] = ONE_S,
    on_demand: frozenset[str] = frozenset(),
    bases: Mapping[str, int] | None = None,
    **facts: object,
) -> RegisterMap:
    return RegisterMap(
        id="m",
        vendor="v",
        model="m",
        kind="k",
        title=Text("m"),
        addressing=Notation.PDU,
        version="1",
        device=DeviceFacts(**facts),  # type: ignore[arg-type]
        periods=periods,
        on_demand=on_demand,
        points={one.name: one for one in points},
        bases=bases or {},
    )


class Server(Registers):
    """Registers with faults: `faults` are raised first, in order; `silent` units and what `refuses` says come after them."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Request] = []
        self.faults: list[LinkError | None] = []
        self.silent: set[int] = set()
        self.refuses: Callable[[Request], LinkError | None] = lambda request: None

    def serve(self, request: Request) -> Sequence[int]:
        self.asked.append(request)
        fault = self.faults.pop(0) if self.faults else None
        if fault is None:
            fault = LinkTimeoutError("silent", unit_id=request.unit_id) if request.unit_id in self.silent else self.refuses(request)
        if fault is not None:
            raise fault
        return super().serve(request)

    @property
    def reads(self) -> list[tuple[int, int]]:
        """Address and count of all reads so far."""
        return [(request.address, request.count) for request in self.asked if isinstance(request, Read)]


class TimedTransport(MemoryTransport):
    """A memory transport whose exchanges take `takes_s`, and whose silence takes the time-out."""

    def __init__(self, server: Server, clock: ManualClock, takes_s: float, *, tids: bool) -> None:
        super().__init__(server, clock, has_transaction_ids=tids)
        self._moving = clock
        self._takes_s = takes_s

    async def exchange(self, request: Request, timeout_s: float) -> Reply:
        try:
            reply = await super().exchange(request, timeout_s)
        except LinkTimeoutError:
            await self._moving.sleep(timeout_s)
            raise
        except LinkDownError:
            raise
        except LinkError:
            await self._moving.sleep(self._takes_s)
            raise
        await self._moving.sleep(self._takes_s)
        return Reply(words=reply.words, read_at=self._moving.utc(), read_mono=self._moving.monotonic())


@dataclass
class Bench:
    """What a test holds in its hands."""

    clock: ManualClock
    server: Server
    bus: Bus
    tasks: asyncio.TaskGroup
    devices: list[Device] = field(default_factory=list)

    def device(self, made: RegisterMap, unit: int = 1, name: str = "d1") -> Device:
        self.devices.append(Device(name, self.bus, UnitId(unit), made, self.clock))
        return self.devices[-1]

    async def run(self, work: Coroutine[None, None, _T], *, step_s: float = 0.05) -> _T:
        """The result of `work`, with the clock moved on for as long as it takes."""
        task = self.tasks.create_task(work)
        await settle()
        while not task.done():
            await self.clock.advance(step_s)
        return await task


@asynccontextmanager
async def bench(*, takes_s: float = 0.0, tids: bool = True, **options: object) -> AsyncIterator[Bench]:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    server = Server()
    link = LinkOptions(**{"id": "l", "transport": "memory", **options})  # type: ignore[arg-type]
    async with asyncio.TaskGroup() as tasks:
        bus = Bus("l", TimedTransport(server, clock, takes_s, tids=tids), link, clock)
        worker = tasks.create_task(bus.run())
        await settle()
        try:
            yield Bench(clock, server, bus, tasks)
        finally:
            worker.cancel()
            await settle()


def exception(code: int) -> DeviceExceptionError:
    return DeviceExceptionError.of(code, unit_id=1)
