"""Reads from devices that answer late, twice, never, in wrong order, in part or in pieces: no value of another read.

Each reply carries the number of the read it was made for, so that a reply to an earlier read of the same registers is found
out, too. Any value that was given to another read than its own is a fault: the bench ends with an error. Beside it pymodbus's own
client reads from the same devices.

What a line without transaction ids cannot tell (nobody can) is left out there: its devices answer in order, except where they
swap two replies in one go, and send the second copy of a reply right behind the first.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from time import perf_counter, process_time

from pymodbus import FramerType
from pymodbus.client import AsyncModbusSerialClient, AsyncModbusTcpClient
from pymodbus.client.base import ModbusBaseClient
from pymodbus.exceptions import ModbusException

from gateway.errors import FrameError, LinkError
from gateway.link.base import Read
from gateway.model.address import PduAddress, Table, UnitId
from tests.bench.report import Result, Run, say
from tests.fake_device import KINDS, Asked, FakeDevice, Kind, rig, served

TIMEOUT_S = 0.02
LINKS = 4
"""Links of each kind at once."""
FAULTS = ("late", "twice", "dropped", "swapped", "split", "truncated")
SHARE = 0.05
"""Of the replies that go wrong."""
COUNTS = (2, 2, 2, 3, 4)


Send = Callable[[bytes], object]


@dataclass
class Liar:
    """The script of one device. `number` is that of the read that is on its way."""

    chance: random.Random
    in_order: bool
    number: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    _held: bytes = b""
    _free_at: float = 0.0
    _ordered: deque[tuple[Send, list[bytes]]] = field(default_factory=deque)
    _writing: deque[tuple[Send, bytes, float]] = field(default_factory=deque)
    _pauses: bool = False

    async def answer(self, device: FakeDevice, asked: Asked) -> None:
        """Reply to one request, or not."""
        data = asked.words(words_of(self.number, asked.address, asked.count))
        fault = self.chance.choice(FAULTS) if self.chance.random() < SHARE else ""
        delay_s = 0.0
        match fault:
            case "late":
                delay_s = self.chance.uniform(0.5, 4) * TIMEOUT_S
            case "twice" if self.in_order:
                data += data
            case "twice":
                self._send(device._send, data, self.chance.uniform(0, 3) * TIMEOUT_S)
            case "dropped":
                data = b""
            case "swapped":
                data, self._held = b"", data
            case "truncated":
                data = data[: self.chance.randrange(1, len(data))]
        self.faults[fault or "right"] += 1
        is_pair = bool(data and self._held) and fault != "truncated"
        if is_pair:
            data, self._held = data + self._held, b""
        if data:
            self._send(device._send, data, delay_s, is_split=fault == "split", is_whole=is_pair and self.in_order)

    def _send(self, send: Send, data: bytes, delay_s: float, *, is_split: bool = False, is_whole: bool = False) -> None:
        """In one piece or two; half of what comes late comes in two."""
        pieces = [data]
        if len(data) > 1 and not is_whole and (is_split or (delay_s and self.chance.random() < 0.5)):
            cut = self.chance.randrange(1, len(data))
            pieces = [data[:cut], data[cut:]]
        loop = asyncio.get_running_loop()
        at = loop.time() + delay_s
        if self.in_order:
            at = self._free_at = max(at, self._free_at)
            self._ordered.append((send, pieces))
            loop.call_at(at, lambda: self._queue(*self._ordered.popleft()))
        elif delay_s:
            loop.call_at(at, self._queue, send, pieces)
        else:
            self._queue(send, pieces)

    def _queue(self, send: Send, pieces: list[bytes]) -> None:
        """One reply after the other: no device mixes the pieces of two."""
        for place, piece in enumerate(pieces):
            self._writing.append((send, piece, self.chance.uniform(0, 0.5) * TIMEOUT_S if place else 0.0))
        if not self._pauses:
            self._write()

    def _write(self) -> None:
        self._pauses = False
        while self._writing:
            send, piece, pause_s = self._writing.popleft()
            if pause_s:
                self._writing.appendleft((send, piece, 0.0))
                self._pauses = True
                asyncio.get_running_loop().call_later(pause_s, self._write)
                return
            send(piece)


def words_of(number: int, address: int, count: int) -> list[int]:
    """What the registers hold for read `number`: its number in two words (scrambled: transaction ids count up, too), the address."""
    return ([number * 40503 & 0xFFFF, number >> 16] + [address] * count)[:count]


async def read_many(kind: Kind, reads: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """How `reads` reads over one link ended ("right", "wrong" or the failure), and what the device did."""
    chance = random.Random(seed)  # noqa: S311 - repeatable faults, no secret
    liar = Liar(random.Random(seed + 1), in_order=kind != "tcp")  # noqa: S311
    ends: Counter[str] = Counter()
    device = FakeDevice(script=liar.answer)
    async with rig(kind, device, timeout_s=TIMEOUT_S) as made:
        for number in range(1, reads + 1):
            liar.number = number
            address, count = chance.randrange(4), chance.choice(COUNTS)
            request = Read(unit_id=UnitId(chance.randrange(1, 4)), table=Table.HOLDING, address=PduAddress(address), count=count)
            try:
                reply = await made.bus.exchange(request)
            except FrameError as error:
                ends[error.kind] += 1
            except LinkError as error:
                ends[error.reason] += 1
            else:
                ends["right" if list(reply.words) == words_of(number, address, count) else "wrong"] += 1
            device.asked.clear()
    return ends, liar.faults


async def read_with_pymodbus(kind: Kind, reads: int, seed: int) -> Counter[str]:
    """How the same reads end with pymodbus's own client."""
    chance = random.Random(seed)  # noqa: S311 - as above
    liar = Liar(random.Random(seed + 1), in_order=kind != "tcp")  # noqa: S311
    ends: Counter[str] = Counter()
    device = FakeDevice(script=liar.answer)
    async with served(kind, device) as place:
        client = _client(kind, place)
        for number in range(1, reads + 1):
            liar.number = number
            address, count = chance.randrange(4), chance.choice(COUNTS)
            if not client.connected:
                await client.connect()
            try:
                reply = await client.read_holding_registers(address, count=count, device_id=chance.randrange(1, 4))
            except ModbusException:
                ends["failed"] += 1
            else:
                is_right = not reply.isError() and reply.registers == words_of(number, address, count)
                ends["right" if is_right else "failed" if reply.isError() else "wrong"] += 1
            device.asked.clear()
        client.close()
    return ends


