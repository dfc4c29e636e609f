"""Home Assistant `modbus:` (YAML): sensors, binary sensors, switches and their like, climates; written as sensors.

Addresses count from 0. A sensor without `data_type` is int16. `nan_value` 0 on a float is refused, since it hid real zeros. What
stands in templates, scripts or secrets is not in the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gateway.maps.convert.draft.base import Converter, Options, ask, one_unit
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.home_assistant_out import write
from gateway.maps.convert.draft.names import labels
from gateway.maps.convert.draft.orders import by_swaps, width
from gateway.maps.convert.draft.patterns import pattern
from gateway.maps.convert.draft.source import Source, flag, items, mapping, not_numbers, number, string, whole
from gateway.maps.convert.draft.text import scalar
from gateway.yamlfile import YamlValue

_TABLES = {
    "holding": "holding", "input": "input", "coil": "coil", "discrete_input": "discrete", "coils": "coil", "holdings": "holding",
}  # fmt: skip
_TYPES = frozenset(("int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"))
_STRUCT = {"h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "l": "int32", "L": "uint32", "q": "int64", "Q": "uint64",
           "e": "float16", "f": "float32", "d": "float64"}  # fmt: skip
_SWITCHES = ("switches", "lights", "fans")
_FUNCTIONS = {"coil": 5, "coils": 15, "holding": 6, "holdings": 16}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entity:
    """One entry of a platform's list; `unit_id` is None for a secret or nothing."""

    platform: str
    unit_id: int | None
    keys: dict[str | int, YamlValue]


def read(source: Source, options: Options) -> Draft:
    """The points of one unit id."""
    root = source.yaml()
    hubs = items(root) if isinstance(root, list) else items(mapping(root).get("modbus"))
    draft = Draft(format=source.format, file=source.name)
    entities = [entity for hub in hubs for entity in _entities(hub)]
    known = {entity.unit_id for entity in entities if entity.unit_id is not None}
    is_open = any(entity.unit_id is None for entity in entities)
    if is_open and options.unit_id is None:
        ask(source, "the unit id of all its points (a secret, or left out)", "give --unit")
    unit_id = options.unit_id if is_open else one_unit(source, options, known)
    draft.head["device"] = {"unit_id": unit_id}
    for entity in entities:
        if entity.unit_id in (None, unit_id):
            _READERS[entity.platform](source, draft, entity.keys)
    return draft


def _entities(hub: dict[str | int, YamlValue]) -> Iterator[_Entity]:
    for platform in _READERS:
        for keys in items(hub.get(platform)):
            yield _Entity(platform=platform, unit_id=whole(keys.get("device_address", keys.get("slave"))), keys=keys)


def _sensor(source: Source, draft: Draft, keys: Keys) -> None:
    _measured(draft, keys, *_named(source, keys))


def _measured(draft: Draft, keys: Keys, name: str, line: int) -> None:
    assumed: list[str] = []
    shape = _shape(keys)
    if isinstance(shape, str):
        draft.drop(name, shape, line=line)
        return
    if "data_type" not in keys:
        assumed.append("no data_type, which means int16 there")
    copies = whole(keys.get("virtual_count", keys.get("slave_count"))) or 0
    words = whole(shape.get("words")) or width(str(shape["type"])) or 1
    for lost in ("zero_suppress", "value_template"):
        if keys.get(lost):
            draft.drop(f"{name}: {lost}", "not a thing of the register", line=line)
    point: Keys = {
        **_at(keys, "input_type", "holding"),
        **shape,
        "repeat": {"count": copies + 1, "stride": words} if copies else None,
        "unit": string(keys.get("unit_of_measurement")),
        "decimals": whole(keys.get("precision")),
        "poll": _poll(draft, keys),
    }
    if shape["type"] != "string":
        scale, offset = number(keys.get("scale")), number(keys.get("offset"))
        point |= {"scale": None if scale in (1, None) else scale, "offset": offset or None, "valid": _valid(keys)}
        point["invalid"] = _invalid(draft, name, line, keys, str(shape["type"]))
    draft.add(name, point, line=line, assumed=assumed)


def _binary(source: Source, draft: Draft, keys: Keys) -> None:
    name, line = _named(source, keys)
    place = _at(keys, "input_type", "coil")
    bit = None if place["table"] in ("coil", "discrete") else 0
    copies = whole(keys.get("virtual_count", keys.get("slave_count"))) or 0
    if copies and bit is not None:
        draft.drop(f"{name}: virtual_count", "only the first bit of the register is taken", line=line)
    repeat: Keys | None = {"count": copies + 1, "stride": 1} if copies and bit is None else None
    draft.add(name, {**place, "type": "bool", "bit": bit, "repeat": repeat, "poll": _poll(draft, keys)}, line=line)


