"""The simulated plant over real sockets and terminals, asked by a client that is not ours, and by bare bytes."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import simplejson
import uvloop
from pymodbus.client import AsyncModbusSerialClient, AsyncModbusTcpClient
from pymodbus.client.base import ModbusBaseClient
from pymodbus.framer import FramerType

from gateway.clock import SystemClock
from simulators import pytest_plugin
from simulators.frames import LinkKind, crc
from simulators.plant import load_plant
from simulators.pytest_plugin import MakeDevice, MakePlant, ServedDevice
from simulators.simulated_plant import SimulatedPlant

simulated_plant = pytest_plugin.simulated_plant
simulated_device = pytest_plugin.simulated_device

READ_LEVEL = bytes.fromhex("0007 0000 0006 01 04 0000 0004")
LEVEL = bytes.fromhex("0007 0000 000B 01 04 08 0000 0000 404F 8000")
KINDS: list[LinkKind] = ["tcp", "rtu_over_tcp", "rtu", "ascii"]


def client_of(device: ServedDevice, kind: LinkKind) -> ModbusBaseClient:
    """pymodbus's client for the device's link."""
    framers = {"tcp": FramerType.SOCKET, "rtu_over_tcp": FramerType.RTU, "rtu": FramerType.RTU, "ascii": FramerType.ASCII}
    if isinstance(device.port, str):
        return AsyncModbusSerialClient(device.port, framer=framers[kind], baudrate=19200, timeout=2, retries=0)
    return AsyncModbusTcpClient(device.port[0], port=device.port[1], framer=framers[kind], timeout=2, retries=0)


@asynccontextmanager
async def connected(client: ModbusBaseClient) -> AsyncIterator[ModbusBaseClient]:
    """The client between connect and close."""
    assert await client.connect()
    try:
        yield client
    finally:
        client.close()


@asynccontextmanager
async def stream(port: object) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A bare connection."""
    assert isinstance(port, tuple)
    reader, writer = await asyncio.open_connection(*port)
    try:
        yield reader, writer
    finally:
        writer.close()


def rtu(body: str) -> bytes:
    """An RTU frame."""
    return bytes.fromhex(body) + crc(bytes.fromhex(body))


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_link_serves_every_function(simulated_device: MakeDevice, kind: LinkKind) -> None:
    device = await simulated_device("demo_doseplc", {"flow": 128.5, "dose_rate_sp": 120, "estop": True}, kind=kind, unit_id=5)
    async with connected(client_of(device, kind)) as client:
        assert (await client.read_coils(0, count=2, device_id=5)).bits[:2] == [False, False]
        assert (await client.read_discrete_inputs(0, count=2, device_id=5)).bits[:2] == [False, True]
        assert (await client.read_input_registers(2, count=4, device_id=5)).registers == [0x1000, 0x4060, 0, 0]
        assert (await client.read_holding_registers(0, count=1, device_id=5)).registers == [120]
        assert not (await client.write_coil(0, True, device_id=5)).isError()
        assert not (await client.write_register(0, 121, device_id=5)).isError()
        assert not (await client.write_coils(0, [False, True], device_id=5)).isError()
        assert not (await client.write_registers(0, [122], device_id=5)).isError()
        assert (await client.read_holding_registers(9000, count=1, device_id=5)).exception_code == 2
        assert (await client.mask_write_register(address=0, and_mask=0, or_mask=1, device_id=5)).exception_code == 1
    assert [(written.tag, written.value) for written in device.written] == [
        ("device.auto_manual", True),
        ("device.dose_rate_sp", 121),
        ("device.auto_manual", False),
        ("device.reset_alarm", True),
        ("device.dose_rate_sp", 122),
    ]


async def test_the_pump_station_is_up_soon_and_its_line_carries_several_units(simulated_plant: MakePlant) -> None:
    begins = time.process_time()
    served = await simulated_plant()
    assert time.process_time() - begins < 0.5
    line = AsyncModbusSerialClient(served.running.serial_port("line1"), baudrate=19200, timeout=2, retries=0)
    async with connected(line) as client:
        assert (await client.read_holding_registers(0x2001, count=1, device_id=1)).registers == [4500]
        assert (await client.read_holding_registers(0x2001, count=1, device_id=2)).registers == [4000]
        assert (await client.read_input_registers(15, count=1, device_id=3)).registers == [5002]
        assert (await client.read_holding_registers(0, count=1, device_id=4)).registers == [0x3C01]
    host, port = served.running.tcp_port("lan1")
    async with connected(AsyncModbusTcpClient(host, port=port)) as client:
        assert (await client.read_input_registers(7, count=1)).registers == [88]


