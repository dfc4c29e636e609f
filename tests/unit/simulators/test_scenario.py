"""Scenarios: values and faults on a timeline."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.errors import ConfigError
from gateway.maps.load import shipped_maps
from simulators.scenario import load_scenario, schedule
from simulators.simulated_plant import SimulatedPlant

TEXT = """scenario: 1
plant: pump_station
steady: true
timeline:
  - {at: 20s, fault: "mute,device=lt1", for: 10s}
  - {at: 10s, set: {lt1.level: 12.5, vfd2.fault_code: none}}
  - {at: 1m, fault: "exception=6"}
  - {at: 2m, clear_faults: true, set: {lt1.level: 80}}
"""
READ = bytes.fromhex("0400020001")


def written(folder: Path, text: str) -> Path:
    path = folder / "scenario.yaml"
    path.write_text(text, "utf-8")
    return path


async def test_events_happen_in_their_time(tmp_path: Path) -> None:
    scenario = load_scenario(written(tmp_path, TEXT))
    clock = ManualClock(datetime(2026, 3, 10, tzinfo=UTC))
    plant = SimulatedPlant(scenario.plant, clock, scenario.seed, steady=scenario.steady)
    schedule(scenario, plant)
    seen: list[tuple[object, object]] = []
    for _ in range(13):
        reply = plant.serve_pdu("lan1", 1, READ)
        seen.append((plant.get("lt1.level"), reply[0] if reply else None))
        await clock.advance(10)
    assert seen == [(63, 4), (12.5, 4), (12.5, None), *[(12.5, 4)] * 3, *[(12.5, 0x84)] * 6, (80, 4)]
    assert plant.get("vfd2.fault_code") == 0


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        pytest.param("lt1.level: 12.5", "lt1.lvl: 12.5", 6, "lt1.lvl", id="tag"),
        pytest.param("vfd2.fault_code: none", "vfd2.fault_code: broken", 6, "broken", id="label"),
        pytest.param("mute,device", "mte,device", 5, "no fault is called 'mte'", id="fault"),
        pytest.param("at: 1m", "at: soon", 7, "soon", id="time"),
        pytest.param("plant: pump_station", "plant: mill", 0, "no plant is called mill", id="plant"),
        pytest.param("clear_faults: true", "clear: true", 8, "clear", id="key"),
    ],
)
def test_a_wrong_scenario_is_refused_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in TEXT
    with pytest.raises(ConfigError, match=words) as caught:
        load_scenario(written(tmp_path, TEXT.replace(old, new)))
    assert caught.value.findings[0].line == line


def test_a_fault_aimed_at_nothing_is_refused_before_it_happens(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="lt9"):
        load_scenario(written(tmp_path, TEXT.replace("device=lt1", "device=lt9")))


def test_a_plant_and_a_map_are_scenarios_without_events() -> None:
    assert load_scenario("pump_station").events == ()
    of_map = load_scenario(shipped_maps() / "demo_lt50.yaml")
    assert of_map.is_map
    assert of_map.plant.devices["device"].map.id == "demo_lt50"


def test_the_examples_of_the_guide_load(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[3] / "docs/engineers/simulators.md").read_text("utf-8")
    plant, scenario = (block.split("```")[0] for block in guide.split("```yaml\n")[1:])
    assert set(load_scenario(written(tmp_path, plant)).plant.devices) == {"meter1", "level1"}
    assert [event.at_s for event in load_scenario(written(tmp_path, scenario)).events] == [10, 60, 300]
