"""A map as Home Assistant `modbus:` sensors and binary sensors; nothing that writes is made."""

from collections.abc import Iterator

from gateway.maps.convert.draft.base import Exported
from gateway.maps.convert.draft.draft import Keys, Note
from gateway.maps.convert.draft.linear import linear, order_on_wire, unsaid
from gateway.maps.convert.draft.text import flow
from gateway.model.address import Table
from gateway.model.point import Access, DataType, Order, Point, RegisterMap
from gateway.yamlfile import YamlFile

_TABLES = {Table.COIL: "coil", Table.DISCRETE: "discrete_input", Table.INPUT: "input", Table.HOLDING: "holding"}
_SWAPS = {Order.ABCD: "none", Order.CDAB: "word", Order.BADC: "byte", Order.DCBA: "word_byte"}
_TYPES = frozenset(
    (
        DataType.INT16, DataType.UINT16, DataType.INT32, DataType.UINT32, DataType.INT64, DataType.UINT64,
        DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64, DataType.STRING,
    )
)  # fmt: skip
_UNITS = {"degC": "°C", "degF": "°F", "m3/h": "m³/h", "m3": "m³", "Ohm": "Ω"}


def write(_file: YamlFile, register_map: RegisterMap) -> Exported:
    """The YAML text; points that Home Assistant cannot read truly are left out and noted."""
    notes: list[Note] = []
    lists: dict[str, list[Keys]] = {"sensors": [], "binary_sensors": []}
    for point in register_map.points.values():
        unit_id = point.unit_id or register_map.device.unit_id or 1
        why = _why_not(point)
        if why:
            notes.append(Note(kind="dropped", what=point.name, why=why))
            continue
        notes += [Note(kind="dropped", what=point.name, why=lost) for lost in unsaid(point)]
        lists["binary_sensors" if point.type is DataType.BOOL else "sensors"].append(_entity(point, unit_id, register_map))
    lines = ["modbus:", f"  - name: {register_map.id}", "    type: tcp", "    host: 127.0.0.1", "    port: 502"]
    for platform, entities in lists.items():
        if entities:
            lines += [f"    {platform}:", *_lines(entities)]
    notes.append(Note(kind="check", what="host", why="write the address of your link; a serial line must not be shared with Busmate"))
    return Exported(content=("\n".join(lines) + "\n").encode(), notes=tuple(notes))


def _lines(entities: list[Keys]) -> Iterator[str]:
    for entity in entities:
        for number, (key, value) in enumerate(entity.items()):
            yield f"      {'- ' if number == 0 else '  '}{key}: {flow(value)}"


def _why_not(point: Point) -> str:
    if point.base is not None:
        return "its address is found at run time"
    if point.access is Access.WO:
        return "it can't be read"
    if point.type is DataType.BOOL:
        return (
            ""
            if point.table.is_bits or (point.bit == 0 and point.words == 1 and point.order is Order.ABCD)
            else "only bit 0 of a register can be read"
        )
    if point.type not in _TYPES or point.bits is not None or point.order not in _SWAPS or linear(point) is None:
        return f"Home Assistant has no such {point.type}, or no such scale"
    if point.text is not None and point.text.chars != "packed":
        return "one character a register is unknown to it"
    if point.words == 1 and point.order not in (Order.ABCD, Order.BADC):
        return f"order {point.order} of one register is refused there: write ABCD or BADC"
    return ""


def _entity(point: Point, unit_id: int, register_map: RegisterMap) -> Keys:
    entity: Keys = {
        "name": point.title.in_("en") or point.name,
        "unique_id": f"{register_map.id}.{point.name}",
        "device_address": unit_id,
        "address": int(point.pdu),
        "input_type": _TABLES[point.table],
    }
    period = register_map.periods.get(point.poll)
    if point.type is not DataType.BOOL:
        entity["data_type"] = point.type.value
        if point.type is DataType.STRING:
            entity["count"] = point.words
        else:
            factor, offset = linear(point) or (point.scale, point.offset)
            entity |= {"scale": factor, "offset": offset}
            if point.unit:
                entity["unit_of_measurement"] = _UNITS.get(point.unit, point.unit)
            if len(point.invalid) == 1 and point.type not in (DataType.FLOAT32, DataType.FLOAT64, DataType.FLOAT16):
                entity["nan_value"] = next(iter(point.invalid))
        order = order_on_wire(point)
        if order is not Order.ABCD:
            entity["swap"] = _SWAPS[order]
    if period:
        entity["scan_interval"] = max(1, round(period))
    return entity
