"""How good the reading plan of a serial line is: `python -m tests.bench.bench_rtu_plan [MAPS]`.

Random maps (gaps, values of 1 and 2 registers, small `max_read`), planned as the gateway plans for a serial line. The optimum
comes from an own dynamic programme over all ways to split the row, by the time of every exchange and 5 ms in which the device
thinks (which the gateway does not know). Then the load that `gateway.poll.load` computes is held against how long the
gateway's exchanges with a paced simulator hold the line.
"""

import asyncio
import random
import sys
from functools import cache

from gateway.clock import SystemClock
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.link.transports import open_transport
from gateway.model.address import UnitId
from gateway.model.bustime import RequestCost, exchange_bytes, serial_time
from gateway.model.plan import PlanLimits, plan_blocks
from gateway.model.point import DataType, Point
from gateway.poll.cost import exchange_cost
from gateway.poll.load import serial_loads
from gateway.poll.scheduler import Scheduler
from simulators.plant import Plant, SimDevice, SimLink
from simulators.simulated_plant import SimulatedPlant
from tests.bench.plants import Placed, point, register_map, wired

BAUD, BITS = 19200, 11
TURNAROUND_S = 0.005
UNITS = 3


async def main(maps: int = 200, seconds: float = 20.0) -> tuple[float, float]:
    """Print and give the worst plan against its optimum, and the measured load against the computed one."""
    chance = random.Random(1)  # noqa: S311 - repeatable, no secret
    options = LinkOptions(id="l", transport="rtu", baud=BAUD, parity="even")
    cost = exchange_cost(Bus("l", open_transport(options, SystemClock()), options, SystemClock()))
    worst = worst_default = 1.0
    total = best_total = default_total = 0.0
    for _ in range(maps):
        points, limits = _map(chance)
        planned, default, best = _time(points, limits, cost), _time(points, limits, None), _optimum(points, limits)
        total, best_total, default_total = total + planned, best_total + best, default_total + default
        worst, worst_default = max(worst, planned / best), max(worst_default, default / best)
    sys.stdout.write(
        f"rtu_plan: {maps} maps, bus time against the optimum: {total / best_total:.4f} in all, {worst:.4f} at worst; "
        f"with the fewest exchanges: {default_total / best_total:.4f} in all, {worst_default:.4f} at worst\n"
    )
    computed, measured = await _loads(chance, seconds)
    sys.stdout.write(
        f"rtu_plan: load of the paced line computed {computed:.1%}, measured {measured:.1%}, ratio {measured / computed:.3f}\n"
    )
    return worst, measured / computed


def _map(chance: random.Random) -> tuple[list[Point], PlanLimits]:
    points, at = [], 0
    for place in range(chance.randrange(5, 60)):
        at += chance.choice((0, 0, 0, 1, 2, 5, 12, 30))
        kind = chance.choice((DataType.UINT16, DataType.FLOAT32))
        made = point(f"p{place}", at, kind)
        points.append(made)
        at += made.words
    return points, PlanLimits(max_read=chance.choice((10, 32, 64, 125)), max_gap=chance.choice((0, 4, 16, 64)))


def _exchange_s(count: int) -> float:
    return TURNAROUND_S + serial_time(exchange_bytes(count, is_bits=False), BAUD, BITS)


def _time(points: list[Point], limits: PlanLimits, cost: RequestCost | None) -> float:
    return sum(_exchange_s(block.count) for block in plan_blocks(points, UnitId(1), "normal", limits, cost))


def _optimum(points: list[Point], limits: PlanLimits) -> float:
    """The least total time of all splits of the row into exchanges that the limits allow."""

    @cache
    def best(first: int) -> float:
        if first == len(points):
            return 0.0
        found, end = float("inf"), int(points[first].pdu)
        for last in range(first, len(points)):
            if points[last].pdu - end > limits.max_gap:
                break
            end = max(end, points[last].pdu + points[last].words)
            if end - points[first].pdu > limits.max_read:
                break
            found = min(found, _exchange_s(end - points[first].pdu) + best(last + 1))
        return found

    return best(0)


async def _loads(chance: random.Random, seconds: float) -> tuple[float, float]:
    """The computed and the measured share of the line's time that polling takes."""
    points = [point(f"p{place}", place * 3) for place in range(30)]
    made = register_map(points, 1.0, max_gap=2, max_read=40)
    devices = {f"d{unit}": SimDevice(link="l", unit_id=unit, map=made) for unit in range(1, UNITS + 1)}
    link = SimLink(kind="rtu", baud=BAUD, parity="even", turnaround_s=0.0)
    plant, clock = (
        SimulatedPlant(Plant(id="bench", links={"l": link}, devices=devices, values={}), SystemClock(), steady=True),
        SystemClock(),
    )
    async with plant.running(paced=True) as running, asyncio.TaskGroup() as group:
        options = LinkOptions(id="l", transport="rtu", device=running.serial_port("l"), baud=BAUD, parity="even")
        wire, sink = wired([options], [Placed(name, "l", at.unit_id, made) for name, at in devices.items()], clock, lambda rows: None)
        every = tuple(wire.devices.values())
        (bus,) = wire.buses.values()
        tasks = [group.create_task(bus.run()), group.create_task(Scheduler(every, clock, sink).run())]
        await clock.sleep(2.5)
        exchanges, busy, started = bus.stats.exchanges, bus.stats.busy_s, clock.monotonic()
        await clock.sleep(seconds)
        done = bus.stats.exchanges - exchanges
        took = clock.monotonic() - started
        measured = (bus.stats.busy_s - busy + done * bus.gap_s) / took
        for task in tasks:
            task.cancel()
    return serial_loads(every)["l"], measured


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:3])))
