"""Hot reload: a configuration that is right takes the place of the running one; one that is wrong changes nothing."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gateway.app.swap import Swap, on_wire
from gateway.clock import Clock
from gateway.errors import ConfigError, Finding, GatewayError, StoreError
from gateway.maps.diff import Change, diff_maps, said
from gateway.model.point import Access, Text
from gateway.settings import DeviceSettings, Settings
from gateway.store.audit import Audit

log = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0

Load = Callable[[Sequence[Path]], Settings]
"""Reads the configuration's file and maps, these folders of maps first; raises ConfigError."""
Stamps = Mapping[Path, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A configuration that was read and is right, and how it differs from the running one."""

    settings: Settings
    changes: tuple[Change, ...]

    @property
    def is_risky(self) -> bool:
        """True if a second person has to look."""
        return any(change.is_risky for change in self.changes)

    @property
    def digest(self) -> str:
        """The same for the same changes of the same devices, after a restart, too."""
        devices = [(device.id, on_wire(device)) for device in self.settings.devices]
        links = sorted(link.id for link in self.settings.links)
        return hashlib.sha256(repr((self.changes, devices, links)).encode()).hexdigest()


class Reloader:
    """Reads the configuration again and puts it in place; looks for files that changed."""

    def __init__(self, settings: Settings, load: Load | None, swap: Swap, audit: Audit, clock: Clock) -> None:
        self.current = settings
        self.listeners: list[Callable[[], None]] = []
        self._load = load
        self._swap = swap
        self._audit = audit
        self._clock = clock
        self._lock = asyncio.Lock()

    async def candidate(self, maps_first: Sequence[Path] = ()) -> Candidate:
        """What the files say now; raises ConfigError with every file, line and point that is wrong."""
        if self._load is None:
            fix = "run it from a configuration file of its own: busmate run CONFIG"
            raise ConfigError([Finding(code="no_reload", message="this gateway's configuration cannot be read again", fix=fix)])
        settings = await asyncio.to_thread(self._load, maps_first)
        return Candidate(settings=settings, changes=tuple(plant_changes(self.current, settings)))

    async def activate(self, candidate: Candidate, *, by: str, via: str) -> None:
        """Put a candidate in place. The audit knows of it first; raises StoreError, with nothing changed."""
        async with self._lock:
            if _signature(candidate.settings) == _signature(self.current):
                self.current = candidate.settings
                return
            body = {"by": by, "via": via, "changes": [_row(change) for change in candidate.changes]}
            await self._audit.record("reload", str(candidate.settings.file.name), body)
            await self._swap.to(self.current, candidate.settings)
            for part, before, after in _fixed(self.current, candidate.settings):
                if before != after:
                    log.warning("%s changed; that counts after a restart", part)
            self.current = candidate.settings
            for listener in self.listeners:
                listener()
            log.info("reloaded by %s: %s changes", by, len(candidate.changes))

    async def hang_up(self) -> None:
        """SIGHUP: whoever may signal the process is its administrator; what is wrong is logged and changes nothing."""
        try:
            await self.activate(await self.candidate(), by="SIGHUP", via="signal")
        except (ConfigError, StoreError) as error:
            _log_refused(error)

    async def run(self) -> None:
        """Look every few seconds for files that changed; changes without risk count at once, others wait for a person."""
        stamps = await asyncio.to_thread(_stamps, self._files())
        while self._load is not None:
            await self._clock.sleep(LOOK_EVERY_S)
            seen = await asyncio.to_thread(_stamps, self._files())
            if seen != stamps:
                stamps = seen
                await self._take_up()

    async def _take_up(self) -> None:
        try:
            candidate = await self.candidate()
            if not candidate.is_risky:
                await self.activate(candidate, by="file", via="file")
                return
        except (ConfigError, StoreError) as error:
            _log_refused(error)
            return
        for change in candidate.changes:
            if change.is_risky:
                log.warning(
                    "%s %s: %s -> %s: %s; it waits for an engineer", change.point, change.key, change.old, change.new, change.risk.en
                )

    def _files(self) -> set[Path]:
        """Every file that counts, and those that would if they were there: a map of the site goes before one that ships."""
        now = self.current
        own = {folder / f"{device.map.id}.yaml" for folder in now.map_folders for device in now.devices}
        return {now.file, *own, *(Path(device.map.file) for device in now.devices)}


def plant_changes(old: Settings, new: Settings) -> Iterator[Change]:
    """How two configurations differ, maps under the site's rules; points are tags here."""
    for link in new.links:
        before_link = next((one for one in old.links if one.id == link.id), None)
        if before_link is not None and before_link != link:
            yield Change(point=link.id, key="link", old=before_link.place, new=link.place, risk=_REWIRED)
    before = {device.id: device for device in old.devices}
    for device in new.devices:
        if device.id not in before:
            writable = any(point.access is not Access.RO for point in device.map.points.values())
            yield Change(point=device.id, key="device", old="-", new=device.map.id, risk=_NEW if writable else Text())
        else:
            yield from _device_changes(before[device.id], device)
    for device in old.devices:
        if all(device.id != one.id for one in new.devices):
            yield Change(point=device.id, key="device", old=device.map.id, new="-", risk=_GONE)


def _device_changes(old: DeviceSettings, new: DeviceSettings) -> Iterator[Change]:
    for key, before, after, risk in (
        ("link", old.link, new.link, _REWIRED),
        ("unit_id", old.unit_id, new.unit_id, _REWIRED),
        ("map", old.map.id, new.map.id, _REWIRED),
        ("title", old.title, new.title, _CALLED),
        ("aliases", old.aliases, new.aliases, _CALLED),
        ("stale_after_s", old.stale_after_s, new.stale_after_s, _AGE),
        ("area", old.area, new.area, Text()),
    ):
        if before != after:
            yield Change(point=new.id, key=key, old=said(before), new=said(after), risk=risk)
    for change in diff_maps(old.map, new.map):
        yield replace(change, point=f"{new.id}.{change.point}" if change.point else new.id)


_REWIRED = Text("another device is read and written", "读写的设备改变")
_CALLED = Text("another device answers to the name", "名称所指的设备改变")
_AGE = Text("values count as fresh for another time", "数值的新鲜时限改变")
_NEW = Text("a new device can be written", "新增可写设备")
_GONE = Text("the device, its history and its alarms end", "设备及其历史和报警将消失")


def _signature(settings: Settings) -> tuple[object, ...]:
    devices = tuple((device.id, on_wire(device), device.title, device.aliases, device.area) for device in settings.devices)
    return settings.links, devices


def _fixed(old: Settings, new: Settings) -> tuple[tuple[str, object, object], ...]:
    """What a running gateway cannot change."""
    return (
        ("site", old.site, new.site),
        ("data_dir", old.data_dir, new.data_dir),
        ("store", old.store_url, new.store_url),
        ("store.keep_days", old.keep_days, new.keep_days),
        ("web", old.web, new.web),
        ("sessions", old.sessions, new.sessions),
        ("oidc", old.oidc, new.oidc),
        ("assistant", old.assistant, new.assistant),
    )


def _row(change: Change) -> dict[str, object]:
    return {"point": change.point, "key": change.key, "old": change.old, "new": change.new, "risk": change.risk.en}


def _stamps(files: Iterable[Path]) -> Stamps:
    found = {}
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        found[file] = (status.st_mtime_ns, status.st_size)
    return found


def _log_refused(error: GatewayError) -> None:
    for wrong in error.findings if isinstance(error, ConfigError) else (error,):
        log.error("not reloaded, the running configuration goes on: %s", wrong)
