"""Map files to register maps."""

from decimal import Decimal
from pathlib import Path

import jsonschema_rs
import pytest

from gateway.errors import MapError
from gateway.maps.inspect import inspect_yaml
from gateway.maps.load import find_map, load_map, load_maps, shipped_maps
from gateway.maps.schema import json_schema
from gateway.maps.schema_file import schema_text
from gateway.model.address import Notation, Table
from gateway.model.point import DataType, Deadband, Flag, Interlock, Order, Point, RegisterMap, Role, Text, WriteRule
from gateway.yamlfile import YamlValue, parse_yaml, read_yaml
from tests.seeded import GOLDEN

HEAD = "regmap: 1\nid: m\nvendor: V\nmodel: M\nkind: k\ntitle: {en: T, zh: 题}\nmanual: {title: T, addressing: pdu}\n"


def map_of(points: str, head: str = "") -> RegisterMap:
    """The map of a few points."""
    inspected = inspect_yaml(parse_yaml(f"{HEAD}{head}points:\n" + "".join(f"  {line}\n" for line in points.split("\n")), "m.yaml"))
    assert inspected.map is not None, "\n".join(map(str, inspected.findings))
    return inspected.map


def point_of(text: str, head: str = "") -> Point:
    """The point `p` with the given keys."""
    return map_of(f"p: {{{text}}}", head).points["p"]


