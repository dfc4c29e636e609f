"""A map file read and validated point by point, before its points are built: defaults applied, repeats unfolded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from gateway.errors import Finding
from gateway.maps.findings import invalid, place
from gateway.maps.schema import MapHeadIn
from gateway.maps.schema_point import PointIn
from gateway.maps.schema_types import NAME
from gateway.yamlfile import YamlFile, YamlPath, YamlValue

_ADDRESS_KEYS = ("pdu", "reg", "ref")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One point after defaults and repeat; `shift` is how far the repeat moved its address."""

    name: str
    model: PointIn
    path: YamlPath
    given: frozenset[str]
    shift: int = 0
    is_copy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MapSource:
    """A map file as far as it is valid: `head` is None if its head is not."""

    yaml: YamlFile
    head: MapHeadIn | None
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...] = field(default=())

    def at(self, entry: Entry, *keys: str | int) -> YamlPath:
        """The path of a point's key: in `defaults` if the point inherits it."""
        if keys and keys[0] not in entry.given and ("defaults", keys[0]) in self.yaml.lines:
            return ("defaults", *keys)
        return (*entry.path, *keys)

    def finding(self, path: YamlPath, code: str, message: str, fix: str) -> Finding:
        """A finding at `path` of this file."""
        return place(self.yaml, path, code, message, fix)


def read_source(yaml: YamlFile) -> MapSource:
    """Validate the file's head and each point by itself."""
    root = yaml.root
    if not isinstance(root, dict):
        wrong = place(yaml, (), "not_a_map", "not a register map", "begin with `regmap: 1`; `registermaps/README.md` shows one")
        return MapSource(yaml=yaml, head=None, entries=(), findings=(*yaml.findings, wrong))
    findings = [_about_ref(finding) for finding in yaml.findings]
    head, head_findings = _head(yaml, {key: value for key, value in root.items() if key not in ("points", "defaults")})
    findings += head_findings
    defaults = _mapping_at(yaml, "defaults", root, findings)
    points = _mapping_at(yaml, "points", root, findings)
    if not points and "points" not in {finding.path for finding in findings}:
        findings.append(place(yaml, ("points",), "missing_key", "points is missing", "add `points:` with at least one point"))
    findings += [
        place(yaml, ("defaults", key), "address_in_defaults", f"`{key}` in defaults", "write it at each point")
        for key in (*_ADDRESS_KEYS, "name", "aliases", "repeat")
        if key in defaults
    ]
    entries: list[Entry] = []
    for name, raw in points.items():
        entry = _entry(yaml, str(name), raw, defaults, findings)
        if entry:
            entries.extend(_repeated(yaml, entry, findings))
    findings += _duplicates(yaml, entries)
    return MapSource(yaml=yaml, head=head, entries=tuple(entries), findings=tuple(findings))


def _head(yaml: YamlFile, raw: dict[str | int, YamlValue]) -> tuple[MapHeadIn | None, list[Finding]]:
    try:
        return MapHeadIn.model_validate(raw), []
    except ValidationError as exc:
        return None, invalid(exc, yaml, (), raw)


def _about_ref(finding: Finding) -> Finding:
    """A reference with leading zeros: the address's own words say more than the number's."""
    if finding.code != "ambiguous_number" or not finding.path.endswith(".ref"):
        return finding
    return replace(finding, code="ref_must_be_quoted", message=f"{finding.message}; leading zeros would be lost")


def _mapping_at(yaml: YamlFile, key: str, root: dict[str | int, YamlValue], findings: list[Finding]) -> dict[str | int, YamlValue]:
    value = root.get(key)
    if isinstance(value, dict):
        return value
    if value is not None:
        findings.append(place(yaml, (key,), "wrong_type", f"`{key}` is not a mapping", "write names and their values, indented"))
    return {}


def _entry(yaml: YamlFile, name: str, raw: YamlValue, defaults: dict[str | int, YamlValue], findings: list[Finding]) -> Entry | None:
    path: YamlPath = ("points", name)
    if not isinstance(raw, dict):
        findings.append(
            place(yaml, path, "wrong_type", f"point {name} has no keys", "write an address and a type, indented below its name")
        )
        return None
    inherited = dict(defaults)
    if "ref" in raw:
        inherited.pop("table", None)
    merged: dict[str | int, YamlValue] = {key: value for key, value in {**inherited, **raw}.items() if value is not None}
    try:
        model = PointIn.model_validate(merged)
    except ValidationError as exc:
        for finding in invalid(exc, yaml, path, merged):
            key = finding.path.removeprefix(f"points.{name}").removeprefix(".").split(".")[0]
            if key and key not in raw and key in defaults:
                inner = finding.path.removeprefix(f"points.{name}.").split(".")
                findings.append(place(yaml, ("defaults", *inner), finding.code, finding.message, finding.fix))
            else:
                findings.append(finding)
        return None
    return Entry(name=name, model=model, path=path, given=frozenset(map(str, raw)))


def _repeated(yaml: YamlFile, entry: Entry, findings: list[Finding]) -> Iterator[Entry]:
    repeat = entry.model.repeat
    if repeat is None:
        yield entry
        return
    if (repeat.count is None) == (repeat.names is None) and (repeat.names is None or repeat.count != len(repeat.names)):
        fix = "give `count`, or `names` for as many copies"
        findings.append(place(yaml, (*entry.path, "repeat"), "bad_repeat", "repeat needs either `count` or `names`", fix))
        return
    names = repeat.names or [str(number) for number in range(1, (repeat.count or 0) + 1)]
    for number, suffix in enumerate(names):
        yield Entry(
            name=f"{entry.name}_{suffix}",
            model=entry.model,
            path=entry.path,
            given=entry.given,
            shift=number * repeat.stride,
            is_copy=number > 0,
        )


def _duplicates(yaml: YamlFile, entries: list[Entry]) -> Iterator[Finding]:
    seen: dict[str, Entry] = {}
    for entry in entries:
        if not re.fullmatch(NAME, entry.name):
            yield place(yaml, entry.path, "bad_name", f"{entry.name!r} is not a name", "use small letters, digits and _, a letter first")
        if entry.name in seen:
            first = yaml.line_of(seen[entry.name].path)
            yield place(yaml, entry.path, "duplicate_name", f"{entry.name} is already made by the repeat on line {first}", "rename one")
        seen[entry.name] = entry
