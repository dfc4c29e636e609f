"""YAML 1.2 text as plain values with the line of each: what looks like something else is refused, not guessed.

Numbers are exact (int or Decimal). `off`, `yes` and `12:30` are text. Anchors, aliases and tags are refused, so a
small file stays small; size, depth, the number of values and that of the items of one collection are bounded.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import yaml

from gateway.errors import ConfigError, Finding

YamlScalar = None | bool | int | Decimal | str
YamlValue = YamlScalar | list["YamlValue"] | dict[str | int, "YamlValue"]
YamlPath = tuple[str | int, ...]

MAX_BYTES = 4_000_000
MAX_DEPTH = 32
MAX_VALUES = 500_000
MAX_ITEMS = 20_000
MAX_FINDINGS = 200

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_BASED_INT = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_LOOKS_LIKE_NUMBER = re.compile(
    r"[-+]?(\.(inf|Inf|INF|nan|NaN|NAN)|(\.[0-9]|[0-9])[0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9_]+)?|0[xX][0-9a-fA-F_]+|0[bBoO][0-9_]+)"
)
_NOT_TEXT = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_LONGEST_NUMBER = 64
_NUMBERS_BEGIN = frozenset("+-.0123456789")
_WORDS: Mapping[str, YamlScalar] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlFile:
    """The values of one file; `findings` are what is wrong with its scalars and keys (its syntax is right)."""

    file: str
    text: str
    root: YamlValue
    lines: Mapping[YamlPath, int]
    findings: tuple[Finding, ...] = ()

    def line_of(self, path: Sequence[str | int]) -> int:
        """The line of the key or item at `path`, else of the nearest thing above it that exists."""
        key = tuple(path)
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 1)


def read_yaml(path: Path) -> YamlFile:
    """The values of a file; raises ConfigError if it can't be read or isn't YAML."""
    name = str(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as exc:
        raise ConfigError(
            [Finding(code="unreadable", message=exc.strerror or str(exc), fix="check the path and its rights", file=name)]
        ) from exc
    if len(content) > MAX_BYTES:
        fix = "split it: one map is one device model"
        raise ConfigError([Finding(code="too_large", message=f"larger than {MAX_BYTES // 1_000_000} MB", fix=fix, file=name)])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise ConfigError([_not_text(name, line, f"byte 0x{content[exc.start]:02X} is not UTF-8")]) from exc
    return parse_yaml(text, name)


def parse_yaml(text: str, file: str) -> YamlFile:
    """The values of `text`; `file` names it in findings. Raises ConfigError if it isn't YAML."""
    odd = _NOT_TEXT.search(text)
    if odd:
        raise ConfigError([_not_text(file, text.count("\n", 0, odd.start()) + 1, f"character U+{ord(odd.group()):04X}")])
    reader = _Reader(file)
    try:
        root = reader.document(iter(yaml.CSafeLoader(text).get_event, None))
    except yaml.MarkedYAMLError as exc:
        is_open_quote = "quoted scalar" in (exc.context or "")
        mark = exc.context_mark if is_open_quote else exc.problem_mark or exc.context_mark
        message = " ".join(part for part in (exc.context, exc.problem) if part)
        fix = "indent with spaces" if "\t" in _line(text, mark.line if mark else 0) else "mend the YAML there"
        finding = Finding(code="yaml_syntax", message=message, fix=fix, file=file, line=mark.line + 1 if mark else 1)
        raise ConfigError([*reader.findings, finding]) from exc
    return YamlFile(file=file, text=text, root=root, lines=reader.lines, findings=tuple(reader.findings))