@pytest.mark.parametrize("path", sorted(shipped_maps().glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_map_has_no_error(path: Path) -> None:
    found = load_map(path)
    assert found.id == path.stem
    assert found.points


def test_schema_file_is_the_schema() -> None:
    assert (shipped_maps() / "schema.json").read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("path", [*sorted(shipped_maps().glob("*.yaml")), GOLDEN / "hard_cases.yaml"], ids=lambda path: path.stem)
def test_schema_accepts_the_maps(path: Path) -> None:
    assert jsonschema_rs.is_valid(json_schema(), _plain(read_yaml(path).root))


@pytest.mark.parametrize(
    "name",
    [
        "unknown_key_word_order",
        "unknown_type",
        "unknown_order",
        "scale_with_comma",
        "capital_point_name",
        "period_without_unit",
        "missing_head",
    ],
)
def test_schema_refuses_what_an_editor_can_see(name: str) -> None:
    assert not jsonschema_rs.is_valid(json_schema(), _plain(read_yaml(GOLDEN / "bad_maps" / f"{name}.yaml").root))


def _plain(value: YamlValue) -> object:
    """The values as JSON has them."""
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return float(value) if isinstance(value, Decimal) else value


@pytest.mark.parametrize(
    ("address", "table", "pdu", "notation", "written"),
    [
        ("pdu: 8192, table: holding", Table.HOLDING, 0x2000, Notation.PDU, "8192"),
        ('pdu: "0x0BD3", table: holding', Table.HOLDING, 3027, Notation.PDU, "0x0BD3"),
        ("reg: 3028, table: input", Table.INPUT, 3027, Notation.REG, "3028"),
        ('ref: "40001"', Table.HOLDING, 0, Notation.REF, "40001"),
        ('ref: "400001"', Table.HOLDING, 0, Notation.REF, "400001"),
        ('ref: "465536"', Table.HOLDING, 65535, Notation.REF, "465536"),
        ('ref: "300001"', Table.INPUT, 0, Notation.REF, "300001"),
    ],
)
def test_address_is_read_in_its_notation(address: str, table: Table, pdu: int, notation: Notation, written: str) -> None:
    point = point_of(f"{address}, type: uint16")
    assert (point.table, point.pdu, point.notation, point.written_address) == (table, pdu, notation, written)


@pytest.mark.parametrize(("ref", "table"), [("10001", Table.DISCRETE), ("00001", Table.COIL)])
def test_bit_references(ref: str, table: Table) -> None:
    point = point_of(f'ref: "{ref}"')
    assert (point.table, point.pdu, point.type, point.words) == (table, 0, DataType.BOOL, 1)


def test_defaults_are_inherited_replaced_and_removed() -> None:
    found = map_of(
        "a: {pdu: 0}\nb: {pdu: 2, type: int16, valid: {max: 5}}\nc: {ref: '30009', scale: null, unit: null}",
        "defaults: {table: holding, type: uint32, order: CDAB, scale: 0.1, unit: V, valid: {min: 1, max: 9}}\n",
    ).points
    assert (found["a"].type, found["a"].order, found["a"].scale, found["a"].unit) == (DataType.UINT32, Order.CDAB, Decimal("0.1"), "V")
    assert found["b"].type is DataType.INT16
    assert found["b"].valid is not None
    assert (found["b"].valid.min, found["b"].valid.max) == (None, Decimal(5))
    assert (found["c"].table, found["c"].scale, found["c"].unit) == (Table.INPUT, Decimal(1), "")


def test_repeat_unfolds_with_names_and_stride() -> None:
    found = map_of(
        'rk: {ref: "41000", type: int16, repeat: {names: [rk1, rk2, rk3], stride: 200}, name: {en: Flow, zh: 供水}}\n'
        "s: {pdu: 10, table: input, type: uint32, repeat: {count: 2, stride: 2}}"
    ).points
    assert [(name, point.pdu, point.written_address) for name, point in found.items()] == [
        ("rk_rk1", 999, "41000"),
        ("rk_rk2", 1199, "41200"),
        ("rk_rk3", 1399, "41400"),
        ("s_1", 10, "10"),
        ("s_2", 12, "12"),
    ]
    assert found["rk_rk2"].title == Text("Flow rk2", "供水 rk2")


def test_repeat_beyond_the_end_is_an_error() -> None:
    text = f"{HEAD}points:\n  s: {{pdu: 65000, table: input, type: uint16, repeat: {{count: 4, stride: 200}}}}\n"
    assert [
        (finding.code, finding.line) for finding in inspect_yaml(parse_yaml(text, "m.yaml")).findings if finding.severity == "error"
    ] == [("span_beyond_65535", 9)]


def test_every_key_of_a_point_arrives() -> None:
    point = point_of(
        "pdu: 4, table: holding, type: int32, order: DCBA, scale: 0.1, offset: -3, unit: degC, decimals: 1, access: rw, poll: slow, "
        "deadband: 1%, valid: {min: 0, max: 90}, invalid: {0x80000000: broken}, alarm: {hi: 80, delay: 5s, text: {en: hot, zh: 热}}, "
        "name: {en: Temp, zh: 温度}, description: oil, aliases: [t], group: g, page: 12, section: 3.10, source: s, "
        "confidence: high, note: n, "
        "write: {function: 16, min: 0, max: 50, step: 0.5, max_step: 5, cooldown: 1m, role: engineer, confirm: two_step, approvals: 2, "
        "settle: 200ms, persist: eeprom, note: {en: slow, zh: 慢}}",
        "poll: {slow: 1m}\n",
    )
    assert (point.words, point.order, point.scale, point.offset, point.unit, point.decimals) == (
        2,
        Order.DCBA,
        Decimal("0.1"),
        Decimal(-3),
        "degC",
        1,
    )
    assert point.deadband == Deadband(amount=Decimal("0.01"), relative=True)
    assert point.invalid == {0x80000000: "broken"}
    assert point.alarm is not None
    assert (point.alarm.hi, point.alarm.delay_s, point.alarm.priority, point.alarm.text) == (Decimal(80), 5.0, "medium", Text("hot", "热"))
    assert (point.page, point.section, point.source, point.confidence, point.note) == ("12", "3.10", "s", "high", "n")
    assert point.write == WriteRule(
        function=16, min=Decimal(0), max=Decimal(50), step=Decimal("0.5"), max_step=Decimal(5), cooldown_s=60.0, role=Role.ENGINEER,
        confirm="two_step", approvals=2, settle_s=0.2, persist="eeprom", note=Text("slow", "慢"),
    )  # fmt: skip
    assert point.line == 10


def test_enum_flags_fields_and_interlocks() -> None:
    found = map_of(
        "cmd: {pdu: 0, table: holding, type: uint16, access: rw, enum: {0: {en: stop, zh: 停}, 1: run}, "
        "write: {function: 6, interlock: [\"st.state == 'ok'\", {when: run, all: [\"st.state != 'bad'\"]}]}}\n"
        "st: {pdu: 1, table: holding, type: uint16, flags: {0: ready, 3: {en: fault, zh: 故障, alarm: high}}, "
        "fields: {state: {bits: '5..4', enum: states}}}",
        "enums: {states: {0: ok, 1: bad}}\n",
    ).points
    assert found["cmd"].enum == {0: Text("stop", "停"), 1: Text("run")}
    assert found["cmd"].write is not None
    assert found["cmd"].write.interlock == (
        Interlock(conditions=("st.state == 'ok'",)),
        Interlock(conditions=("st.state != 'bad'",), when=1),
    )
    assert found["st"].flags == {0: Flag(text=Text("ready")), 3: Flag(text=Text("fault", "故障"), alarm="high")}
    assert (found["st"].fields[0].name, found["st"].fields[0].bits, found["st"].fields[0].enum) == (
        "state",
        (5, 4),
        {0: Text("ok"), 1: Text("bad")},
    )


def test_hard_cases_of_the_format_load() -> None:
    found = load_map(GOLDEN / "hard_cases.yaml")
    assert len(found.points) == 24
    assert found.bases == {"m103": 103}
    assert found.periods == {"normal": 1.0, "once": None}
    assert found.points["m103_w"].scale_from is not None
    assert found.points["m103_w"].scale_from.rule == "exponent"
    assert found.points["ai0"].range_from is not None
    assert found.points["ai0"].range_from.table[7].unit == "mA"


def test_device_facts_and_procedures() -> None:
    found = map_of(
        "cmd: {pdu: 0, table: holding, type: uint16, access: rw, enum: {0: stop, 1: run}, write: {function: 6}}",
        "device: {unit_id: 7, functions: [3, 6], max_read: 63, max_gap: 2, gap_ms: 30, timeout_ms: 500, "
        "readable: {holding: ['0..9', '0x20..0x2F']}}\n"
        "poll: {normal: 500ms, rare: on_demand}\n"
        "procedures: {go: {name: {en: Go, zh: 走}, confirm: two_step, "
        "steps: [{write: cmd, value: run}, {wait: 'cmd == 1', timeout: 2s}]}}\n",
    )
    facts = found.device
    assert (facts.unit_id, facts.functions, facts.max_read, facts.max_gap, facts.gap_s, facts.timeout_s) == (
        7,
        frozenset({3, 6}),
        63,
        2,
        0.03,
        0.5,
    )
    assert facts.readable == {Table.HOLDING: ((0, 9), (32, 47))}
    assert found.periods == {"normal": 0.5, "rare": None}
    assert found.on_demand == {"rare"}
    steps = found.procedures["go"].steps
    assert [(step.write, step.value, step.wait, step.timeout_s) for step in steps] == [
        ("cmd", "run", None, 10.0),
        (None, None, "cmd == 1", 2.0),
    ]


def test_version_follows_the_content() -> None:
    assert map_of("p: {pdu: 0, table: input, type: int16}").version == map_of("p: {pdu: 0, table: input, type: int16}").version
    assert map_of("p: {pdu: 0, table: input, type: int16}").version != map_of("p: {pdu: 1, table: input, type: int16}").version


def test_load_map_raises_with_every_error(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(f"{HEAD}points:\n  a: {{pdu: 0, type: int16}}\n  b: {{pdu: 1, table: input, type: int17}}\n", encoding="utf-8")
    with pytest.raises(MapError) as raised:
        load_map(path)
    assert [finding.code for finding in raised.value.findings] == ["table_required", "bad_choice"]
    assert str(path) in str(raised.value)
    assert "and 1 more" in str(raised.value)


def test_maps_are_found_by_id(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(f"{HEAD}points:\n  a: {{pdu: 0, table: input, type: int16}}\n", encoding="utf-8")
    assert find_map("m", [tmp_path]) == tmp_path / "m.yaml"
    assert find_map("demo_vx200", [tmp_path]) == shipped_maps() / "demo_vx200.yaml"
    with pytest.raises(MapError, match="no map gone"):
        find_map("gone", [tmp_path])


@pytest.mark.parametrize("name", ["../secret", "a/b", "..", ""])
def test_map_id_is_no_path(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("x: 1", encoding="utf-8")
    (tmp_path / "maps").mkdir()
    with pytest.raises(MapError):
        find_map(name, [tmp_path / "maps"])


def test_folder_of_maps_raises_for_all_its_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text("regmap: 1\n", encoding="utf-8")
    with pytest.raises(MapError) as raised:
        load_maps(tmp_path)
    assert {Path(finding.file).stem for finding in raised.value.findings} == {"a", "b"}
    assert set(load_maps(shipped_maps())) == {path.stem for path in shipped_maps().glob("*.yaml")}


def test_map_of_the_readme_has_no_finding() -> None:
    page = (shipped_maps() / "README.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    assert inspect_yaml(parse_yaml(text, "my-device.yaml")).findings == ()
