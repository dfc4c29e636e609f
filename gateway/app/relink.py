"""The same settings over other ports: the demo and the tests put a simulator's ports in place of the configured ones."""

from collections.abc import Mapping
from dataclasses import replace

from gateway.settings import Settings


def relinked(settings: Settings, ports: Mapping[str, str | tuple[str, int]]) -> Settings:
    """`settings` with each link of `ports` leading to a serial port's path, or to (host, port)."""
    links = []
    for link in settings.links:
        port = ports.get(link.id)
        if isinstance(port, str):
            links.append(replace(link, device=port, parity="none", stop_bits=1, data_bits=8))
        elif port is not None:
            links.append(replace(link, host=port[0], port=port[1]))
        else:
            links.append(link)
    return replace(settings, links=tuple(links))
