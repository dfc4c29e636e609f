"""Keeps open pages up to date: what was read, alarms, health and proposals, once a second and only if anybody looks."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from gateway.api import cards, schemas
from gateway.api.events import EventHub
from gateway.model.sample import Tag
from gateway.service.base import Proposal, ReadService
from gateway.store.base import Lockout

Lockouts = Callable[[], Awaitable[Sequence[Lockout]]]

TICK_S = 1.0


class PageFeed:
    """Publishes to the hub what changed since the last tick."""

    def __init__(self, read: ReadService, take_news: Callable[[], Sequence[Tag]], lockouts: Lockouts, hub: EventHub) -> None:
        self._read = read
        self._take_news = take_news
        self._lockouts = lockouts
        self._hub = hub
        self._told: dict[str, str] = {}

    async def run(self) -> None:
        """Feed until cancelled."""
        while True:
            await asyncio.sleep(TICK_S)
            news = self._take_news()
            if not self._hub.has_listeners:
                self._told.clear()
                continue
            read = self._read
            if news:
                self._hub.publish("samples", [schemas.sample(one) for one in read.latest(news)])
            health = {one.device: one for one in read.health()}
            self._changed("health", [schemas.device(info, health.get(info.id), counters=False) for info in read.devices()])
            self._changed("alarms", [schemas.alarm(info) for info in read.alarms()])
            self._changed("lockout", await lockout_of(self._lockouts) or {})

    def tell(self, one: Proposal) -> None:
        """A proposal was put up, decided or ended."""
        points = {info.tag: info for info in self._read.points()} if one.writes else {}
        self._hub.publish("proposal", cards.proposal(one, points, with_nonce=False))

    def _changed(self, name: str, document: object) -> None:
        text = schemas.dumps(document)
        if self._told.get(name) != text:
            self._told[name] = text
            self._hub.publish(name, document)


async def lockout_of(lockouts: Lockouts) -> dict[str, str] | None:
    """The widest lockout that stands, for the banner, and how many more there are."""
    found = sorted(await lockouts(), key=lambda one: one.scope != "*")
    return {"scope": found[0].scope, "reason": found[0].reason, "by": found[0].by, "more": str(len(found) - 1)} if found else None
