"""Maps in other formats: what they say is what the map says, what they cannot say is left out and noted."""

import json
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from gateway.maps.convert.draft.base import Exported, Options
from gateway.maps.inspect import inspect_yaml
from gateway.maps.load import load_map, shipped_maps
from gateway.model.point import Access, Point, RegisterMap
from gateway.yamlfile import parse_yaml, read_yaml
from tests.unit.maps.convert.samples import FORMATS, imported

HEAD = "regmap: 1\nid: m\nvendor: V\nmodel: M\nkind: k\ntitle: {en: T, zh: 题}\nmanual: {title: T, addressing: pdu}\n"
HEAD += "device: {unit_id: 4}\npoll: {normal: 2s}\n"


def export(name: str, points: str) -> Exported:
    """The points in this format."""
    file = parse_yaml(f"{HEAD}points:\n{points}", "m.yaml")
    found, write = inspect_yaml(file).map, FORMATS[name].write
    assert found is not None
    assert write is not None
    return write(file, found)


def telegraf(points: str) -> list[Mapping[str, Any]]:  # any: what TOML holds
    """The requests."""
    requests: list[Mapping[str, Any]] = tomllib.loads(export("telegraf", points).content.decode())["inputs"]["modbus"][0]["request"]
    return requests


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ("pdu: 5, table: holding, type: int32, scale: 0.001", {"address": 5, "name": "p", "type": "INT32", "scale": 0.001}),
        ("pdu: 5, table: input, type: float32", {"address": 5, "name": "p", "type": "FLOAT32"}),
        ("pdu: 5, table: coil, type: bool", {"address": 5, "name": "p"}),
        ("pdu: 5, table: holding, type: bool, bit: 9", {"address": 5, "name": "p", "type": "BIT", "bit": 9}),
        ("pdu: 5, table: holding, type: uint8", {"address": 5, "name": "p", "type": "UINT8L"}),
        ('pdu: 5, table: holding, type: int8, bits: "15..8"', {"address": 5, "name": "p", "type": "INT8H"}),
        ("pdu: 5, table: holding, type: string, words: 4", {"address": 5, "name": "p", "type": "STRING", "length": 4}),
        (
            "pdu: 5, table: holding, type: uint16, range: {raw: [0, 1000], eng: [0, 10]}",
            {"address": 5, "name": "p", "type": "UINT16", "scale": 0.01},
        ),
    ],
)
def test_telegraf_says_the_point(point: str, expected: dict[str, object]) -> None:
    (request,) = telegraf(f"  p: {{{point}}}\n")
    assert request["fields"] == [expected]
    assert request["slave_id"] == 4


@pytest.mark.parametrize("order", ["CDAB", "BADC", "DCBA"])
def test_telegraf_has_one_request_an_order(order: str) -> None:
    requests = telegraf(f"  a: {{pdu: 1, table: input, type: uint32, order: {order}}}\n  b: {{pdu: 3, table: input, type: uint32}}\n")
    assert [(request["register"], request["byte_order"]) for request in requests] == [("input", order), ("input", "ABCD")]


UNSAYABLE = [
    "pdu: 1, table: holding, type: mod10, words: 2",
    "pdu: 1, table: holding, type: bcd16",
    "pdu: 1, table: holding, type: int64, order: CDABGHEF",
    "pdu: 1, table: holding, type: uint16, access: wo, write: {confirm: never}",
]


@pytest.mark.parametrize("name", ["telegraf", "home_assistant", "wot"])
@pytest.mark.parametrize("point", UNSAYABLE)
def test_what_a_format_cannot_say_is_left_out_and_noted(name: str, point: str) -> None:
    made = export(name, f"  p: {{{point}}}\n  q: {{pdu: 9, table: holding, type: uint16}}\n")
    assert [note.what for note in made.notes if note.kind == "dropped"] == ["p"]
    assert '"p"' not in made.content.decode()


def test_telegraf_offset_is_left_out_since_a_raw_number_would_look_right() -> None:
    made = export("telegraf", "  p: {pdu: 1, table: holding, type: uint16, offset: -40}\n")
    assert [note.what for note in made.notes if note.kind == "dropped"] == ["p"]


def facts(point: Point) -> tuple[object, ...]:
    """What the wire and the arithmetic depend on."""
    order = "ABCD" if point.table.is_bits or point.type == "string" else point.order.value
    return point.table, point.pdu, point.words, point.type, order, point.bit, point.bits, point.scale, point.offset


