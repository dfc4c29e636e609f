"""Plants for the benches: devices of one map on links, wired as the application wires them, without store and web."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from gateway.alarms.engine import Alarms
from gateway.app.wire import SampleSink, Wire, all_watches, make_plant, make_wire
from gateway.clock import Clock
from gateway.link.options import LinkOptions
from gateway.link.transports import open_transport
from gateway.model.address import Notation, PduAddress, Table, UnitId
from gateway.model.point import DataType, DeviceFacts, Point, RegisterMap, Text
from gateway.settings import DeviceSettings, Settings, Site, Web
from gateway.store.base import StoredSample


@dataclass(frozen=True, slots=True)
class Placed:
    """A device on a link."""

    id: str
    link: str
    unit_id: int
    map: RegisterMap


def register_map(points: Sequence[Point], period_s: float, **facts: object) -> RegisterMap:
    """A map of one poll group."""
    return RegisterMap(
        id="bench",
        vendor="none",
        model="bench",
        kind="meter",
        title=Text("Bench"),
        addressing=Notation.PDU,
        version="1",
        device=DeviceFacts(**facts),  # type: ignore[arg-type]
        periods={"normal": period_s},
        on_demand=frozenset(),
        points={point.name: point for point in points},
    )


def point(name: str, pdu: int, type_: DataType = DataType.UINT16, **facts: object) -> Point:
    """A holding register, or two for a float32."""
    words = 2 if type_ is DataType.FLOAT32 else 1
    return Point(name=name, table=Table.HOLDING, pdu=PduAddress(pdu), words=words, type=type_, **facts)  # type: ignore[arg-type]


def wired(
    links: Sequence[LinkOptions], devices: Sequence[Placed], clock: Clock, put: Callable[[Sequence[StoredSample]], None]
) -> tuple[Wire, SampleSink]:
    """Buses, devices and the sink of every outcome: last samples, alarms, deadbands; `put` takes what would be stored."""
    settings = Settings(
        file=Path("bench.yaml"),
        site=Site(name=Text("Bench"), timezone=ZoneInfo("UTC"), languages=("en",)),
        data_dir=Path(),
        store_url="",
        links=tuple(links),
        devices=tuple(
            DeviceSettings(id=each.id, link=each.link, unit_id=UnitId(each.unit_id), map=each.map, title=Text(each.id)) for each in devices
        ),
        web=Web(host="127.0.0.1", port=0),
        assistant={},
    )
    wire, plant = make_wire(settings, clock, open_transport), make_plant(settings)
    alarms = Alarms(all_watches(wire, plant), clock, lambda info: None)
    return wire, SampleSink(wire, plant, alarms, put)