async def test_a_live_plant_answers_a_written_set_point_with_a_ramp(simulated_plant: MakePlant) -> None:
    served = await simulated_plant(steady=False)
    speeds: list[int] = []
    async with connected(AsyncModbusSerialClient(served.running.serial_port("line1"), baudrate=19200)) as client, asyncio.timeout(20):
        await client.write_register(0x2001, 2000, device_id=1)
        while len(set(speeds)) < 4:
            speeds += (await client.read_holding_registers(0x2102, count=1, device_id=1)).registers
    assert speeds == sorted(speeds, reverse=True)


async def test_a_paced_line_takes_the_time_of_a_real_one(simulated_plant: MakePlant) -> None:
    served = await simulated_plant(paced=True)
    timing = load_plant("pump_station").links["line1"].timing
    count = 12
    computed = (8 + 5 + 2 * count) * timing.char_s + 2 * timing.silence_s + timing.turnaround_s
    took: list[float] = []
    async with connected(AsyncModbusSerialClient(served.running.serial_port("line1"), baudrate=19200, timeout=5)) as client:
        await client.read_input_registers(0, count=count, device_id=3)
        for _ in range(40):
            begins = time.monotonic()
            assert len((await client.read_input_registers(0, count=count, device_id=3)).registers) == count
            took.append(time.monotonic() - begins)
    assert sum(took) / len(took) >= 0.98 * computed
    assert min(took) == pytest.approx(computed, rel=0.10)  # a busy machine delays the others


async def test_silent_units_leave_the_others_of_their_line_alone(simulated_plant: MakePlant) -> None:
    served = await simulated_plant()
    served.plant.fault("mute", device="vfd2")
    line = os.open(served.running.serial_port("line1"), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    loop, got, is_whole = asyncio.get_running_loop(), bytearray(), asyncio.Event()

    def read() -> None:
        got.extend(os.read(line, 512))
        if len(got) >= 7:
            is_whole.set()

    loop.add_reader(line, read)
    try:
        os.write(line, rtu("02 03 2001 0001") + rtu("09 03 2001 0001") + rtu("01 03 2001 0001"))
        async with asyncio.timeout(5):
            await is_whole.wait()
    finally:
        loop.remove_reader(line)
        os.close(line)
    assert bytes(got) == rtu("01 03 02 1194")


async def test_the_pieces_of_a_late_and_split_reply_arrive_in_their_time(simulated_device: MakeDevice) -> None:
    device = await simulated_device("demo_lt50", {"level": 63})
    device.fault("split", at=9, gap_s=0.15)
    device.fault("late", delay_s=0.1)
    async with stream(device.port) as (reader, writer):
        begins = time.monotonic()
        writer.write(READ_LEVEL)
        assert await reader.readexactly(9) == LEVEL[:9]
        first = time.monotonic() - begins
        assert await reader.readexactly(8) == LEVEL[9:]
        second = time.monotonic() - begins
    assert first >= 0.1
    assert second >= 0.25


async def test_a_late_reply_arrives_after_that_of_the_next_request(simulated_device: MakeDevice) -> None:
    device = await simulated_device("demo_lt50", {"level": 63, "signal_quality": 88}, kind="rtu_over_tcp")
    device.fault("late", delay_s=0.3, times=1)
    async with stream(device.port) as (reader, writer):
        writer.write(rtu("01 04 0000 0004") + rtu("01 04 0007 0001"))
        assert await reader.readexactly(7) == rtu("01 04 02 0058")
        assert await reader.readexactly(13) == rtu("01 04 08 0000 0000 404F 8000")


async def test_connections_end_as_the_fault_says(simulated_device: MakeDevice) -> None:
    device = await simulated_device("demo_lt50", {"level": 63})
    closing = device.fault("close_after_reply")
    async with stream(device.port) as (reader, writer):
        writer.write(READ_LEVEL)
        assert await reader.read() == LEVEL
    closing.clear()
    idle = device.fault("idle_close", after_s=0.05)
    async with stream(device.port) as (reader, _):
        assert await reader.read() == b""
    idle.clear()
    device.fault("one_connection")
    async with stream(device.port) as (reader, writer):
        writer.write(READ_LEVEL)
        assert await reader.readexactly(len(LEVEL)) == LEVEL
        async with stream(device.port) as (second, _):
            with pytest.raises(ConnectionResetError):
                await second.readexactly(1)
        writer.write(READ_LEVEL)
        assert await reader.readexactly(len(LEVEL)) == LEVEL


async def test_a_header_that_cannot_be_closes_the_connection(simulated_device: MakeDevice) -> None:
    device = await simulated_device("demo_lt50")
    async with stream(device.port) as (reader, writer):
        writer.write(bytes.fromhex("0001 0009 0006 01 04 0000 0001"))
        assert await reader.read() == b""


async def test_a_link_goes_away_and_comes_back_on_its_port(simulated_plant: MakePlant) -> None:
    served = await simulated_plant()
    host, port = served.running.tcp_port("lan1")
    async with stream((host, port)) as (reader, _):
        await served.running.switch_off("lan1")
        with pytest.raises(ConnectionResetError):
            await reader.readexactly(1)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, port)
    await served.running.switch_on("lan1")
    async with stream((host, port)) as (reader, writer):
        writer.write(READ_LEVEL)
        assert await reader.readexactly(len(LEVEL)) == LEVEL
    await served.running.switch_off("line1")
    await served.running.switch_on("line1")
    async with connected(AsyncModbusSerialClient(served.running.serial_port("line1"), baudrate=19200, timeout=2)) as client:
        assert (await client.read_holding_registers(0x2001, count=1, device_id=1)).registers == [4500]


