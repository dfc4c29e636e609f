"""Modbus/TCP frames in UDP datagrams."""

from gateway.clock import Clock
from gateway.link.base import Transport
from gateway.link.frames.mbap import MbapFramer
from gateway.link.options import LinkOptions
from gateway.link.transports._pymodbus import datagram_line
from gateway.link.wire import WireTransport


def make(options: LinkOptions, clock: Clock) -> Transport:
    """A transport that sends to `host:port`; a datagram that is lost is a time-out."""
    return WireTransport(options, clock, MbapFramer(options.id, strict_tid=options.tid == "strict"), lambda: datagram_line(options))
