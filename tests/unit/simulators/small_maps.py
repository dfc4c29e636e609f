"""Points and register maps made by hand."""

from collections.abc import Mapping

from gateway.model.address import Notation, PduAddress, Table
from gateway.model.point import Access, DataType, DeviceFacts, Point, RegisterMap, Text, WriteRule

WIDTHS = {
    DataType.INT32: 2,
    DataType.UINT32: 2,
    DataType.FLOAT32: 2,
    DataType.BCD32: 2,
    DataType.BCD48: 3,
    DataType.INT64: 4,
    DataType.UINT64: 4,
    DataType.FLOAT64: 4,
    DataType.BCD64: 4,
}


def point(name: str = "value", pdu: int = 0, kind: DataType = DataType.UINT16, table: Table = Table.HOLDING, **more: object) -> Point:
    """A point; its width follows from its type unless `words` is given."""
    words = more.pop("words", WIDTHS.get(kind, 1))
    return Point(name=name, table=table, pdu=PduAddress(pdu), words=words, type=kind, **more)  # type: ignore[arg-type]


def point_with(more: Mapping[str, object], kind: DataType = DataType.UINT16) -> Point:
    """A point with further keys from a test's table."""
    return point("value", 0, kind, Table.HOLDING, **more)


def writable(name: str, pdu: int, kind: DataType = DataType.UINT16, table: Table = Table.HOLDING, **more: object) -> Point:
    """A point that can be read and written."""
    return point(name, pdu, kind, table, access=Access.RW, write=WriteRule(), **more)


def register_map(*points: Point, facts: DeviceFacts | None = None, bases: dict[str, int] | None = None) -> RegisterMap:
    """A map of these points."""
    return RegisterMap(
        id="small",
        vendor="Acme",
        model="S1",
        kind="test",
        title=Text(en="small"),
        addressing=Notation.PDU,
        version="1",
        device=facts or DeviceFacts(),
        periods={"normal": 1.0},
        on_demand=frozenset(),
        points={each.name: each for each in points},
        bases=bases or {},
    )
