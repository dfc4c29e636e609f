"""Our gateway against a server made of libmodbus, and our simulator read by libmodbus and by mbpoll."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.link.options import LinkOptions
from simulators import pytest_plugin
from simulators.frames import LinkKind
from simulators.pytest_plugin import MakeDevice, ServedDevice
from tests.bench.native import build, need, started
from tests.service.peers import bus_on, joined_terminals, speak_every_function

pytestmark = pytest.mark.service

simulated_plant = pytest_plugin.simulated_plant
simulated_device = pytest_plugin.simulated_device

UNIT = 5


@pytest.fixture(params=["tcp", "rtu"])
async def link(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[LinkOptions]:
    """A link to the libmodbus server, over a socket or over joined terminals."""
    need()
    server = build("libmodbus_server.c", tmp_path)
    if request.param == "tcp":
        with started(server, ["tcp"]) as port:
            yield LinkOptions(id="l", transport="tcp", host="127.0.0.1", port=int(port))
    else:
        with joined_terminals() as (ours, theirs), started(server, ["rtu", theirs, str(UNIT)]):
            yield LinkOptions(id="l", transport="rtu", device=ours, baud=115200)


async def test_gateway_speaks_every_function_to_libmodbus(link: LinkOptions) -> None:
    async with bus_on(link) as bus:
        await speak_every_function(bus, UNIT)


@pytest.mark.parametrize("kind", ["tcp", "rtu"])
async def test_libmodbus_reads_all_tables_of_the_simulator(simulated_device: MakeDevice, tmp_path: Path, kind: LinkKind) -> None:
    need()
    client = build(str(Path(__file__).parent / "libmodbus_client.c"), tmp_path)
    device = await simulated_device("demo_doseplc", {"estop": True}, kind=kind, unit_id=UNIT)
    place = ["rtu", device.port, "-"] if isinstance(device.port, str) else ["tcp", device.port[0], str(device.port[1])]
    lines = (await _output(str(client), *place, str(UNIT), "0", "1")).splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "4"]
    for line in lines:
        function, *words = line.split()
        assert words == ([str(word) for word in _held(device, int(function))] or ["error", "Illegal", "data", "address"]), line


@pytest.mark.parametrize("kind", ["tcp", "rtu"])
async def test_mbpoll_reads_the_simulator(simulated_device: MakeDevice, kind: LinkKind) -> None:
    need("mbpoll")
    device = await simulated_device("demo_lt50", {"level": 4.25}, kind=kind, unit_id=UNIT)
    serial = ["-m", "rtu", "-b", "19200", "-P", "none", device.port] if isinstance(device.port, str) else []
    socket = ["-m", "tcp", "-p", str(device.port[1]), device.port[0]] if not isinstance(device.port, str) else []
    output = await _output("mbpoll", "-1", "-q", "-a", str(UNIT), "-0", "-t", "3", "-r", "0", "-c", "4", *(serial or socket))
    words = [int(line.split("\t")[1].split()[0]) for line in output.splitlines() if line.startswith("[")]
    assert words == _held(device, 4, 4) != []


def _held(device: ServedDevice, function: int, count: int = 1) -> list[int]:
    """Words or bits from address 0 on, as the device holds them; none where it has no such registers."""
    reply = device.plant.serve_pdu("link", device.unit_id, bytes((function, 0, 0, 0, count)))
    assert reply is not None
    if reply[0] & 0x80:
        return []
    return (
        [reply[2] >> place & 1 for place in range(count)]
        if function < 3
        else [int.from_bytes(reply[at : at + 2], "big") for at in range(2, len(reply), 2)]
    )


async def _output(*command: str) -> str:
    """What a program prints; it must end well."""
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    async with asyncio.timeout(20):
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()
