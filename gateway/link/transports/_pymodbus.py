"""The seam to pymodbus: its asyncio transports for TCP, TLS, UDP and serial ports, as lines of bytes.

Frames are cut and proved by `gateway.link.frames`; see docs/adr/0003-frames.md.
"""

import asyncio
import socket
import ssl
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pymodbus.transport import CommParams, CommType, ModbusProtocol
from serial.rs485 import RS485Settings

from gateway.errors import LinkDownError
from gateway.link.options import LinkOptions

_PARITY = {"none": "N", "even": "E", "odd": "O"}


class PymodbusLine:
    """A line (`gateway.link.line`) over one pymodbus transport."""

    def __init__(self, options: LinkOptions, params: CommParams) -> None:
        self._options = options
        self._params = params
        self._protocol: _Protocol | None = None

    @property
    def is_open(self) -> bool:
        """True while bytes can be sent."""
        return self._protocol is not None and self._protocol.is_usable

    async def open(self, received: Callable[[bytes], None], lost: Callable[[str], None]) -> None:
        """Connect, or raise LinkDownError."""
        protocol = _Protocol(self._params, received, lost)
        try:
            protocol.transport, _ = await protocol.call_create()
            self._tune(protocol.transport)
        except (OSError, ValueError, termios.error) as exc:
            protocol.close()
            raise self._down(exc) from exc
        self._protocol = protocol
        await asyncio.sleep(0)

    def send(self, data: bytes) -> None:
        """Hand the bytes to the system."""
        if self._protocol is not None:
            self._protocol.send(data)

    def close(self) -> None:
        """Release socket or port."""
        if self._protocol is not None:
            self._protocol.close()
            self._protocol = None

    def _tune(self, transport: Any) -> None:
        plug = transport.get_extra_info("socket")
        if plug is not None and self._params.comm_type in (CommType.TCP, CommType.TLS):
            _keep_alive(plug, self._options)
        rs485 = self._options.rs485
        if rs485 is not None and self._params.comm_type is CommType.SERIAL:
            transport.sync_serial.rs485_mode = RS485Settings(
                rts_level_for_tx=rs485.rts_level_for_tx,
                rts_level_for_rx=rs485.rts_level_for_rx,
                delay_before_tx=rs485.delay_before_tx_s,
                delay_before_rx=rs485.delay_before_rx_s,
            )

    def _down(self, exc: BaseException) -> LinkDownError:
        fix = "check that the device is on and the address is right"
        if self._params.comm_type is CommType.SERIAL:
            fix = "check that the port exists, that no other program uses it, and that you may open it (group dialout)"
        return LinkDownError(f"cannot open {self._options.place}: {exc}", link=self._options.id, fix=fix)


class _Protocol(ModbusProtocol):
    """pymodbus's connection without its buffer and its own reconnecting."""

    def __init__(self, params: CommParams, received: Callable[[bytes], None], lost: Callable[[str], None]) -> None:
        super().__init__(params, is_server=False)
        self._received = received
        self._lost = lost

    @property
    def is_usable(self) -> bool:
        return bool(self.transport) and not self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        self._received(data)

    def datagram_received(self, data: bytes, addr: tuple[Any, ...] | None) -> None:  # noqa: ARG002 - the socket is connected
        self._received(data)

    def error_received(self, exc: Exception) -> None:
        """A datagram came back: nobody listens there."""
        self.close()
        self._lost(str(exc))

    def callback_new_connection(self) -> ModbusProtocol:
        return self

    def callback_connected(self) -> None:
        """Nothing to do: the line is told open when `call_create` returns."""

    def callback_disconnected(self, exc: Exception | None) -> None:
        self._lost(str(exc) if exc else "closed by the other side")

    def callback_data(self, data: bytes, addr: tuple[Any, ...] | None = None) -> int:  # noqa: ARG002 - not called: data_received is ours
        return len(data)


def socket_line(options: LinkOptions, tls: ssl.SSLContext | None = None) -> PymodbusLine:
    """A line to `host:port`, closed; it does not dial again by itself."""
    return PymodbusLine(options, _address(options, CommType.TLS if tls else CommType.TCP, tls))


def datagram_line(options: LinkOptions) -> PymodbusLine:
    """A line of datagrams to `host:port`, closed."""
    return PymodbusLine(options, _address(options, CommType.UDP))


def serial_line(options: LinkOptions) -> PymodbusLine:
    """A line over a serial port, closed. A pseudo-terminal has no parity and no bits, and refuses to be told: it is opened 8N1."""
    has_format = not Path(options.device).resolve().is_relative_to("/dev/pts")
    return PymodbusLine(
        options,
        CommParams(
            comm_type=CommType.SERIAL,
            host=options.device,
            baudrate=options.baud,
            bytesize=options.data_bits if has_format else 8,
            parity=_PARITY[options.parity] if has_format else "N",
            stopbits=options.stop_bits if has_format else 1,
            comm_name=options.id,
            reconnect_delay=None,
        ),
    )


def _address(options: LinkOptions, kind: CommType, tls: ssl.SSLContext | None = None) -> CommParams:
    return CommParams(comm_type=kind, host=options.host, port=options.port, comm_name=options.id, reconnect_delay=None, sslctx=tls)


def _keep_alive(plug: socket.socket, options: LinkOptions) -> None:
    """Let the system notice a dead peer: probes after `keepalive_s` of silence, an end after `user_timeout_s` without acknowledgement."""
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, max(1, int(options.keepalive_s)))
    plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, max(1, int(options.keepalive_s / 3)))
    plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
    plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * options.user_timeout_s))
