"""Polling: groups that exist and are as fast as the device asks."""

from collections.abc import Iterator

from gateway.maps.rules.base import Fault, Item, MapView
from gateway.maps.schema import MapHeadIn
from gateway.maps.schema_types import seconds

_FASTEST_S = 0.05


def groups(item: Item, around: MapView) -> Iterator[Fault]:
    """`unknown_poll_group`."""
    if around.periods is not None and item.point.poll not in around.periods:
        message = f"no poll group {item.point.poll}"
        yield Fault(
            ("poll",), "unknown_poll_group", message, f"write one of {', '.join(around.periods)}, or add it under `poll:` of the map"
        )


def periods(head: MapHeadIn, around: MapView) -> Iterator[Fault]:
    """`poll_too_fast`, `watchdog_too_slow`."""
    for group, period in (around.periods or {}).items():
        if period is not None and period < _FASTEST_S:
            yield Fault(("poll", group), "poll_too_fast", f"group {group} every {head.poll[group]}", "write 50ms or more")
    watchdog = head.device.watchdog
    if watchdog is None:
        return
    used = [around.periods.get(point.poll) for point in around.points.values()] if around.periods else []
    fastest = min((period for period in used if period is not None), default=None)
    if fastest is None or fastest > seconds(watchdog.poll_at_least):
        message = f"the device wants to hear from us every {watchdog.poll_at_least}, and no point is polled that often"
        yield Fault(("device", "watchdog"), "watchdog_too_slow", message, "give a point a poll group that is fast enough")


def enums(head: MapHeadIn, used: frozenset[str]) -> Iterator[Fault]:
    """`unused_enum`."""
    for name in head.enums:
        if name not in used:
            yield Fault(("enums", name), "unused_enum", f"no point uses enum {name}", "remove it, or name it at a point")
