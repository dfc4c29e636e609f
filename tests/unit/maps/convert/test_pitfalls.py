"""Where formats mislead: one row a trap, with what it must become or why it is left out."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from gateway.errors import MapError
from gateway.maps.convert.draft.base import Options
from gateway.maps.convert.draft.sheet import workbook
from tests.unit.maps.convert.samples import KEPWARE, dropped, imported, points_of

Keys = dict[str, object]


def telegraf_register(field: str, around: str = "") -> str:
    """A plugin in the register style with one holding register field."""
    ok = "{ name = 'ok', byte_order = 'AB', data_type = 'INT16', scale = 1.0, address = [99] }"
    return f"[[inputs.modbus]]\nslave_id = 1\nholding_registers = [ {{ name = 'x', {field} }}, {ok} ]\n{around}"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("byte_order='AB', data_type='FIXED', scale=0.1, address=[5]", {"pdu": 5, "type": "int16", "scale": Decimal("0.1")}),
        ("byte_order='ABCD', data_type='UFIXED', scale=0.001, address=[5,6]", {"pdu": 5, "type": "uint32", "scale": Decimal("0.001")}),
        ("byte_order='ABCD', data_type='FLOAT32', scale=0.1, address=[5,6]", {"pdu": 5, "type": "uint32", "scale": Decimal("0.1")}),
        ("byte_order='CDAB', data_type='FLOAT32-IEEE', scale=1.0, address=[5,6]", {"pdu": 5, "type": "float32", "order": "CDAB"}),
        ("byte_order='BA', data_type='UINT16', scale=1.0, address=[5]", {"pdu": 5, "type": "uint16", "order": "BADC"}),
        ("byte_order='DCBA', data_type='BIT', bit=3, address=[5]", {"pdu": 5, "type": "bool", "bit": 3, "order": "DCBA"}),
    ],
    ids=["fixed-width-by-count", "ufixed", "float32-is-fixed-point", "ieee", "two-letters", "bit-keeps-order"],
)
def test_telegraf_field_is(field: str, expected: Keys) -> None:
    assert points_of(imported("telegraf", telegraf_register(field)))["x"] == {"table": "holding", **expected}


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("byte_order='ABCD', data_type='INT32', scale=1.0, address=[5,7]", "do not follow"),
        ("byte_order='ABCD', data_type='INT32', scale=1.0, address=[5]", "needs 2 registers"),
        ("byte_order='XY', data_type='INT16', scale=1.0, address=[5]", "unknown"),
        ("byte_order='AB', data_type='INT16', scale='fast', address=[5]", "is no number"),
        ("byte_order='AB', data_type='INT16', scale=1.0, address=[70000]", "out_of_range"),
    ],
    ids=["gap", "count", "order", "scale", "address"],
)
def test_telegraf_field_is_left_out(field: str, why: str) -> None:
    result = imported("telegraf", telegraf_register(field))
    assert why in dropped(result)["x"]
    assert "x" not in result.map.points


def test_telegraf_string_registers_by_workaround() -> None:
    text = "[[inputs.modbus]]\nconfiguration_type='metric'\n[inputs.modbus.workarounds]\nstring_register_location='lower'\n"
    text += "[[inputs.modbus.metric]]\nslave_id=1\nfields=[{name='x', register='holding', address=1, type='STRING', length=4}]\n"
    assert points_of(imported("telegraf", text))["x"] == {"pdu": 1, "table": "holding", "type": "string", "words": 4, "chars": "low"}


def sensor(keys: str) -> str:
    """A hub with one sensor called X, and one more so that a map is left."""
    return f"modbus:\n  - sensors:\n      - {{name: X, slave: 1, {keys}}}\n      - {{name: Ok, slave: 1, address: 99, data_type: int16}}\n"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("address: 1", {"pdu": 1, "table": "holding", "type": "int16", "confidence": "low"}),
        ("address: 1, data_type: int32, swap: word_byte", {"pdu": 1, "table": "holding", "type": "int32", "order": "DCBA"}),
        ("address: 1, data_type: int16, nan_value: 0x8000", {"pdu": 1, "table": "holding", "type": "int16", "invalid": [0x8000]}),
        ("address: 1, data_type: float32, nan_value: 0", {"pdu": 1, "table": "holding", "type": "float32"}),
        (
            "address: 1, data_type: uint16, min_value: 0, max_value: 90",
            {"pdu": 1, "table": "holding", "type": "uint16", "valid": {"min": 0, "max": 90}},
        ),
        ("address: 1, data_type: custom, structure: '>4s', count: 2", {"pdu": 1, "table": "holding", "type": "string", "words": 2}),
    ],
    ids=["default-int16", "swap", "nan", "nan-zero-on-float", "clamp-is-valid", "struct-text"],
)
def test_home_assistant_sensor_is(keys: str, expected: Keys) -> None:
    assert points_of(imported("home_assistant", sensor(keys)))["x"] == expected


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("address: 1, data_type: custom, structure: '>hh', count: 2", "more than one number"),
        ("address: 1, data_type: custom, structure: '>f', count: 1", "does not fill"),
        ("address: 1, data_type: int16, swap: word", "one register"),
        ("address: 1, data_type: int16, reverse_order: true", "reverse_order"),
        ("address: 1, data_type: int16, scale: '{{ factor }}'", "is no number"),
        ("address: 1, data_type: int16, scale: 0", "scale_zero"),
    ],
    ids=["structure", "count", "swap-16", "reverse-order", "template", "scale-zero"],
)
def test_home_assistant_sensor_is_left_out(keys: str, why: str) -> None:
    assert why in dropped(imported("home_assistant", sensor(keys)))["X" if "scale: 0" not in keys else "x"]


def test_home_assistant_secret_unit_id_is_asked_for() -> None:
    text = "modbus:\n  - sensors:\n      - {name: X, slave: !secret unit, address: 1, data_type: int16}\n"
    with pytest.raises(MapError, match="give --unit"):
        imported("home_assistant", text)
    assert imported("home_assistant", text, Options(unit_id=9)).map.device.unit_id == 9


def test_home_assistant_read_back_at_other_codes_is_none() -> None:
    text = "modbus:\n  - switches:\n      - {name: P, slave: 1, address: 1, verify: {address: 2, state_on: 1, state_off: 0}}\n"
    assert points_of(imported("home_assistant", text))["p"]["write"] == {"function": 6, "readback": "p_state", "confirm": "never"}
    other = points_of(imported("home_assistant", text.replace("state_on: 1", "state_on: 4")))
    assert other["p"]["write"] == {"function": 6, "confirm": "never"}


def test_home_assistant_several_target_registers() -> None:
    text = "modbus:\n  - climates:\n      - {name: R, slave: 1, address: 1, target_temp_register: [7, 8], data_type: int16}\n"
    result = imported("home_assistant", text)
    assert points_of(result)["r_target"]["pdu"] == 7
    assert any("several target registers" in note.why for note in result.notes)


def resource(attributes: str, properties: str = "valueType: Uint16, readWrite: R") -> str:
    """A profile with one resource called X, and one more."""
    ok = "  - {name: Ok, attributes: {primaryTable: COILS, startingAddress: 9}, properties: {valueType: Bool, readWrite: R}}\n"
    return f"name: P\ndeviceResources:\n  - {{name: X, attributes: {{{attributes}}}, properties: {{{properties}}}}}\n{ok}"


HOLDING = "primaryTable: HOLDING_REGISTERS, startingAddress: '5'"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (resource("primaryTable: HOLDING_REGISTERS, startingAddress: 10.1", "valueType: Bool, readWrite: R"), "ambiguous_bit"),
        (resource(f"{HOLDING}, rawType: Uint16", "valueType: Uint16, readWrite: R, shift: 4"), "shift comes after"),
        (resource(f"{HOLDING}, rawType: Uint16", "valueType: Uint16, readWrite: R, base: 10"), "base comes after"),
        (resource(HOLDING, "valueType: Bool, readWrite: R"), "whole register"),
        (resource(HOLDING, "valueType: String, readWrite: R"), "stringRegisterSize"),
        (resource("primaryTable: FILES, startingAddress: 1"), "primaryTable"),
    ],
    ids=["bare-number", "shift", "base", "bool", "string", "table"],
)
def test_edgex_resource_is_left_out(text: str, why: str) -> None:
    assert why in dropped(imported("edgex", text))["X"]


@pytest.mark.parametrize(("kind", "order"), [("Uint16", None), ("Uint32", "DCBA"), ("Uint64", None)])
def test_edgex_swap_flags_are_for_32_bits_only(kind: str, order: str | None) -> None:
    text = resource(f"{HOLDING}, rawType: {kind}, isByteSwap: 'true', isWordSwap: true", f"valueType: {kind}, readWrite: R")
    point = points_of(imported("edgex", text))["x"]
    assert (point.get("order"), point.get("confidence")) == (order, None if order else "low")


def test_edgex_limits_bind_what_is_set_only() -> None:
    point = points_of(
        imported("edgex", resource(f"{HOLDING}, rawType: Uint16", "valueType: Uint16, readWrite: RW, minimum: '1', maximum: '9'"))
    )["x"]
    assert point["write"] == {"min": 1, "max": 9, "confirm": "never"}
    assert "valid" not in point


MODPOLL = "device,d,1,,,,\npoll,{table},{start},{size},{order},,\nref,X,{address},{dtype},{rw},,{scale}\n"


def modpoll(**given: object) -> str:
    """One ref of one poll."""
    plain = {"table": "holding_register", "start": 0, "size": 20, "order": "BE_BE", "address": 2, "dtype": "uint16", "rw": "r", "scale": ""}
    return MODPOLL.format(**{**plain, **given})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (modpoll(dtype="float32", order="LE_LE"), {"pdu": 2, "table": "holding", "type": "float32", "order": "DCBA"}),
        (
            modpoll(dtype="float32", order="big"),
            {"pdu": 2, "table": "holding", "type": "float32", "order": "CDAB", "confidence": "low"},
        ),
        (
            modpoll(table="coil", dtype="bool8", address=1),
            {"pdu": 8, "table": "coil", "type": "bool", "repeat": {"count": 8, "stride": 1}, "confidence": "low"},
        ),
        (
            modpoll(table="coil", dtype="bool8", start=16, size=10, address=17),
            {"pdu": 24, "table": "coil", "type": "bool", "repeat": {"count": 2, "stride": 1}, "confidence": "low"},
        ),
        (modpoll(rw="rm"), {"pdu": 2, "table": "holding", "type": "uint16"}),
        (modpoll(scale="0.1") + ",,,\n# comment,,\n", {"pdu": 2, "table": "holding", "type": "uint16", "scale": Decimal("0.1")}),
    ],
    ids=["le-le", "unknown-order-is-cdab", "coils-step-by-eight", "coils-end-with-the-poll", "rights-typo", "trailing-commas"],
)
def test_modpoll_ref_is(text: str, expected: Keys) -> None:
    assert points_of(imported("modpoll", text, Options(notation="pdu")))["x"] == expected


@pytest.mark.parametrize(
    ("notation", "address", "wire"), [("pdu", 40003, 40003), ("ref", 40003, 2), ("reg", 3, 2)], ids=["as-sent", "reference", "register"]
)
def test_modpoll_addresses_are_as_the_person_says(notation: str, address: int, wire: int) -> None:
    text = modpoll(start=address, address=address)
    options = {"pdu": Options(notation="pdu"), "ref": Options(notation="ref"), "reg": Options(notation="reg")}[notation]
    assert imported("modpoll", text, options).map.points["x"].pdu == wire


TAG: Keys = {"tag": "x", "type": "16uint", "functionCode": 3, "objectsCount": 1, "address": 5}


def slave(*tags: Keys, lists: Sequence[str] = ("timeseries",), **keys: object) -> str:
    """A connector with one slave."""
    return json.dumps(
        {"master": {"slaves": [{"unitId": 1, "byteOrder": "BIG", "wordOrder": "BIG", **keys, **{name: list(tags) for name in lists}}]}}
    )


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ({"divider": 10, "multiplier": 5}, {"type": "uint16", "scale": Decimal("0.1")}),
        ({"divider": 3}, {"type": "uint16", "range": {"raw": [0, 3], "eng": [0, 1]}}),
        ({"divider": 10, "variants": {"1.0": "on"}}, {"type": "uint16", "enum": {10: "on"}}),
        ({"type": "string", "objectsCount": 4, "byteOrder": "LITTLE"}, {"type": "string", "words": 4, "order": "BADC"}),
        ({"type": "32float", "objectsCount": 2, "wordOrder": "LITTLE"}, {"type": "float32", "order": "CDAB"}),
        ({"registerCount": 1, "objectsCount": None}, {"type": "uint16"}),
    ],
    ids=["divider-wins", "divider-of-3", "variants-of-scaled", "string-flips", "word-order", "old-key"],
)
def test_thingsboard_tag_is(tag: Keys, expected: Keys) -> None:
    given = {key: value for key, value in {**TAG, **tag}.items() if value is not None}
    assert points_of(imported("thingsboard", slave(given)))["x"] == {"pdu": 5, "table": "holding", **expected}


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ({"type": "8int"}, "8int"),
        ({"type": "32int"}, "objectsCount"),
        ({"functionCode": 23}, "function code"),
        ({"divider": "x"}, "no number"),
    ],
    ids=["bytes", "count", "function", "divider"],
)
def test_thingsboard_tag_is_left_out(tag: Keys, why: str) -> None:
    result = imported("thingsboard", slave({**TAG, **tag}, {**TAG, "tag": "ok", "address": 9}))
    assert why in dropped(result)["x"]


def test_thingsboard_write_lists_lock_the_point_of_the_same_address() -> None:
    write = {**TAG, "tag": "set x", "functionCode": 16}
    text = json.dumps(
        {"slaves": [{"unit_id": 1, "byteOrder": "BIG", "wordOrder": "BIG", "timeseries": [TAG], "attributeUpdates": [write]}]}
    )
    assert points_of(imported("thingsboard", text)) == {
        "x": {"pdu": 5, "table": "holding", "type": "uint16", "access": "rw", "write": {"function": 16, "confirm": "never"}}
    }


def tags(*rows: Sequence[str]) -> bytes:
    """A Neuron workbook; rows are name, address, attribute, type, decimal, precision."""
    header = ["group", "name", "address", "attribute", "type", "description", "decimal", "precision"]
    return workbook({"Sheet1": [header, *(["g", *row[:4], "", *row[4:]] for row in rows)]})


NEURON = Options(base=1, order="ABCD", settings={"plugin": "modbus"})


@pytest.mark.parametrize(
    ("letters", "plugin", "expected"),
    [
        ("LL", "modbus", None), ("BL", "modbus", "CDAB"), ("LB", "modbus", "BADC"), ("BB", "modbus", "DCBA"),
        ("BL", "inovance", None), ("LL", "inovance", "CDAB"), ("BB", "inovance", "BADC"), ("LB", "inovance", "DCBA"),
    ],
)  # fmt: skip
def test_neuron_letters_mean_what_the_plugin_says(letters: str, plugin: str, expected: str | None) -> None:
    options = Options(base=1, settings={"plugin": plugin})
    point = points_of(imported("neuron", tags(["x", f"1!400001#{letters}", "Read", "FLOAT"]), options))["x"]
    assert point.get("order") == expected


@pytest.mark.parametrize("address", ["1!40001", "1!400001"])
def test_neuron_digits_behind_the_area_are_the_number(address: str) -> None:
    point = imported("neuron", tags(["x", address, "Read", "UINT16"]), NEURON).map.points["x"]
    assert (point.table, point.pdu) == ("holding", 0)


def test_neuron_decimal_is_the_factor_and_precision_the_digits() -> None:
    point = imported("neuron", tags(["x", "1!400001", "Read", "FLOAT", "0.1", "2"]), NEURON).map.points["x"]
    assert (point.scale, point.decimals) == (Decimal("0.1"), 2)


@pytest.mark.parametrize("address", ["1!100001", "1!300001"])
def test_neuron_inputs_are_never_writable(address: str) -> None:
    kind = "BIT" if address[2] == "1" else "UINT16"
    assert imported("neuron", tags(["x", address, "Read Write", kind]), NEURON).map.points["x"].write is None


def channel(**keys: object) -> str:
    """A wb template with one channel called x, and one more."""
    ok = {"name": "ok", "reg_type": "input", "address": 99}
    return json.dumps(
        {"device_type": "t", "device": {"name": "T", "channels": [{"name": "x", "reg_type": "input", "address": 1, **keys}, ok]}}
    )


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, {"type": "uint16"}),
        ({"format": "u8"}, {"type": "uint8"}),
        ({"format": "s8", "byte_order": "little_endian"}, {"type": "int8", "bits": "15..8"}),
        ({"format": "string", "string_data_size": 4}, {"type": "string", "words": 4, "chars": "low"}),
        ({"format": "string8", "string_data_size": 4}, {"type": "string", "words": 4}),
        ({"address": "1:4:3"}, {"type": "uint16", "bits": "6..4"}),
        ({"format": "s16", "error_value": "0x7FFF"}, {"type": "int16", "invalid": [0x7FFF]}),
        ({"format": "s32", "error_value": -1}, {"type": "int32", "invalid": [0xFFFFFFFF]}),
        ({"format": "u32", "word_order": "little_endian"}, {"type": "uint32", "order": "CDAB"}),
        ({"format": "u16", "word_order": "little_endian"}, {"type": "uint16"}),
    ],
    ids=["default-u16", "low-byte", "high-byte", "one-char", "two-chars", "bits", "error", "negative-error", "word-order", "word-order-16"],
)
def test_wb_channel_is(keys: Keys, expected: Keys) -> None:
    assert points_of(imported("wb", channel(**keys)))["x"] == {"pdu": 1, "table": "input", **expected}


def test_wb_limits_are_left_out_since_templates_disagree() -> None:
    result = imported("wb", channel(reg_type="holding_single", min=0, max=5, scale=0.1))
    assert points_of(result)["x"]["write"] == {"function": 6, "confirm": "never"}
    assert {"x: min", "x: max"} <= dropped(result).keys()


def test_wb_jinja_is_to_be_rendered_first() -> None:
    with pytest.raises(MapError, match="render it first"):
        imported("wb", '{"device": {% if x %}{}{% endif %}}')


KEP = "Tag Name,Address,Data Type,Respect Data Type,Client Access,Scan Rate,Scaling,Raw Low,Raw High,Scaled Low,Scaled High,Negate Value\n"


def kep(address: str, kind: str, rest: str = "1,RO,,,,,,,", **settings: str) -> Mapping[str | int, object]:
    """The keys of one Kepware tag."""
    result = imported(
        "kepware", f"{KEP}X,{address},{kind},{rest}\nOk,000001,Boolean,1,RO,,,,,,,\n", Options(settings={**KEPWARE, **settings})
    )
    points = points_of(result)
    return dict(points["x"].items()) if "x" in points else {"dropped": dropped(result)["X"]}


@pytest.mark.parametrize("address", ["41", "401", "40001", "400001"])
def test_kepware_first_digit_is_the_table_and_the_rest_the_number(address: str) -> None:
    assert kep(address, "Word") == {"reg": 1, "table": "holding", "type": "uint16"}


@pytest.mark.parametrize(
    ("settings", "bit"),
    [
        ({}, 5),
        ({"zero_based_bits": "off"}, 4),
        ({"modicon_bit_order": "on"}, 10),
        ({"zero_based_bits": "off", "modicon_bit_order": "on"}, 11),
    ],
    ids=["zero-based", "one-based", "modicon", "modicon-one-based"],
)
def test_kepware_bits_are_counted_as_the_device_says(settings: dict[str, str], bit: int) -> None:
    assert kep("400020.5", "Boolean", **settings)["bit"] == bit


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("Float", {"first_word_low": "off"}, {"type": "float32"}),
        ("Float", {"modbus_byte_order": "off"}, {"type": "float32", "order": "DCBA"}),
        ("Short", {"modbus_byte_order": "off"}, {"type": "int16", "order": "BADC"}),
        ("Double", {"first_word_low": "off"}, {"type": "float64", "order": "EFGHABCD"}),
        ("Double", {"first_dword_low": "off"}, {"type": "float64", "order": "CDABGHEF"}),
        ("DWord", {"longs_as_decimals": "on"}, {"type": "mod10", "words": 2, "order": "CDAB"}),
    ],
    ids=["big", "little", "bytes-of-16", "dwords", "words", "decimals"],
)
def test_kepware_order_is_as_the_device_says(kind: str, settings: dict[str, str], expected: Keys) -> None:
    found = kep("400010", kind, **settings)
    assert {key: value for key, value in found.items() if key not in ("reg", "table", "signed", "confidence")} == expected


@pytest.mark.parametrize(
    ("address", "kind", "rest", "why"),
    [
        ("400010", "Word", "1,RO,,Square Root,0,100,0,10,", "Square Root"),
        ("H40001", "Word", "1,RO,,,,,,,", "not an address"),
        ("400010 [4]", "Word", "1,RO,,,,,,,", "not an address"),
        ("400010", "Date", "1,RO,,,,,,,", "date"),
        ("400010", "Word", "1,RO,,Linear,0,,0,10,", "four ends"),
    ],
)
def test_kepware_tag_is_left_out(address: str, kind: str, rest: str, why: str) -> None:
    assert why in str(kep(address, kind, rest)["dropped"])


def test_kepware_linear_is_a_range_and_negated_it_turns_round() -> None:
    assert kep("400010", "Word", "1,RO,,Linear,0,100,4,20,1")["range"] == {"raw": [0, 100], "eng": [-4, -20]}


def test_evcc_scale_before_the_register_counts() -> None:
    lines = ["power:", "  scale: 0.1", "  source: modbus", "  register:", "    address: 5", "    type: input", "    decode: int16"]
    text = "template: t\nrender: |\n" + "".join(f"  {line}\n" for line in lines)
    assert points_of(imported("evcc", text))["power"]["scale"] == Decimal("0.1")


def model(*points: Keys) -> str:
    """A SunSpec model."""
    return json.dumps({"id": 1, "group": {"name": "m", "points": list(points)}})


def test_sunspec_offsets_are_sums_and_pads_count() -> None:
    pad = {"name": "p", "type": "pad", "size": 3}
    text = model({"name": "A", "type": "string", "size": 8, "offset": 77}, pad, {"name": "B", "type": "uint16", "size": 1})
    assert points_of(imported("sunspec", text))["m1_b"]["pdu"] == 11


@pytest.mark.parametrize(
    ("kind", "size", "invalid"),
    [
        ("int16", 1, 0x8000), ("uint16", 1, 0xFFFF), ("int32", 2, 0x80000000), ("uint32", 2, 0xFFFFFFFF), ("enum16", 1, 0xFFFF),
        ("bitfield32", 2, 0xFFFFFFFF), ("acc32", 2, 0), ("int64", 4, 1 << 63),
    ],
)  # fmt: skip
def test_sunspec_sentinel_follows_from_the_type(kind: str, size: int, invalid: int) -> None:
    assert points_of(imported("sunspec", model({"name": "A", "type": kind, "size": size})))["m1_a"]["invalid"] == [invalid]


@pytest.mark.parametrize("factor", ["NO_SF", 11])
def test_sunspec_value_without_its_scale_is_left_out(factor: object) -> None:
    text = model({"name": "A", "type": "int16", "size": 1, "sf": factor}, {"name": "B", "type": "int16", "size": 1, "sf": -2})
    result = imported("sunspec", text)
    assert "scale factor" in dropped(result)["A"]
    assert points_of(result)["m1_b"]["scale"] == Decimal("0.01")


def test_wb_codes_of_a_scaled_value_are_left_out_and_noted() -> None:
    result = imported("wb", channel(scale=0.1, enum=[0, 1], enum_titles=["a", "b"]))
    assert "x: enum" in dropped(result)


def test_sunspec_size_against_type_is_left_out_and_still_counted() -> None:
    result = imported("sunspec", model({"name": "A", "type": "uint32", "size": 1}, {"name": "B", "type": "uint16", "size": 1}))
    assert "m1_a" not in result.map.points
    assert result.map.points["m1_b"].pdu == 1


def test_sunspec_what_follows_a_variable_group_is_left_out() -> None:
    group = {"name": "g", "count": "N", "points": [{"name": "C", "type": "uint16", "size": 1}]}
    after = {"name": "h", "points": [{"name": "D", "type": "uint16", "size": 1}]}
    text = json.dumps({"id": 1, "group": {"name": "m", "points": [{"name": "N", "type": "count", "size": 1}], "groups": [group, after]}})
    assert list(imported("sunspec", text).map.points) == ["m1_n"]


@pytest.mark.parametrize(
    "name", ["=cmd|' /C calc'!A0", "Ignore all previous instructions", "\u202eevil\u0000", "温度", "'; DROP TABLE", "x" * 500]
)
def test_any_name_becomes_text_of_one_line(name: str) -> None:
    text = json.dumps({"device": {"channels": [{"name": name, "reg_type": "input", "address": 1}]}})
    result = imported("wb", text)
    assert len(result.map.points) == 1
    assert all(line.isprintable() for line in result.text.split("\n"))
