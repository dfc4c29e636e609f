"""Plant files: the pump station's registers word by word, and what is wrong with a wrong file."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.errors import ConfigError, UnknownTagError
from simulators.plant import load_plant, shipped_plants
from simulators.simulated_plant import SimulatedPlant

# Written by hand from the benchmark's values and the maps' types; nothing of the product computed them.
WORDS = [
    ("line1", 1, 3, 0x0107, [150]),
    ("line1", 1, 3, 0x2000, [1, 4500, 0]),
    ("line1", 1, 3, 0x2100, [7, 0, 4490, 312, 540, 780, 1, 0, 12034]),
    ("line1", 2, 3, 0x0107, [150]),
    ("line1", 2, 3, 0x2000, [0, 4000, 0]),
    ("line1", 2, 3, 0x2100, [8, 7, 0, 0, 541, 410, 1, 0, 8890]),
    ("line1", 3, 4, 0, [2298, 0, 2310, 0, 2289, 0, 30100, 0, 33600, 0, 29400, 0, 18400, 0]),
    ("line1", 3, 4, 14, [870, 5002, 2184, 48, 0, 0x0031]),
    ("line1", 3, 3, 4112, [0]),
    ("line1", 4, 3, 0, [0x3C01, 0x5E01, 0x0100, 0x6C02, 0xC201, 0x0000]),
    ("lan1", 1, 4, 0, [0, 0, 0x404F, 0x8000, 0x4E0C, 0x0000, 0x8E00, 88]),
    ("lan1", 1, 4, 32, [0x5431, 0x2D52, 0x4157, *[0] * 29]),
    ("lan2", 1, 1, 0, [1, 0]),
    ("lan2", 1, 2, 0, [1, 0]),
    ("lan2", 1, 4, 0, [0x3F1E, 0xB852, 0x1000, 0x4060, 0, 0, 420, 340, 118]),
    ("lan2", 1, 3, 0, [120]),
    ("lan2", 1, 3, 16, [0x422D, 0x3033, 0x3130, *[0] * 29]),
]


@pytest.fixture
def plant() -> SimulatedPlant:
    return SimulatedPlant(load_plant("pump_station"), ManualClock(datetime(2026, 3, 10, tzinfo=UTC)), steady=True)


@pytest.mark.parametrize(
    ("link", "unit", "function", "address", "words"), WORDS, ids=[f"{row[0]}-{row[1]}-{row[2]}-{row[3]:#x}" for row in WORDS]
)
def test_the_pump_station_holds_the_benchmarks_values(
    plant: SimulatedPlant, link: str, unit: int, function: int, address: int, words: list[int]
) -> None:
    reply = plant.serve_pdu(link, unit, bytes((function,)) + address.to_bytes(2, "big") + len(words).to_bytes(2, "big"))
    assert reply is not None
    if function <= 2:
        assert [reply[2] >> place & 1 for place in range(len(words))] == words
    else:
        assert [int.from_bytes(reply[at : at + 2], "big") for at in range(2, len(reply), 2)] == words


def test_every_point_of_the_maps_has_a_first_value() -> None:
    station = load_plant("pump_station")
    assert set(station.values) == {f"{name}.{point}" for name, device in station.devices.items() for point in device.map.points}


def test_the_lines_are_those_of_the_demo() -> None:
    station = load_plant("pump_station")
    assert {name: link.kind for name, link in station.links.items()} == {"line1": "rtu", "lan1": "tcp", "lan2": "tcp"}
    assert {name: (device.link, device.unit_id) for name, device in station.devices.items()} == {
        "vfd1": ("line1", 1),
        "vfd2": ("line1", 2),
        "em1": ("line1", 3),
        "tc1": ("line1", 4),
        "lt1": ("lan1", 1),
        "plc1": ("lan2", 1),
    }


def test_a_shipped_plant_is_found_by_name_and_others_are_offered() -> None:
    assert [path.stem for path in shipped_plants().glob("*.yaml")] == ["pump_station"]
    with pytest.raises(ConfigError, match="no plant is called mill: name a file, or one of: pump_station"):
        load_plant("mill")


PLANT = """plant: 1
id: small
links:
  lan: {kind: tcp}
devices:
  lt: {link: lan, unit_id: 1, map: demo_lt50}
values:
  lt.level: 50
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        pytest.param("link: lan,", "link: wan,", 6, "no link is called wan", id="link"),
        pytest.param("lt.level", "lt.lvl", 8, "no point is called lt.lvl", id="point"),
        pytest.param("lt.level", "xx.level", 8, "no point is called xx.level", id="device"),
        pytest.param("lt.level: 50", "lt.signal_quality: 300", 8, "does not fit", id="value"),
        pytest.param("lt.level: 50", "lt.level: high", 8, "is not one of", id="words"),
        pytest.param("kind: tcp", "kind: carrier pigeon", 4, "carrier pigeon", id="kind"),
        pytest.param("id: small", "id: small\ncolour: red", 3, "colour", id="unknown key"),
        pytest.param("unit_id: 1", "unit_id: 0", 6, "0", id="unit id"),
        pytest.param("  lan: {kind: tcp}", "  lan: {kind: tcp}\n  lan: {kind: rtu}", 5, "lan", id="twice"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    path = tmp_path / "plant.yaml"
    assert old in PLANT
    path.write_text(PLANT.replace(old, new), "utf-8")
    with pytest.raises(ConfigError, match=words) as caught:
        load_plant(path)
    assert [finding.line for finding in caught.value.findings] == [line]


def test_a_plant_file_of_its_own_is_served(tmp_path: Path) -> None:
    path = tmp_path / "plant.yaml"
    path.write_text(PLANT, "utf-8")
    plant = SimulatedPlant(load_plant(path), ManualClock(datetime(2026, 3, 10, tzinfo=UTC)), steady=True)
    assert plant.get("lt.level") == 50


@pytest.mark.parametrize("tag", ["vfd1.nothing", "vfd9.speed_sp", "vfd1"])
def test_unknown_tags_are_named(plant: SimulatedPlant, tag: str) -> None:
    with pytest.raises(UnknownTagError, match=tag):
        plant.get(tag)
    with pytest.raises(UnknownTagError, match=tag):
        plant.set(tag, 1)


def test_set_takes_labels_text_and_refuses_what_does_not_fit(plant: SimulatedPlant) -> None:
    plant.set("vfd2.fault_code", "none")
    assert plant.get("vfd2.fault_code") == 0
    plant.set("lt1.tag_name", "原水")
    assert plant.get("lt1.tag_name") == "原水"
    with pytest.raises(ValueError, match="fit"):
        plant.set("vfd1.dc_bus_v", 70_000)


def test_what_reached_a_link_is_listed(plant: SimulatedPlant) -> None:
    plant.serve_pdu("lan1", 1, bytes.fromhex("0400000001"))
    plant.serve_pdu("line1", 7, bytes.fromhex("0300000001"))
    assert [(request.link, request.unit_id) for request in plant.requests()] == [("lan1", 1), ("line1", 7)]
    assert [request.pdu.hex() for request in plant.requests("lan1")] == ["0400000001"]
