"""A modpoll file becomes a map, the map a simulated device, and what is read from it is what modpoll would read from the real one."""

import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pymodbus.client import AsyncModbusTcpClient

from gateway.cli import main
from gateway.maps.load import load_map
from gateway.model.decode import decode_point
from gateway.model.sample import Scalar
from simulators import pytest_plugin
from simulators.pytest_plugin import MakeDevice

simulated_plant = pytest_plugin.simulated_plant
simulated_device = pytest_plugin.simulated_device

FILE = Path(__file__).parents[1] / "golden" / "convert" / "modpoll.csv"
HELD: dict[str, Scalar] = {
    "flow_rate": 12.5,
    "total": 123456.7,
    "serial_text": "SN-00042",
    "set_point": -4.5,
    "mode": 513,
    "lamps_1": True,
    "doors_3": True,
}


def by_modpoll(words: Sequence[int], code: str, order: str) -> float:
    """What modpoll makes of registers: words reversed for a low word order, bytes swapped for a low byte order, then big-endian."""
    byte_order, word_order = order.split("_")
    arranged = list(words)[::-1] if word_order == "LE" else list(words)
    data = struct.pack(f"{'<' if byte_order == 'LE' else '>'}{len(arranged)}H", *arranged)
    (value,) = struct.unpack(f">{code}", data)
    return float(value)


@pytest.fixture
def converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The map, as the command writes it."""
    out = tmp_path / "flow1.yaml"
    monkeypatch.setattr(sys, "argv", ["busmate", "convert", "modpoll", str(FILE), "--notation", "pdu", "-o", str(out)])
    main()
    return out


async def test_device_made_of_a_converted_map_reads_as_modpoll_reads_it(converted: Path, simulated_device: MakeDevice) -> None:
    device = await simulated_device(converted, HELD)
    assert device.unit_id == 7
    assert isinstance(device.port, tuple)
    client = AsyncModbusTcpClient(device.port[0], port=device.port[1], timeout=2, retries=0)
    assert await client.connect()
    try:
        inputs = (await client.read_input_registers(100, count=4, device_id=7)).registers
        text = (await client.read_input_registers(106, count=4, device_id=7)).registers
        holding = (await client.read_holding_registers(0, count=2, device_id=7)).registers
        coils = (await client.read_coils(0, count=16, device_id=7)).bits[:16]
    finally:
        client.close()
    assert inputs == [0x0000, 0x4148, 0xD687, 0x0012]
    assert by_modpoll(inputs[:2], "f", "BE_LE") == 12.5
    assert round(by_modpoll(inputs[2:], "I", "BE_LE") * 0.1, 1) == 123456.7
    assert struct.pack(">4H", *text) == b"SN-00042"
    assert holding == [0xD3FF, 0x0102]
    assert by_modpoll(holding[:1], "h", "LE_BE") * 0.1 == -4.5
    assert by_modpoll(holding[1:], "H", "LE_BE") == 513
    assert coils == [True, *[False] * 9, True, *[False] * 5]
    points = load_map(converted).points
    ours = {
        "flow_rate": decode_point(points["flow_rate"], inputs[:2]),
        "total": decode_point(points["total"], inputs[2:]),
        "serial_text": decode_point(points["serial_text"], text),
        "set_point": decode_point(points["set_point"], holding[:1]),
        "mode": decode_point(points["mode"], holding[1:]),
        "lamps_1": decode_point(points["lamps_1"], coils[points["lamps_1"].pdu :]),
        "doors_3": decode_point(points["doors_3"], coils[points["doors_3"].pdu :]),
    }
    assert {
        name: (float(value) if isinstance(HELD[name], float) and value is not None else value, why) for name, (value, why) in ours.items()
    } == {name: (value, None) for name, value in HELD.items()}