class _Reader:
    """Builds values from parser events."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[YamlPath, int] = {}
        self.findings: list[Finding] = []
        self._values = 0
        self._events: Iterator[yaml.Event] = iter(())

    def document(self, events: Iterator[yaml.Event]) -> YamlValue:
        self._events = events
        next(events)
        start = next(events)
        if isinstance(start, yaml.StreamEndEvent):
            return None
        if isinstance(start, yaml.DocumentStartEvent) and start.version not in (None, (1, 2)):
            self._find(start, (), "yaml_version", "another YAML version than 1.2", "remove the %YAML line")
        root = self._value(next(events), ())
        next(events)
        rest = next(events)
        if not isinstance(rest, yaml.StreamEndEvent):
            self._stop(rest, (), "several_documents", "a second document begins here", "keep one document in a file; remove '---'")
        return root

    def _value(self, event: yaml.Event, path: YamlPath) -> YamlValue:
        self._values += 1
        if self._values > MAX_VALUES:
            self._stop(event, path, "too_large", f"more than {MAX_VALUES} values", "split it: one map is one device model")
        if isinstance(event, yaml.ScalarEvent) and event.anchor is None and event.tag is None:
            return self._scalar(event, path) if event.implicit[0] else str(event.value)
        if isinstance(event, yaml.AliasEvent):
            self._find(event, path, "alias", f"alias *{event.anchor}", "write the value out; `defaults` and `repeat` save repetition")
            return None
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            self._find(event, path, "alias", f"anchor &{event.anchor}", "remove it; `defaults` and `repeat` save repetition")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            self._find(event, path, "tag", f"tag {event.tag}", "remove it; put text in quotes")
        if isinstance(event, yaml.CollectionStartEvent):
            if len(path) >= MAX_DEPTH:
                self._stop(event, path, "too_deep", f"nested deeper than {MAX_DEPTH}", "flatten it")
            return self._mapping(path) if isinstance(event, yaml.MappingStartEvent) else self._sequence(path)
        if isinstance(event, yaml.ScalarEvent):
            return str(event.value)
        raise AssertionError(event)

    def _sequence(self, path: YamlPath) -> list[YamlValue]:
        items: list[YamlValue] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            here = (*path, len(items))
            self._bound(event, here, len(items))
            self.lines[here] = _line_of(event)
            items.append(self._value(event, here))
        return items

    def _mapping(self, path: YamlPath) -> dict[str | int, YamlValue]:
        mapping: dict[str | int, YamlValue] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            self._bound(event, path, len(mapping))
            key = self._value(event, (*path, "?"))
            if isinstance(key, bool) or not isinstance(key, str | int):
                self._find(event, path, "bad_key", "a key that is neither a word nor a whole number", "put it in quotes")
                self._value(next(self._events), (*path, "?"))
                continue
            here = (*path, key)
            if key in mapping:
                first = self.lines[here]
                self._find(event, here, "duplicate_key", f"key {key!r} is already on line {first}", "keep one of the two lines")
                self._value(next(self._events), (*path, "?"))
                continue
            self.lines[here] = _line_of(event)
            mapping[key] = self._value(next(self._events), here)
        return mapping

    def _scalar(self, event: yaml.ScalarEvent, path: YamlPath) -> YamlScalar:
        text: str = event.value
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMBERS_BEGIN or not _LOOKS_LIKE_NUMBER.fullmatch(text):
            return text
        if len(text) <= _LONGEST_NUMBER:
            if _INT.fullmatch(text):
                return int(text)
            if _BASED_INT.fullmatch(text):
                return int(text, 0)
            if _FLOAT.fullmatch(text):
                return Decimal(text)
        self._find(event, path, "ambiguous_number", f"{text[:_LONGEST_NUMBER]} reads differently in different programs", _number_fix(text))
        return text

    def _bound(self, event: yaml.Event, path: YamlPath, count: int) -> None:
        if count >= MAX_ITEMS:
            self._stop(event, path, "too_large", f"more than {MAX_ITEMS} items in one place", "split it: one map is one device model")

    def _find(self, event: yaml.Event, path: YamlPath, code: str, message: str, fix: str) -> None:
        place = ".".join(map(str, path))
        self.findings.append(Finding(code=code, message=message, fix=fix, file=self.file, line=_line_of(event), path=place))
        if len(self.findings) >= MAX_FINDINGS:
            raise ConfigError(self.findings)

    def _stop(self, event: yaml.Event, path: YamlPath, code: str, message: str, fix: str) -> None:
        self._find(event, path, code, message, fix)
        raise ConfigError(self.findings)


def _line_of(event: yaml.Event) -> int:
    mark = event.start_mark
    if mark is None:
        raise AssertionError(event)
    return mark.line + 1


def _number_fix(text: str) -> str:
    if text.lstrip("+-").lower() in (".nan", ".inf"):
        return "write a finite number, or leave the key out"
    if len(text) > _LONGEST_NUMBER:
        return "put it in quotes if it is text"
    plain = text.replace("_", "").lstrip("0") or "0"
    number = plain if _INT.fullmatch(plain) else "a plain decimal number"
    return f'put it in quotes if it is text ("{text}"), else write {number}'


def _not_text(file: str, line: int, what: str) -> Finding:
    return Finding(code="not_text", message=f"not a text file: {what}", fix="save it as UTF-8 text", file=file, line=line)


def _line(text: str, number: int) -> str:
    lines = text.split("\n", number + 1)
    return lines[number] if number < len(lines) else ""
