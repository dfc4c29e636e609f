"""Reads from devices that answer late, twice, never, in wrong order or in part: `python -m tests.bench.bench_late_replies [READS]`.

Each reply carries the number of the read it was made for, so that a reply to an earlier read of the same registers is found
out, too. Any value that was given to another read than its own is a fault: the bench ends with an error.

What a line without transaction ids cannot tell (nobody can) is left out there: its devices answer in order, except where they
swap two replies in one go, and send the second copy of a reply right behind the first.
"""

import asyncio
import random
import sys
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter, process_time

from gateway.errors import FrameError, LinkError
from gateway.link.base import Read
from gateway.model.address import PduAddress, Table, UnitId
from tests.fake_device import KINDS, Asked, FakeDevice, Kind, rig

TIMEOUT_S = 0.02
LINKS = 4
"""Links of each kind at once."""
FAULTS = ("late", "twice", "dropped", "swapped", "truncated")
SHARE = 0.04
"""Of the replies that go wrong."""


@dataclass
class Liar:
    """The script of one device. `number` is that of the read that is on its way."""

    chance: random.Random
    in_order: bool
    number: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    _held: bytes = b""
    _free_at: float = 0.0
    _waiting: deque[bytes] = field(default_factory=deque)

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
        if data and self._held and fault != "truncated":
            data, self._held = data + self._held, b""
        if data:
            self._send(device._send, data, delay_s)

    def _send(self, send: Callable[[bytes], object], data: bytes, delay_s: float) -> None:
        loop = asyncio.get_running_loop()
        at = loop.time() + delay_s
        if self.in_order:
            at = self._free_at = max(at, self._free_at)
            self._waiting.append(data)
            if at > loop.time() or len(self._waiting) > 1:
                loop.call_at(at, lambda: send(self._waiting.popleft()))
            else:
                send(self._waiting.popleft())
        elif delay_s:
            loop.call_at(at, send, data)
        else:
            send(data)


def words_of(number: int, address: int, count: int) -> list[int]:
    """What the registers hold for read `number`: its number in two words, then the address."""
    return ([number & 0xFFFF, number >> 16] + [address] * count)[:count]


async def read_many(kind: Kind, reads: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """How `reads` reads over one link ended ("right", "wrong" or the failure), and what the device did."""
    chance = random.Random(seed)  # noqa: S311 - repeatable faults, no secret
    liar = Liar(random.Random(seed + 1), in_order=kind != "tcp")  # noqa: S311
    ends: Counter[str] = Counter()
    device = FakeDevice(script=liar.answer)
    async with rig(kind, device, timeout_s=TIMEOUT_S) as made:
        for number in range(1, reads + 1):
            liar.number = number
            address, count = chance.randrange(4), chance.choice((2, 2, 2, 3, 4))
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


async def main(reads: int = 20_000, seed: int = 1) -> int:
    """Print how all reads ended; the number of wrong values."""
    started, cpu = perf_counter(), process_time()
    each = reads // (LINKS * len(KINDS))
    async with asyncio.TaskGroup() as group:
        tasks = {
            (kind, link): group.create_task(read_many(kind, each, seed + 100 * link + place))
            for place, kind in enumerate(KINDS)
            for link in range(LINKS)
        }
    wrong = 0
    for kind in KINDS:
        ends: Counter[str] = Counter()
        faults: Counter[str] = Counter()
        for (of, _), task in tasks.items():
            if of == kind:
                ends += task.result()[0]
                faults += task.result()[1]
        wrong += ends["wrong"]
        told = ", ".join(f"{count} {name}" for name, count in ends.most_common())
        done = ", ".join(f"{faults[name]} {name}" for name in FAULTS)
        sys.stdout.write(f"{kind:12} {each * LINKS} reads: {ends['wrong']} wrong; {told}\n{'':12} replies {done}\n")
    sys.stdout.write(
        f"late_replies: {wrong} wrong in {each * len(tasks)} reads, {perf_counter() - started:.0f} s, CPU {process_time() - cpu:.0f} s\n"
    )
    return wrong


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*map(int, sys.argv[1:]))) > 0)
