"""ThingsBoard gateway, Modbus connector (JSON): the four lists of a slave merged by address.

`divider` goes before `multiplier`. The keys of `variants` are the text of the scaled value. What was left out of `byteOrder` and
`wordOrder` has differed between releases, so it is asked for.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from gateway.maps.convert.draft.base import Converter, Options, ask, one_unit
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.names import labels
from gateway.maps.convert.draft.orders import by_swaps, width
from gateway.maps.convert.draft.source import Source, items, mapping, not_numbers, number, string, whole
from gateway.maps.convert.draft.text import scalar
from gateway.yamlfile import YamlValue

_READS = {1: "coil", 2: "discrete", 3: "holding", 4: "input"}
_WRITES = {5: "coil", 15: "coil", 6: "holding", 16: "holding"}
_TYPES = {f"{bits}{kind}": f"{kind}{bits}" for bits in (16, 32, 64) for kind in ("int", "uint", "float")}
_LISTS = ("attributes", "timeseries", "attributeUpdates", "rpc")
_MOST_COPIES = 1000

Place = tuple[str, int]


def read(source: Source, options: Options) -> Draft:
    """The points of one slave."""
    root = mapping(source.json())
    slaves = items(mapping(root.get("master", root)).get("slaves"))
    draft = Draft(format=source.format, file=source.name)
    units = {unit for slave in slaves if (unit := _unit(slave)) is not None}
    unit_id = one_unit(source, options, units)
    draft.head["device"] = {"unit_id": unit_id}
    for slave in slaves:
        if _unit(slave) == unit_id:
            draft.head.setdefault("model", string(slave.get("deviceName")))
            _slave(source, options, draft, slave)
    return draft


def _unit(slave: Keys) -> int | None:
    return whole(slave.get("unitId", slave.get("unit_id")))


def _slave(source: Source, options: Options, draft: Draft, slave: Keys) -> None:
    period = number(slave.get("pollPeriod"))
    poll = draft.every(f"{scalar(period)}ms") if period else None
    taken: dict[Place, str] = {}
    for tag in _tags(slave):
        name, line, function = string(tag.get("tag")), source.line_of(string(tag.get("tag"))), whole(tag.get("functionCode"))
        if function in _WRITES:
            _write(source, options, draft, slave, tag, taken, line)
        elif function in _READS:
            shape = _shape(source, options, slave, tag, _READS[function])
            if isinstance(shape, str):
                draft.drop(name, shape, line=line)
            elif seen := [taken[place] for place in _places(_READS[function], tag) if place in taken]:
                draft.drop(name, f"the address of {seen[0]} again", line=line)
            else:
                _reads(draft, tag, _READS[function], {**shape, "poll": poll}, taken, line)
        else:
            draft.drop(name, f"function code {function} neither reads nor writes", line=line)


def _tags(slave: Keys) -> Iterator[Keys]:
    """Reads before writes, so that a write finds the point it belongs to."""
    tags = [tag for key in _LISTS for tag in items(slave.get(key))]
    yield from (tag for tag in tags if whole(tag.get("functionCode")) not in _WRITES)
    yield from (tag for tag in tags if whole(tag.get("functionCode")) in _WRITES)


def _places(table: str, tag: Keys) -> list[Place]:
    given = tag.get("address")
    match = re.fullmatch(r"(\d{1,5})\s*-\s*(\d{1,5})", given) if isinstance(given, str) else None
    if match:
        count = int(match[2]) - int(match[1]) + 1
        step = whole(tag.get("objectsCount", tag.get("registerCount"))) or 1
        return [(table, int(match[1]) + place) for place in range(0, min(count, _MOST_COPIES), step)]
    first = whole(given)
    return [] if first is None else [(table, first)]


def _reads(draft: Draft, tag: Keys, table: str, shape: Keys, taken: dict[Place, str], line: int) -> None:
    name, places = string(tag.get("tag")), _places(table, tag)
    if not places:
        draft.drop(name, f"{tag.get('address')!r} is no address", line=line)
    for place in places:
        label = name.replace("${address}", str(place[1])) if "${address}" in name or len(places) == 1 else f"{name} {place[1]}"
        taken[place] = draft.add(label, {"pdu": place[1], "table": table, **shape}, line=line)


def _write(source: Source, options: Options, draft: Draft, slave: Keys, tag: Keys, taken: dict[Place, str], line: int) -> None:
    function = whole(tag.get("functionCode")) or 0
    table, name = _WRITES[function], string(tag.get("tag"))
    rule: Keys = {"function": function}
    for place in _places(table, tag):
        point = next((point for point in draft.points if point.name == taken.get(place)), None)
        if point is None:
            shape = _shape(source, options, slave, tag, table)
            if isinstance(shape, str):
                draft.drop(name, shape, line=line)
                return
            taken[place] = draft.add(name, {"pdu": place[1], "table": table, **shape, "access": "wo", "write": rule}, line=line)
        else:
            point.keys |= {"access": point.keys.get("access", "rw"), "write": {**rule, "confirm": "never"}}


def _shape(source: Source, options: Options, slave: Keys, tag: Keys, table: str) -> Keys | str:
    kind = string(tag.get("type")).lower()
    count = whole(tag.get("objectsCount", tag.get("registerCount"))) or 1
    if table in ("coil", "discrete"):
        return (
            {"type": "bool"}
            if kind in ("bit", "bits", "bool", "") and count == 1
            else f"{count} x {kind} over {table}: write one point a bit"
        )
    if kind in ("string", "bytes"):
        return {"type": kind, "words": count, "order": _order(source, options, slave, tag, is_wide=False)}
    if kind not in _TYPES:
        return f"type {kind!r} over registers has no plain meaning"
    name = _TYPES[kind]
    if wrong := not_numbers(tag, "divider", "multiplier"):
        return wrong
    if count != width(name):
        return f"{kind} needs {width(name)} registers, objectsCount is {count}"
    scale = _scale(tag)
    keys: Keys = {"type": name, "order": _order(source, options, slave, tag, is_wide=(width(name) or 1) > 1), **scale}
    variants = mapping(tag.get("variants"))
    if variants:
        codes = [(_code(key, tag), string(label)) for key, label in variants.items()]
        if any(code is None for code, _ in codes):
            return "the keys of its variants are no codes"
        keys |= {"scale": None, "range": None, "enum": {**labels((code, label) for code, label in codes if code is not None)}}
    return keys


def _scale(tag: Keys) -> Keys:
    divider, multiplier = number(tag.get("divider")), number(tag.get("multiplier"))
    if divider:
        factor = Decimal(1) / Decimal(divider)
        is_exact = factor * divider == 1
        if is_exact:
            return {"scale": None if divider == 1 else factor}
        ends: Keys = {"raw": [0, divider], "eng": [0, 1]}
        return {"range": ends}
    return {"scale": multiplier if multiplier and multiplier != 1 else None}


def _code(key: YamlValue, tag: Keys) -> int | None:
    """The raw code of a variant, whose key is the scaled value: "1.0" with a divider of 10 is raw 10."""
    shown, divider, multiplier = number(str(key)), number(tag.get("divider")), number(tag.get("multiplier"))
    if shown is None:
        return None
    raw = shown * divider if divider else Decimal(shown) / multiplier if multiplier else shown
    return int(raw) if raw == int(raw) else None


def _order(source: Source, options: Options, slave: Keys, tag: Keys, *, is_wide: bool) -> str | None:
    words = {key: string(tag.get(key) or slave.get(key)).upper() for key in ("byteOrder", "wordOrder")}
    needed = [key for key in words if key == "byteOrder" or is_wide]
    if any(words[key] not in ("BIG", "LITTLE") for key in needed):
        if options.order is None:
            ask(
                source,
                f"{' and '.join(needed)} of {string(tag.get('tag'))}",
                "give --order ABCD (BIG, BIG), CDAB, BADC or DCBA for what is left out",
            )
        return None if options.order == "ABCD" else options.order
    order = by_swaps(bytes_swapped=words["byteOrder"] == "LITTLE", words_swapped=is_wide and words["wordOrder"] == "LITTLE")
    return None if order == "ABCD" else order


converter = Converter(name="thingsboard", title="ThingsBoard gateway, Modbus connector (JSON)", read=read)
