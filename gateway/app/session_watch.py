"""Ends the event streams of sessions and tokens that are over, however they ended: signed out, idle, disabled, at the terminal."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection

from gateway.api.events import EventHub
from gateway.errors import StoreError

log = logging.getLogger(__name__)

Alive = Callable[[Collection[str]], Awaitable[set[str]]]

LOOK_EVERY_S = 1.0


class SessionWatch:
    """Looks once a second, if anybody listens. A database that cannot be read ends nobody's stream."""

    def __init__(self, hub: EventHub, alive: Alive) -> None:
        self._hub = hub
        self._alive = alive

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            await self.look()

    async def look(self) -> None:
        """End what is over."""
        keys = self._hub.keys
        if not keys:
            return
        try:
            over = keys - await self._alive(keys)
        except StoreError as error:
            log.warning("open sessions cannot be looked up: %s", error)
            return
        self._hub.end(over)
