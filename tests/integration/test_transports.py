"""One set of tests for every transport: what a bus may expect of any of them."""

import asyncio
import os
import pty
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.errors import ConfigError, DeviceExceptionError, LinkDownError, LinkTimeoutError
from gateway.link.base import MaskWrite, Read, Reply, Request, WriteCoils, WriteRegisters
from gateway.link.bus import Bus
from gateway.link.identify import identify
from gateway.link.options import LinkOptions, Rs485
from gateway.link.transports import discover, open_transport
from gateway.link.transports.memory import MemoryTransport, Registers
from gateway.model.address import PduAddress, Table, UnitId
from tests.fake_device import ALL_KINDS, KINDS, Asked, FakeDevice, Kind, cut_mbap, rig, serve_tcp

U1 = UnitId(1)


def read(address: int, count: int = 1, table: Table = Table.HOLDING, unit: int = 1) -> Read:
    return Read(unit_id=UnitId(unit), table=table, address=PduAddress(address), count=count)


class Faulty(Registers):
    """Registers that answer unit 9 with silence and address 500 with exception 2."""

    def serve(self, request: Request) -> Sequence[int]:
        if request.unit_id == 9:
            raise LinkTimeoutError("no reply in time", unit_id=9)
        if isinstance(request, Read) and request.address == 500:
            raise DeviceExceptionError.of(2, unit_id=1)
        return super().serve(request)


async def script(device: FakeDevice, asked: Asked) -> None:
    if asked.unit != 9:
        device.send(asked.refusal(2) if asked.function in (3, 4) and asked.address == 500 else device.right(asked))


@asynccontextmanager
async def bus_over(kind: str) -> AsyncIterator[Bus]:
    if kind != "memory":
        async with rig(next(one for one in ALL_KINDS if one == kind), FakeDevice(script=script), timeout_s=0.1) as r:
            yield r.bus
        return
    options, clock = LinkOptions(id="l", transport="memory"), SystemClock()
    bus = Bus("l", MemoryTransport(Faulty(), clock), options, clock)
    async with asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(bus.run())
        yield bus
        worker.cancel()


EVERY = pytest.mark.parametrize("kind", [*ALL_KINDS, "memory"])


async def words(bus: Bus, request: Request) -> tuple[int, ...]:
    return tuple((await bus.exchange(request)).words)


@EVERY
async def test_written_registers_are_read_back(kind: str) -> None:
    async with bus_over(kind) as bus:
        assert await words(bus, WriteRegisters(unit_id=U1, address=PduAddress(10), words=(0x1234,), single=True)) == ()
        assert await words(bus, WriteRegisters(unit_id=U1, address=PduAddress(11), words=(0xFFFF, 0))) == ()
        assert await words(bus, read(10, 3)) == (0x1234, 0xFFFF, 0)
        assert await words(bus, MaskWrite(unit_id=U1, address=PduAddress(11), and_mask=0xFFF7, or_mask=0)) == ()
        assert await words(bus, read(11)) == (0xFFF7,)


@EVERY
async def test_written_coils_are_read_back(kind: str) -> None:
    async with bus_over(kind) as bus:
        await bus.exchange(WriteCoils(unit_id=U1, address=PduAddress(3), bits=(True,), single=True))
        await bus.exchange(WriteCoils(unit_id=U1, address=PduAddress(4), bits=(False, True, True) + (False,) * 8 + (True,)))
        assert await words(bus, read(3, 13, Table.COIL)) == (1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1)


@EVERY
async def test_largest_reads(kind: str) -> None:
    async with bus_over(kind) as bus:
        await bus.exchange(WriteRegisters(unit_id=U1, address=PduAddress(100), words=tuple(range(123))))
        assert await words(bus, read(100, 125)) == (*range(123), 0, 0)
        assert len(await words(bus, read(0, 2000, Table.COIL))) == 2000


@EVERY
async def test_reply_carries_its_time(kind: str) -> None:
    clock = SystemClock()
    async with bus_over(kind) as bus:
        before, reply = clock.monotonic(), await bus.exchange(read(0))
        assert isinstance(reply, Reply)
        assert before <= reply.read_mono <= clock.monotonic()
        assert reply.read_at.tzinfo is not None


