"""How one unit does: counters, last good reply, and its state in one word."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

State = Literal["waiting", "ok", "degraded", "down"]

_RECENT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitStatus:
    """A snapshot. `reason` is that of the last failure while the state is not ok; `since` is when the state began."""

    device: str
    link: str
    unit_id: int
    state: State
    reason: str
    since: datetime | None
    last_good: datetime | None
    reads: int
    errors: dict[str, int]
    latency_ms: float | None
    latency_counts: tuple[int, ...]
    overruns: int


class UnitHealth:
    """Notes how the reads of one device end. Down: demoted or without a link; degraded: one of the last 20 reads failed."""

    def __init__(self) -> None:
        self.reads = 0
        self.good_reads = 0
        self.overruns = 0
        self.errors: Counter[str] = Counter()
        self.last_good: datetime | None = None
        self.state: State = "waiting"
        self.reason = ""
        self.since: datetime | None = None
        self._since_failure = _RECENT

    def good(self, at: datetime) -> None:
        """A read gave its words."""
        self.reads += 1
        self.good_reads += 1
        self.last_good = at
        self._since_failure += 1
        self._enter("ok" if self._since_failure >= _RECENT else "degraded", at)
        if self.state == "ok":
            self.reason = ""

    def bad(self, reason: str, at: datetime, *, is_down: bool) -> None:
        """A read failed; `is_down` if nothing can be read from the unit at present."""
        self.reads += 1
        self.errors[reason] += 1
        self.reason = reason
        self._since_failure = 0
        self._enter("down" if is_down else "degraded", at)

    def _enter(self, state: State, at: datetime) -> None:
        if state != self.state:
            self.state = state
            self.since = at
