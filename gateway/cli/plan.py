"""`busmate plan`: the read blocks of a map or a configuration, and how much of each link they take."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import fail, fail_with, print_json
from gateway.errors import ConfigError
from gateway.link.options import LinkOptions
from gateway.maps.load import load_map
from gateway.model.address import UnitId
from gateway.model.bustime import Framing, RequestCost, exchange_bytes, serial_time
from gateway.model.plan import PlanLimits, ReadBlock, plan_blocks
from gateway.model.point import RegisterMap
from gateway.settings import load_settings
from gateway.yamlfile import read_yaml

ROUND_TRIP_S = 0.010
"""What an exchange over a network is taken to last; the line itself costs next to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """What decides how long an exchange lasts: `baud` None on a network."""

    id: str | None
    framing: Framing
    baud: int | None
    bits_per_character: int
    gap_s: float = 0.0

    @property
    def cost(self) -> RequestCost:
        """As the gateway plans the reads of the line."""
        if self.baud is None:
            return RequestCost()
        silences_s = serial_time(0, self.baud, self.bits_per_character, gap_s=self.gap_s)
        return RequestCost.serial(self.baud, self.bits_per_character, turnaround_s=silences_s)

    def bytes_of(self, block: ReadBlock) -> int:
        return exchange_bytes(block.count, is_bits=block.table.is_bits, framing=self.framing)

    def time_of(self, block: ReadBlock) -> float:
        if self.baud is None:
            return ROUND_TRIP_S + self.gap_s
        return serial_time(self.bytes_of(block), self.baud, self.bits_per_character, gap_s=self.gap_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """A device on a line; `id` None for a map alone."""

    id: str | None
    unit_id: UnitId
    map: RegisterMap


@dataclass(slots=True)
class _Load:
    """What is read over one line."""

    line: _Line
    rows: list[dict[str, object]] = field(default_factory=list)
    seconds_per_s: float = 0.0


def plan(
    path: Annotated[Path, typer.Argument(help="A map or a configuration.")],
    device: Annotated[str | None, typer.Option(help="Only this device of the configuration.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """The read blocks with bytes, expected bus time and load per link."""
    try:
        lines = _lines(path)
    except ConfigError as exc:
        fail_with(exc, as_json=as_json)
    known = [member.id for _, members in lines for member in members if member.id]
    if device is not None and device not in known:
        fix = f"use one of: {', '.join(known)}" if known else "a map alone has none; leave --device out"
        fail("unknown_device", f"{path} has no device {device}", fix=fix, as_json=as_json)
    loads = [_load(line, [member for member in members if device in (None, member.id)]) for line, members in lines]
    shown = [load for load in loads if load.rows or device is None]
    if as_json:
        print_json({"links": [_document(load) for load in shown]})
    else:
        for load in shown:
            _print(load)


def _lines(path: Path) -> list[tuple[_Line, list[_Member]]]:
    root = read_yaml(path).root
    if isinstance(root, dict) and "regmap" in root:
        register_map = load_map(path)
        facts = register_map.device
        framing: Framing = "rtu" if facts.baud else "tcp"
        line = _Line(id=None, framing=framing, baud=facts.baud, bits_per_character=facts.bits_per_character, gap_s=facts.gap_s)
        return [(line, [_Member(id=None, unit_id=UnitId(facts.unit_id or 1), map=register_map)])]
    settings = load_settings(path)
    lines = []
    for link in settings.links:
        members = [_Member(id=each.id, unit_id=each.unit_id, map=each.map) for each in settings.devices if each.link == link.id]
        lines.append((_line_of(link, members), members))
    return lines


def _line_of(link: LinkOptions, members: Sequence[_Member]) -> _Line:
    """The longest pause that a device of the link needs counts for all."""
    framing: Framing = "ascii" if link.transport == "ascii" else "rtu" if link.transport in ("rtu", "rtu_over_tcp") else "tcp"
    return _Line(
        id=link.id,
        framing=framing,
        baud=link.baud if link.is_serial else None,
        bits_per_character=link.bits_per_character,
        gap_s=max([link.gap_s, *(member.map.device.gap_s for member in members)]),
    )


def _load(line: _Line, members: Sequence[_Member]) -> _Load:
    load = _Load(line)
    for member in members:
        points = tuple(member.map.points.values())
        limits = PlanLimits.of(member.map.device)
        for group, period_s in member.map.periods.items():
            for block in plan_blocks(points, member.unit_id, group, limits, line.cost):
                load.rows.append(_row(line, member, block))
                if period_s is not None:
                    load.seconds_per_s += line.time_of(block) / period_s
    return load


def _row(line: _Line, member: _Member, block: ReadBlock) -> dict[str, object]:
    return {
        "device": member.id,
        "unit_id": block.unit_id,
        "table": block.table.value,
        "address": block.address,
        "count": block.count,
        "group": block.group,
        "bytes": line.bytes_of(block),
        "bus_ms": round(line.time_of(block) * 1000, 2),
        "atomic": block.atomic,
        "points": [point.name for point in block.points],
    }


def _document(load: _Load) -> dict[str, object]:
    seconds = load.seconds_per_s
    return {"id": load.line.id, "load": round(seconds, 4), "bus_ms_per_s": round(seconds * 1000, 1), "blocks": load.rows}


def _print(load: _Load) -> None:
    per_s = load.seconds_per_s
    print(f"{load.line.id or 'map alone'}: load {per_s:.1%}, {per_s * 1000:.1f} ms of bus time a second, {len(load.rows)} blocks")
    for row in load.rows:
        names = row["points"]
        points = ", ".join(names) if isinstance(names, list) else ""
        apart = "" if row["atomic"] else "  (scale register read apart)"
        where = f"{row['device'] or '-'} unit {row['unit_id']} {row['group']}: {row['table']} {row['address']} x {row['count']}"
        print(f"  {where}, {row['bytes']} bytes, {row['bus_ms']} ms{apart}: {points}")
