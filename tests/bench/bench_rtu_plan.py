"""How good the reading plan of a serial line is, and how true the load that is computed for it.

Random maps (gaps, values of 1 and 2 registers, small `max_read`), planned as the gateway plans for a serial line. The optimum
comes from an own dynamic programme over all ways to split the row, by the time of every exchange and 5 ms in which the device
thinks (which the gateway does not know). Then the load that `gateway.poll.load` computes is held against how long the
gateway's exchanges with a paced simulator hold the line. The baseline is the plan with the fewest exchanges.
"""

import asyncio
import random
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
from tests.bench.report import Result, Run, say

BAUD, BITS = 19200, 11
TURNAROUND_S = 0.005
UNITS = 3
AIM_WORST, AIM_LOAD = 1.03, 0.1


async def measure(run: Run) -> Result:
    """The worst plan against its optimum, and the measured load against the computed one."""
    maps, seconds = (400, 20.0) if run.full else (50, 5.0)
    chance = random.Random(run.seed)  # noqa: S311 - repeatable, no secret
    options = LinkOptions(id="l", transport="rtu", baud=BAUD, parity="even")
    cost = exchange_cost(Bus("l", open_transport(options, SystemClock()), options, SystemClock()))
    times = [(_time(*made, cost), _time(*made, None), _optimum(*made)) for made in (_map(chance) for _ in range(maps))]
    worst, worst_default = (max(each[way] / each[2] for each in times) for way in (0, 1))
    total, total_default, best = (sum(column) for column in zip(*times, strict=True))
    computed, measured = await _loads(seconds)
    ratio = measured / computed
    return Result(
        figures={
            "maps": maps,
            "of_optimum": {"in_all": total / best, "at_worst": worst},
            "load": {"computed": computed, "measured": measured, "ratio": ratio},
            "aim": {"at_worst": AIM_WORST, "load_ratio_off_by": AIM_LOAD},
        },
        baseline={"plan": "fewest exchanges", "of_optimum": {"in_all": total_default / best, "at_worst": worst_default}},
        meets_aim=worst <= AIM_WORST and abs(ratio - 1) <= AIM_LOAD,
        is_right=worst <= AIM_WORST,
    )


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


async def _loads(seconds: float) -> tuple[float, float]:
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
    say("rtu_plan", lambda run: asyncio.run(measure(run)))
