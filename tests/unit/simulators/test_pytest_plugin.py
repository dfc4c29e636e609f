"""The fixtures that ship."""

from datetime import UTC, datetime
from pathlib import Path

from gateway.clock import ManualClock
from gateway.maps.load import shipped_maps
from simulators.plant import load_plant
from simulators.pytest_plugin import MakeDevice, MakePlant

NOW = datetime(2026, 3, 10, 6, tzinfo=UTC)


async def test_a_plant_is_steady_unless_told_otherwise(simulated_plant: MakePlant) -> None:
    clock = ManualClock(NOW)
    still = await simulated_plant(clock=clock)
    live = await simulated_plant(load_plant("pump_station"), clock=clock, steady=False)
    await clock.advance(600)
    assert still.plant.get("lt1.level") == 63
    assert live.plant.get("lt1.level") != 63
    assert set(still.running.ports) == {"line1", "lan1", "lan2"}
    assert still.running.ports["lan1"] != live.running.ports["lan1"]


async def test_devices_are_made_of_a_maps_id_or_file(simulated_device: MakeDevice) -> None:
    level = await simulated_device("demo_lt50", {"level": 50, "tag_name": "T9"})
    heater = await simulated_device(Path(shipped_maps() / "demo_tc10.yaml"), kind="rtu", unit_id=9)
    assert (level.get("level"), level.get("tag_name"), level.unit_id) == (50, "T9", 1)
    heater.set("sp", 40)
    assert (heater.get("sp"), heater.unit_id) == (40, 9)
    assert isinstance(heater.port, str)
    assert heater.written == []
    assert level.fault("mute").hits == 0
