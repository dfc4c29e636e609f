"""Neuron tags (xlsx): columns group, name, address, attribute, type, description, decimal, precision, bias.

`decimal` is the multiplier and `precision` the digits. The letters after `#` mean other orders in the Inovance plugin than in the
Modbus ones, and a tag without them takes the node's order, so both are asked for. Docs call inputs writable; Neuron refuses it.
"""

import re
from collections.abc import Mapping, Sequence

from gateway.maps.convert.draft.base import Converter, Options, ask, one_unit
from gateway.maps.convert.draft.dialects import Address
from gateway.maps.convert.draft.dialects import neuron as read_address
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.orders import is_wide
from gateway.maps.convert.draft.source import Source, not_numbers, number, whole
from gateway.model.address import AddressError, Table

_ORDERS = {
    "modbus": {"LL": "ABCD", "BL": "CDAB", "LB": "BADC", "BB": "DCBA"},
    "inovance": {"BL": "ABCD", "LL": "CDAB", "BB": "BADC", "LB": "DCBA"},
}
_SINGLE = {"B": "ABCD", "L": "BADC"}
_QUAD = {"WS": "CDABGHEF", "WR": "EFGHABCD"}
_TYPES = {
    "INT16": "int16", "UINT16": "uint16", "WORD": "uint16", "INT32": "int32", "UINT32": "uint32", "DWORD": "uint32", "INT64": "int64",
    "UINT64": "uint64", "LWORD": "uint64", "FLOAT": "float32", "DOUBLE": "float64",
}  # fmt: skip
_TEXT_ORDERS: Mapping[str, Keys] = {"H": {}, "L": {"order": "BADC"}, "D": {"chars": "low"}, "E": {"chars": "high"}}
_TAG = re.compile(r"(?P<place>\d{1,3}![0134]\d{1,6}(?:\.\d{1,3})?)(?P<text>[HLDE])?(?:#(?P<order>[A-Z]{1,2}))?")


def read(source: Source, options: Options) -> Draft:
    """The points of one unit id."""
    draft = Draft(format=source.format, file=source.name)
    tags = [tag for sheet in source.sheets().values() for tag in _tags(sheet)]
    if tags and options.base is None:
        ask(source, "whether its node counts addresses from 0 or from 1", "look at the node's settings and give --base 0 or --base 1")
    read_tags: list[tuple[int, dict[str, str], Address, re.Match[str]]] = []
    for line, tag in tags:
        match = _TAG.fullmatch(tag["address"].strip().upper())
        try:
            address = read_address(match["place"] if match else tag["address"], options.base)
        except AddressError as exc:
            draft.drop(tag["name"], f"{exc.message}: {exc.fix}", line=line)
            continue
        if match:
            read_tags.append((line, tag, address, match))
    unit_id = one_unit(source, options, {int(str(address.keys["unit_id"])) for _, _, address, _ in read_tags})
    draft.head["device"] = {"unit_id": unit_id}
    for line, tag, address, match in read_tags:
        if address.keys["unit_id"] == unit_id:
            _point(source, options, draft, tag, address, match, line)
    return draft


def _tags(rows: Sequence[tuple[int, list[str]]]) -> list[tuple[int, dict[str, str]]]:
    if not rows:
        return []
    names = [cell.strip().lower() for cell in rows[0][1]]
    if not {"name", "address", "type"} <= set(names):
        return []
    empty = dict.fromkeys((*names, "group", "attribute", "description", "decimal", "precision", "bias"), "")
    return [(line, {**empty, **dict(zip(names, cells, strict=False))}) for line, cells in rows[1:]]


