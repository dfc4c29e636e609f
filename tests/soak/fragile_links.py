"""Links whose other side comes and goes: sockets are hung up or refused, ports vanish, devices fall mute or garble."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gateway.link.options import LinkOptions
from tests.fake_device import Asked, FakeDevice, Kind, cut_mbap, cut_rtu, serve_tcp, served

TROUBLES = ("hung_up", "mute", "garbled")
REGISTERS = 20
_TCP_HEAD = 9
"""Bytes of a reply in front of its registers."""


def words_of(place: int) -> list[int]:
    """What the registers of the device on link number `place` hold, always."""
    return [1000 * (place + 1) + at for at in range(REGISTERS)]


@dataclass
class FragileLink:
    """One link, its device, and what was done to it."""

    place: int
    kind: Kind
    folder: Path
    chance: random.Random
    cuts: Counter[str] = field(default_factory=Counter)
    _port: int = 0

    @property
    def id(self) -> str:
        return f"l{self.place}"

    @property
    def options(self) -> LinkOptions:
        """The link as the gateway opens it; call when it was up once."""
        if self.kind == "pty":
            return LinkOptions(id=self.id, transport="rtu", device=str(self._path), baud=115200, timeout_s=0.2)
        return LinkOptions(
            id=self.id, transport="tcp" if self.kind == "tcp" else "rtu_over_tcp", host="127.0.0.1", port=self._port, timeout_s=0.2
        )

    async def run(self, up: asyncio.Event, calm: asyncio.Event) -> None:
        """Serve, and cut again and again, but not while it is `calm`. Sets `up` when it can be opened for the first time."""
        while True:
            device = FakeDevice(bank=dict(enumerate(words_of(self.place))), script=_answer)
            async with self._up(device):
                up.set()
                while await self._goes_on(device, calm):
                    pass
            self.cuts["gone"] += 1
            await asyncio.sleep(self.chance.uniform(0.2, 2))

    async def _goes_on(self, device: FakeDevice, calm: asyncio.Event) -> bool:
        """One trouble after some time; False if the other side is to vanish."""
        await asyncio.sleep(self.chance.uniform(0.5, 4))
        if calm.is_set():
            return True
        trouble = self.chance.choice((*TROUBLES, "gone"))
        if trouble == "gone":
            return False
        self.cuts[trouble] += 1
        if trouble == "hung_up":
            device.hang_up()
            return True
        device.script = _mute if trouble == "mute" else self._garble
        await asyncio.sleep(self.chance.uniform(0.2, 2))
        device.script = _answer
        return True

    async def _garble(self, device: FakeDevice, asked: Asked) -> None:
        """Bits and the end of the reply are lost; over TCP, which has no check sum, only bits of the head: its data cannot be proved."""
        device.asked.clear()
        data = bytearray(device.right(asked))
        for _ in range(self.chance.randrange(1, 4)):
            data[self.chance.randrange(_TCP_HEAD if self.kind == "tcp" else len(data))] ^= 1 << self.chance.randrange(8)
        device.send(bytes(data[: self.chance.randrange(len(data) + 1)]))

    def _up(self, device: FakeDevice) -> AbstractAsyncContextManager[None]:
        return self._pty(device) if self.kind == "pty" else self._socket(device)

    @asynccontextmanager
    async def _socket(self, device: FakeDevice) -> AsyncIterator[None]:
        async with serve_tcp(device, cut_mbap if self.kind == "tcp" else cut_rtu, port=self._port) as self._port:
            yield

    @asynccontextmanager
    async def _pty(self, device: FakeDevice) -> AsyncIterator[None]:
        async with served("pty", device) as place:
            self._path.symlink_to(str(place["device"]))
            try:
                yield
            finally:
                self._path.unlink()

    @property
    def _path(self) -> Path:
        return self.folder / self.id


async def _answer(device: FakeDevice, asked: Asked) -> None:
    device.asked.clear()
    device.send(device.right(asked))


async def _mute(device: FakeDevice, asked: Asked) -> None:
    device.asked.clear()


def open_files() -> Counter[str]:
    """What this process holds open, by kind: sockets, terminals, other files."""
    found: Counter[str] = Counter()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except FileNotFoundError:  # the descriptor of this very listing
            continue
        found["sockets" if target.startswith("socket:") else "terminals" if "/pts/" in target or "ptmx" in target else "others"] += 1
    return found
