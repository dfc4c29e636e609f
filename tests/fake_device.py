"""A Modbus device made of raw bytes, for tests of faults: its own framing, its own check sum, and a script that decides what goes back."""

import asyncio
import os
import pty
import ssl
import struct
import tempfile
import tty
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gateway.clock import SystemClock
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.link.transports import open_transport

Kind = Literal["tcp", "rtu_over_tcp", "pty", "ascii", "udp", "tls"]
KINDS: tuple[Kind, ...] = ("tcp", "rtu_over_tcp", "pty")
"""The kinds that faults are tried on; `pty` is RTU, `ascii` ASCII on a pseudo-terminal."""
ALL_KINDS: tuple[Kind, ...] = (*KINDS, "ascii", "udp", "tls")
STREAMS: tuple[Kind, ...] = ("rtu_over_tcp", "pty")
"""Kinds without transaction ids."""


def crc(data: bytes) -> bytes:
    """CRC-16/MODBUS, bit by bit, low byte first."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ 0xA001 if value & 1 else value >> 1
    return struct.pack("<H", value)


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    raw: bytes
    unit: int
    pdu: bytes
    tid: int | None
    ascii: bool = False

    @property
    def function(self) -> int:
        return self.pdu[0]

    @property
    def address(self) -> int:
        return int.from_bytes(self.pdu[1:3], "big")

    @property
    def count(self) -> int:
        return int.from_bytes(self.pdu[3:5], "big")

    def frame(self, pdu: bytes, *, unit: int | None = None, tid: int | None = None, protocol: int = 0, length: int | None = None) -> bytes:
        """A frame of the same kind around `pdu`; for TCP with another header if asked for."""
        unit = self.unit if unit is None else unit
        if self.ascii:
            body = bytes((unit,)) + pdu
            return b":" + (body + bytes((-sum(body) & 0xFF,))).hex().upper().encode() + b"\r\n"
        if self.tid is None:
            body = bytes((unit,)) + pdu
            return body + crc(body)
        return struct.pack(">HHHB", self.tid if tid is None else tid, protocol, len(pdu) + 1 if length is None else length, unit) + pdu

    def words(self, words: Sequence[int], **header: int) -> bytes:
        """The frame of a reply with these registers."""
        return self.frame(struct.pack(f">BB{len(words)}H", self.function, 2 * len(words), *words), **header)

    def refusal(self, code: int, **header: int) -> bytes:
        """The frame of an exception reply."""
        return self.frame(bytes((self.function | 0x80, code)), **header)

    def done(self) -> bytes:
        """The frame of the reply to a write."""
        return self.frame(self.pdu[:5] if self.function in (15, 16) else self.pdu)


Script = Callable[["FakeDevice", Asked], Awaitable[None]]


@dataclass
class FakeDevice:
    """Answers by `script`; by default as `bank` says. `asked` lists all requests."""

    bank: dict[int, int] = field(default_factory=dict)
    script: Script | None = None
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    _send: Callable[[bytes], object] = lambda data: None
    _hang_up: Callable[[], None] = lambda: None
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    def send(self, data: bytes) -> None:
        self._send(data)

    def hang_up(self) -> None:
        self._hang_up()

    async def answer(self, asked: Asked) -> None:
        """The right reply, from the bank."""
        self.send(self.right(asked))

    def right(self, asked: Asked) -> bytes:
        match asked.function:
            case 1 | 2:
                bits = [int(bool(self.bank.get(place))) for place in range(asked.address, asked.address + asked.count)]
                packed = bytes(sum(bit << at for at, bit in enumerate(bits[i : i + 8])) for i in range(0, len(bits), 8))
                return asked.frame(bytes((asked.function, len(packed))) + packed)
            case 3 | 4:
                return asked.words([self.bank.get(place, 0) for place in range(asked.address, asked.address + asked.count)])
            case 5:
                self.bank[asked.address] = int(asked.count == 0xFF00)
            case 15:
                number = int.from_bytes(asked.pdu[6:], "little")
                self.bank.update({asked.address + at: number >> at & 1 for at in range(asked.count)})
            case 0x2B:
                return asked.frame(
                    bytes.fromhex("2B 0E 01 01 FF 01 01 00 04 41434D45")
                    if asked.pdu[3] == 0
                    else bytes.fromhex("2B 0E 01 01 00 00 01 01 02 5831")
                )
            case 6:
                self.bank[asked.address] = asked.count
            case 16:
                words = struct.unpack(f">{asked.count}H", asked.pdu[6:])
                self.bank.update({asked.address + at: word for at, word in enumerate(words)})
            case 22:
                and_mask, or_mask = struct.unpack(">HH", asked.pdu[3:7])
                self.bank[asked.address] = self.bank.get(asked.address, 0) & and_mask | or_mask & ~and_mask & 0xFFFF
            case _:
                return asked.refusal(1)
        return asked.done()

    async def heard(self, count: int) -> None:
        """Return when `count` requests have come."""
        while len(self.asked) < count:
            self._heard.clear()
            await self._heard.wait()

    async def take(self, asked: Asked) -> None:
        self.asked.append(asked)
        self._heard.set()
        await (self.script(self, asked) if self.script else self.answer(asked))


@dataclass
class Rig:
    """A bus on a fake device."""

    device: FakeDevice
    bus: Bus
    options: LinkOptions


@asynccontextmanager
async def rig(kind: Kind, device: FakeDevice, *, timeout_s: float = 0.15, **options: object) -> AsyncIterator[Rig]:
    """Serve `device` over `kind` and run a bus on it."""
    async with asyncio.TaskGroup() as tasks, _served(kind, device, tasks) as place:
        link = LinkOptions(id="l", transport={"pty": "rtu"}.get(kind, kind), timeout_s=timeout_s, **place, **options)  # type: ignore[arg-type]
        clock = SystemClock()
        bus = Bus("l", open_transport(link, clock), link, clock)
        worker = tasks.create_task(bus.run())
        try:
            yield Rig(device, bus, link)
        finally:
            worker.cancel()
            await asyncio.wait([worker])


@asynccontextmanager
async def served(kind: Kind, device: FakeDevice) -> AsyncIterator[dict[str, object]]:
    """Serve `device` over `kind` to any client; gives the link options that say where."""
    async with asyncio.TaskGroup() as tasks, _served(kind, device, tasks) as place:
        yield place


@asynccontextmanager
async def _served(kind: Kind, device: FakeDevice, tasks: asyncio.TaskGroup) -> AsyncIterator[dict[str, object]]:
    match kind:
        case "pty" | "ascii":
            async with _serve_pty(device, tasks, cut_ascii if kind == "ascii" else cut_rtu) as path:
                yield {"device": path, "baud": 115200}
        case "udp":
            async with _serve_udp(device, tasks) as port:
                yield {"host": "127.0.0.1", "port": port}
        case "tls":
            with tempfile.TemporaryDirectory() as folder:
                cert, key = self_signed(Path(folder))
                context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
                context.load_cert_chain(cert, key)
                async with serve_tcp(device, cut_mbap, tls=context) as port:
                    yield {"host": "127.0.0.1", "port": port, "ca_file": str(cert)}
        case _:
            async with serve_tcp(device, cut_mbap if kind == "tcp" else cut_rtu) as port:
                yield {"host": "127.0.0.1", "port": port}


Cut = Callable[[bytes], Asked | None]
"""The request at the begin of a buffer, if it is whole."""


@asynccontextmanager
async def serve_tcp(device: FakeDevice, cut: Cut, *, port: int = 0, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Serve over a socket; gives the port."""
    writers: set[asyncio.StreamWriter] = set()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        device.connections += 1
        device._send, device._hang_up = writer.write, writer.close
        writers.add(writer)
        buffer = b""
        try:
            while data := await reader.read(4096):
                buffer += data
                while asked := cut(buffer):
                    buffer = buffer[len(asked.raw) :]
                    device._send, device._hang_up = writer.write, writer.close  # a reply goes where its request came from
                    await device.take(asked)
        except ConnectionError:
            pass
        finally:
            writers.discard(writer)
            writer.close()

    server = await asyncio.start_server(client, "127.0.0.1", port, reuse_address=True, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in list(writers):
            writer.transport.abort()
        await server.wait_closed()
        while writers:  # noqa: ASYNC110 - the readers end within a turn or two
            await asyncio.sleep(0)


@asynccontextmanager
async def _serve_udp(device: FakeDevice, tasks: asyncio.TaskGroup) -> AsyncIterator[int]:
    work: asyncio.Queue[Asked] = asyncio.Queue()

    class Served(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
            device._send = partial(transport.sendto, addr=addr)
            asked = cut_mbap(data)
            assert asked is not None
            work.put_nowait(asked)

    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(Served, local_addr=("127.0.0.1", 0))
    server = tasks.create_task(_take_all(device, work))
    try:
        yield transport.get_extra_info("sockname")[1]
    finally:
        server.cancel()
        transport.close()


@asynccontextmanager
async def _serve_pty(device: FakeDevice, tasks: asyncio.TaskGroup, cut: Cut) -> AsyncIterator[str]:
    master, slave = pty.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    os.set_blocking(master, False)
    device._send = partial(os.write, master)
    loop = asyncio.get_running_loop()
    buffer = bytearray()
    work: asyncio.Queue[Asked] = asyncio.Queue()

    def readable() -> None:
        buffer.extend(os.read(master, 4096))
        while asked := cut(bytes(buffer)):
            del buffer[: len(asked.raw)]
            work.put_nowait(asked)

    loop.add_reader(master, readable)
    server = tasks.create_task(_take_all(device, work))
    try:
        yield os.ttyname(slave)
    finally:
        server.cancel()
        loop.remove_reader(master)
        os.close(master)
        os.close(slave)


async def _take_all(device: FakeDevice, work: asyncio.Queue[Asked]) -> None:
    while True:
        await device.take(await work.get())


def cut_mbap(buffer: bytes) -> Asked | None:
    if len(buffer) < 7 or len(buffer) < 6 + int.from_bytes(buffer[4:6], "big"):
        return None
    end = 6 + int.from_bytes(buffer[4:6], "big")
    return Asked(buffer[:end], buffer[6], buffer[7:end], int.from_bytes(buffer[:2], "big"))


def cut_rtu(buffer: bytes) -> Asked | None:
    if len(buffer) < 7:
        return None
    size = {15: 9 + buffer[6], 16: 9 + buffer[6], 22: 10, 0x2B: 7}.get(buffer[1], 8)
    if len(buffer) < size:
        return None
    assert crc(buffer[: size - 2]) == buffer[size - 2 : size], f"request with a wrong CRC: {buffer.hex()}"
    return Asked(buffer[:size], buffer[0], buffer[1 : size - 2], None)


def cut_ascii(buffer: bytes) -> Asked | None:
    end = buffer.find(b"\r\n")
    if end < 0:
        return None
    body = bytes.fromhex(buffer[1:end].decode())
    assert buffer[:1] == b":"
    assert sum(body) & 0xFF == 0, f"request with a wrong LRC: {buffer!r}"
    return Asked(buffer[: end + 2], body[0], body[1:-1], None, ascii=True)


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and its key, made for this test."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "device")])
    day = timedelta(days=1)
    start = SystemClock().utc()
    cert = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start - day)
        .not_valid_after(start + day)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(cert.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return folder / "cert.pem", folder / "key.pem"
