"""All rules over one map: every finding at once, each where it stands."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from gateway.errors import Finding
from gateway.maps.findings import place
from gateway.maps.rules import (
    addresses,
    conditions,
    levels,
    limits,
    overlaps,
    people,
    polling,
    procedures,
    shapes,
    simulation,
    texts,
    values,
    writes,
)
from gateway.maps.rules.base import Fault, Item, MapView
from gateway.maps.source import Entry, MapSource
from gateway.model.point import Point

_ITEM_RULES: Sequence[Callable[[Item, MapView], Iterator[Fault]]] = (
    addresses.notation,
    addresses.device_limits,
    shapes.tables,
    shapes.widths,
    shapes.order,
    shapes.text,
    shapes.formats,
    values.scales,
    values.sources,
    values.enums,
    values.sentinels,
    values.units,
    writes.access,
    writes.functions,
    writes.proof,
    conditions.interlocks,
    polling.groups,
    people.names,
    people.proof,
    simulation.simulation,
)
POINT_RULES: Sequence[Callable[[Point, MapView], Iterator[Fault]]] = (levels.levels, limits.limits, writes.persons)
"""Rules that need no file: also held against points that a site has tightened."""
_MAP_RULES: Sequence[Callable[[Mapping[str, Item], MapView], Iterator[tuple[Item, Fault]]]] = (
    addresses.scale_apart,
    overlaps.overlaps,
    people.aliases,
)


def apply(source: MapSource, built: Sequence[tuple[Entry, Point]], around: MapView) -> Iterator[Finding]:
    """What the rules say about a map whose points could be built."""
    entries = {point.name: entry for entry, point in built}
    items = {point.name: Item(point=point, model=entry.model, own=entry.given) for entry, point in built}
    for name, item in items.items():
        for rule in _ITEM_RULES:
            for fault in rule(item, around):
                yield _at_point(source, entries[name], fault)
        for point_rule in POINT_RULES:
            for fault in point_rule(item.point, around):
                yield _at_point(source, entries[name], fault)
    for map_rule in _MAP_RULES:
        for item, fault in map_rule(items, around):
            yield _at_point(source, entries[item.point.name], fault)
    for fault in _whole(source, items, around):
        yield source.finding(fault.keys, fault.code, fault.message, fault.fix)


def _whole(source: MapSource, items: Mapping[str, Item], around: MapView) -> Iterator[Fault]:
    yield from texts.texts(source.yaml.root)
    head = source.head
    if head is None:
        return
    stem = Path(source.yaml.file).stem
    if head.id != stem:
        yield Fault(("id",), "id_not_file_name", f"map {head.id} is in a file named {stem}", f"rename the file to {head.id}.yaml")
    yield from polling.periods(head, around)
    yield from polling.enums(head, _enums_used(items))
    yield from procedures.procedures(head, around)


def _enums_used(items: Mapping[str, Item]) -> frozenset[str]:
    models = [item.model for item in items.values()]
    given = [model.enum for model in models] + [field.enum for model in models for field in (model.fields or {}).values()]
    return frozenset(name for name in given if isinstance(name, str))


def _at_point(source: MapSource, entry: Entry, fault: Fault) -> Finding:
    return place(source.yaml, source.at(entry, *fault.keys), fault.code, fault.message, fault.fix)
