"""Tables that a manual shares with something else: registers with the register map, parameters with the other language."""

import csv
from collections.abc import Sequence
from pathlib import Path

from gateway.model.address import Table
from gateway.model.point import Access, Order, Point, RegisterMap

Rows = tuple[tuple[str, ...], ...]

REGISTER_HEADER = {
    "en": ("Address", "Register", "Name", "Type", "Scale", "Access"),
    "zh": ("地址", "寄存器号", "名称", "数据类型", "倍率", "读写"),
}
PARAMETER_HEADER = {"en": ("Code", "Name", "Range", "Default", "Remarks"), "zh": ("代码", "名称", "设定范围", "出厂值", "说明")}
_FIRST_REGISTER = {Table.COIL: 1, Table.DISCRETE: 100001, Table.INPUT: 300001, Table.HOLDING: 400001}
_ACCESS = {Access.RO: "R", Access.RW: "R/W", Access.WO: "W"}
_PRINTED_UNITS = {"degC": "°C", "m3/h": "m³/h"}


def register_rows(register_map: RegisterMap, names: Sequence[str], lang: str) -> Rows:
    """Header and one row for each named point, as the register map has it."""
    return (REGISTER_HEADER[lang], *(_register_row(register_map.points[name], lang) for name in names))


def parameter_rows(table: Path, first: str, last: str, lang: str) -> Rows:
    """Header and the parameters from code `first` to code `last`."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if first <= row["code"] <= last]
    dots = "～" if lang == "zh" else ".."
    return (
        PARAMETER_HEADER[lang],
        *((row["code"], row[lang], row["range"].replace("..", dots), row["default"], row[f"note_{lang}"]) for row in rows),
    )


def _register_row(point: Point, lang: str) -> tuple[str, ...]:
    swaps_bytes = point.order in {Order.BADC, Order.DCBA}
    has_order = (point.words > 1 or swaps_bytes) and point.type not in {"string", "bytes", "bool"}
    order = f" {point.order}" if has_order else ""
    unit = _PRINTED_UNITS.get(point.unit, point.unit)
    scale = unit if point.scale == 1 else f"{point.scale} {unit}".strip()
    return (
        f"0x{point.pdu:04X}",
        f"{_FIRST_REGISTER[point.table] + point.pdu:06d}",
        point.title.in_(lang),
        f"{point.type}{order}",
        scale or "-",
        _ACCESS[point.access],
    )
