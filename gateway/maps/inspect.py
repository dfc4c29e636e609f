"""One pass over a map file: its register map as far as one can be made, and everything that is wrong with it."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import ConfigError, Finding
from gateway.maps.build import CannotBuildError, build_point
from gateway.maps.schema import DeviceIn, MapHeadIn, ProcedureIn, StepIn
from gateway.maps.schema_types import seconds
from gateway.maps.source import Entry, MapSource, read_source
from gateway.model.address import Notation, Table
from gateway.model.point import DeviceFacts, Point, Procedure, RegisterMap, Step
from gateway.yamlfile import YamlFile, read_yaml

_SPAN = re.compile(r"(0[xX][0-9A-Fa-f]+|[0-9]+)\.\.(0[xX][0-9A-Fa-f]+|[0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """What one pass found: `map` is None if there is an error."""

    map: RegisterMap | None
    findings: tuple[Finding, ...]


def inspect_map(path: Path) -> Inspected:
    """Read and check a map file; never raises for what the file holds."""
    try:
        yaml = read_yaml(path)
    except ConfigError as exc:
        return Inspected(map=None, findings=exc.findings)
    return inspect_yaml(yaml)


def inspect_yaml(yaml: YamlFile) -> Inspected:
    """Check a map whose text has been read."""
    source = read_source(yaml)
    findings = list(source.findings)
    built: list[tuple[Entry, Point]] = []
    for entry in source.entries:
        try:
            built.append((entry, build_point(source, entry)))
        except CannotBuildError as exc:
            findings.append(exc.finding)
    findings += _spans(source)
    ordered = sorted(dict.fromkeys(findings), key=lambda finding: (finding.line, finding.path, finding.code))
    if source.head is None or any(finding.severity == "error" for finding in ordered):
        return Inspected(map=None, findings=tuple(ordered))
    return Inspected(map=_register_map(source, source.head, [point for _, point in built]), findings=tuple(ordered))


def _register_map(source: MapSource, head: MapHeadIn, points: Sequence[Point]) -> RegisterMap:
    return RegisterMap(
        id=head.id,
        vendor=head.vendor,
        model=head.model,
        kind=head.kind,
        title=head.title.text(),
        addressing=Notation(head.manual.addressing),
        version=hashlib.sha256(source.yaml.text.encode()).hexdigest()[:16],
        device=_facts(head.device),
        periods={group: None if period in ("once", "on_demand") else seconds(period) for group, period in head.poll.items()},
        on_demand=frozenset(group for group, period in head.poll.items() if period == "on_demand"),
        points={point.name: point for point in points},
        procedures={name: _procedure(name, procedure) for name, procedure in head.procedures.items()},
        bases={name: base.sunspec for name, base in head.bases.items()},
        file=source.yaml.file,
    )


def _facts(device: DeviceIn) -> DeviceFacts:
    return DeviceFacts(
        unit_id=device.unit_id,
        functions=frozenset(device.functions),
        max_read=device.max_read,
        max_write=device.max_write,
        max_gap=device.max_gap,
        gap_s=float(device.gap_ms or 0) / 1000,
        timeout_s=None if device.timeout_ms is None else float(device.timeout_ms) / 1000,
        readable={Table(table): tuple(_span(text) for text in spans) for table, spans in device.readable.items()},
    )


def _span(text: str) -> tuple[int, int]:
    match = _SPAN.fullmatch(text)
    if not match:
        raise ValueError(text)
    return int(match[1], 0), int(match[2], 0)


def _spans(source: MapSource) -> list[Finding]:
    findings = []
    for table, spans in source.head.device.readable.items() if source.head else ():
        for number, text in enumerate(spans):
            match = _SPAN.fullmatch(text)
            if not match or not int(match[1], 0) <= int(match[2], 0) <= 65535:
                path = ("device", "readable", table, number)
                fix = 'write first and last PDU address: "0..99" or "0x2000..0x20FF"'
                findings.append(source.finding(path, "bad_span", f"{text!r} is not a range of addresses", fix))
    return findings


def _procedure(name: str, model: ProcedureIn) -> Procedure:
    return Procedure(name=name, title=model.name.text(), confirm=model.confirm, steps=tuple(map(_step, model.steps)))


def _step(model: StepIn) -> Step:
    return Step(write=model.write, value=model.value, wait=model.wait, timeout_s=seconds(model.timeout) if model.timeout else 10.0)
