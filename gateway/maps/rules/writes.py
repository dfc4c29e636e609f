"""Writing: access, functions, read-back, and how a write is proved."""

from collections.abc import Iterator

from gateway.maps.rules.base import Fault, Item, MapView
from gateway.model.address import Table
from gateway.model.encode import write_functions
from gateway.model.point import Access, Point, Role, WriteRule


def access(item: Item, _around: MapView) -> Iterator[Fault]:
    """`table_is_read_only`, `write_missing`, `write_on_read_only`."""
    point = item.point
    if point.access is not Access.RO and point.table in (Table.DISCRETE, Table.INPUT):
        message = f"a {point.table} can't be written"
        yield Fault(("access",), "table_is_read_only", message, "write access: ro, or correct the table or reference")
    elif point.access is not Access.RO and point.write is None:
        fix = "add `write:` with function, min, max and confirm, or write access: ro"
        yield Fault(("access",), "write_missing", f"{point.name} is writable and has no `write`", fix)
    elif point.access is Access.RO and point.write is not None:
        fix = "write access: rw, or remove `write`"
        yield Fault(("write",), "write_on_read_only", f"{point.name} is read-only and has `write`", fix)


def functions(item: Item, around: MapView) -> Iterator[Fault]:
    """`bad_write_function`, `not_atomic`."""
    point = item.point
    rule = _rule(point)
    if rule is None:
        return
    usable = write_functions(point)
    if rule.function is not None and rule.function not in usable:
        message = f"function {rule.function} can't write {_described(point)}"
        yield Fault(("write", "function"), "bad_write_function", message, f"write {' or '.join(map(str, usable))}")
    elif 22 in usable and around.facts.functions and 22 not in around.facts.functions:
        message = f"the device lacks function 22: the register of {point.name} is read, changed and written back, which is not atomic"
        yield Fault(("write",), "not_atomic", message, "add 22 to `device.functions` if the device has it")


def proof(item: Item, around: MapView) -> Iterator[Fault]:
    """`unknown_point`, `bad_readback`, `pulse_read_back`, `max_step_needs_reading`."""
    point = item.point
    rule = _rule(point)
    if rule is None:
        return
    named = item.model.write is not None and "readback" in item.model.write.model_fields_set
    if isinstance(rule.readback, str):
        source = around.points.get(rule.readback)
        if source is None:
            if around.lacks(rule.readback):
                fix = "write the name of a point of this map, true or false"
                yield Fault(("write", "readback"), "unknown_point", f"no point {rule.readback}", fix)
        elif source.access is Access.WO or (source.type is not point.type and source.table.is_bits is not point.table.is_bits):
            message = f"{source.name} can't show what was written to {point.name}"
            yield Fault(("write", "readback"), "bad_readback", message, "name a readable point of the same kind of value")
    elif rule.readback and named and (point.access is Access.WO or not rule.reply):
        yield Fault(
            ("write", "readback"), "bad_readback", f"{point.name} can't be read back", "write false, or the name of the point that shows it"
        )
    if rule.pulse and rule.readback is True:
        message = f"{point.name} falls back by itself, so reading it back would look like a failure"
        yield Fault(("write", "pulse"), "pulse_read_back", message, "write readback: false, or the point that shows the effect")
    if rule.max_step is not None and point.access is Access.WO:
        message = f"`max_step` on {point.name}, whose old value can't be read"
        yield Fault(("write", "max_step"), "max_step_needs_reading", message, "remove it, or write access: rw if it can be read")


def persons(point: Point, _around: MapView) -> Iterator[Fault]:
    """`role_too_low`, `approvals_without_confirm`, `eeprom_unconfirmed`, `unsure_write`."""
    rule = _rule(point)
    if rule is None:
        return
    if rule.role is Role.VIEWER:
        yield Fault(("write", "role"), "role_too_low", "a viewer may not write anything", "write operator, engineer or admin")
    if rule.approvals > 1 and rule.confirm in ("none", "never"):
        message = f"approvals: {rule.approvals} with confirm: {rule.confirm}"
        yield Fault(("write", "approvals"), "approvals_without_confirm", message, "write confirm: user or two_step")
    if rule.persist == "eeprom" and rule.confirm == "none":
        message = f"{point.name} is stored in EEPROM, which wears out, and is written without a confirmation"
        yield Fault(
            ("write", "confirm"), "eeprom_unconfirmed", message, "write confirm: user, or a cooldown and persist: ram if it is not stored"
        )
    if point.confidence == "low" and rule.confirm != "never":
        message = f"{point.name} can be written although its entry is not sure"
        yield Fault(("confidence",), "unsure_write", message, "write confirm: never until it was tried on a device")


def _rule(point: Point) -> WriteRule | None:
    """The rule of a point that is rightly writable; `access` names the others."""
    return point.write if point.access is not Access.RO and point.table in (Table.COIL, Table.HOLDING) else None


def _described(point: Point) -> str:
    if point.table is Table.COIL:
        return "a coil"
    return f"{point.words} register{'s' if point.words > 1 else ''} of a {point.type}"
