"""Telegraf `inputs.modbus` (TOML): styles register, request and metric; written in the request style.

`FIXED`, `UFIXED` and the register style's `FLOAT32` are integers whose width is the count of listed registers. Fields with
`omit` are fillers. Telegraf never writes to a device.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gateway.maps.convert.draft.base import Converter, Options, one_unit
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.orders import by_letters, width
from gateway.maps.convert.draft.source import Source, flag, items, mapping, not_numbers, number, string, whole
from gateway.maps.convert.draft.telegraf_out import write
from gateway.yamlfile import YamlValue

_STYLE_TABLES = {"discrete_inputs": "discrete", "coils": "coil", "holding_registers": "holding", "input_registers": "input"}
_TABLES = frozenset(_STYLE_TABLES.values())
_TYPES = {name.upper(): name for name in ("int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")}
_IEEE = {f"{name.upper()}-IEEE": name for name in ("float16", "float32", "float64")}
_BYTES = {
    "INT8L": ("int8", "7..0"), "UINT8L": ("uint8", "7..0"), "INT8H": ("int8", "15..8"), "UINT8H": ("uint8", "15..8"),
}  # fmt: skip
_FIXED = {"FIXED": "int", "UFIXED": "uint", "FLOAT32": "uint"}
_CHARS = {"lower": "low", "upper": "high"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """One field with what its request or plugin says for it."""

    unit_id: int | None
    table: str
    order: str
    group: str
    keys: dict[str | int, YamlValue]
    is_listed: bool
    chars: str | None


def read(source: Source, options: Options) -> Draft:
    """The points of one unit id."""
    root = mapping(source.toml())
    plugins = items(mapping(root.get("inputs")).get("modbus"))
    draft = Draft(format=source.format, file=source.name)
    fields = [field for plugin in plugins for field in _fields(plugin)]
    unit_id = one_unit(source, options, {field.unit_id for field in fields if field.unit_id is not None})
    device = _device(draft, plugins)
    draft.head["device"] = {"unit_id": unit_id, **device} if unit_id else device
    for field in fields:
        if field.unit_id in (None, unit_id):
            _point(source, draft, field)
    return draft


def _device(draft: Draft, plugins: list[dict[str | int, YamlValue]]) -> Keys:
    device: Keys = {}
    for plugin in plugins:
        around = mapping(plugin.get("workarounds"))
        if most := whole(around.get("max_word_registers_per_request")):
            device["max_read"] = max(1, min(most, 125))
        if (pause := _ms(string(around.get("pause_between_requests")))) is not None:
            device["gap_ms"] = pause
        if timeout := _ms(string(plugin.get("timeout"))):
            device["timeout_ms"] = timeout
        if plugin.get("controller"):
            draft.drop("controller", "the link belongs into the configuration", line=0)
    return device


def _ms(text: str) -> int | None:
    for unit, factor in (("ms", 1), ("s", 1000)):
        found = number(text.removesuffix(unit)) if text.endswith(unit) else None
        if found is not None:
            return int(found * factor)
    return None


def _fields(plugin: dict[str | int, YamlValue]) -> Iterator[_Field]:
    unit_id, style = whole(plugin.get("slave_id")), string(plugin.get("configuration_type")) or "register"
    chars = _CHARS.get(string(mapping(plugin.get("workarounds")).get("string_register_location")))
    if style == "register":
        for key, table in _STYLE_TABLES.items():
            for field in items(plugin.get(key)):
                group = string(field.get("measurement"))
                yield _Field(
                    unit_id=unit_id,
                    table=table,
                    order=string(field.get("byte_order")),
                    group=group,
                    keys=field,
                    is_listed=True,
                    chars=chars,
                )
        return
    for request in items(plugin.get(style)):
        for field in items(request.get("fields")):
            yield _Field(
                unit_id=whole(request.get("slave_id")),
                table=string(field.get("register") or request.get("register")) or "holding",
                order=string(request.get("byte_order")) or "ABCD",
                group=string(field.get("measurement") or request.get("measurement")),
                keys=field,
                is_listed=False,
                chars=chars,
            )


def _point(source: Source, draft: Draft, field: _Field) -> None:
    if flag(field.keys.get("omit")):
        return
    name = string(field.keys.get("name"))
    line = source.line_of(name)
    address, count, why = _place(field)
    why = why or not_numbers(field.keys, "scale")
    shape: Keys | str = why
    if not why:
        shape = {"type": "bool"} if field.table in ("coil", "discrete") else _shape(field, count)
    order = by_letters(field.order) if field.order else "ABCD"
    if not isinstance(shape, str) and order is None and field.table in ("holding", "input"):
        shape = f"byte order {field.order!r} is unknown"
    if isinstance(shape, str):
        draft.drop(name, shape, line=line)
        return
    scale = number(field.keys.get("scale"))
    is_number = shape["type"] not in ("bool", "string")
    keys: Keys = {
        "pdu": address,
        "table": field.table,
        **shape,
        "order": order if field.table in ("holding", "input") and order != "ABCD" else None,
        "scale": scale if is_number and scale and scale != 1 else None,
        "group": field.group,
    }
    draft.add(name, keys, line=line)


def _place(field: _Field) -> tuple[int, int, str]:
    """First address, count of listed registers (0 if the style lists none), and what is wrong."""
    given = field.keys.get("address")
    listed = [whole(part) for part in given] if isinstance(given, list) else [whole(given)]
    if not listed or listed[0] is None or field.table not in _TABLES:
        return 0, 0, f"address {given!r} of table {field.table!r} is no address"
    first = listed[0]
    if listed != list(range(first, first + len(listed))):
        return 0, 0, "its registers do not follow each other"
    return first, len(listed) if field.is_listed else 0, ""


def _shape(field: _Field, count: int) -> Keys | str:
    kind = (string(field.keys.get("data_type") or field.keys.get("type"))).upper()
    bits: str | None = None
    if kind == "BIT":
        return {"type": "bool", "bit": whole(field.keys.get("bit")) or 0}
    if kind == "STRING":
        words = whole(field.keys.get("length")) or count
        return {"type": "string", "words": words, "chars": field.chars} if words else "a STRING without length"
    if kind in _BYTES:
        name, bits = _BYTES[kind]
    elif field.is_listed and kind in _FIXED:
        name = f"{_FIXED[kind]}{16 * count}"
    else:
        name = (_IEEE if field.is_listed else {}).get(kind) or _TYPES.get(kind, "")
    if name not in (*_TYPES.values(), "int8", "uint8"):
        return f"type {kind or 'missing'} is unknown"
    if field.is_listed and width(name) != count:
        return f"{kind} needs {width(name)} registers, {count} are listed"
    return {"type": name, "bits": bits}


converter = Converter(name="telegraf", title="Telegraf inputs.modbus (TOML)", read=read, write=write)