def _point(source: Source, options: Options, draft: Draft, tag: dict[str, str], address: Address, match: re.Match[str], line: int) -> None:
    assumed: list[str] = []
    if address.table is None:
        raise AssertionError(tag)
    wrong = not_numbers(tag, "decimal", "bias")
    shape = wrong or _shape(source, options, tag, address, match, assumed)
    if isinstance(shape, str):
        draft.drop(tag["name"], shape, line=line)
        return
    table, counted = address.table, options.base or 0
    rights = _rights(tag["attribute"])
    if "write" in rights and table in (Table.DISCRETE, Table.INPUT):
        draft.note("check", line, tag["name"], f"a {table} can't be written: taken as read only")
        rights = {"read"}
    if counted and int(re.split(r"[!.]", match["place"])[1][1:]) == 0:
        assumed.append("number 0 with base 1 means the first address to Neuron")
        counted = 0
    is_number = shape["type"] not in ("bool", "string", "bytes")
    decimal, bias = number(tag["decimal"]), number(tag["bias"])
    keys: Keys = {
        **({"reg": address.pdu + 1} if counted else {"pdu": address.pdu}),
        "table": table.value,
        **shape,
        "scale": decimal if is_number and decimal not in (None, 0, 1) else None,
        "offset": (bias or None) if is_number else None,
        "decimals": whole(tag["precision"]) or None if str(shape["type"]).startswith("float") else None,
        "description": {"en": tag["description"]} if tag["description"].strip() else None,
        "group": tag["group"].strip(),
    }
    if "write" in rights:
        keys |= {"access": "rw" if "read" in rights else "wo", "write": {}}
    draft.add(tag["name"], keys, line=line, assumed=assumed)


def _shape(source: Source, options: Options, tag: dict[str, str], address: Address, match: re.Match[str], assumed: list[str]) -> Keys | str:
    kind, bit = tag["type"].strip().upper(), address.keys.get("bit")
    if address.table is not None and address.table.is_bits:
        return {"type": "bool"} if kind in ("BIT", "BOOL") else f"{kind} over {address.table}"
    if kind in ("BIT", "BOOL"):
        return {"type": "bool", "bit": bit} if bit is not None else "a BIT of a register without its number"
    if kind in ("STRING", "BYTES"):
        if bit is None:
            return f"a {kind} without its length"
        words = (int(str(bit)) + 1) // 2
        if kind == "BYTES":
            return {"type": "bytes", "words": words}
        if match["text"] is None:
            assumed.append("no H or L: the high byte comes first (H, as in Neuron's code)")
        form = _TEXT_ORDERS[match["text"] or "H"]
        size = int(str(bit)) if "chars" in form else words
        return {"type": "string", "words": size, "length": int(str(bit)), **form}
    if kind not in _TYPES or bit is not None:
        return f"type {kind!r} of that address has no plain meaning"
    name = _TYPES[kind]
    order = _order(source, options, tag, name, match["order"])
    return (
        order
        if order not in (*_ORDERS["modbus"].values(), *_QUAD.values())
        else {"type": name, "order": None if order == "ABCD" else order}
    )


def _order(source: Source, options: Options, tag: dict[str, str], name: str, letters: str | None) -> str:
    """The order, or what is wrong with it."""
    if not is_wide(name):
        return _SINGLE.get(letters or "B", f"order #{letters} of one register is unknown")
    if letters is None:
        if options.order is None:
            ask(
                source,
                f"the order of {tag['name']}, which comes from the node",
                "give --order (ABCD: big endian; CDAB: the Inovance plugin's own)",
            )
        return options.order
    if letters in _QUAD:
        return _QUAD[letters]
    plugin = options.settings.get("plugin")
    if plugin not in _ORDERS:
        ask(source, f"which plugin reads #{letters}", "give --set plugin=modbus (Modbus TCP, RTU) or --set plugin=inovance")
    return _ORDERS[plugin].get(letters, f"order #{letters} is unknown")


def _rights(attribute: str) -> set[str]:
    """`Read Write`, or the sum of 1 read, 2 write, 4 subscribe."""
    words, bits = attribute.lower(), whole(attribute)
    if bits is not None:
        return {name for name, bit in (("read", 1), ("write", 2)) if bits & bit or (name == "read" and bits & 4)}
    return {name for name in ("read", "write") if name in words} | ({"read"} if "subscribe" in words else set())


converter = Converter(name="neuron", title="Neuron tags (xlsx)", read=read, settings=frozenset({"plugin"}))
