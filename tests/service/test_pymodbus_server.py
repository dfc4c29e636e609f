"""Our gateway against pymodbus's own server, on every kind of link, with identification."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pymodbus.framer import FramerType
from pymodbus.pdu.device import ModbusDeviceIdentification
from pymodbus.server import ModbusSerialServer, ModbusTcpServer, ModbusTlsServer, ModbusUdpServer
from pymodbus.server.base import ModbusBaseServer
from pymodbus.simulator import DataType, SimData, SimDevice

from gateway.link.identify import identify
from gateway.link.options import LinkOptions
from gateway.model.address import UnitId
from tests.fake_device import self_signed
from tests.service.peers import bus_on, joined_terminals, speak_every_function

pytestmark = pytest.mark.service

UNIT = 5
LINKS = ("tcp", "rtu_over_tcp", "udp", "tls", "rtu", "ascii")


@asynccontextmanager
async def served(kind: str, folder: Path) -> AsyncIterator[LinkOptions]:
    """A link to pymodbus's server over `kind`."""
    who = ModbusDeviceIdentification(info_name={"VendorName": "Acme", "ProductCode": "P1", "MajorMinorRevision": "2.3"})  # type: ignore[no-untyped-call]
    bits = [SimData(0, values=[place % 3 == 0 for place in range(112)], datatype=DataType.BITS)]
    words = [SimData(0, values=list(range(100)), datatype=DataType.REGISTERS)]
    device = SimDevice(UNIT, simdata=(bits, list(bits), words, list(words)), identity=who)
    if kind in ("rtu", "ascii"):
        with joined_terminals() as (ours, theirs):
            framer = FramerType.RTU if kind == "rtu" else FramerType.ASCII
            server: ModbusBaseServer = ModbusSerialServer(device, framer=framer, port=theirs, baudrate=115200, identity=who)
            async with _running(server):
                yield LinkOptions(id="l", transport="rtu" if kind == "rtu" else "ascii", device=ours, baud=115200)
        return
    at, ca_file = ("127.0.0.1", 0), ""
    match kind:
        case "udp":
            server = ModbusUdpServer(device, address=at, identity=who)
        case "tls":
            cert, key = self_signed(folder)
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(cert, key)
            ca_file = str(cert)
            server = ModbusTlsServer(device, address=at, sslctx=context, identity=who)
        case _:
            server = ModbusTcpServer(
                device, framer=FramerType.RTU if kind == "rtu_over_tcp" else FramerType.SOCKET, address=at, identity=who
            )
    async with _running(server):
        port = _port(server, kind)
        yield LinkOptions(id="l", transport=kind, host="127.0.0.1", port=port, ca_file=ca_file)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", LINKS)
async def test_gateway_speaks_every_function_to_pymodbus(kind: str, tmp_path: Path) -> None:
    async with served(kind, tmp_path) as options, bus_on(options) as bus:
        await speak_every_function(bus, UNIT)


@pytest.mark.parametrize("kind", LINKS)
async def test_gateway_asks_pymodbus_who_it_is(kind: str, tmp_path: Path) -> None:
    async with served(kind, tmp_path) as options, bus_on(options) as bus:
        assert await identify(bus, UnitId(UNIT)) == {"vendor": "Acme", "product": "P1", "revision": "2.3"}


@asynccontextmanager
async def _running(server: ModbusBaseServer) -> AsyncIterator[None]:
    await server.serve_forever(background=True)
    try:
        yield
    finally:
        await server.shutdown()  # type: ignore[no-untyped-call]
        await asyncio.sleep(0)


def _port(server: ModbusBaseServer, kind: str) -> int:
    if kind == "udp":
        port: int = server.transport.get_extra_info("sockname")[1]
    else:
        port = server.transport.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
    return port
