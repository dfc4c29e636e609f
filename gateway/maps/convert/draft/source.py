"""A foreign file, read with bounds: text, JSON, TOML, YAML, rows of CSV or of a workbook. Nothing in it is executed."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import NoReturn

from gateway.errors import ConfigError, Finding, MapError
from gateway.maps.convert.draft.sheet import Sheets, read_workbook
from gateway.yamlfile import MAX_BYTES, MAX_DEPTH, YamlValue, parse_yaml

_LONGEST_CELL = 100_000
_LONGEST_NUMBER = 64


@dataclass(slots=True)
class Source:
    """The bytes of one file and the name of its format."""

    format: str
    name: str
    data: bytes
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def open(cls, format_name: str, path: Path) -> "Source":
        """Read the file; raises MapError if it can't be read or is too large."""
        try:
            with path.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except OSError as exc:
            raise MapError(
                [Finding(code="unreadable", message=exc.strerror or str(exc), fix="check the path and its rights", file=str(path))]
            ) from exc
        source = cls(format_name, str(path), data)
        if len(data) > MAX_BYTES:
            source.refuse("too_large", f"larger than {MAX_BYTES // 1_000_000} MB", "a file of one device is smaller: split it")
        return source

    def refuse(self, code: str, message: str, fix: str, *, line: int = 0) -> NoReturn:
        """End with one error about this file."""
        raise MapError([Finding(code=code, message=message, fix=fix, file=self.name, line=line)])

    def text(self) -> str:
        """The file as UTF-8 text."""
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            raise MapError([self._finding("not_text", f"byte {exc.start} is not UTF-8", "save it as UTF-8 text")]) from exc
        if "\0" in text:
            self.refuse("not_text", "a text with NUL signs", "save it as UTF-8 text")
        return text

    def json(self) -> YamlValue:
        """The file as JSON; numbers stay exact."""
        text = self.text()
        try:
            value: YamlValue = json.loads(text, parse_float=_decimal, parse_int=_integer, parse_constant=_no_constant)
        except json.JSONDecodeError as exc:
            raise MapError([self._finding("json_syntax", exc.msg, "mend the JSON there", exc.lineno)]) from exc
        except (ValueError, RecursionError) as exc:
            raise MapError([self._finding("json_syntax", str(exc)[:200], "write plain JSON")]) from exc
        self._bounded(value)
        return value

    def toml(self) -> YamlValue:
        """The file as TOML; numbers stay exact."""
        text = self.text()
        loaded: dict[str | int, YamlValue] = {}
        try:
            loaded.update(tomllib.loads(text, parse_float=_decimal).items())
        except tomllib.TOMLDecodeError as exc:
            raise MapError([self._finding("toml_syntax", str(exc), "mend the TOML there")]) from exc
        except (ValueError, RecursionError) as exc:
            raise MapError([self._finding("toml_syntax", str(exc)[:200], "write plain TOML")]) from exc
        self._bounded(loaded)
        return loaded

    def yaml(self) -> YamlValue:
        """The file as YAML; values with a tag such as `!secret` are None, aliases and look-alike numbers are refused."""
        try:
            file = parse_yaml(self.text(), self.name)
        except ConfigError as exc:
            raise MapError(exc.findings) from exc
        wrong = [finding for finding in file.findings if finding.code != "tag"]
        if wrong:
            raise MapError(wrong)
        tagged = {finding.path for finding in file.findings}
        return _without(file.root, tagged, "")

    def rows(self) -> list[tuple[int, list[str]]]:
        """The rows of a CSV file with their line numbers; empty rows are left out, the delimiter is the one its first lines use."""
        text = self.text()
        first = "\n".join(line for line in text.split("\n", 20)[:20] if not line.startswith("#"))
        delimiter = max(",;\t", key=first.count)
        csv.field_size_limit(_LONGEST_CELL)
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=False)
        rows: list[tuple[int, list[str]]] = []
        try:
            rows.extend((reader.line_num, row) for row in reader if any(cell.strip() for cell in row))
        except csv.Error as exc:
            raise MapError([self._finding("csv_syntax", str(exc), "save it as CSV again", reader.line_num)]) from exc
        return rows

    def sheets(self) -> Sheets:
        """The sheets of a workbook as rows of text; a formula is refused."""
        try:
            return read_workbook(self.data)
        except ConfigError as exc:
            first = exc.findings[0]
            raise MapError([self._finding(first.code, first.message, first.fix)]) from exc

    def line_of(self, name: str) -> int:
        """The line on which something has this name: each call finds the next one, else the first; 0 if none is found."""
        if self.data[:2] == b"PK":
            return 0
        text = self.text()
        name_key = r"""(?:name|tag|title|id|target)["']?\s*[:=]\s*"""
        for before in (name_key, ""):
            pattern = re.compile(rf"""{before}(?:"{re.escape(name)}"|'{re.escape(name)}'|(?<=[:=] ){re.escape(name)}\s*$)""", re.MULTILINE)
            match = pattern.search(text, self._seen.get(name, 0)) or pattern.search(text)
            if match is not None:
                break
        if match is None:
            return 0
        self._seen[name] = match.end()
        return text.count("\n", 0, match.start()) + 1

    def _finding(self, code: str, message: str, fix: str, line: int = 0) -> Finding:
        return Finding(code=code, message=message, fix=fix, file=self.name, line=line)

    def _bounded(self, value: YamlValue, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            self.refuse("too_deep", f"nested deeper than {MAX_DEPTH}", "flatten it")
        children: Sequence[YamlValue] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
        for child in children:
            self._bounded(child, depth + 1)


def mapping(value: YamlValue) -> dict[str | int, YamlValue]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: YamlValue) -> list[dict[str | int, YamlValue]]:
    """The mappings of a list; anything else is no item."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def listed(value: YamlValue) -> list[YamlValue]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def not_numbers(keys: Mapping[str | int, YamlValue] | Mapping[str, str], *names: str) -> str:
    """What is wrong if one of these keys is there and is no number; "" if nothing is: a scale must never be overlooked."""
    wrong = next((name for name in names if keys.get(name) not in (None, "") and number(keys[name]) is None), None)
    return "" if wrong is None else f"{wrong} {keys[wrong]!r} is no number"


def number(value: YamlValue) -> int | Decimal | None:
    """A finite number, also of plain text such as "0.1" or "0x7FFF"; None for anything else.

    >>> number("0.10"), number("0x10"), number("1e999999"), number(True)
    (Decimal('0.10'), 16, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Decimal):
        return value
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER:
        return None
    text = value.strip()
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    if re.fullmatch(r"0[xX][0-9A-Fa-f]+", text):
        return int(text, 16)
    return Decimal(text) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?", text) else None