def _client(kind: Kind, place: Mapping[str, object]) -> ModbusBaseClient:
    if kind == "pty":
        return AsyncModbusSerialClient(str(place["device"]), baudrate=115200, timeout=TIMEOUT_S, retries=0)
    framer = FramerType.SOCKET if kind == "tcp" else FramerType.RTU
    return AsyncModbusTcpClient("127.0.0.1", port=int(str(place["port"])), framer=framer, timeout=TIMEOUT_S, retries=0)


async def measure(run: Run) -> Result:
    """All kinds of links at once, then the same faults with pymodbus."""
    reads, others = (1_000_000, 6000) if run.full else (24_000, 1200)
    each = -(-reads // (LINKS * len(KINDS)))
    started, cpu = perf_counter(), process_time()
    async with asyncio.TaskGroup() as group:
        tasks = {
            (kind, link): group.create_task(read_many(kind, each, run.seed + 100 * link + place))
            for place, kind in enumerate(KINDS)
            for link in range(LINKS)
        }
    took, cpu = perf_counter() - started, process_time() - cpu
    kinds: dict[str, dict[str, object]] = {}
    wrong = 0
    for kind in KINDS:
        ends = sum((task.result()[0] for (of, _), task in tasks.items() if of == kind), Counter[str]())
        faults = sum((task.result()[1] for (of, _), task in tasks.items() if of == kind), Counter[str]())
        wrong += ends["wrong"]
        kinds[kind] = {"reads": ends.total(), "wrong": ends["wrong"], "ends": dict(ends.most_common()), "replies": dict(faults)}
    theirs = {kind: await read_with_pymodbus(kind, others, run.seed) for kind in KINDS}
    return Result(
        figures={"reads": each * len(tasks), "wrong": wrong, "seconds": took, "cpu_s": cpu, "seed": run.seed, "kinds": kinds},
        baseline={"client": f"pymodbus {version('pymodbus')}", **{kind: {"reads": others, **ends} for kind, ends in theirs.items()}},
        meets_aim=wrong == 0,
        is_right=wrong == 0,
    )


if __name__ == "__main__":
    say("late_replies", lambda run: asyncio.run(measure(run)))
