"""Modbus/TCP Security: Modbus/TCP frames over TLS (MB-TCP-Security V2.1)."""

import ssl

from gateway.clock import Clock
from gateway.errors import ConfigError, Finding
from gateway.link.base import Transport
from gateway.link.frames.mbap import MbapFramer
from gateway.link.options import LinkOptions
from gateway.link.transports._pymodbus import socket_line
from gateway.link.wire import WireTransport


def make(options: LinkOptions, clock: Clock) -> Transport:
    """A transport that proves the server by `ca_file` (or the system's authorities) and itself by `cert_file` and `key_file`."""
    context = _context(options)
    return WireTransport(options, clock, MbapFramer(options.id, strict_tid=options.tid == "strict"), lambda: socket_line(options, context))


def _context(options: LinkOptions) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=options.ca_file or None)
        if options.cert_file:
            context.load_cert_chain(options.cert_file, options.key_file or None)
    except OSError as exc:
        files = ", ".join(name for name in (options.ca_file, options.cert_file, options.key_file) if name)
        finding = Finding(
            code="tls_file",
            message=f"link {options.id}: cannot use {files}: {exc}",
            fix="name readable PEM files in ca_file, cert_file, key_file",
        )
        raise ConfigError([finding]) from exc
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
