"""Modbus RTU on a serial port."""

from gateway.clock import Clock
from gateway.link.base import Transport
from gateway.link.frames.rtu import RtuFramer
from gateway.link.options import LinkOptions
from gateway.link.transports._pymodbus import serial_line
from gateway.link.wire import WireTransport


def make(options: LinkOptions, clock: Clock) -> Transport:
    """A transport that opens the port when it is opened; its time on the line is added to the time-out."""
    return WireTransport(options, clock, RtuFramer(), lambda: serial_line(options), options.air_time_s)
