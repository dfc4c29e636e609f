"""A simulated link on a TCP port: Modbus/TCP, or RTU frames over TCP as serial device servers send them."""

import asyncio
import socket
import struct
from typing import cast

from simulators.session import Session
from simulators.station import Station


class TcpServer:
    """Serves one station; a stopped server can start again on the same port."""

    def __init__(self, station: Station, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._station = station
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections = _Connections()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port; the port is known once started."""
        return self._host, self._port

    @property
    def port(self) -> int:
        """The port, once started."""
        return self._port

    async def start(self) -> None:
        """Listen; raises OSError if the port is taken."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self._station, self._connections), self._host, self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is None:
            return
        self._server.close()
        for connection in tuple(self._connections.open):
            connection.reset()
        await self._server.wait_closed()
        self._server = None
        await self._connections.are_closed.wait()


class _Connections:
    """Those that are open; `are_closed` is set while there are none."""

    def __init__(self) -> None:
        self.open: set[_Connection] = set()
        self.are_closed = asyncio.Event()
        self.are_closed.set()

    def add(self, connection: "_Connection") -> None:
        self.open.add(connection)
        self.are_closed.clear()

    def remove(self, connection: "_Connection") -> None:
        self.open.discard(connection)
        if not self.open:
            self.are_closed.set()


class _Connection(asyncio.Protocol):
    def __init__(self, station: Station, connections: _Connections) -> None:
        self._station = station
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._session: Session | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        stream = cast("asyncio.Transport", transport)  # what create_server gives; uvloop's has no such base
        self._transport = stream
        if not self._station.admits(len(self._connections.open)):
            self.reset()
            return
        self._connections.add(self)
        self._session = Session(self._station, stream.write, stream.close)

    def data_received(self, data: bytes) -> None:
        if self._session is not None:
            self._session.receive(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._connections.remove(self)
        if self._session is not None:
            self._session.stop()

    def reset(self) -> None:
        """End with RST, as a device does that loses power."""
        if self._transport is not None:
            sock = self._transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()
