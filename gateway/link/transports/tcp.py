"""Modbus/TCP."""

from gateway.clock import Clock
from gateway.link.base import Transport
from gateway.link.frames.mbap import MbapFramer
from gateway.link.options import LinkOptions
from gateway.link.transports._pymodbus import socket_line
from gateway.link.wire import WireTransport


def make(options: LinkOptions, clock: Clock) -> Transport:
    """A transport that dials `host:port` when it is opened."""
    return WireTransport(options, clock, MbapFramer(options.id, strict_tid=options.tid == "strict"), lambda: socket_line(options))
