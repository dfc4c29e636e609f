"""`busmate plan`: the read blocks of a map or a configuration, and how much of each link they take."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import fail, fail_with, finding_document, finding_line, print_json
from gateway.errors import ConfigError, Finding, MapError
from gateway.maps.inspect import inspect_yaml
from gateway.model.address import UnitId
from gateway.model.line_load import Line, Member, PlannedRead, load_of, map_line, planned_reads
from gateway.settings import load_settings, planned_lines
from gateway.yamlfile import read_yaml


def plan(
    path: Annotated[Path, typer.Argument(help="A map or a configuration.")],
    device: Annotated[str | None, typer.Option(help="Only this device of the configuration.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """The read blocks with bytes, expected bus time and load per link."""
    try:
        lines, overloaded = _lines(path)
    except ConfigError as exc:
        fail_with(exc, as_json=as_json)
    known = [member.id for _, members in lines for member in members if member.id]
    if device is not None and device not in known:
        fix = f"use one of: {', '.join(known)}" if known else "a map alone has none; leave --device out"
        fail("unknown_device", f"{path} has no device {device}", fix=fix, as_json=as_json)
    found = [(line, _reads(line, members, device)) for line, members in lines]
    shown = [(line, reads) for line, reads in found if reads or device is None]
    if as_json:
        print_json({"links": [_document(line, reads) for line, reads in shown], "warnings": [finding_document(one) for one in overloaded]})
    else:
        for line, reads in shown:
            _print(line, reads)
        for finding in overloaded:
            print(finding_line(finding))


def _lines(path: Path) -> tuple[list[tuple[Line, Sequence[Member]]], list[Finding]]:
    """The lines with their devices, and what `check` says of lines that are asked too much."""
    yaml = read_yaml(path)
    if isinstance(yaml.root, dict) and "regmap" in yaml.root:
        inspected = inspect_yaml(yaml)
        if inspected.map is None:
            raise MapError([finding for finding in inspected.findings if finding.severity == "error"])
        alone = Member(id="", unit_id=UnitId(inspected.map.device.unit_id or 1), map=inspected.map)
        return [(map_line(inspected.map), [alone])], _overloaded(inspected.findings)
    settings = load_settings(path)
    return planned_lines(settings), _overloaded(settings.warnings)


def _overloaded(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.code == "link_overloaded"]


def _reads(line: Line, members: Sequence[Member], device: str | None) -> list[PlannedRead]:
    """The exchanges that the device, or any, takes part in."""
    return [read for read in planned_reads(line, members) if device is None or device in read.devices]


def _document(line: Line, reads: Sequence[PlannedRead]) -> dict[str, object]:
    load = load_of(reads)
    return {"id": line.id, "load": load, "bus_ms_per_s": round(load * 1000, 1), "blocks": [_row(read) for read in reads]}


def _row(read: PlannedRead) -> dict[str, object]:
    """`device` is the first of `devices`, and null for a map alone."""
    return {
        "device": read.devices[0] or None,
        "devices": [name for name in read.devices if name],
        "unit_id": read.unit_id,
        "table": read.table.value,
        "address": read.address,
        "count": read.count,
        "group": read.group,
        "bytes": read.size,
        "bus_ms": round(read.bus_s * 1000, 2),
        "atomic": read.atomic,
        "points": list(read.points),
    }


def _print(line: Line, reads: Sequence[PlannedRead]) -> None:
    load = load_of(reads)
    print(f"{line.id or 'map alone'}: load {load:.1%}, {load * 1000:.1f} ms of bus time a second, {len(reads)} blocks")
    for read in reads:
        apart = "" if read.atomic else "  (scale register read apart)"
        where = f"{', '.join(read.devices) or '-'} unit {read.unit_id} {read.group}: {read.table.value} {read.address} x {read.count}"
        print(f"  {where}, {read.size} bytes, {read.bus_s * 1000:.2f} ms{apart}: {', '.join(read.points)}")
