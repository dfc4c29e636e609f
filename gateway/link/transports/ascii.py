"""Modbus ASCII on a serial port."""

from gateway.clock import Clock
from gateway.link.base import Transport
from gateway.link.frames.ascii import AsciiFramer
from gateway.link.options import LinkOptions
from gateway.link.transports._pymodbus import serial_line
from gateway.link.wire import WireTransport


def make(options: LinkOptions, clock: Clock) -> Transport:
    """A transport that opens the port when it is opened; the time of its digits, two for a byte, is added to the time-out."""
    return WireTransport(options, clock, AsciiFramer(), lambda: serial_line(options), lambda size: options.air_time_s(2 * size))