def _switch(source: Source, draft: Draft, keys: Keys) -> None:
    name, line = _named(source, keys)
    kind = string(keys.get("write_type")) or "holding"
    place, verify = _at(keys, "write_type", "holding"), mapping(keys.get("verify"))
    on, off = _code(keys, "command_on", 1), _code(keys, "command_off", 0)
    is_coil = place["table"] == "coil"
    shape: Keys = {"type": "bool"} if is_coil else {"type": "uint16", "enum": {**labels([(off, "off"), (on, "on")])}}
    write_rule: Keys = {"function": _FUNCTIONS.get(kind, 6)}
    reads_itself = "verify" in keys and verify.get("address", keys.get("address")) == keys.get("address")
    reads_itself = reads_itself and _table(verify, "input_type", kind) == place["table"]
    if verify and not reads_itself:
        shown = _at({"address": keys.get("address"), **verify}, "input_type", kind)
        on_there, off_there = _code(verify, "state_on", on), _code(verify, "state_off", off)
        is_bit = shown["table"] in ("coil", "discrete")
        state: Keys = {"type": "bool"} if is_bit else {"type": "uint16", "enum": {**labels([(off_there, "off"), (on_there, "on")])}}
        taken = draft.add(f"{name} state", {**shown, **state, "poll": _poll(draft, keys)}, line=line)
        if is_bit == is_coil and (on_there, off_there) == (on, off):
            write_rule["readback"] = taken
        else:
            draft.note("check", line, name, f"{taken} shows it by other codes than are written, so it is no read-back")
    access = "rw" if reads_itself else "wo"
    draft.add(
        name, {**place, **shape, "access": access, "write": write_rule, "poll": _poll(draft, keys) if reads_itself else None}, line=line
    )


def _climate(source: Source, draft: Draft, keys: Keys) -> None:
    name, line = _named(source, keys)
    _measured(draft, keys, f"{name} temperature", line)
    target = keys.get("target_temp_register")
    place = whole(target[0] if isinstance(target, list) and target else target)
    if place is None:
        return
    if isinstance(target, list):
        draft.note("check", line, name, "several target registers; the first is taken")
    shape = _shape(keys)
    if isinstance(shape, str) or shape["type"] == "string":
        draft.drop(f"{name} target", "its type can't be written", line=line)
        return
    scale, offset = number(keys.get("scale")), number(keys.get("offset"))
    limits: Keys = {"min": number(keys.get("min_temp")), "max": number(keys.get("max_temp")), "step": number(keys.get("temp_step"))}
    point: Keys = {
        "pdu": place,
        "table": "holding",
        **shape,
        "scale": None if scale in (1, None) else scale,
        "offset": offset or None,
        "access": "rw",
        "write": {key: value for key, value in limits.items() if value is not None},
        "poll": _poll(draft, keys),
    }
    draft.add(f"{name} target", point, line=line)


def _cover(source: Source, draft: Draft, keys: Keys) -> None:
    name, line = _named(source, keys)
    draft.drop(name, "a cover's states and register are to be typed by hand", line=line)


_READERS = {"sensors": _sensor, "binary_sensors": _binary, **dict.fromkeys(_SWITCHES, _switch), "climates": _climate, "covers": _cover}


def _named(source: Source, keys: Keys) -> tuple[str, int]:
    name = string(keys.get("name"))
    return name, source.line_of(name)


def _table(keys: Keys, key: str, otherwise: str) -> str:
    return _TABLES.get(string(keys.get(key)) or otherwise, "holding")


def _at(keys: Keys, key: str, otherwise: str) -> Keys:
    return {"pdu": whole(keys.get("address")), "table": _table(keys, key, otherwise)}


def _code(keys: Keys, key: str, otherwise: int) -> int:
    given = keys.get(key)
    first = given[0] if isinstance(given, list) and given else given
    found = whole(first)
    return otherwise if found is None else found


def _shape(keys: Keys) -> Keys | str:
    wrong = not_numbers(keys, "scale", "offset")
    if wrong:
        return wrong
    kind, swap = string(keys.get("data_type")) or "int16", string(keys.get("swap")) or "none"
    swaps = {"none": (False, False), "byte": (True, False), "word": (False, True), "word_byte": (True, True)}.get(swap)
    if swaps is None or flag(keys.get("reverse_order")):
        return f"swap {swap!r} or reverse_order has no plain meaning"
    words: int | None = None
    if kind in ("custom", "string"):
        words = whole(keys.get("count"))
    if kind == "custom":
        match = re.fullmatch(r">(?:(\d+)s|([a-zA-Z]))", string(keys.get("structure")))
        kind = "string" if match and match[1] else _STRUCT.get(match[2] if match else "", "")
        if kind in _TYPES:
            if words != width(kind):
                return "its structure does not fill its registers"
            words = None
    if kind == "string" and (words is None or swaps[1]):
        return "a string without count, or with its words swapped"
    if kind not in (*_TYPES, "string"):
        return "its structure is more than one number"
    if swaps[1] and width(kind) == 1:
        return "words swapped in a value of one register"
    order = by_swaps(bytes_swapped=swaps[0], words_swapped=swaps[1])
    return {"type": kind, "words": words, "order": None if order == "ABCD" else order}


def _valid(keys: Keys) -> Keys | None:
    limits: Keys = {key: number(keys.get(f"{key}_value")) for key in ("min", "max")}
    return {key: value for key, value in limits.items() if value is not None} or None


def _invalid(draft: Draft, name: str, line: int, keys: Keys, kind: str) -> list[YamlValue] | None:
    given = number(keys.get("nan_value"))
    if given is None:
        return None
    found = pattern(given, kind)
    if found is None or (kind.startswith("float") and found == 0):
        draft.drop(f"{name}: nan_value", f"{given} would hide real values", line=line)
        return None
    return [found]


def _poll(draft: Draft, keys: Keys) -> str | None:
    period = number(keys.get("scan_interval"))
    return draft.every(f"{scalar(period)}s") if period else None


converter = Converter(name="home_assistant", title="Home Assistant modbus (YAML)", read=read, write=write)
