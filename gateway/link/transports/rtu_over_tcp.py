"""RTU frames over a TCP connection, as plain serial device servers carry them."""

from gateway.clock import Clock
from gateway.link.base import Transport
from gateway.link.frames.rtu import RtuFramer
from gateway.link.options import LinkOptions
from gateway.link.transports._pymodbus import socket_line
from gateway.link.wire import WireTransport


def make(options: LinkOptions, clock: Clock) -> Transport:
    """A transport that dials `host:port` when it is opened."""
    return WireTransport(options, clock, RtuFramer(), lambda: socket_line(options))
