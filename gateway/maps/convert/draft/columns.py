"""The columns of our own table: one row a point, every key of the format in some column, cells safe in any spreadsheet.

`address` and `notation` stand for pdu, reg and ref. Keys inside a key have a column of their own (`write.min`, `name.zh`); what
goes deeper is written as YAML on one line. Columns of words hold plain text. `null` lists the keys by which a point undoes a default.
"""

import re
from collections.abc import Mapping, Sequence

from gateway.errors import ConfigError
from gateway.maps.convert.draft.draft import Keys
from gateway.maps.convert.draft.text import flow
from gateway.yamlfile import YamlValue, parse_yaml

CORE = (
    "name", "address", "notation", "table", "type", "order", "words", "bit", "bits", "scale", "offset", "unit", "access", "enum",
    "write.min", "write.max", "write.step", "write.confirm", "poll", "name.en", "name.zh", "aliases", "page",
)  # fmt: skip
"""Always there, in this order; the others follow where a point uses them."""

_NESTED: Mapping[str, Sequence[str]] = {
    "repeat": ("count", "stride", "names"),
    "range": ("raw", "eng"),
    "scale_from": ("point", "as"),
    "range_from": ("point", "as"),
    "write": (
        "function", "min", "max", "step", "max_step", "cooldown", "role", "confirm", "approvals", "interlock", "readback", "settle",
        "persist", "pulse", "reply", "note",
    ),
    "valid": ("min", "max"),
    "alarm": ("lolo", "lo", "hi", "hihi", "hysteresis", "delay", "priority", "text"),
    "name": ("en", "zh"),
    "description": ("en", "zh"),
    "note": ("en", "zh"),
}  # fmt: skip
_SINGLE = (
    "unit_id", "base", "signed", "encoding", "chars", "pad", "length", "decimals", "flags", "fields", "format", "invalid", "deadband",
    "group", "section", "source", "confidence", "sim",
)  # fmt: skip
_WORDS = frozenset((
    "name.en", "name.zh", "description.en", "description.zh", "note.en", "note.zh", "unit", "group", "page", "section", "source",
))  # fmt: skip
_LANGUAGES = ("name", "description", "note")
_INNER = tuple(f"{key}.{inner}" for key, inner_keys in _NESTED.items() for inner in inner_keys)
COLUMNS = tuple(dict.fromkeys((*CORE, *_SINGLE, *_INNER, *(key for key in _NESTED if key != "name"), "null")))
"""Every column there is."""

_FORMULA = re.compile(r"[=+\-@'\t\r]")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class CellError(Exception):
    """A cell that can't be understood; carries its column and what is wrong."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message


def to_row(name: str, keys: Keys) -> dict[str, str]:
    """The cells of a point by column."""
    row: dict[str, str] = {"name": name}
    removed = [str(key) for key, value in keys.items() if value is None]
    for key, value in keys.items():
        word = str(key)
        if word in ("pdu", "reg", "ref") and value is not None:
            row |= {"address": str(value), "notation": word}
        elif word in _NESTED and isinstance(value, dict) and value and set(value) <= set(_NESTED[word]) and None not in value.values():
            row |= {f"{word}.{inner}": _cell(f"{word}.{inner}", child) for inner, child in value.items()}
        elif word in _LANGUAGES and isinstance(value, str):
            row[f"{word}.en"] = value
        elif value is not None:
            row[word] = _cell(word, value)
    if removed:
        row["null"] = flow([*removed])
    return row


def from_row(row: Mapping[str, str]) -> tuple[str, Keys]:
    """Name and keys of a point; raises CellError."""
    keys: Keys = {}
    for column, cell in row.items():
        text = cell.strip()
        if not text or column in ("name", "address", "notation", "null"):
            continue
        key, _, inner = column.partition(".")
        value = _value(column, cell)
        if inner:
            around = keys.setdefault(key, {})
            if not isinstance(around, dict):
                raise CellError(column, f"{key} is given twice")
            around[inner] = value
        else:
            keys[key] = value
    for key in _names_of(row.get("null", "")):
        keys[key] = None
    return row.get("name", "").strip(), keys


def safe(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula: an apostrophe before what could begin one.

    >>> safe("=1+1"), safe("-5"), safe("'x")
    ("'=1+1", '-5', "''x")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unsafe(cell: str) -> str:
    """The text that `safe` made a cell of."""
    return cell[1:] if cell.startswith("'") else cell


def flat_head(head: Keys) -> list[tuple[str, str]]:
    """The map's head as key and value, keys inside a key written `title.en`."""
    rows: list[tuple[str, str]] = []
    for key, value in head.items():
        if isinstance(value, dict) and value and all(isinstance(inner, str) and "." not in inner for inner in value):
            rows += [(f"{key}.{inner}", flow(child)) for inner, child in value.items()]
        else:
            rows.append((str(key), flow(value)))
    return rows


def head_of(rows: Sequence[tuple[int, str, str]]) -> Keys:
    """The head again; raises CellError. A value that is no YAML is the text it is."""
    head: Keys = {}
    for _, column, cell in rows:
        key, _, inner = column.partition(".")
        value = _parsed(cell)
        if isinstance(value, dict | list) and cell.strip()[:1] not in "{[":
            value = cell.strip()
        if inner:
            around = head.setdefault(key, {})
            if not isinstance(around, dict):
                raise CellError(column, f"{key} is given twice")
            around[inner] = value
        else:
            head[key] = value
    return head


def _cell(column: str, value: YamlValue) -> str:
    return value if column in _WORDS and isinstance(value, str) else flow(value)


def _value(column: str, cell: str) -> YamlValue:
    if column in _WORDS:
        return cell
    try:
        return _strict(cell)
    except ConfigError as exc:
        raise CellError(column, f"{cell[:60]!r}: {exc.findings[0].message}") from exc


def _parsed(cell: str) -> YamlValue:
    try:
        return _strict(cell)
    except ConfigError:
        return cell


def _strict(cell: str) -> YamlValue:
    parsed = parse_yaml(cell.strip(), "cell")
    if parsed.findings:
        raise ConfigError(parsed.findings)
    return parsed.root


def _names_of(cell: str) -> list[str]:
    parsed = _parsed(cell) if cell.strip() else []
    return [str(name) for name in parsed] if isinstance(parsed, list) else [str(parsed)]