@EVERY
async def test_exception_and_silence_leave_the_link_open(kind: str) -> None:
    async with bus_over(kind) as bus:
        with pytest.raises(DeviceExceptionError) as caught:
            await bus.exchange(read(500))
        assert caught.value.number == 2
        with pytest.raises(LinkTimeoutError):
            await bus.exchange(read(0, unit=9))
        assert await words(bus, read(0)) == (0,)
        assert bus.stats.dials == 1


@EVERY
async def test_frames_are_traced(kind: str) -> None:
    async with bus_over(kind) as bus:
        await bus.exchange(read(0x1234))
        sent = next(frame for frame in bus.transport.trace.frames() if frame.direction == "out")
        text = sent.data.decode() if kind == "ascii" else sent.hex
        assert "0312340001" in text.replace(" ", "")


@EVERY
async def test_closed_transport_sends_nothing(kind: str) -> None:
    async with bus_over(kind) as bus:
        await bus.exchange(read(0))
        await bus.transport.close()
        await bus.transport.close()
        assert not bus.transport.is_open
        with pytest.raises(LinkDownError) as caught:
            await bus.transport.exchange(read(0), 1.0)
        assert not caught.value.sent
        await bus.transport.open()
        assert bus.transport.is_open


@pytest.mark.parametrize("kind", ALL_KINDS)
async def test_identification_is_followed_to_its_end(kind: Kind) -> None:
    async with rig(kind, FakeDevice()) as r:
        assert await identify(r.bus, U1) == {"vendor": "ACME", "product": "X1"}


async def test_identification_that_never_ends_is_cut_off() -> None:
    async def endless(device: FakeDevice, asked: Asked) -> None:
        device.send(asked.frame(bytes.fromhex("2B 0E 01 01 FF 00 01 00 01 41")))

    async with rig("tcp", FakeDevice(script=endless)) as r:
        assert await identify(r.bus, U1) == {"vendor": "A"}
        assert len(r.device.asked) == 1


@pytest.mark.parametrize("kind", ["tcp", "rtu_over_tcp", "tls"])
async def test_refused_connection_is_a_link_that_is_down(kind: Kind) -> None:
    async with rig(kind, FakeDevice()) as r:
        used = r.options
    transport = open_transport(used, SystemClock()) if kind != "tls" else r.bus.transport
    with pytest.raises(LinkDownError, match=f"127.0.0.1:{used.port}") as caught:
        await transport.open()
    assert not caught.value.sent
    assert caught.value.fix


@pytest.mark.parametrize("name", ["rtu", "ascii"])
async def test_missing_port_is_one_clear_line(name: str) -> None:
    options = LinkOptions(id="line1", transport="rtu" if name == "rtu" else "ascii", device="/dev/no-such-port")
    with pytest.raises(LinkDownError, match=r"cannot open /dev/no-such-port.*No such file.*dialout"):
        await open_transport(options, SystemClock()).open()


async def test_port_in_use_is_one_clear_line() -> None:
    async with rig("pty", FakeDevice()) as r:
        await r.bus.exchange(read(0))
        with pytest.raises(LinkDownError, match="no other program uses it"):
            await open_transport(r.options, SystemClock()).open()


async def test_line_format_of_a_pseudo_terminal_is_not_set() -> None:
    async with rig("pty", FakeDevice(bank={0: 3}), parity="even", stop_bits=2, data_bits=7) as r:
        assert await words(r.bus, read(0)) == (3,)


async def test_rs485_is_asked_of_the_driver() -> None:
    """A pseudo-terminal has no direction to control: the refusal is a link that is down, not a crash."""
    async with rig("pty", FakeDevice(), rs485=Rs485(delay_before_tx_s=0.001)) as r:
        with pytest.raises(LinkDownError, match="RS485"):
            await r.bus.exchange(read(0))


async def test_unplugged_port_is_a_link_that_is_down() -> None:
    master, slave = pty.openpty()
    options = LinkOptions(id="line1", transport="rtu", device=os.ttyname(slave), timeout_s=2)
    transport = open_transport(options, SystemClock())
    await transport.open()
    os.close(slave)

    async def unplug() -> None:
        os.close(master)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(unplug())
        with pytest.raises(LinkDownError) as caught:
            await transport.exchange(read(0), 2.0)
    assert caught.value.sent
    assert not transport.is_open
    await transport.close()


