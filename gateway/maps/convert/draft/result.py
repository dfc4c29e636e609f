"""From a draft to a map that loads: head, sources, and whatever the loader refuses left out and reported."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import Finding, MapError
from gateway.maps.convert.draft.draft import Draft, DraftPoint, Keys, Note
from gateway.maps.convert.draft.names import clean, map_id
from gateway.maps.convert.draft.text import map_text
from gateway.maps.inspect import inspect_yaml
from gateway.model.point import RegisterMap
from gateway.yamlfile import YamlValue, parse_yaml

_REMOVABLE = ("write.min", "write.max", "write.step", "valid", "enum", "flags", "unit", "invalid", "aliases", "description", "length")
"""Keys without which a point says less, but nothing wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What names the map; empty parts are taken from the file or said to be unknown."""

    id: str = ""
    vendor: str = ""
    model: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The text of a map that loads, the map itself, what a person must know, and what the check warns of."""

    text: str
    map: RegisterMap
    notes: tuple[Note, ...]
    warnings: tuple[Finding, ...]


def finished(draft: Draft, identity: Identity) -> Imported:
    """The map of a draft; raises MapError if nothing is left of it, or if a file of our own is wrong."""
    _not_empty(draft)
    head = {**draft.head, **_named(identity)} if draft.is_own else _head(draft, identity)
    comment = "" if draft.is_own else _comment(draft)
    if not draft.is_own:
        for point in draft.points:
            _prove(point, draft)
    while True:
        _not_empty(draft)
        text = map_text(draft, head, comment)
        inspected = inspect_yaml(parse_yaml(text, f"{head.get('id', '')}.yaml"))
        if inspected.map is not None:
            return Imported(text=text, map=inspected.map, notes=tuple(draft.notes), warnings=inspected.findings)
        errors = [finding for finding in inspected.findings if finding.severity == "error"]
        if draft.is_own or not _mended(draft, errors):
            raise MapError([_in_source(draft, finding) for finding in errors])


def _named(identity: Identity) -> Keys:
    given: Keys = {"id": identity.id, "vendor": identity.vendor, "model": identity.model, "kind": identity.kind}
    return {key: value for key, value in given.items() if value}


def _head(draft: Draft, identity: Identity) -> Keys:
    known = draft.head
    name = Path(draft.file).name
    notations = Counter(key for point in draft.points for key in ("pdu", "reg", "ref") if key in point.keys)
    head: Keys = {
        "regmap": 1,
        "id": identity.id or map_id(Path(draft.file).stem),
        "vendor": identity.vendor or _word(known, "vendor", "unknown"),
        "model": identity.model or _word(known, "model", "unknown"),
        "kind": identity.kind or _word(known, "kind", "device"),
        "title": known.get("title", {"en": identity.model or _word(known, "model", clean(Path(draft.file).stem) or "device")}),
        "manual": {"title": f"{draft.format} file {clean(name)}", "addressing": notations.most_common(1)[0][0]},
        "evidence": {"level": "community", "note": f"imported ({draft.format}); check each point on the device"},
    }
    device = known.get("device")
    if isinstance(device, dict) and not 1 <= int(str(device.get("unit_id") or 1)) <= 247:
        draft.note("check", 0, f"unit id {device.pop('unit_id')}", "a map's own is 1 to 247; write this one into the configuration")
    head.update({key: known[key] for key in ("device", "bases", "enums") if known.get(key)})
    if any("poll" not in point.keys for point in draft.points):
        draft.periods.setdefault("normal", "1s")
    poll: Keys = dict(draft.periods.items())
    return {**head, "poll": poll}


def _word(known: Keys, key: str, otherwise: str) -> str:
    return clean(str(known.get(key) or "")) or otherwise


def _comment(draft: Draft) -> str:
    parts = [
        f"Imported from the {draft.format} file {clean(Path(draft.file).name)}.",
        "No point can be written: lower `confirm: never` after a test on the device.",
    ]
    parts += [clean(f"{note.kind}: {note.what}: {note.why}") for note in draft.notes if note.kind == "dropped"]
    return "\n".join(parts)


def _prove(point: DraftPoint, draft: Draft) -> None:
    place = f" line {point.line}" if point.line else ""
    point.keys["source"] = f"{clean(Path(draft.file).name)}{place} ({draft.format})"
    if point.assumed:
        point.keys["confidence"] = "low"
    invalid, enum = point.keys.get("invalid"), point.keys.get("enum")
    if isinstance(invalid, list) and isinstance(enum, dict):
        point.keys["invalid"] = [pattern for pattern in invalid if pattern not in enum] or None
        if point.keys["invalid"] is None:
            del point.keys["invalid"]


def _mended(draft: Draft, errors: Sequence[Finding]) -> bool:
    """Leave out what the loader refuses; False if the fault is not in a point."""
    points = {point.name: point for point in draft.points}
    faults: dict[str, Finding] = {}
    for finding in errors:
        parts = finding.path.split(".")
        if parts[0] == "points" and len(parts) > 1 and parts[1] in points:
            faults.setdefault(parts[1], finding)
    for name, finding in faults.items():
        inner = finding.path.removeprefix(f"points.{name}").removeprefix(".")
        key = next((key for key in _REMOVABLE if inner == key or inner.startswith(f"{key}.")), None)
        why = f"{finding.message} ({finding.code})"
        if key is not None and _removed(points[name].keys, key.split(".")):
            draft.drop(f"{name}.{key}", why, line=points[name].line)
        else:
            draft.points.remove(points[name])
            draft.drop(name, why, line=points[name].line)
    return bool(faults)


def _removed(keys: Keys, path: Sequence[str]) -> bool:
    found: YamlValue = keys
    for key in path[:-1]:
        found = found.get(key) if isinstance(found, dict) else None
    return isinstance(found, dict) and found.pop(path[-1], None) is not None


def _in_source(draft: Draft, finding: Finding) -> Finding:
    """The finding at the place in the file the person has."""
    name = finding.path.split(".")[1] if finding.path.startswith("points.") else ""
    line = next((point.line for point in draft.points if point.name == name), 0)
    return Finding(code=finding.code, message=finding.message, fix=finding.fix, file=draft.file, line=line, path=finding.path)


def _not_empty(draft: Draft) -> None:
    if not draft.points:
        why = "; ".join(str(note) for note in draft.notes[:3]) or f"the file holds no points of the format {draft.format}"
        raise MapError([Finding(code="nothing_found", message=clean(why), fix="check the format's name and the file", file=draft.file)])
