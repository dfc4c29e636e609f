"""wb-mqtt-serial device templates (JSON): channels and parameters.

Addresses count from 0; the default format is u16. s8 and u8 are the low byte, the high one with byte_order little_endian. `min` and
`max` are raw in some templates and scaled in others, so they are left out.
"""

import re
from collections.abc import Mapping
from decimal import Decimal

from gateway.maps.convert.draft.base import Converter, Options
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.names import clean, labels
from gateway.maps.convert.draft.orders import by_swaps, width
from gateway.maps.convert.draft.patterns import pattern
from gateway.maps.convert.draft.source import Source, flag, items, listed, mapping, not_numbers, number, string, whole

_TABLES = {
    "coil": "coil", "discrete": "discrete", "holding": "holding", "holding_single": "holding", "holding_multi": "holding", "input": "input",
}  # fmt: skip
_FUNCTIONS = {"holding_single": 6, "holding_multi": 16}
_FORMATS = {
    "u16": "uint16", "s16": "int16", "u32": "uint32", "s32": "int32", "u64": "uint64", "s64": "int64",
    "float": "float32", "double": "float64", "bcd16": "bcd16", "bcd32": "bcd32",
}  # fmt: skip
_BYTES = {"u8": "uint8", "s8": "int8"}
_UNITS = {
    "temperature": "degC", "rel_humidity": "%", "voltage": "V", "current": "A", "power": "W", "power_consumption": "kWh",
    "atmospheric_pressure": "mbar", "pressure": "bar", "rainfall": "mm/h", "wind_speed": "m/s", "sound_level": "dB",
    "concentration": "ppm", "illuminance": "lx",
}  # fmt: skip
_PUSHED = ("pushbutton",)


def read(source: Source, options: Options) -> Draft:
    """The points of the template."""
    if "{%" in source.text() or "{{" in source.text():
        source.refuse("not_rendered", "a Jinja template", "render it first, and give the JSON that comes out")
    root = mapping(source.json())
    device = mapping(root.get("device"))
    translations = {string(language): mapping(words) for language, words in mapping(device.get("translations")).items()}
    draft = Draft(format=source.format, file=source.name)
    draft.head |= {
        "model": _translated(translations, "en", string(device.get("name") or root.get("device_type"))),
        "device": _facts(options, device),
    }
    for channel in items(device.get("channels")):
        _point(source, draft, translations, channel, is_parameter=False)
    parameters = device.get("parameters")
    named = [{"id": key, **mapping(value)} for key, value in parameters.items()] if isinstance(parameters, dict) else items(parameters)
    for parameter in named:
        _point(source, draft, translations, parameter, is_parameter=True)
    return draft


def _facts(options: Options, device: Keys) -> Keys:
    facts: Keys = {"unit_id": options.unit_id} if options.unit_id else {}
    if most := whole(device.get("max_read_registers")):
        facts["max_read"] = min(most, 125)
    if guard := whole(device.get("guard_interval_us")):
        facts["gap_ms"] = Decimal(guard) / 1000
    if timeout := whole(device.get("response_timeout_ms")):
        facts["timeout_ms"] = timeout
    return facts


def _translated(translations: Mapping[str, Keys], language: str, text: str) -> str:
    return string(translations.get(language, {}).get(text)) or text


def _words(translations: Mapping[str, Keys], text: str) -> Keys:
    chinese = string(translations.get("zh", {}).get(text))
    return {"en": clean(_translated(translations, "en", text)), **({"zh": clean(chinese)} if chinese else {})}


