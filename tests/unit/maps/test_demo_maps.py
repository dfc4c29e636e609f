"""The demo's maps and configuration are the plant of the benchmark, point for point."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.model.address import Notation, Table
from gateway.model.decode import decode_point
from gateway.model.encode import encode_point
from gateway.model.point import Access, DataType, Order
from gateway.settings import load_settings

ROOT = Path(__file__).parents[3]
PLANT = json.loads((ROOT / "assistant" / "eval" / "data" / "plant.json").read_text(encoding="utf-8"), parse_float=Decimal)
SETTINGS = load_settings(ROOT / "configs" / "demo.yaml")
DEVICES = {device.id: device for device in SETTINGS.devices}
POINTS = {f"{device.id}.{name}": point for device in SETTINGS.devices for name, point in device.map.points.items()}
CJK = re.compile(r"[\u4e00-\u9fff]")


def test_tags_are_the_plants() -> None:
    assert POINTS.keys() == PLANT["points"].keys()


def test_devices_are_the_plants() -> None:
    links = {link.id: {"rtu": "rtu", "tcp": "tcp"}[link.transport] for link in SETTINGS.links}
    found = {device.id: {"model": device.map.model, "link": links[device.link], "unit": device.unit_id} for device in SETTINGS.devices}
    assert found == PLANT["devices"]


@pytest.mark.parametrize("tag", PLANT["points"])
def test_point_is_the_plants(tag: str) -> None:
    point, plant = POINTS[tag], PLANT["points"][tag]
    assert point.unit.replace("degC", "°C") == plant["unit"]
    assert point.access is (Access.RW if plant["access"] == "rw" else Access.RO)
    resting = {"0": "idle"} if plant.get("enum") == {"1": "reset"} else {}
    assert {str(code): label.en for code, label in point.enum.items()} == {**resting, **plant.get("enum", {})}
    assert {str(bit): flag.text.en for bit, flag in point.flags.items()} == plant.get("bits", {})
    assert (point.type is DataType.STRING) == (plant.get("type") == "string")
    assert all(label.zh for label in point.enum.values())
    assert all(flag.text.zh for flag in point.flags.values())


@pytest.mark.parametrize("tag", [tag for tag, plant in PLANT["points"].items() if plant["access"] == "rw"])
def test_write_rule_is_the_plants(tag: str) -> None:
    rule, plant = POINTS[tag].write, PLANT["points"][tag]
    assert rule is not None
    assert (rule.min, rule.max, rule.max_step) == (plant.get("min"), plant.get("max"), plant.get("max_step"))
    assert (rule.cooldown_s, rule.role, rule.approvals) == (plant.get("cooldown_s", 0), plant["role"], plant.get("approvals", 1))
    assert rule.confirm == "user"
    wanted = plant.get("interlock", {"all": []})
    device = tag.split(".")[0]
    said = {re.sub(r"^(\w+) ", rf"{device}.\1 ", condition) for interlock in rule.interlock for condition in interlock.conditions}
    assert said == set(wanted["all"])
    assert {interlock.when for interlock in rule.interlock} in ({wanted.get("when_value")}, set())
    is_reset = plant.get("enum", {}) == {"1": "reset"}
    assert (rule.pulse, rule.readback) == (is_reset, not is_reset)


@pytest.mark.parametrize("tag", PLANT["points"])
def test_value_of_the_plant_is_exactly_representable(tag: str) -> None:
    point, value = POINTS[tag], PLANT["points"][tag]["value"]
    if tag == "plc1.chlorine":  # the plant has it as a float32
        assert f"{float(encode_point(point, value).value):.7g}" == "0.62"
    else:
        assert encode_point(point, value).value == value


@pytest.mark.parametrize("tag", [tag for tag, point in POINTS.items() if not point.table.is_bits])
def test_value_reads_back_from_its_words(tag: str) -> None:
    point, value = POINTS[tag], PLANT["points"][tag]["value"]
    encoded = encode_point(point, value)
    assert decode_point(point, encoded.words) == (encoded.value, None)


def test_text_registers_hold_64_bytes_of_utf_8() -> None:
    for tag in ("lt1.tag_name", "plc1.batch_name"):
        assert encode_point(POINTS[tag], "水" * 21 + "x").value == "水" * 21 + "x"


def test_speed_reference_is_where_the_manual_says() -> None:
    point = POINTS["vfd1.speed_sp"]
    assert (point.table, point.pdu, point.scale, point.page) == (Table.HOLDING, 0x2001, Decimal("0.01"), "60")


def test_meter_has_its_32_bit_values_word_swapped() -> None:
    wide = [point for tag, point in POINTS.items() if tag.startswith("em1.") and point.words == 2]
    assert len(wide) == 7
    assert {point.order for point in wide} == {Order.CDAB}


def test_demo_uses_what_the_format_offers() -> None:
    points = list(POINTS.values())
    assert {point.order for point in points} == set(Order)
    assert {point.table for point in points} == set(Table)
    assert {point.notation for point in points} == set(Notation)
    assert {len(point.written_address) for point in points if point.notation is Notation.REF} == {5, 6}
    assert {DataType.BCD16, DataType.MOD10, DataType.STRING, DataType.FLOAT32, DataType.FLOAT64, DataType.UINT8, DataType.BOOL} <= {
        point.type for point in points
    }
    assert any(point.bit is not None for point in points)
    assert any(point.bits for point in points)
    assert any(point.flags for point in points)
    assert any(point.fields for point in points)


@pytest.mark.parametrize("tag", POINTS)
def test_operators_can_say_it_in_both_languages(tag: str) -> None:
    point = POINTS[tag]
    assert point.title.en
    assert CJK.search(point.title.zh)
    assert any(alias.isascii() for alias in point.aliases)
    assert any(CJK.search(alias) for alias in point.aliases)


@pytest.mark.parametrize("device", DEVICES)
def test_devices_have_names_in_both_languages(device: str) -> None:
    aliases = DEVICES[device].aliases
    assert any(alias.isascii() for alias in aliases)
    assert any(CJK.search(alias) for alias in aliases)


@pytest.mark.parametrize("alarm", PLANT["alarms"], ids=lambda alarm: alarm["id"])
def test_alarms_of_the_plant_have_a_rule(alarm: dict[str, str]) -> None:
    rule = POINTS[alarm["point"]].alarm
    assert rule is not None
    assert rule.priority == alarm["priority"]
    assert alarm["text"].startswith(rule.text.en)
    assert CJK.search(rule.text.zh)


def test_chlorine_alarm_has_the_levels_of_the_benchmark() -> None:
    rule = POINTS["plc1.chlorine"].alarm
    assert rule is not None
    assert (rule.hi, rule.hysteresis) == (Decimal("1.0"), Decimal("0.05"))
