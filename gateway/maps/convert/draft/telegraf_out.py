"""A map as Telegraf `inputs.modbus` in the request style: one request a table, order and unit id."""

from collections import defaultdict
from decimal import Decimal

from gateway.maps.convert.draft.base import Exported
from gateway.maps.convert.draft.draft import Note
from gateway.maps.convert.draft.linear import linear, unsaid
from gateway.maps.convert.draft.names import clean
from gateway.model.point import Access, DataType, Order, Point, RegisterMap
from gateway.yamlfile import YamlFile

_TYPES = {
    kind: kind.value.upper()
    for kind in (
        DataType.INT16, DataType.UINT16, DataType.INT32, DataType.UINT32, DataType.INT64, DataType.UINT64,
        DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64,
    )
}  # fmt: skip
_ORDERS = (Order.ABCD, Order.CDAB, Order.BADC, Order.DCBA)


def write(_file: YamlFile, register_map: RegisterMap) -> Exported:
    """The TOML text; points that Telegraf cannot read truly are left out and noted."""
    notes: list[Note] = []
    requests: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for point in register_map.points.values():
        field = _field(point)
        if isinstance(field, Note):
            notes.append(field)
            continue
        order = Order.ABCD if point.table.is_bits else point.order
        requests[point.unit_id or register_map.device.unit_id or 1, point.table.value, order.value].append(field)
        notes += [Note(kind="dropped", what=point.name, why=why) for why in unsaid(point)]
    lines = [
        f"# {clean(register_map.vendor)} {clean(register_map.model)}, from map {register_map.id}",
        "[[inputs.modbus]]",
        f'  name = "{register_map.id}"',
        '  controller = "tcp://127.0.0.1:502"',
        '  configuration_type = "request"',
    ]
    for (unit_id, table, order_name), fields in requests.items():
        lines += ["  [[inputs.modbus.request]]", f"    slave_id = {unit_id}", f'    register = "{table}"']
        lines += [f'    byte_order = "{order_name}"', "    fields = [", *(f"      {field}," for field in fields), "    ]"]
    notes.append(
        Note(kind="check", what="controller", why="write the address of your link; Telegraf must not share a serial line with Busmate")
    )
    return Exported(content=("\n".join(lines) + "\n").encode(), notes=tuple(notes))


def _field(point: Point) -> str | Note:
    scaling = linear(point)
    why = ""
    if point.base is not None:
        why = "its address is found at run time"
    elif point.access is Access.WO:
        why = "it can't be read"
    elif point.table.is_bits:
        return f'{{ address={point.pdu}, name="{point.name}" }}'
    elif point.order not in _ORDERS:
        why = f"order {point.order} is unknown to Telegraf"
    elif point.type is DataType.BOOL and point.bit is not None and point.words == 1:
        return f'{{ address={point.pdu}, name="{point.name}", type="BIT", bit={point.bit} }}'
    elif point.type is DataType.STRING and point.text is not None and point.text.chars == "packed":
        return f'{{ address={point.pdu}, name="{point.name}", type="STRING", length={point.words} }}'
    elif point.type in (DataType.INT8, DataType.UINT8) and point.bits in (None, (7, 0), (15, 8)):
        half = "H" if point.bits == (15, 8) else "L"
        return _number(point, f"{point.type.value.upper()}{half}", scaling)
    elif point.type not in _TYPES or point.bits is not None:
        why = f"Telegraf has no such {point.type}"
    else:
        return _number(point, _TYPES[point.type], scaling)
    return Note(kind="dropped", what=point.name, why=why)


def _number(point: Point, kind: str, scaling: tuple[Decimal, Decimal] | None) -> str | Note:
    if scaling is None or scaling[1] != 0:
        return Note(kind="dropped", what=point.name, why="Telegraf scales by a factor alone")
    factor = "" if scaling[0] == 1 else f", scale={_float(scaling[0])}"
    return f'{{ address={point.pdu}, name="{point.name}", type="{kind}"{factor} }}'


def _float(value: Decimal) -> str:
    text = format(value, "f")
    return text if "." in text else f"{text}.0"
