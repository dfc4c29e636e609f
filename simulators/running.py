"""The links of a plant, served: where each can be reached, and switching one off and on."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from simulators.plant import SimLink
from simulators.server import TcpServer
from simulators.station import Station

Port = str | tuple[str, int]
"""A terminal to open as a serial port, or host and port."""


class Server(Protocol):
    """One served link."""

    @property
    def address(self) -> Port:
        """Where clients reach it, once started."""
        ...

    async def start(self) -> None:
        """Serve."""
        ...

    async def stop(self) -> None:
        """Serve no more."""
        ...


class Running:
    """`ports` says where each link is reached."""

    def __init__(self, servers: Mapping[str, Server]) -> None:
        self._servers = servers

    @property
    def ports(self) -> Mapping[str, Port]:
        """Link id -> terminal, or (host, port)."""
        return {link: server.address for link, server in self._servers.items()}

    def serial_port(self, link: str) -> str:
        """The terminal of a serial link."""
        port = self.ports[link]
        if not isinstance(port, str):
            raise TypeError(f"link {link} is a TCP port")
        return port

    def tcp_port(self, link: str) -> tuple[str, int]:
        """Host and port of a TCP link."""
        port = self.ports[link]
        if isinstance(port, str):
            raise TypeError(f"link {link} is a serial line")
        return port

    async def switch_off(self, link: str) -> None:
        """Take a link away: connections are reset, new ones refused, a terminal vanishes."""
        await self._servers[link].stop()

    async def switch_on(self, link: str) -> None:
        """Bring it back, a TCP link on its old port."""
        await self._servers[link].start()


@asynccontextmanager
async def serve(
    links: Mapping[str, SimLink], stations: Mapping[str, Station], *, paced: bool, pty_paths: Mapping[str, Path]
) -> AsyncIterator[Running]:
    """Serve `stations` until the context ends."""
    servers = {name: _server(link, stations[name], paced=paced, pty_path=pty_paths.get(name)) for name, link in links.items()}
    try:
        for server in servers.values():
            await server.start()
        yield Running(servers)
    finally:
        for server in servers.values():
            await server.stop()


def _server(link: SimLink, station: Station, *, paced: bool, pty_path: Path | None) -> Server:
    if not link.is_serial:
        return TcpServer(station, port=link.port)
    from simulators.pty_server import PtyServer  # pseudo terminals do not exist on every system

    return PtyServer(station, timing=link.timing if paced else None, link_to=pty_path)
