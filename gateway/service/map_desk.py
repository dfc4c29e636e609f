"""Changing maps of a running plant in two phases: tried with the whole plant, shown with its risks, confirmed by a second person (T63)."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar

from gateway.clock import Clock
from gateway.errors import Finding, GatewayError, WriteRefusedError
from gateway.maps.diff import Change
from gateway.maps.versions import MapVersion, MapVersions
from gateway.model.point import Role
from gateway.service.account_desk import PASSWORD_AGAIN
from gateway.service.base import Actor
from gateway.service.map_files import Draft, MapFiles, MapText
from gateway.store.audit import Audit

PENDING_S = 600.0
_MOST_PENDING = 20


class CandidateLike(Protocol):
    """A configuration that was read and is right."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """How it differs from the running one."""
        ...

    @property
    def digest(self) -> str:
        """The same for the same changes."""
        ...


_C = TypeVar("_C", bound=CandidateLike)


class Live(Protocol[_C]):
    """The running plant, which can take another configuration."""

    async def candidate(self, maps_first: Sequence[Path] = ()) -> _C:
        """What the files say now; raises ConfigError."""
        ...

    async def activate(self, candidate: _C, *, by: str, via: str) -> None:
        """Put it in place."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MapChange:
    """A wanted change of one map, or of all files for a reload (`map` and `draft` empty), and how far it came."""

    id: str
    map: str
    state: Literal["active", "pending", "unchanged", "rejected"]
    by: str
    reason: str
    changes: tuple[Change, ...]
    warnings: tuple[Finding, ...] = ()
    expires_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    change: MapChange
    draft: Draft | None
    digest: str
    until: float


