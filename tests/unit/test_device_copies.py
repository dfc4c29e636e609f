"""One entry of a configuration for many devices, and several devices in one unit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.errors import ConfigError
from gateway.model.address import Table
from gateway.settings import Settings, load_settings

MAP = """\
regmap: 1
id: pump
vendor: Example
model: P1
kind: pump
title: {en: Pump, zh: 泵}
manual: {title: PLC list, addressing: ref}
evidence: {level: document}
device: {readable: {holding: ["0..19"]}}
defaults: {type: uint16, page: 1}
poll: {normal: 10s}
points:
  speed: {ref: "40001", name: {en: Speed, zh: 转速}}
  running: {ref: "00001", type: bool, name: {en: Running, zh: 运行}}
"""
Load = Callable[[str], Settings]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    (tmp_path / "pump.yaml").write_text(MAP, "utf-8")

    def load_devices(devices: str) -> Settings:
        path = tmp_path / "plant.yaml"
        path.write_text(
            f"site: {{name: Plant}}\nmaps: [.]\nlinks:\n  - {{id: lan1, transport: tcp, host: 10.0.0.1}}\ndevices:\n{devices}", "utf-8"
        )
        return load_settings(path)

    return load_devices


def entry(more: str, title: str) -> str:
    return f"  - {{id: pump, link: lan1, unit_id: 5, map: pump, title: {title}, {more}}}\n"


def test_copies_by_number_have_their_own_unit_id_and_words(load: Load) -> None:
    settings = load(
        entry("aliases: ['P-10{n}'], area: 'Hall {n}', repeat: {count: 3, unit_id_stride: 2}", "{en: 'Pump {n}', zh: '{n}号泵'}")
    )
    assert [(device.id, device.unit_id) for device in settings.devices] == [("pump_1", 5), ("pump_2", 7), ("pump_3", 9)]
    second = settings.devices[1]
    assert (second.title.en, second.title.zh, second.aliases, second.area) == ("Pump 2", "2号泵", ("P-102",), "Hall 2")
    assert [device.map.version for device in settings.devices] == [second.map.version] * 3


def test_copies_by_name_move_through_the_tables_of_one_unit(load: Load) -> None:
    settings = load(
        entry("base: {holding: 100}, repeat: {names: [east, west], base_stride: {holding: 20, coil: 8}}", "'Pump {name} ({n})'")
    )
    east, west = settings.devices
    assert (east.id, west.id, west.title.en, {east.unit_id, west.unit_id}) == ("pump_east", "pump_west", "Pump west (2)", {5})
    assert [device.map.points["speed"].pdu for device in (east, west)] == [100, 120]
    assert [device.map.points["running"].pdu for device in (east, west)] == [0, 8]
    assert west.map.points["speed"].written_address == "40001 + 120"
    assert west.map.points["running"].written_address == "00001 + 8"
    assert east.map.points["running"].written_address == "00001"
    assert west.map.device.readable == {Table.HOLDING: ((120, 139),)}
    assert east.map.version != west.map.version


def test_site_rules_of_a_repeated_entry_hold_for_every_copy(load: Load) -> None:
    rules = "points: {speed: {alarm: {hi: 50, text: 'Pump {n} too fast'}}}"
    settings = load(entry(f"{rules}, repeat: {{count: 2, unit_id_stride: 1}}", "'Pump {n}'"))
    alarms = [device.map.points["speed"].alarm for device in settings.devices]
    assert [alarm.text.en for alarm in alarms if alarm] == ["Pump 1 too fast", "Pump 2 too fast"]


def test_several_maps_in_one_unit(load: Load) -> None:
    settings = load(
        "  - {id: p1, link: lan1, unit_id: 5, base: 10, map: pump, title: Pump}\n"
        "  - {id: lt, link: lan1, unit_id: 5, base: 0, map: demo_lt50, title: Level}\n"
    )
    assert [(device.id, device.unit_id) for device in settings.devices] == [("p1", 5), ("lt", 5)]


def test_a_hundred_devices_are_one_entry(load: Load) -> None:
    settings = load(entry("repeat: {count: 100, unit_id_stride: 1}", "'Pump {n}'"))
    assert (len(settings.devices), settings.devices[-1].unit_id) == (100, 104)
    assert settings.warnings == ()


def test_a_writer_is_found_behind_parts_that_only_read(load: Load, tmp_path: Path) -> None:
    written = "  sp: {pdu: 0, table: holding, access: rw, name: {en: Set point, zh: 给定}, write: {function: 6, min: 0, max: 9, step: 1}}\n"
    for name in ("first", "last"):
        (tmp_path / f"{name}.yaml").write_text(MAP.replace("id: pump", f"id: {name}").split("  speed:")[0] + written, "utf-8")
    with pytest.raises(ConfigError) as refused:
        load(
            "".join(
                f"  - {{id: {name}, link: lan1, unit_id: 5, base: 0, map: {name}, title: {name}}}\n" for name in ("first", "pump", "last")
            )
        )
    assert [finding.message for finding in refused.value.findings] == ["last.sp writes the same bits as first.sp"]
