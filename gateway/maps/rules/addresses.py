"""Addresses: the notation, what the device can read and write, scales that lie far away."""

from collections.abc import Iterator, Mapping

from gateway.maps.rules.base import Fault, Item, MapView
from gateway.model.address import Notation, Table, UnitId, looks_like_modicon
from gateway.model.encode import write_functions
from gateway.model.plan import PlanError, PlanLimits, plan_blocks
from gateway.model.point import Access, Point

_DIGIT = {Table.DISCRETE: 1, Table.INPUT: 3, Table.HOLDING: 4}


def notation(item: Item, around: MapView) -> Iterator[Fault]:
    """`looks_like_modicon`, `other_notation`, `unknown_base`."""
    point = item.point
    key, number = point.notation.value, point.pdu + (point.notation is Notation.REG)
    if _looks_typed_raw(point, number, around):
        as_ref = f'ref: "{number}"'
        fix = f"write {as_ref} if the manual means register {number % 10000}; if not, say `manual.addressing: {key}`"
        yield Fault((key,), "looks_like_modicon", f"{key} {number} looks like a five-digit reference", fix)
    elif around.addressing is not None and point.notation is not around.addressing and not point.note:
        message = f"`{key}` although the manual prints {around.addressing} addresses"
        fix = f"check it: on the wire this is address {point.pdu} of table {point.table}; say why in `note` if it is meant"
        yield Fault((key,), "other_notation", message, fix)
    if point.base is not None and point.base not in around.bases:
        yield Fault(("base",), "unknown_base", f"no base {point.base!r}", f"declare it: bases: {{{point.base}: {{sunspec: N}}}}")


def device_limits(item: Item, around: MapView) -> Iterator[Fault]:
    """`max_read_too_small`, `not_readable`, `max_write_too_small`, `function_missing`."""
    point, facts = item.point, around.facts
    if point.access is not Access.WO:
        if facts.functions and point.table.read_function not in facts.functions:
            message = f"reading a {point.table} needs function {point.table.read_function}, which the device lacks"
            yield Fault(_address_keys(item), "function_missing", message, "correct the table, or `device.functions`")
        try:
            plan_blocks([point], UnitId(1), point.poll, PlanLimits.of(facts))
        except PlanError as exc:
            yield Fault(_address_keys(item), exc.code, str(exc), "correct the address or size, or the facts under `device`")
    if point.access is not Access.RO and point.write is not None and point.table in (Table.COIL, Table.HOLDING):
        if not point.table.is_bits and point.words > facts.max_write:
            message = f"{point.name} needs {point.words} registers in one write, but the device takes at most {facts.max_write} (max_write)"
            yield Fault(("write",), "max_write_too_small", message, "correct `words` or `device.max_write`")
        usable = [point.write.function] if point.write.function else list(write_functions(point))
        if facts.functions and not facts.functions.intersection(usable) and point.write.function != 22:
            message = f"writing {point.name} needs function {' or '.join(map(str, usable))}, which the device lacks"
            yield Fault(("write",), "function_missing", message, "correct `write.function`, or `device.functions`")


def scale_apart(items: Mapping[str, Item], around: MapView) -> Iterator[tuple[Item, Fault]]:
    """`scale_read_apart`: a value and the register of its scale should come from one moment."""
    points = list(around.points.values())
    for group in sorted({point.poll for point in points if point.held_by}):
        try:
            blocks = plan_blocks(points, UnitId(1), group, PlanLimits.of(around.facts))
        except PlanError:
            continue  # `device_limits` has it
        for block, point in ((apart, member) for apart in blocks if not apart.atomic for member in apart.points):
            source = around.points.get(point.held_by or "")
            if source is not None and not point.note and point.name in items and not _inside(source, block.address, block.count, point):
                message = f"{source.name}, which holds the scale of {point.name}, can't be read in the same request"
                fix = "raise `device.max_gap` if the device reads through, or say in `note` why it does no harm"
                yield items[point.name], Fault(("scale_from" if point.scale_from else "range_from",), "scale_read_apart", message, fix)


def _looks_typed_raw(point: Point, number: int, around: MapView) -> bool:
    if around.addressing is point.notation:
        return False
    if point.notation is Notation.PDU:
        return looks_like_modicon(point.pdu)
    is_reg = point.notation is Notation.REG
    return is_reg and looks_like_modicon(number) and number // 10000 == _DIGIT.get(point.table)


def _inside(source: Point, address: int, count: int, point: Point) -> bool:
    same = (source.table, source.unit_id, source.base) == (point.table, point.unit_id, point.base)
    return same and address <= source.pdu and source.pdu + source.words <= address + count


def _address_keys(item: Item) -> tuple[str]:
    return (item.point.notation.value,)
