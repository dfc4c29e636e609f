"""Keeps open pages up to date: what was read, alarms, health and proposals, once a second and only if anybody looks."""

import asyncio

from gateway.api import schemas
from gateway.api.events import EventHub
from gateway.app.gateway import Gateway
from gateway.service.base import Proposal

TICK_S = 1.0


class PageFeed:
    """Publishes to the hub what changed since the last tick."""

    def __init__(self, gateway: Gateway, hub: EventHub) -> None:
        self._gateway = gateway
        self._hub = hub
        self._told: dict[str, str] = {}
        gateway.listeners.append(self._proposal)

    async def run(self) -> None:
        """Feed until cancelled."""
        while True:
            await asyncio.sleep(TICK_S)
            news = self._gateway.sink.take_news()
            if not self._hub.has_listeners:
                self._told.clear()
                continue
            read = self._gateway.read
            if news:
                self._hub.publish("samples", [schemas.sample(one) for one in read.latest(news)])
            health = {one.device: one for one in read.health()}
            self._changed("health", [schemas.device(info, health.get(info.id), counters=False) for info in read.devices()])
            self._changed("alarms", [schemas.alarm(info) for info in read.alarms()])
            self._changed("lockout", await lockout_of(self._gateway) or {})

    def _changed(self, name: str, document: object) -> None:
        text = schemas.dumps(document)
        if self._told.get(name) != text:
            self._told[name] = text
            self._hub.publish(name, document)

    def _proposal(self, one: Proposal) -> None:
        points = {info.tag: info for info in self._gateway.read.points()} if one.writes else {}
        self._hub.publish("proposal", schemas.proposal(one, points, with_nonce=False))


async def lockout_of(gateway: Gateway) -> dict[str, str] | None:
    """The widest lockout that stands, for the banner."""
    found = sorted(await gateway.confirm.lockouts(), key=lambda one: one.scope != "*")
    return {"scope": found[0].scope, "reason": found[0].reason, "by": found[0].by} if found else None
