"""One pass over a map file: its register map as far as one can be made, and everything that is wrong with it."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import ConfigError, Finding
from gateway.maps.build import CannotBuildError, build_point
from gateway.maps.rules.apply import apply
from gateway.maps.rules.base import MapView
from gateway.maps.schema import DeviceIn, MapHeadIn, ProcedureIn, SerialIn, StepIn
from gateway.maps.schema_types import seconds
from gateway.maps.source import Entry, MapSource, read_source
from gateway.model.address import Notation, Table, UnitId
from gateway.model.line_load import Member, load_of, map_line, planned_reads
from gateway.model.point import DeviceFacts, Point, Procedure, RegisterMap, Step
from gateway.yamlfile import YamlFile, read_yaml

_SPAN = re.compile(r"(0[xX][0-9A-Fa-f]+|[0-9]+)\.\.(0[xX][0-9A-Fa-f]+|[0-9]+)")
_UNREAD = frozenset({"ambiguous_number", "ref_must_be_quoted", "alias", "tag"})
"""Faults of the YAML that leave no value to judge."""


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
    spans = list(_spans(source))
    facts = _facts(source.head.device) if source.head and not spans else DeviceFacts()
    findings += spans
    findings += apply(source, built, _around(source, built, facts))
    ordered = in_order(yaml, findings)
    if source.head is None or any(finding.severity == "error" for finding in ordered):
        return Inspected(map=None, findings=ordered)
    points = {point.name: point for _, point in built}
    register_map = _register_map(source, source.head, facts, points)
    return Inspected(map=register_map, findings=in_order(yaml, [*ordered, *_overloaded(source, register_map)]))


def _around(source: MapSource, built: Sequence[tuple[Entry, Point]], facts: DeviceFacts) -> MapView:
    points = {point.name: point for _, point in built}
    head = source.head
    written = source.yaml.root.get("points") if isinstance(source.yaml.root, dict) else None
    broken = frozenset(map(str, written)) - {entry.path[1] for entry, _ in built} if isinstance(written, dict) else frozenset()
    if head is None:
        return MapView(points=points, facts=facts, broken=broken)
    return MapView(
        points=points,
        facts=facts,
        addressing=Notation(head.manual.addressing),
        periods=_periods(head),
        bases=frozenset(head.bases),
        level=head.evidence.level if head.evidence else "",
        broken=broken,
    )


def in_order(yaml: YamlFile, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """In the order of the file, each code once at a place; what follows from a value that could not be read is left out."""
    unread = {finding.path for finding in yaml.findings if finding.code in _UNREAD}
    first: dict[tuple[str, int, str, str], Finding] = {}
    for finding in findings:
        if finding.path not in unread or finding.code in _UNREAD:
            first.setdefault((finding.file, finding.line, finding.path, finding.code), finding)
    return tuple(first[key] for key in sorted(first))


def _overloaded(source: MapSource, register_map: RegisterMap) -> Iterator[Finding]:
    """`link_overloaded`: one such device alone, on the serial line that the map states."""
    line = map_line(register_map)
    if line.baud is None:
        return
    alone = Member(id="", unit_id=UnitId(register_map.device.unit_id or 1), map=register_map)
    load = load_of(planned_reads(line, [alone]))
    if load > 1:
        message = f"polling needs {load:.0%} of a line of {line.baud} baud"
        yield source.finding(("poll",), "link_overloaded", message, "take longer periods, or poll fewer points in the fast groups")


def _register_map(source: MapSource, head: MapHeadIn, facts: DeviceFacts, points: Mapping[str, Point]) -> RegisterMap:
    return RegisterMap(
        id=head.id,
        vendor=head.vendor,
        model=head.model,
        kind=head.kind,
        title=head.title.text(),
        addressing=Notation(head.manual.addressing),
        version=hashlib.sha256(source.yaml.text.encode()).hexdigest()[:16],
        device=facts,
        periods=_periods(head),
        on_demand=frozenset(group for group, period in head.poll.items() if period == "on_demand"),
        points=points,
        procedures={name: _procedure(name, procedure) for name, procedure in head.procedures.items()},
        bases={name: base.sunspec for name, base in head.bases.items()},
        file=source.yaml.file,
    )


def _periods(head: MapHeadIn) -> dict[str, float | None]:
    return {group: None if period in ("once", "on_demand") else seconds(period) for group, period in head.poll.items()}


def _facts(device: DeviceIn) -> DeviceFacts:
    serial = device.serial or SerialIn()
    return DeviceFacts(
        unit_id=device.unit_id,
        functions=frozenset(device.functions),
        max_read=device.max_read,
        max_write=device.max_write,
        max_gap=device.max_gap,
        gap_s=float(device.gap_ms or 0) / 1000,
        timeout_s=None if device.timeout_ms is None else float(device.timeout_ms) / 1000,
        readable={Table(table): tuple(_span(text) for text in spans) for table, spans in device.readable.items()},
        baud=serial.baud,
        bits_per_character=1 + (serial.data_bits or 8) + (serial.parity in ("even", "odd")) + (serial.stop_bits or 1),
    )


def _span(text: str) -> tuple[int, int]:
    match = _SPAN.fullmatch(text)
    if not match:
        raise ValueError(text)
    return int(match[1], 0), int(match[2], 0)


def _spans(source: MapSource) -> Iterator[Finding]:
    for table, spans in source.head.device.readable.items() if source.head else ():
        for number, text in enumerate(spans):
            match = _SPAN.fullmatch(text)
            if not match or not int(match[1], 0) <= int(match[2], 0) <= 65535:
                path = ("device", "readable", table, number)
                fix = 'write first and last PDU address: "0..99" or "0x2000..0x20FF"'
                yield source.finding(path, "bad_span", f"{text!r} is not a range of addresses", fix)


def _procedure(name: str, model: ProcedureIn) -> Procedure:
    return Procedure(name=name, title=model.name.text(), confirm=model.confirm, steps=tuple(map(_step, model.steps)))


def _step(model: StepIn) -> Step:
    return Step(write=model.write, value=model.value, wait=model.wait, timeout_s=seconds(model.timeout) if model.timeout else 10.0)
