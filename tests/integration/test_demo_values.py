"""The demo plant over real sockets and a pty: every value of the steady plant arrives as it is, whatever its type and order."""

import asyncio
import json
from decimal import Decimal
from pathlib import Path

from gateway.app.relink import relinked
from gateway.app.wire import make_plant, make_wire
from gateway.clock import SystemClock
from gateway.link.transports import open_transport
from gateway.model.quality import Quality
from gateway.settings import load_settings
from simulators.plant import load_plant
from simulators.simulated_plant import SimulatedPlant

ROOT = Path(__file__).parents[2]
PLANT = json.loads((ROOT / "assistant/eval/data/plant.json").read_text(encoding="utf-8"), parse_float=Decimal)


async def test_every_point_of_the_steady_plant_is_read_exactly() -> None:
    clock = SystemClock()
    simulated = SimulatedPlant(load_plant("pump_station"), clock, 1, steady=True)
    async with simulated.running(paced=False) as running:
        settings = relinked(load_settings(ROOT / "configs/demo.yaml"), running.ports)
        wire, plant = make_wire(settings, clock, open_transport), make_plant(settings)
        found = {}
        async with asyncio.TaskGroup() as group:
            workers = [group.create_task(bus.run()) for bus in wire.buses.values()]
            for device in wire.devices.values():
                for sample in await device.read_fresh(list(device.map.points.values())):
                    found[sample.tag] = sample
            for worker in workers:
                worker.cancel()
    assert set(found) == set(plant.infos)
    write_only = {tag for tag, point in plant.points.items() if point.access == "wo"}
    bad = [(tag, sample.reason) for tag, sample in found.items() if sample.quality is not Quality.GOOD and tag not in write_only]
    assert bad == []
    wrong = []
    for tag, point in PLANT["points"].items():
        value = found[tag].value
        same = abs(value - float(point["value"])) < 1e-06 if isinstance(value, float) else value == point["value"]
        if not same and tag not in write_only:
            wrong.append((tag, value, point["value"]))
    assert wrong == []
