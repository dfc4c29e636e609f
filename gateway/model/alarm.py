"""The states of an alarm (ISA-18.2) over the values of one point; pure, time is handed in."""

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

from gateway.model.point import AlarmRule, Text
from gateway.model.sample import Tag

Level = Literal["hihi", "lolo", "hi", "lo", "flag"]
State = Literal["NORMAL", "UNACK_ACTIVE", "ACK_ACTIVE", "RTN_UNACK"]
AlarmState = Literal["NORMAL", "UNACK_ACTIVE", "ACK_ACTIVE", "RTN_UNACK", "SHELVED"]
Priority = Literal["low", "medium", "high"]

_RANK: dict[Level, int] = {"flag": 0, "hi": 1, "lo": 1, "hihi": 2, "lolo": 2}
_SIDE: dict[Level, str] = {"flag": "flag", "hi": "high", "hihi": "high", "lo": "low", "lolo": "low"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one alarm stands: its active level (None: normal), and whether a person has acknowledged it.

    `pending` is a level that has not lasted for the rule's delay yet, seen first at `pending_since` (monotonic seconds).
    """

    level: Level | None = None
    acked: bool = True
    pending: Level | None = None
    pending_since: float = 0.0

    @property
    def state(self) -> State:
        """The ISA-18.2 state."""
        if self.level is None:
            return "NORMAL" if self.acked else "RTN_UNACK"
        return "ACK_ACTIVE" if self.acked else "UNACK_ACTIVE"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmInfo:
    """An alarm of the journal. `key` names the condition (a tag, or `TAG#BIT`), `id` this occurrence of it."""

    id: str
    key: str
    tag: Tag
    text: Text
    priority: Priority
    state: AlarmState
    raised_at: datetime
    cleared_at: datetime | None = None
    acked_at: datetime | None = None
    acked_by: str = ""
    shelved_until: datetime | None = None
    shelved_by: str = ""


def level_of(rule: AlarmRule, value: Decimal | float, now: Level | None) -> Level | None:
    """The worst level that `value` reaches; a level that stands holds until the value is back by the hysteresis.

    >>> rule = AlarmRule(hi=Decimal(75), hysteresis=Decimal(2))
    >>> level_of(rule, 75, None), level_of(rule, 74, "hi"), level_of(rule, 73, "hi"), level_of(rule, 74, None)
    ('hi', 'hi', None, None)
    """
    levels: tuple[tuple[Level, Decimal | None, int], ...] = (
        ("hihi", rule.hihi, 1),
        ("lolo", rule.lolo, -1),
        ("hi", rule.hi, 1),
        ("lo", rule.lo, -1),
    )
    for level, limit, sign in levels:
        if limit is None:
            continue
        beyond = sign * (Decimal(value) - limit)
        if beyond >= 0 or (_holds(now, level) and beyond > -rule.hysteresis):
            return level
    return None


def evaluate(standing: Standing, level: Level | None, delay_s: float, mono: float) -> Standing:
    """The standing after a value whose level is `level`; the same object if nothing changed.

    A level must last `delay_s` before it counts; a return to normal counts at once. A worse level than the
    acknowledged one must be acknowledged again.
    """
    if level == standing.level:
        return standing if standing.pending is None else replace(standing, pending=None)
    if level is None:
        return replace(standing, level=None, pending=None)
    if delay_s > 0:
        if standing.pending != level:
            return replace(standing, pending=level, pending_since=mono)
        if mono - standing.pending_since < delay_s:
            return standing
    eases = standing.level is not None and _RANK[level] < _RANK[standing.level] and _holds(standing.level, level)
    return Standing(level=level, acked=standing.acked and eases)


def acknowledge(standing: Standing) -> Standing:
    """The standing after a person's acknowledgement."""
    return standing if standing.acked else replace(standing, acked=True)


def _holds(now: Level | None, level: Level) -> bool:
    """True if the level that stands is `level` or a worse one of the same side."""
    return now is not None and _SIDE[now] == _SIDE[level] and _RANK[now] >= _RANK[level]
