"""How much of a serial line the polling of its devices takes, as planned."""

from collections.abc import Sequence

from gateway.link.bus import Bus
from gateway.model.bustime import Framing, exchange_bytes, serial_time
from gateway.poll.device import Device
from gateway.poll.unit import periods_of, shared_reads, units_of


def serial_loads(devices: Sequence[Device]) -> dict[str, float]:
    """Link id -> share of the line's time that the poll groups need; above 1 the periods cannot be kept. Serial lines only."""
    loads: dict[str, float] = {}
    for unit in units_of(devices):
        bus = unit[0].bus
        for period_s in periods_of(unit) if bus.options.is_serial else ():
            reads = shared_reads(unit, period_s)
            seconds = sum(_exchange_s(bus, read.count, is_bits=read.table.is_bits) for read in reads)
            loads[bus.id] = loads.get(bus.id, 0.0) + seconds / period_s
    return loads


def _exchange_s(bus: Bus, count: int, *, is_bits: bool) -> float:
    options = bus.options
    framing: Framing = "ascii" if options.transport == "ascii" else "rtu"
    size = exchange_bytes(count, is_bits=is_bits, framing=framing)
    return serial_time(size, options.baud, options.bits_per_character, gap_s=bus.gap_s)
