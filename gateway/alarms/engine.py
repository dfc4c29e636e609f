"""Alarms of the plant in their ISA-18.2 states, fed with samples, told to the journal."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from gateway.alarms.watch import Watch, words_of
from gateway.clock import Clock
from gateway.errors import WriteRefusedError
from gateway.model.alarm import AlarmInfo, AlarmState, Standing, acknowledge, evaluate
from gateway.model.quality import Quality, quality_of
from gateway.model.sample import BlockSamples, Scalar

log = logging.getLogger(__name__)

_PRIORITIES = {"high": 0, "medium": 1, "low": 2}
_URGENCIES: dict[AlarmState, int] = {"UNACK_ACTIVE": 0, "ACK_ACTIVE": 1, "RTN_UNACK": 2, "SHELVED": 3, "NORMAL": 4}
_ACTIVE = ("UNACK_ACTIVE", "ACK_ACTIVE")


class Alarms:
    """The alarms that are not normal, and the standing of all that are watched.

    `journal` is called with every change, in order. A value that is BAD changes nothing: an alarm neither comes nor
    goes while the plant cannot be seen.
    """

    def __init__(self, watches: Iterable[Watch], clock: Clock, journal: Callable[[AlarmInfo], None]) -> None:
        self._watches = {watch.key: watch for watch in watches}
        self._clock = clock
        self._journal = journal
        self._standing: dict[str, Standing] = {}
        self._infos: dict[str, AlarmInfo] = {}
        self._next = 1

    def restore(self, infos: Iterable[AlarmInfo], last_number: int) -> None:
        """Take over what the journal knows: the alarms that were not normal, and the last number given out."""
        self._next = last_number + 1
        for info in infos:
            watch = self._watches.get(info.key)
            if watch is None:
                log.info("alarm %s is of a point that is no longer watched: %s", info.id, info.key)
                continue
            level = watch.restored_level if info.state in _ACTIVE else None
            self._standing[info.key] = Standing(level=level, acked=info.state not in ("UNACK_ACTIVE", "RTN_UNACK"))
            self._infos[info.key] = info

    def rewatch(self, watches: Iterable[Watch]) -> None:
        """Watch these from now on; an alarm of what is no longer watched ends."""
        self._watches = {watch.key: watch for watch in watches}
        for key, info in list(self._infos.items()):
            if key not in self._watches:
                self._standing.pop(key, None)
                if info.state != "NORMAL":
                    log.warning("alarm %s ends: %s is no longer watched", info.id, key)
                    self._put(replace(info, state="NORMAL", cleared_at=self._clock.utc(), shelved_until=None, shelved_by=""))

    def evaluate(self, watches: Sequence[Watch], samples: BlockSamples) -> None:
        """Move the alarms that `watches` describe by the values of their block."""
        for watch in watches:
            reason = samples.reasons[watch.index]
            value = samples.values[watch.index]
            if value is None or (reason is not None and quality_of(reason) is Quality.BAD):
                continue
            before = self._standing.get(watch.key, _NORMAL)
            after = evaluate(before, watch.level(value, before.level), watch.delay_s, samples.read_mono)
            if after is not before:
                self._standing[watch.key] = after
                if after.state != before.state or after.level != before.level:
                    self._changed(watch, before, after, samples.read_at, value)

    def list(self, states: Sequence[AlarmState] = (), tag: str | None = None) -> list[AlarmInfo]:
        """The alarms that are not normal, worst first: priority, then urgency of the state, then newest."""
        self._unshelve_due()
        wanted = [
            info
            for info in self._infos.values()
            if info.state != "NORMAL" and (not states or info.state in states) and (tag is None or info.tag == tag)
        ]
        return sorted(wanted, key=lambda info: (_PRIORITIES[info.priority], _URGENCIES[info.state], -info.raised_at.timestamp()))

    def get(self, alarm: str) -> AlarmInfo:
        """One alarm that is not normal; refused (NOT_ALLOWED) if there is none of this id."""
        for info in self.list():
            if info.id == alarm:
                return info
        raise WriteRefusedError(
            ["NOT_ALLOWED"], f"there is no standing alarm {alarm}", f"没有未恢复的报警 {alarm}", fix="list the alarms again"
        )

    def acknowledge(self, alarm: str, user: str) -> AlarmInfo:
        """A person has seen it: UNACK_ACTIVE becomes ACK_ACTIVE, RTN_UNACK becomes NORMAL."""
        info = self.get(alarm)
        if info.state not in ("UNACK_ACTIVE", "RTN_UNACK"):
            raise WriteRefusedError(["NOT_ALLOWED"], f"alarm {alarm} needs no acknowledgement", f"报警 {alarm} 无需确认")
        standing = acknowledge(self._standing[info.key])
        self._standing[info.key] = standing
        return self._put(replace(info, state=standing.state, acked_at=self._clock.utc(), acked_by=user))

    def shelve(self, alarm: str, user: str, until: datetime) -> AlarmInfo:
        """Take an alarm out of sight until a time; its standing goes on underneath."""
        return self._put(replace(self.get(alarm), state="SHELVED", shelved_until=until, shelved_by=user))

    def unshelve(self, alarm: str) -> AlarmInfo:
        """Show a shelved alarm again, in the state its value has now."""
        return self._show(self.get(alarm))

    def _show(self, info: AlarmInfo) -> AlarmInfo:
        standing = self._standing.get(info.key, _NORMAL)
        return self._put(replace(info, state=standing.state, shelved_until=None, shelved_by=""))

    def _unshelve_due(self) -> None:
        now = self._clock.utc()
        for info in list(self._infos.values()):
            if info.state == "SHELVED" and info.shelved_until is not None and info.shelved_until <= now:
                self._show(info)

    def _changed(self, watch: Watch, before: Standing, after: Standing, at: datetime, value: Scalar) -> None:
        info = self._infos.get(watch.key)
        if info is not None and info.state == "SHELVED":
            cleared = at if after.level is None else None
            self._put(replace(info, cleared_at=cleared))
            return
        if info is None or info.state == "NORMAL" or (before.level is None and after.level is not None):
            self._put(self._raised(watch, after, at, value))
            return
        cleared = at if after.level is None else info.cleared_at
        self._put(replace(info, state=after.state, cleared_at=cleared))

    def _raised(self, watch: Watch, standing: Standing, at: datetime, value: Scalar) -> AlarmInfo:
        number, self._next = self._next, self._next + 1
        return AlarmInfo(
            id=f"AL-{number}",
            key=watch.key,
            tag=watch.tag,
            text=words_of(watch, value),
            priority=watch.priority,
            state=standing.state,
            raised_at=at,
        )

    def _put(self, info: AlarmInfo) -> AlarmInfo:
        self._infos[info.key] = info
        self._journal(info)
        return info


_NORMAL = Standing()