@pytest.mark.parametrize("kind", ["tcp", "rtu_over_tcp", "tls"])
async def test_s07_server_that_closes_after_each_reply_costs_nothing(kind: Kind) -> None:
    async def closing(device: FakeDevice, asked: Asked) -> None:
        device.send(device.right(asked))
        device.hang_up()

    async with rig(kind, FakeDevice(bank={0: 3}, script=closing)) as r:
        for _ in range(5):
            assert await words(r.bus, read(0)) == (3,)
        assert r.bus.down_cause == ""


async def test_connection_lost_during_a_write_is_told_as_sent() -> None:
    async def dying(device: FakeDevice, asked: Asked) -> None:
        device.hang_up()

    async with rig("tcp", FakeDevice(script=dying)) as r:
        with pytest.raises(LinkDownError) as caught:
            await r.bus.exchange(WriteRegisters(unit_id=U1, address=PduAddress(0), words=(1,), single=True))
        assert caught.value.sent
        assert len(r.device.asked) == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_s17_stop_with_a_request_in_flight(kind: Kind) -> None:
    async def mute(device: FakeDevice, asked: Asked) -> None:
        return None

    loop = asyncio.get_running_loop()
    async with rig(kind, FakeDevice(script=mute), timeout_s=30) as r, asyncio.TaskGroup() as tasks:
        asked = tasks.create_task(ended(r.bus))
        await r.device.heard(1)
        started = loop.time()
        worker = next(task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__qualname__", "") == "Bus.run")
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker
        assert await asked == "LINK_DOWN"
        assert loop.time() - started < 1.0
        assert not r.bus.transport.is_open


async def ended(bus: Bus) -> str:
    try:
        await bus.exchange(read(0))
    except LinkDownError as error:
        return error.code
    return "ok"


async def test_s10_one_connection_per_endpoint_with_many_units() -> None:
    device = FakeDevice(bank={0: 3})
    async with rig("tcp", device) as r:
        reads = [r.bus.exchange(read(0, unit=unit)) for unit in range(1, 6) for _ in range(10)]
        await asyncio.gather(*reads, r.bus.exchange(WriteRegisters(unit_id=U1, address=PduAddress(0), words=(1,), single=True)))
        assert device.connections == 1


async def test_s08_server_that_closes_idle_links_is_dialled_again_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    async with rig("tcp", FakeDevice(bank={0: 3})) as r:
        assert await words(r.bus, read(0)) == (3,)
        r.device.hang_up()
        await asyncio.sleep(0)
        assert await words(r.bus, read(0)) == (3,)
        assert [record for record in caplog.records if record.name.startswith("gateway")] == []


def test_transports_found_are_these() -> None:
    assert list(discover()) == ["ascii", "memory", "rtu", "rtu_over_tcp", "tcp", "tls", "udp"]


async def test_tls_server_that_is_not_known_is_refused() -> None:
    async with rig("tls", FakeDevice()) as r:
        stranger = LinkOptions(id="l", transport="tls", host="127.0.0.1", port=r.options.port)
        with pytest.raises(LinkDownError, match="certificate"):
            await open_transport(stranger, SystemClock()).open()


@pytest.mark.parametrize("name", ["ca_file", "cert_file"])
def test_tls_file_that_cannot_be_used_stops_the_start(name: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.pem")
    options = LinkOptions(id="lan1", transport="tls", host="x", **{name: missing})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="lan1"):
        open_transport(options, SystemClock())


async def test_udp_port_where_nobody_listens_is_down_or_silent() -> None:
    async with rig("udp", FakeDevice()) as r:
        used = r.options
    transport = open_transport(used, SystemClock())
    await transport.open()
    with pytest.raises((LinkDownError, LinkTimeoutError)):
        await transport.exchange(read(0), 0.2)
    await transport.close()


async def test_server_that_comes_back_is_found_again() -> None:
    async with rig("tcp", FakeDevice(bank={0: 3})) as r:
        port = r.options.port
    clock = SystemClock()
    options = LinkOptions(id="l", transport="tcp", host="127.0.0.1", port=port, timeout_s=0.2)
    bus = Bus("l", open_transport(options, clock), options, clock)
    async with asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(bus.run())
        with pytest.raises(LinkDownError):
            await bus.exchange(read(0))
        async with serve_tcp(FakeDevice(bank={0: 4}), cut_mbap, port=port):
            answers: list[tuple[int, ...]] = []
            while not answers:
                with suppress(LinkDownError):
                    answers.append(await words(bus, read(0)))
                await clock.sleep(0.01)
            assert answers == [(4,)]
            worker.cancel()
            await asyncio.wait([worker])
