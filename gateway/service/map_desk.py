"""Changing maps of a running plant in two phases: tried with the whole plant, shown with its risks, confirmed by a second person (T63)."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Generic, TypeVar

from gateway.clock import Clock
from gateway.errors import Finding, GatewayError
from gateway.maps.versions import MapVersion, MapVersions
from gateway.service.base import Actor
from gateway.service.map_files import Draft, MapFiles, MapText
from gateway.service.map_live import CandidateLike, Live
from gateway.service.map_pending import MapChange, Pending, from_row, record_of, to_row
from gateway.service.map_refusals import changed, needs_engineer, needs_password, over, refused
from gateway.store.audit import Audit
from gateway.store.map_changes import MapChanges

PENDING_S = 86_400.0
"""How long a change waits: the other engineer may be of another shift, and only what was shown is ever put in place."""
_MOST_PENDING = 20


_C = TypeVar("_C", bound=CandidateLike)


class MapDesk(Generic[_C]):
    """Reading, changing, rolling back and reloading maps."""

    def __init__(self, live: Live[_C], files: MapFiles, versions: MapVersions, waiting: MapChanges, audit: Audit, clock: Clock) -> None:
        self.listeners: list[Callable[[], None]] = []
        """Called when something waits, or waits no more."""
        self._live = live
        self._files = files
        self._versions = versions
        self._waiting = waiting
        self._audit = audit
        self._clock = clock
        self._lock = asyncio.Lock()

    async def ids(self) -> Sequence[tuple[str, bool]]:
        """All maps by id, and whether each ships with Busmate."""
        return await asyncio.to_thread(self._files.ids)

    async def get(self, map_id: str) -> tuple[MapText, Sequence[MapVersion]]:
        """The text of a map and its kept states; raises MapError."""
        return await asyncio.to_thread(self._files.read, map_id), await asyncio.to_thread(self._versions.all, map_id)

    async def check(self, text: str) -> Sequence[Finding]:
        """Every error and warning of a map's text."""
        return await asyncio.to_thread(self._files.check, text)

    async def open(self) -> Sequence[MapChange]:
        """The changes that wait for a second person, oldest first."""
        return [pending.change for pending in await self._all()]

    async def version(self, map_id: str, number: int) -> str:
        """The text of a kept state; raises MapError."""
        return await asyncio.to_thread(self._versions.text, map_id, number)

    async def preview(self, draft: Draft, actor: Actor) -> MapChange:
        """What a new text would change, tried with the whole plant; nothing is kept. Raises ConfigError, WriteRefusedError."""
        needs_engineer(actor)
        async with self._lock:
            return (await self._tried(draft, actor, "")).change.ended("preview")

    async def put(self, draft: Draft, actor: Actor, reason: str) -> MapChange:
        """Try a new text with the whole plant; without risk it counts at once. Raises ConfigError, WriteRefusedError."""
        needs_engineer(actor)
        async with self._lock:
            pending = await self._tried(draft, actor, reason)
            return pending.change if pending.change.state == "unchanged" else await self._decide(pending, actor)

    async def roll_back(self, map_id: str, number: int, base: str, actor: Actor, reason: str) -> MapChange:
        """An earlier state becomes the new one, by the same two phases."""
        text = await asyncio.to_thread(self._versions.text, map_id, number)
        return await self.put(Draft(map=map_id, text=text, base=base), actor, reason or f"back to version {number}")

    async def reload(self, actor: Actor) -> MapChange:
        """Take up what changed in the files of configuration and maps."""
        needs_engineer(actor)
        async with self._lock:
            found = await self._live.candidate()
            change = MapChange(
                id=secrets.token_urlsafe(8),
                map="",
                state="pending",
                by=actor.user,
                reason="reload",
                changes=found.changes,
                expires_s=PENDING_S,
            )
            if not found.changes:
                await self._live.activate(found, by=actor.user, via=actor.via)
                return change.ended("unchanged")
            return await self._decide(Pending(change=change, draft=None, digest=found.digest), actor)

    async def confirm(self, change_id: str, actor: Actor) -> MapChange:
        """The second person's yes: exactly what was shown is put in place. Raises WriteRefusedError, ConfigError.

        One that can't be put in place as it was shown goes on waiting.
        """
        needs_engineer(actor)
        async with self._lock:
            pending = await self._find(change_id)
            if pending.change.by == actor.user:
                raise refused("SECOND_PERSON", "a second engineer has to confirm", "需要另一位工程师确认")
            return await self._activate(pending, confirmed_by=actor.user)

    async def reject(self, change_id: str, actor: Actor) -> MapChange:
        """A no, of anybody who might have said yes or of whoever wanted it."""
        needs_engineer(actor)
        async with self._lock:
            change = (await self._find(change_id)).change
            if not await self._waiting.end(change.id, "map_rejected", change.map, record_of(change, rejected_by=actor.user)):
                raise over()
            self._tell()
            return change.ended("rejected")

    async def _tried(self, draft: Draft, actor: Actor, reason: str) -> Pending:
        tried = await asyncio.to_thread(self._files.tried, draft)
        if tried.is_same:
            change = MapChange(id="", map=draft.map, state="unchanged", by=actor.user, reason=reason, changes=(), warnings=tried.warnings)
            return Pending(change=change, draft=draft, digest="")
        await self._not_behind()
        with_it = await self._live.candidate([tried.folder])
        change = MapChange(
            id=secrets.token_urlsafe(8),
            map=draft.map,
            state="pending",
            by=actor.user,
            reason=reason,
            changes=tried.changes or with_it.changes,
            warnings=tried.warnings,
            expires_s=PENDING_S,
        )
        return Pending(change=change, draft=draft, digest=with_it.digest)

    async def _decide(self, pending: Pending, actor: Actor) -> MapChange:
        change = pending.change
        if not change.is_risky:
            return await self._activate(pending, confirmed_by="")
        needs_password(actor)
        row = to_row(pending, self._clock.utc() + timedelta(seconds=PENDING_S))
        if not await self._waiting.put(row, record_of(change, via=actor.via), most=_MOST_PENDING):
            raise refused("RATE", "too many changes wait already", "待确认的变更过多")
        self._tell()
        return change

    async def _activate(self, pending: Pending, confirmed_by: str) -> MapChange:
        """Audit first, then the file, then the plant; a plant that refuses gets its file back."""
        change, draft = pending.change, pending.draft
        who = f"{change.by}, {confirmed_by}" if confirmed_by else change.by
        tried = await asyncio.to_thread(self._files.tried, draft) if draft is not None else None
        found = await self._live.candidate([tried.folder] if tried is not None else ())
        if found.digest != pending.digest:
            raise changed()
        await self._record(change, confirmed_by)
        if draft is not None:
            await asyncio.to_thread(self._write, draft, who, change.reason)
        try:
            found = await self._live.candidate()
            if found.digest != pending.digest:
                raise changed()
            await self._live.activate(found, by=who, via="page")
        except GatewayError:
            if draft is not None:
                await asyncio.to_thread(self._files.undo, draft)
            raise
        return change.ended("active")

    async def _record(self, change: MapChange, confirmed_by: str) -> None:
        """The audit knows of a change before it counts; one that waited waits no more."""
        record = record_of(change, confirmed_by=confirmed_by)
        if not confirmed_by:
            await self._audit.record("map_change", change.map, record)
        elif not await self._waiting.end(change.id, "map_change", change.map, record):
            raise over()
        else:
            self._tell()

    def _write(self, draft: Draft, who: str, reason: str) -> None:
        old = self._files.old_text(draft.map)
        if old is not None:
            self._versions.keep(draft.map, old, at=self._clock.utc(), by="", note="as found")
        self._versions.keep(draft.map, draft.text, at=self._clock.utc(), by=who, note=reason)
        self._files.write(draft)

    async def _not_behind(self) -> None:
        if (await self._live.candidate()).changes:
            raise refused("CHANGED", "files were changed beside this; reload them first", "文件已被另行修改，请先重新加载")

    async def _find(self, change_id: str) -> Pending:
        for pending in await self._all():
            if pending.change.id == change_id:
                return pending
        raise over()

    async def _all(self) -> Sequence[Pending]:
        now = self._clock.utc()
        return [from_row(row, now) for row in await self._waiting.waiting()]

    def _tell(self) -> None:
        for listener in self.listeners:
            listener()
