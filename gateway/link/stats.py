"""Counters of one link."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class LinkStats:
    """Since the start; `busy_s` is the time in which the link carried exchanges."""

    exchanges: int = 0
    timeouts: int = 0
    dials: int = 0
    failed_dials: int = 0
    busy_s: float = 0.0
