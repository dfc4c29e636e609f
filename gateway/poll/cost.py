"""What an exchange costs on a link, as its reads are planned by."""

from gateway.link.bus import Bus
from gateway.model.bustime import RequestCost, serial_time


def exchange_cost(bus: Bus) -> RequestCost:
    """On a serial line the time of its characters and silences; elsewhere the number of exchanges alone."""
    options = bus.options
    if not options.is_serial:
        return RequestCost()
    silences_s = serial_time(0, options.baud, options.bits_per_character, gap_s=bus.gap_s)
    return RequestCost.serial(options.baud, options.bits_per_character, turnaround_s=silences_s)
