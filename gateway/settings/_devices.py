"""Devices of a configuration: their maps loaded, site rules laid over them, names checked across the plant."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gateway.errors import Finding, MapError
from gateway.maps.findings import place
from gateway.maps.inspect import Inspected, inspect_map
from gateway.maps.load import find_map
from gateway.maps.rules.apply import POINT_RULES
from gateway.maps.rules.base import Fault, MapView
from gateway.maps.rules.conditions import Resolve, condition_faults, resolver
from gateway.maps.rules.people import alias_meanings, fold
from gateway.model.point import FieldOf, Point, RegisterMap
from gateway.model.shift import shifted
from gateway.settings._copies import Placed, per_table
from gateway.settings._schema import DeviceIn, LinkIn
from gateway.settings._site import tighten
from gateway.yamlfile import YamlFile, YamlPath

_SERIAL = frozenset({"rtu", "ascii"})


@dataclass(slots=True)
class MapShelf:
    """Maps read once each, by id."""

    folders: Sequence[Path]
    _read: dict[str, Inspected] = field(default_factory=dict)

    def get(self, map_id: str) -> Inspected:
        """The map and its findings; the findings are handed out once."""
        if map_id in self._read:
            return replace(self._read[map_id], findings=())
        try:
            inspected = inspect_map(find_map(map_id, self.folders))
        except MapError as exc:
            return Inspected(map=None, findings=exc.findings)
        self._read[map_id] = inspected
        return inspected


def unit_findings(yaml: YamlFile, devices: Sequence[Placed], links: Mapping[str, LinkIn]) -> Iterator[Finding]:
    """Ids, links and unit ids: known, in range, no two the same."""
    ids: dict[str, int] = {}
    units: dict[tuple[str, int], dict[object, DeviceIn]] = {}
    for number, device in ((each.number, each.device) for each in devices):
        path = ("devices", number)
        if device.id in ids:
            message = f"device {device.id} is already on line {yaml.line_of(('devices', ids[device.id]))}"
            yield place(yaml, (*path, "id"), "duplicate_id", message, "give each device its own id")
        ids.setdefault(device.id, number)
        link = links.get(device.link)
        if link is None:
            yield place(yaml, (*path, "link"), "unknown_link", f"no link {device.link}", f"write one of {', '.join(links) or 'the links'}")
            continue
        highest = 247 if link.transport in _SERIAL else 255
        if not (1 <= device.unit_id <= 247 or device.unit_id == highest):
            also = "" if highest == 247 else ", or 255 for the gateway's own device"
            yield place(
                yaml, (*path, "unit_id"), "bad_unit_id", f"unit id {device.unit_id}", f"unit ids go from 1 to 247{also}; 0 is broadcast"
            )
        part = None if device.base is None else (device.map, *per_table(device.base).values())
        taken = units.setdefault((device.link, device.unit_id), {})
        if taken and (part is None or None in taken):
            message = f"unit {device.unit_id} on {device.link} is already {next(iter(taken.values())).id}"
            fix = "give each device on a link its own unit id; devices that are parts of one unit say their `base`"
            yield place(yaml, (*path, "unit_id"), "duplicate_unit", message, fix)
        elif part in taken:
            message = f"unit {device.unit_id} on {device.link} has the same map at the same base already: {taken[part].id}"
            yield place(yaml, (*path, "base"), "duplicate_unit", message, "give each part its own base")
        taken.setdefault(part, device)


def device_map(yaml: YamlFile, placed: Placed, given: RegisterMap, findings: list[Finding]) -> RegisterMap:
    """The device's map at its base and under the site's rules."""
    try:
        moved = shifted(given, per_table(placed.device.base))
    except ValueError as exc:
        fix = "take a smaller `base` (or `base_stride`)"
        findings.append(place(yaml, ("devices", placed.number, "base"), "span_beyond_65535", str(exc), fix))
        moved = given
    return _site_map(yaml, placed.number, placed.device, moved, findings)


def _site_map(yaml: YamlFile, number: int, device: DeviceIn, given: RegisterMap, findings: list[Finding]) -> RegisterMap:
    points: dict[str, Point] = dict(given.points)
    meant = alias_meanings(points)
    around = MapView(points=points, facts=given.device, periods=given.periods)
    for name, site in device.points.items():
        path: YamlPath = ("devices", number, "points", name)
        if name not in points:
            findings.append(place(yaml, path, "unknown_point", f"map {given.id} has no point {name}", f"it has {', '.join(points)}"))
            continue
        for index, alias in enumerate(site.aliases):
            other = meant.setdefault(fold(alias), name)
            if other != name:
                message = f"{alias!r} already means {other}"
                findings.append(place(yaml, (*path, "aliases", index), "alias_taken", message, "make each alias mean one point"))
        known = set(_point_faults(points[name], around))
        points[name], faults = tighten(points[name], site)
        faults += [fault for fault in _point_faults(points[name], around) if fault not in known]
        findings.extend(place(yaml, (*path, *fault.keys), fault.code, fault.message, fault.fix) for fault in faults)
        if points[name].poll not in given.periods:
            message = f"map {given.id} has no poll group {points[name].poll}"
            findings.append(place(yaml, (*path, "poll"), "unknown_poll_group", message, f"write one of {', '.join(given.periods)}"))
    rules = repr([(name, device.points[name]) for name in sorted(device.points)])
    version = hashlib.sha256(f"{given.version} {rules}".encode()).hexdigest()[:16] if device.points else given.version
    return replace(given, points=points, version=version)


def _point_faults(point: Point, around: MapView) -> Iterator[Fault]:
    for rule in POINT_RULES:
        yield from rule(point, around)


def interlock_findings(yaml: YamlFile, devices: Sequence[Placed], maps: Mapping[str, RegisterMap]) -> Iterator[Finding]:
    """Conditions that can't be understood, or speak of a tag that isn't there."""
    broken = frozenset(each.device.id for each in devices if each.device.id not in maps)
    for number, device in ((each.number, each.device) for each in devices):
        for name, site in device.points.items() if device.id in maps else ():
            for index, interlock in enumerate(site.write.interlock or [] if site.write else []):
                path = ("devices", number, "points", name, "write", "interlock", index)
                for text in interlock.all:
                    for fault in condition_faults(text, path, _tag_resolver(maps, device.id), unknown="unknown_tag", broken=broken):
                        yield place(yaml, fault.keys, fault.code, fault.message, fault.fix)


def shared_aliases(yaml: YamlFile, devices: Sequence[Placed]) -> Iterator[Finding]:
    """Names of devices that mean two of them; an operator who says one is asked which."""
    meant = {fold(each.device.id): each.device.id for each in devices}
    for number, device in ((each.number, each.device) for each in devices):
        for index, alias in enumerate(device.aliases):
            other = meant.setdefault(fold(alias), device.id)
            if other != device.id:
                path = ("devices", number, "aliases", index)
                yield place(yaml, path, "alias_shared", f"{alias!r} already means {other}", "make each alias mean one device")


def _tag_resolver(maps: Mapping[str, RegisterMap], own: str) -> Resolve:
    """Names of a configuration: `point` or `point.field` of the same device, or a tag of any."""
    local = resolver(maps[own].points)

    def resolve(name: str) -> tuple[Point, FieldOf | None] | None:
        device, _, rest = name.partition(".")
        return local(name) or (resolver(maps[device].points)(rest) if device in maps else None)

    return resolve
