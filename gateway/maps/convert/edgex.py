"""EdgeX device profile (YAML), with its device list by `--set devices=FILE`.

Scale and offset come before mask and shift there, which no map can say, so resources with mask, shift or base are left out. EdgeX
heeds its swap flags for 32 bits only. `minimum` and `maximum` bind what is set, not what is read.
"""

from decimal import Decimal
from pathlib import Path

from gateway.maps.convert.draft.base import Converter, Options, one_unit
from gateway.maps.convert.draft.dialects import edgex as read_address
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.names import labels
from gateway.maps.convert.draft.orders import by_swaps, width
from gateway.maps.convert.draft.source import Source, flag, items, mapping, not_numbers, number, string, whole
from gateway.model.address import AddressError

_TABLES = {
    "HOLDING_REGISTERS": "holding", "INPUT_REGISTERS": "input", "COILS": "coil",
    "DISCRETES_INPUT": "discrete", "DISCRETE_INPUTS": "discrete",
}  # fmt: skip
_TYPES = {kind: kind for kind in ("int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")}
_ATTRIBUTES = ("primaryTable", "startingAddress", "rawType", "isByteSwap", "isWordSwap", "stringRegisterSize")
_UNSAYABLE = {"mask": 0, "shift": 0, "base": 0}


def read(source: Source, options: Options) -> Draft:
    """The points of the profile."""
    root = mapping(source.yaml())
    draft = Draft(format=source.format, file=source.name)
    draft.head |= {"vendor": string(root.get("manufacturer")), "model": string(root.get("model") or root.get("name"))}
    enums = _mappings(root)
    polls: dict[str, str] = {}
    if "devices" in options.settings:
        polls = _devices(source, options, draft, string(root.get("name")))
    elif options.unit_id is not None:
        draft.head["device"] = {"unit_id": options.unit_id}
    for resource in items(root.get("deviceResources")):
        _resource(source, draft, resource, enums, polls)
    return draft


def _devices(source: Source, options: Options, draft: Draft, profile: str) -> dict[str, str]:
    """Unit id of the profile's device, and resource or command -> poll group."""
    listed = Source.open(source.format, Path(options.settings["devices"]))
    devices = [device for device in items(mapping(listed.yaml()).get("deviceList")) if device.get("profileName") == profile]
    units = {
        unit
        for device in devices
        for protocol in mapping(device.get("protocols")).values()
        if (unit := whole(mapping(protocol).get("UnitID"))) is not None
    }
    unit_id = one_unit(listed, options, units)
    draft.head["device"] = {"unit_id": unit_id}
    polls: dict[str, str] = {}
    for device in devices:
        for event in items(device.get("autoEvents")):
            if group := draft.every(string(event.get("interval"))):
                polls[string(event.get("sourceName") or event.get("resource"))] = group
    return polls


def _mappings(root: Keys) -> dict[str, Keys]:
    """Resource -> its mappings, of all commands."""
    operations = [operation for command in items(root.get("deviceCommands")) for operation in items(command.get("resourceOperations"))]
    return {
        string(operation.get("deviceResource")): mapping(operation.get("mappings")) for operation in operations if operation.get("mappings")
    }


def _resource(source: Source, draft: Draft, resource: Keys, enums: dict[str, Keys], polls: dict[str, str]) -> None:
    name, line = string(resource.get("name")), source.line_of(string(resource.get("name")))
    attributes, properties = mapping(resource.get("attributes")), mapping(resource.get("properties"))
    table = _TABLES.get(string(attributes.get("primaryTable")).upper())
    if table is None:
        draft.drop(name, f"primaryTable {attributes.get('primaryTable')!r} is unknown", line=line)
        return
    try:
        pdu, bit = read_address(attributes.get("startingAddress"))
    except AddressError as exc:
        draft.drop(name, f"{exc.message} ({exc.code}): {exc.fix}", line=line)
        return
    for key, nothing in _UNSAYABLE.items():
        if number(properties.get(key)) not in (None, nothing):
            draft.drop(name, f"{key} comes after the scale there, which a map can't say", line=line)
            return
    assumed: list[str] = []
    shape = _shape(attributes, properties, table, bit, assumed)
    if isinstance(shape, str):
        draft.drop(name, shape, line=line)
        return
    access = {"R": "ro", "RW": "rw", "W": "wo", "WR": "rw"}.get(string(properties.get("readWrite")).upper(), "ro")
    if table in ("input", "discrete"):
        access = "ro"
    limits: Keys = {"min": number(properties.get("minimum")), "max": number(properties.get("maximum"))}
    codes = [(code, string(label)) for key, label in enums.get(name, {}).items() if (code := whole(str(key))) is not None]
    keys: Keys = {
        "pdu": pdu,
        "table": table,
        **shape,
        "unit": string(properties.get("units")),
        "enum": {**labels(codes)},
        "access": None if access == "ro" else access,
        "poll": polls.get(name),
        "description": {"en": string(resource.get("description"))} if resource.get("description") else None,
    }
    if codes and (shape.get("scale") or shape.get("offset")):
        draft.drop(f"{name}: mappings", "codes of a scaled value", line=line)
        keys["enum"] = None
    if access != "ro":
        is_number = shape["type"] not in ("bool", "string") and not codes
        keys["write"] = {key: value for key, value in limits.items() if value is not None} if is_number else {}
    draft.add(name, keys, line=line, assumed=assumed)


def _shape(attributes: Keys, properties: Keys, table: str, bit: int | None, assumed: list[str]) -> Keys | str:
    shown = string(properties.get("valueType") or properties.get("type")).lower()
    raw = string(attributes.get("rawType")).lower()
    kind = raw or shown
    if table in ("coil", "discrete"):
        return {"type": "bool"} if kind in ("bool", "") else f"{kind} over {table}"
    if kind == "bool":
        return {"type": "bool", "bit": bit} if bit is not None else "a Bool over a whole register"
    if bit is not None:
        return f"a bit of a {kind}"
    if kind == "string":
        words = whole(attributes.get("stringRegisterSize"))
        _swaps(attributes, 1, assumed)
        return {"type": "string", "words": words} if words else "a String without stringRegisterSize"
    if kind not in _TYPES:
        return f"type {kind!r} has no plain meaning over registers"
    if not raw and kind.startswith("float"):
        assumed.append(f"no rawType: the registers are taken to hold the {kind} itself")
    if wrong := not_numbers(properties, "scale", "offset"):
        return wrong
    order = _swaps(attributes, width(kind) or 1, assumed)
    scale, offset = number(properties.get("scale")), number(properties.get("offset"))
    return {
        "type": kind,
        "order": None if order == "ABCD" else order,
        "scale": None if scale in (None, Decimal(1)) else scale,
        "offset": offset or None,
    }


def _swaps(attributes: Keys, words: int, assumed: list[str]) -> str:
    """The order by the swap flags, which EdgeX heeds for 32 bits only."""
    bytes_swapped, words_swapped = flag(attributes.get("isByteSwap")), flag(attributes.get("isWordSwap"))
    if words == 2:
        return by_swaps(bytes_swapped=bytes_swapped, words_swapped=words_swapped)
    if bytes_swapped or words_swapped:
        assumed.append("EdgeX heeds its swap flags for 32 bits only, so they are left out")
    return "ABCD"


converter = Converter(name="edgex", title="EdgeX device profile (YAML)", read=read, settings=frozenset({"devices"}))
