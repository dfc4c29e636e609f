"""evcc device templates (YAML around a Go template): a skeleton of registers; names and units are to be typed.

The rendered text depends on `usage`, so the template is read line by line, never executed: each `register:` block gives a point
whose name is its usage and its keys. Addresses count from 0.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gateway.maps.convert.draft.base import Converter, Options
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.source import Source, items, mapping, not_numbers, number, string, whole

_DECODE = re.compile(r"(u?int(?:16|32|64)|float(?:32|64))(s|nan)?")
_TABLES = {"holding": "holding", "input": "input", "coil": "coil", "discrete": "discrete", "discreteinputs": "discrete"}
_WRITES = {
    "writeholding": ("holding", 6), "writesingle": ("holding", 6), "writeholdings": ("holding", 16),
    "writemultiple": ("holding", 16), "writecoil": ("coil", 5),
}  # fmt: skip
_NAN = {"int16": 0x8000, "uint16": 0xFFFF, "int32": 0x80000000, "uint32": 0xFFFFFFFF, "int64": 1 << 63, "uint64": (1 << 64) - 1}
_STEPS = ("set", "get", "switch", "add")
_USAGE = re.compile(r'eq \.usage "(\w+)"')
_LINE = re.compile(r"(?P<indent> *)(?P<dash>- +)?(?:(?P<key>[\w-]+):(?: +(?P<value>[^#]*?))?)? *(?:#.*)?")


@dataclass(slots=True, kw_only=True)
class _Register:
    """One `register:` block: where it stands and what it says."""

    name: str
    line: int
    indent: int
    keys: dict[str, str]
    outer: dict[str, str]


def read(source: Source, options: Options) -> Draft:
    """The registers of the template, whatever its usage."""
    root = mapping(source.yaml())
    draft = Draft(format=source.format, file=source.name)
    product = next(iter(items(root.get("products"))), {})
    described = mapping(product.get("description"))
    draft.head |= {"vendor": string(product.get("brand")), "model": string(described.get("generic") or root.get("template"))}
    modbus = next((param for param in items(root.get("params")) if param.get("name") == "modbus"), {})
    unit_id = options.unit_id or whole(modbus.get("id"))
    draft.head["device"] = {"unit_id": unit_id} if unit_id else {}
    render = string(root.get("render"))
    first = next((number for number, line in enumerate(source.text().split("\n"), start=2) if line.startswith("render:")), 1)
    seen: set[tuple[tuple[str, str], ...]] = set()
    for register in _registers(render, first):
        content = tuple(sorted((register.keys | register.outer).items()))
        if content not in seen:
            seen.add(content)
            _point(draft, register)
    return draft


def _registers(render: str, first: int) -> Iterator[_Register]:
    """The blocks in order. `levels` holds the keys of each open mapping by indent, `stack` the keys that lead to them."""
    usage = ""
    stack: list[tuple[int, str]] = []
    levels: dict[int, dict[str, str]] = {}
    open_: _Register | None = None
    found: list[_Register] = []
    for line, text in enumerate(render.split("\n"), start=first):
        if text.strip().startswith("{{"):
            named = _USAGE.search(text)
            usage = named[1] if named else usage
            continue
        match = _LINE.fullmatch(text)
        if match is None or match["key"] is None:
            continue
        indent, key, value = len(match["indent"]) + len(match["dash"] or ""), match["key"], (match["value"] or "").strip()
        stack = [(depth, word) for depth, word in stack if depth < indent]
        levels = {depth: keys for depth, keys in levels.items() if depth < indent or (depth == indent and not match["dash"])}
        levels.setdefault(indent, {})[key] = value
        if open_ is not None and indent > open_.indent:
            open_.keys[key] = value
            continue
        open_ = None
        if key == "register":
            path = " ".join(part for part in (usage, *(word for _, word in stack)) if part not in _STEPS)
            open_ = _Register(name=path or "register", line=line, indent=indent, keys={}, outer=levels[indent])
            found.append(open_)
        elif not value:
            stack.append((indent, key))
    return iter(found)


def _point(draft: Draft, register: _Register) -> None:
    address, kind = whole(register.keys.get("address", "")), register.keys.get("type", "").lower()
    table, function = _WRITES.get(kind, (_TABLES.get(kind, ""), 0))
    if address is None or not table:
        draft.drop(register.name, f"address {register.keys.get('address')!r} of type {kind!r} is not plain", line=register.line)
        return
    shape = _shape(table, register.keys.get("decode", "").lower())
    if isinstance(shape, str):
        draft.drop(register.name, shape, line=register.line)
        return
    wrong = "a bit mask: type the bits by hand" if "bitmask" in register.keys else not_numbers(register.outer, "scale")
    if wrong:
        draft.drop(register.name, wrong, line=register.line)
        return
    scale = number(register.outer.get("scale", ""))
    keys: Keys = {
        "pdu": address,
        "table": table,
        **shape,
        "scale": scale if scale and scale != 1 and table in ("holding", "input") else None,
    }
    if function:
        keys |= {"access": "wo", "write": {"function": function}}
    draft.add(register.name, keys, line=register.line, assumed=["named by its place in the template; unit and meaning are to be typed"])


def _shape(table: str, decode: str) -> Keys | str:
    if table in ("coil", "discrete"):
        return {"type": "bool"}
    match = _DECODE.fullmatch(decode)
    if not match:
        return f"decode {decode or 'missing'} has no equal here"
    name = match[1]
    return {
        "type": name,
        "order": "CDAB" if match[2] == "s" else None,
        "invalid": [_NAN[name]] if match[2] == "nan" and name in _NAN else None,
    }


converter = Converter(name="evcc", title="evcc template (skeleton)", read=read)