def whole(value: YamlValue) -> int | None:
    """A whole number, also as text or 1.0; None for anything else."""
    found = number(value)
    return None if found is None or found != int(found) else int(found)


def string(value: YamlValue) -> str:
    """The value as text; "" for None and for what is no scalar."""
    return "" if value is None or isinstance(value, list | dict) else str(value)


def flag(value: YamlValue) -> bool:
    """True for true and for the texts that programs write for it."""
    return value is True or (isinstance(value, str) and value.strip().lower() in ("true", "yes", "on", "1")) or value == 1


def _decimal(text: str) -> Decimal:
    if len(text) > _LONGEST_NUMBER or not re.fullmatch(r"[-+]?[0-9_.]+([eE][-+]?\d{1,2})?", text):
        raise ValueError(f"{text[:40]} is no number that a map can hold")
    return Decimal(text.replace("_", ""))


def _integer(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError(f"{text[:40]} is no number that a map can hold")
    return int(text)


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _without(value: YamlValue, tagged: set[str], path: str) -> YamlValue:
    if path in tagged and path:
        return None
    if isinstance(value, dict):
        return {key: _without(child, tagged, f"{path}.{key}" if path else str(key)) for key, child in value.items()}
    if isinstance(value, list):
        return [_without(child, tagged, f"{path}.{place}" if path else str(place)) for place, child in enumerate(value)]
    return value