async def test_nothing_is_left_after_the_end(tmp_path: Path) -> None:
    name = tmp_path / "line"
    name.symlink_to("nowhere")
    plant = SimulatedPlant(load_plant("pump_station"), SystemClock())
    before = len(asyncio.all_tasks())
    async with plant.running(paced=True, pty_paths={"line1": name}) as running:
        assert running.serial_port("line1") == str(name)
        address = running.tcp_port("lan2")
        reader, writer = await asyncio.open_connection(*address)
        line = os.open(name, os.O_RDWR | os.O_NOCTTY)
        os.write(line, rtu("01 03 2001 0001"))
        assert len(asyncio.all_tasks()) == before
    os.close(line)
    with pytest.raises(ConnectionResetError):
        await reader.readexactly(1)
    writer.close()
    assert not name.is_symlink()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*address)


def test_the_links_are_served_on_uvloop_too() -> None:
    async def exchange() -> None:
        plant = SimulatedPlant(load_plant("pump_station"), SystemClock(), steady=True)
        plant.fault("one_connection")
        async with plant.running() as running:
            port = running.tcp_port("lan1")
            async with stream(port) as (reader, writer):
                writer.write(READ_LEVEL)
                assert await reader.readexactly(len(LEVEL)) == LEVEL
                async with stream(port) as (second, _):
                    with pytest.raises(ConnectionResetError):
                        await second.readexactly(1)
            line = AsyncModbusSerialClient(running.serial_port("line1"), baudrate=19200, timeout=2)
            async with connected(line) as client:
                assert (await client.read_holding_registers(0x2001, count=1, device_id=1)).registers == [4500]

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(exchange())


async def test_a_terminal_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    name = tmp_path / "line"
    name.write_text("precious", "utf-8")
    with pytest.raises(FileExistsError):
        async with SimulatedPlant(load_plant("pump_station"), SystemClock()).running(pty_paths={"line1": name}):
            pass
    assert name.read_text("utf-8") == "precious"


def simulate(*args: str) -> list[str]:
    """The command, without the installed script."""
    return [sys.executable, "-W", "error", "-c", "import typer; from simulators.cli import simulate; typer.run(simulate)", *args]


async def test_the_command_says_where_it_listens_and_ends_clean_on_ctrl_c(tmp_path: Path) -> None:
    name = tmp_path / "line"
    process = await asyncio.create_subprocess_exec(
        *simulate("pump_station", "--json", "--steady", "--fault", "exception=6,device=plc1", "--pty", f"line1={name}"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(60):
        said = simplejson.loads(await process.stdout.readline())
        assert [(link["id"], link["kind"]) for link in said["links"]] == [("line1", "rtu"), ("lan1", "tcp"), ("lan2", "tcp")]
        assert said["links"][0]["address"] == str(name)
        for link, reply in ((1, LEVEL), (2, bytes.fromhex("0007 0000 0003 01 84 06"))):
            host, _, port = said["links"][link]["address"].partition(":")
            async with stream((host, int(port))) as (reader, writer):
                writer.write(READ_LEVEL)
                assert await reader.readexactly(len(reply)) == reply
        process.send_signal(signal.SIGINT)
        rest, errors = await process.communicate()
    assert (process.returncode, rest, errors) == (0, b"", b"")
    assert not name.is_symlink()