class MapDesk(Generic[_C]):
    """Reading, changing, rolling back and reloading maps."""

    def __init__(self, live: Live[_C], files: MapFiles, versions: MapVersions, audit: Audit, clock: Clock) -> None:
        self._live = live
        self._files = files
        self._versions = versions
        self._audit = audit
        self._clock = clock
        self._pending: dict[str, _Pending] = {}
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

    def open(self) -> Sequence[MapChange]:
        """The changes that wait for a second person, oldest first."""
        now = self._clock.monotonic()
        self._pending = {id_: one for id_, one in self._pending.items() if one.until > now}
        return [replace(one.change, expires_s=one.until - now) for one in self._pending.values()]

    async def put(self, draft: Draft, actor: Actor, reason: str) -> MapChange:
        """Try a new text with the whole plant; without risk it counts at once. Raises ConfigError, WriteRefusedError."""
        _needs_engineer(actor)
        async with self._lock:
            tried = await asyncio.to_thread(self._files.tried, draft)
            if tried.is_same:
                return MapChange(id="", map=draft.map, state="unchanged", by=actor.user, reason=reason, changes=(), warnings=tried.warnings)
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
            pending = _Pending(change=change, draft=draft, digest=with_it.digest, until=self._clock.monotonic() + PENDING_S)
            return await self._decide(pending, actor)

    async def roll_back(self, map_id: str, number: int, base: str, actor: Actor, reason: str) -> MapChange:
        """An earlier state becomes the new one, by the same two phases."""
        text = await asyncio.to_thread(self._versions.text, map_id, number)
        return await self.put(Draft(map=map_id, text=text, base=base), actor, reason or f"back to version {number}")

    async def reload(self, actor: Actor) -> MapChange:
        """Take up what changed in the files of configuration and maps."""
        _needs_engineer(actor)
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
                return _ended(change, "unchanged")
            pending = _Pending(change=change, draft=None, digest=found.digest, until=self._clock.monotonic() + PENDING_S)
            return await self._decide(pending, actor)

    async def confirm(self, change_id: str, actor: Actor) -> MapChange:
        """The second person's yes: exactly what was shown is put in place. Raises WriteRefusedError, ConfigError."""
        _needs_engineer(actor)
        async with self._lock:
            pending = self._find(change_id)
            if pending.change.by == actor.user:
                raise _refused("SECOND_PERSON", "a second engineer has to confirm", "需要另一位工程师确认")
            del self._pending[change_id]
            return await self._activate(pending, confirmed_by=actor.user)

    async def reject(self, change_id: str, actor: Actor) -> MapChange:
        """A no, of anybody who might have said yes or of whoever wanted it."""
        _needs_engineer(actor)
        async with self._lock:
            pending = self._find(change_id)
            await self._audit.record("map_rejected", pending.change.map, _body(pending.change, rejected_by=actor.user))
            del self._pending[change_id]
            return _ended(pending.change, "rejected")

    async def _decide(self, pending: _Pending, actor: Actor) -> MapChange:
        if not any(one.is_risky for one in pending.change.changes):
            return await self._activate(pending, confirmed_by="")
        if not actor.is_fresh:
            raise _refused("PASSWORD_AGAIN", *PASSWORD_AGAIN)
        if len(self.open()) >= _MOST_PENDING:
            raise _refused("RATE", "too many changes wait already", "待确认的变更过多")
        await self._audit.record("map_proposed", pending.change.map, _body(pending.change, via=actor.via))
        self._pending[pending.change.id] = pending
        return pending.change

    async def _activate(self, pending: _Pending, confirmed_by: str) -> MapChange:
        """Audit first, then the file, then the plant; a plant that refuses gets its file back."""
        change, draft = pending.change, pending.draft
        who = f"{change.by}, {confirmed_by}" if confirmed_by else change.by
        tried = await asyncio.to_thread(self._files.tried, draft) if draft is not None else None
        found = await self._live.candidate([tried.folder] if tried is not None else ())
        if found.digest != pending.digest:
            raise _changed()
        await self._audit.record("map_change", change.map, _body(change, confirmed_by=confirmed_by))
        if draft is not None:
            await asyncio.to_thread(self._write, draft, who, change.reason)
        try:
            found = await self._live.candidate()
            if found.digest != pending.digest:
                raise _changed()
            await self._live.activate(found, by=who, via="page")
        except GatewayError:
            if draft is not None:
                await asyncio.to_thread(self._files.undo, draft)
            raise
        return _ended(change, "active")

    def _write(self, draft: Draft, who: str, reason: str) -> None:
        old = self._files.old_text(draft.map)
        if old is not None:
            self._versions.keep(draft.map, old, at=self._clock.utc(), by="", note="as found")
        self._versions.keep(draft.map, draft.text, at=self._clock.utc(), by=who, note=reason)
        self._files.write(draft)

    async def _not_behind(self) -> None:
        if (await self._live.candidate()).changes:
            raise _refused("CHANGED", "files were changed beside this; reload them first", "文件已被另行修改，请先重新加载")

    def _find(self, change_id: str) -> _Pending:
        self.open()
        found = self._pending.get(change_id)
        if found is None:
            raise _refused("EXPIRED", "no change of this id waits; it may be over", "没有此待确认变更，可能已过期")
        return found


def _needs_engineer(actor: Actor) -> None:
    if not actor.role.includes(Role.ENGINEER):
        raise _refused("ROLE", "changing maps needs the role engineer", "修改点表需要工程师权限")


def _changed() -> WriteRefusedError:
    return _refused("CHANGED", "the files changed since this was shown", "文件在提出之后已变化，请重新提出")


def _refused(code: str, words: str, words_zh: str) -> WriteRefusedError:
    return WriteRefusedError([code], words, words_zh)


def _ended(change: MapChange, state: Literal["active", "unchanged", "rejected"]) -> MapChange:
    return replace(change, state=state, expires_s=0.0)


def _body(change: MapChange, **more: str) -> dict[str, object]:
    rows = [{"point": one.point, "key": one.key, "old": one.old, "new": one.new, "risk": one.risk.en} for one in change.changes]
    return {"by": change.by, "reason": change.reason, "change": change.id, "changes": rows, **more}