@pytest.mark.parametrize("name", ["telegraf", "home_assistant"])
@pytest.mark.parametrize("map_id", ["demo_em300", "demo_vx200", "demo_doseplc", "eastron-sdm630", "sungrow-sh", "kron-konect"])
def test_exported_map_comes_back_with_the_same_wire_and_scale(name: str, map_id: str) -> None:
    path = shipped_maps() / f"{map_id}.yaml"
    loaded, write = load_map(path), FORMATS[name].write
    assert write is not None
    made = write(read_yaml(path), loaded)
    again = imported(name, made.content, Options(unit_id=loaded.device.unit_id or 1)).map
    left_out = {note.what for note in made.notes if note.kind == "dropped" and not note.why.startswith("`")}
    kept = [point for point in loaded.points.values() if point.name not in left_out]
    assert sorted(map(facts, kept), key=str) == sorted(map(facts, again.points.values()), key=str)
    assert all(point.access is Access.RO for point in again.points.values())


def thing(points: str) -> dict[str, Any]:  # any: what JSON holds
    """The properties of the Thing Description."""
    properties: dict[str, Any] = json.loads(export("wot", points).content)["properties"]
    return properties


def test_wot_says_zero_based_addresses_and_never_a_write() -> None:
    made = thing(
        "  p: {pdu: 40001, table: holding, type: float32, order: CDAB, access: rw, unit: V, write: {min: 0, max: 5, confirm: user}}\n"
    )
    assert made["p"] == {
        "type": "number",
        "readOnly": True,
        "titles": {"en": "P"},
        "unit": "V",
        "forms": [
            {
                "href": "4/40001?quantity=2",
                "op": ["readproperty"],
                "contentType": "application/octet-stream",
                "modv:entity": "HoldingRegister",
                "modv:zeroBasedAddressing": True,
                "modv:type": "xsd:float",
                "modv:mostSignificantByte": True,
                "modv:mostSignificantWord": False,
            }
        ],
    }


def test_wot_scaled_value_is_called_raw_and_has_no_unit() -> None:
    made = thing("  p: {pdu: 1, table: input, type: int16, scale: 0.1, offset: -5, unit: degC}\n")["p"]
    assert "unit" not in made
    assert made["description"] == "raw number; value = raw x 0.1 + -5 degC"


@pytest.mark.parametrize("order", ["BADC", "DCBA"])
def test_wot_byte_swaps_are_left_out_since_their_meaning_is_open(order: str) -> None:
    assert list(thing(f"  p: {{pdu: 1, table: input, type: uint16, order: {order}}}\n  q: {{pdu: 2, table: coil, type: bool}}\n")) == ["q"]


def test_home_assistant_export_says_swap_scale_and_sentinel() -> None:
    made = export(
        "home_assistant", "  p: {pdu: 1, table: input, type: int32, order: DCBA, scale: 0.1, unit: degC, invalid: [0x80000000]}\n"
    )
    root = parse_yaml(made.content.decode(), "ha.yaml").root
    assert root == {
        "modbus": [
            {
                "name": "m",
                "type": "tcp",
                "host": "127.0.0.1",
                "port": 502,
                "sensors": [
                    {
                        "name": "P",
                        "unique_id": "m.p",
                        "device_address": 4,
                        "address": 1,
                        "input_type": "input",
                        "data_type": "int32",
                        "scale": Decimal("0.1"),
                        "offset": 0,
                        "unit_of_measurement": "°C",
                        "nan_value": 0x80000000,
                        "swap": "word_byte",
                        "scan_interval": 2,
                    }
                ],
            }
        ]
    }


@pytest.mark.parametrize("name", ["telegraf", "home_assistant", "wot"])
def test_every_shipped_map_is_exported(name: str) -> None:
    write = FORMATS[name].write
    assert write is not None
    for path in sorted(shipped_maps().glob("*.yaml"))[::4]:
        loaded: RegisterMap = load_map(path)
        made = write(read_yaml(path), loaded)
        text = made.content.decode()
        match name:
            case "telegraf":
                assert tomllib.loads(text)
            case "wot":
                assert json.loads(text)
            case _:
                assert not parse_yaml(text, "ha.yaml").findings