def _point(source: Source, draft: Draft, translations: Mapping[str, Keys], channel: Keys, *, is_parameter: bool) -> None:
    label = string(channel.get("name") or channel.get("title") or channel.get("id"))
    line = source.line_of(label)
    kind, table = string(channel.get("reg_type")), _TABLES.get(string(channel.get("reg_type")))
    place, bits = _place(channel.get("address"))
    if table is None or place is None:
        draft.drop(label, "no single register of a known kind", line=line)
        return
    shape = _shape(channel, table, bits)
    if isinstance(shape, str):
        draft.drop(label, shape, line=line)
        return
    for lost in ("min", "max", "condition", "write_address"):
        if lost in channel:
            draft.drop(f"{label}: {lost}", _LOST[lost], line=line)
    if channel.get("enum") and "enum" in shape and shape["enum"] is None:
        draft.drop(f"{label}: enum", "codes of a scaled value", line=line)
    keys: Keys = {
        "pdu": place,
        "table": table,
        **shape,
        "unit": string(channel.get("units")) or _UNITS.get(string(channel.get("type"))),
        "name": _words(translations, label),
        "poll": draft.every("once") if is_parameter else None,
    }
    if table in ("coil", "holding") and not flag(channel.get("readonly")) and "write_address" not in channel:
        is_pulse = string(channel.get("type")) in _PUSHED
        rule: Keys = {"function": _FUNCTIONS.get(kind), "pulse": True if is_pulse else None, "readback": False if is_pulse else None}
        keys |= {"access": "rw", "write": {key: value for key, value in rule.items() if value is not None}}
    draft.add(_translated(translations, "en", label), keys, line=line)


_LOST = {
    "min": "raw in some templates, scaled in others",
    "max": "raw in some templates, scaled in others",
    "condition": "the channel exists only under a condition: check it",
    "write_address": "written at another address than read: type a point of its own",
}


def _place(given: object) -> tuple[int | None, tuple[int, int] | None]:
    """Address, and first and number of bits of `address:shift:width`."""
    text = str(given) if isinstance(given, int | str) and not isinstance(given, bool) else ""
    match = re.fullmatch(r"(0x[0-9A-Fa-f]+|\d+)(?::(\d+):(\d+))?", text)
    if not match:
        return None, None
    return int(match[1], 16 if match[1].startswith("0x") else 10), (int(match[2]), int(match[3])) if match[2] else None


def _shape(channel: Keys, table: str, bits: tuple[int, int] | None) -> Keys | str:
    if table in ("coil", "discrete"):
        return {"type": "bool"}
    if wrong := not_numbers(channel, "scale", "offset", "error_value"):
        return wrong
    form = string(channel.get("format")) or "u16"
    little = {key: string(channel.get(f"{key}_order")).startswith("little") for key in ("byte", "word")}
    words: int | None = None
    keys: Keys = {}
    if form in ("string", "string8"):
        words = whole(channel.get("string_data_size"))
        if not words:
            return "a string without string_data_size"
        return {"type": "string", "words": words, "chars": "low" if form == "string" else None, "order": "BADC" if little["byte"] else None}
    if form in _BYTES:
        if bits:
            return f"bits of a {form}"
        return {"type": _BYTES[form], "bits": "15..8" if little["byte"] else None, **_value(channel, _BYTES[form])}
    if form not in _FORMATS:
        return f"format {form!r} has no equal here"
    name = _FORMATS[form]
    if bits and (bits[1] < 1 or sum(bits) > 16 * (width(name) or 1)):
        return f"bits {bits[0]}:{bits[1]} of a {form}"
    order = by_swaps(bytes_swapped=little["byte"], words_swapped=little["word"] and (width(name) or 1) > 1)
    keys |= {"type": name, "order": None if order == "ABCD" else order, "bits": f"{sum(bits) - 1}..{bits[0]}" if bits else None}
    return {**keys, **_value(channel, name)}


def _value(channel: Keys, name: str) -> Keys:
    scale, offset, error = number(channel.get("scale")), number(channel.get("offset")), number(channel.get("error_value"))
    codes = [whole(code) for code in listed(channel.get("enum"))]
    words = [string(title) for title in listed(channel.get("enum_titles"))]
    found = None if error is None else pattern(error, name)
    scaled = scale not in (None, 1) or bool(offset)
    enum: Keys = {**labels((code, word) for code, word in zip(codes, words, strict=False) if code is not None)}
    return {
        "scale": None if scale in (None, 1) else scale,
        "offset": offset or None,
        "enum": None if scaled else enum,
        "invalid": None if found is None else [found],
    }


converter = Converter(name="wb", title="wb-mqtt-serial template (JSON)", read=read)
