"""W3C WoT Thing Description with the Modbus binding: written only, and only for reading.

The binding has no scale: a scaled value is described as the raw number it is on the wire, its formula in words.
"""

import json
from decimal import Decimal

from gateway.maps.convert.draft.base import Converter, Exported
from gateway.maps.convert.draft.draft import Note
from gateway.maps.convert.draft.linear import linear, order_on_wire
from gateway.model.address import Table
from gateway.model.point import Access, DataType, Order, Point, RegisterMap
from gateway.yamlfile import YamlFile

_ENTITIES = {Table.COIL: "Coil", Table.DISCRETE: "DiscreteInput", Table.INPUT: "InputRegister", Table.HOLDING: "HoldingRegister"}
_TYPES = {
    DataType.INT16: "xsd:short", DataType.UINT16: "xsd:unsignedShort", DataType.INT32: "xsd:int", DataType.UINT32: "xsd:unsignedInt",
    DataType.INT64: "xsd:long", DataType.UINT64: "xsd:unsignedLong", DataType.FLOAT32: "xsd:float", DataType.FLOAT64: "xsd:double",
    DataType.STRING: "xsd:string",
}  # fmt: skip
_FLOATS = (DataType.FLOAT32, DataType.FLOAT64)


def write(_file: YamlFile, register_map: RegisterMap) -> Exported:
    """The Thing Description as JSON; points that the binding cannot say are left out and noted."""
    notes: list[Note] = []
    properties: dict[str, object] = {}
    for point in register_map.points.values():
        why = _why_not(point)
        if why:
            notes.append(Note(kind="dropped", what=point.name, why=why))
            continue
        if _formula(point):
            notes.append(Note(kind="check", what=point.name, why="the binding has no scale: the raw number is described"))
        properties[point.name] = _property(point, point.unit_id or register_map.device.unit_id or 1)
    thing = {
        "@context": [
            "https://www.w3.org/2022/wot/td/v1.1",
            {"modv": "https://www.w3.org/2019/wot/modbus#", "xsd": "http://www.w3.org/2001/XMLSchema#"},
        ],
        "title": register_map.title.in_("en") or register_map.id,
        "titles": _words(register_map.title.en, register_map.title.zh),
        "id": f"urn:busmate:{register_map.id}",
        "base": "modbus+tcp://127.0.0.1:502/",
        "securityDefinitions": {"nosec": {"scheme": "nosec"}},
        "security": "nosec",
        "properties": properties,
    }
    notes.append(Note(kind="check", what="base", why="write the address of your link"))
    return Exported(content=(json.dumps(thing, ensure_ascii=False, indent=1) + "\n").encode(), notes=tuple(notes))


def _why_not(point: Point) -> str:
    if point.base is not None:
        return "its address is found at run time"
    if point.access is Access.WO:
        return "it can't be read"
    if point.table.is_bits:
        return ""
    if point.type not in _TYPES or point.bit is not None or point.bits is not None or (point.text and point.text.chars != "packed"):
        return f"the binding has no such {point.type}"
    if order_on_wire(point) not in (Order.ABCD, Order.CDAB):
        return f"order {point.order}: what mostSignificantByte false means is not settled"
    return ""


def _property(point: Point, unit_id: int) -> dict[str, object]:
    kind = (
        "boolean"
        if point.table.is_bits
        else "string"
        if point.type is DataType.STRING
        else "number"
        if point.type in _FLOATS
        else "integer"
    )
    form: dict[str, object] = {
        "href": f"{unit_id}/{point.pdu}?quantity={point.words}",
        "op": ["readproperty"],
        "contentType": "application/octet-stream",
        "modv:entity": _ENTITIES[point.table],
        "modv:zeroBasedAddressing": True,
    }
    if not point.table.is_bits:
        form |= {
            "modv:type": _TYPES[point.type],
            "modv:mostSignificantByte": True,
            "modv:mostSignificantWord": order_on_wire(point) is not Order.CDAB,
        }
    found: dict[str, object] = {
        "type": kind,
        "readOnly": True,
        "titles": _words(point.title.en or point.name, point.title.zh),
        "forms": [form],
    }
    formula = _formula(point)
    if formula:
        found["description"] = formula
    elif point.unit:
        found["unit"] = point.unit
    if point.enum and kind == "integer":
        found["oneOf"] = [{"const": code, "titles": _words(label.en, label.zh)} for code, label in point.enum.items()]
    return found


def _formula(point: Point) -> str:
    scaling = linear(point)
    if scaling is None:
        return f"raw number; its scale is held by {point.held_by}" if point.held_by else "raw number; its range is in the map"
    factor, offset = scaling
    return (
        "" if (factor, offset) == (Decimal(1), Decimal(0)) else f"raw number; value = raw x {factor:f} + {offset:f} {point.unit}".rstrip()
    )


def _words(en: str, zh: str) -> dict[str, str]:
    return {language: text for language, text in (("en", en), ("zh", zh)) if text}


converter = Converter(name="wot", title="W3C WoT Thing Description (Modbus binding)", write=write)
