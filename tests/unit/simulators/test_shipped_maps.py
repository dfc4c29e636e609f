"""Every map that ships can be simulated: it starts, lives, and each of its points can be read over the wire."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.maps.load import load_map, shipped_maps
from gateway.model.point import Access
from simulators.plant import device_plant
from simulators.simulated_plant import SimulatedPlant

MAPS = sorted(shipped_maps().glob("*.yaml"))


@pytest.mark.parametrize("path", MAPS, ids=[path.stem for path in MAPS])
async def test_every_point_can_be_read(path: Path) -> None:
    register_map = load_map(path)
    clock = ManualClock(datetime(2026, 3, 10, tzinfo=UTC))
    plant = SimulatedPlant(device_plant(register_map, {}), clock, seed=1)
    await clock.advance(100)
    for name, point in register_map.points.items():
        plant.get(f"device.{name}")
        if point.access is Access.WO:
            continue
        bank, _ = plant.find(f"device.{name}")
        unit, table, address = bank.cells(name)[0]
        request = bytes((table.read_function,)) + address.to_bytes(2, "big") + point.words.to_bytes(2, "big")
        reply = plant.serve_pdu("link", unit, request)
        assert reply is not None
        assert reply[0] == table.read_function, name
