"""From stored samples to an answer about the past: pure arithmetic over one tag's values.

A stored value holds until the next one (samples are stored when they change by more than the deadband, and at
least at every heartbeat); a sample without value ends what was known before it.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import assert_never

from gateway.model.sample import Scalar, Tag
from gateway.service.base import Agg, History, HistoryPoint

_HOUR_S = 3600.0


def summarise(
    tag: Tag,
    unit: str,
    samples: Sequence[HistoryPoint],
    start: datetime,
    end: datetime,
    agg: Agg,
    *,
    buckets: int = 0,
    target: Decimal | None = None,
    oldest: datetime | None = None,
) -> History:
    """Summarise `samples` (in order of time, the first may lie before `start`) over `start..end`.

    With `buckets` the points are one aggregate per equal part of the period; with `agg` raw they are the samples.
    """
    known = _within(samples, start, end)
    numbers = [(at, value) for at, value in ((point.at, _number(point.value)) for point in known) if value is not None]
    value, at = _aggregate(known, numbers, end, agg, target)
    slope = _slope_per_hour(numbers)
    return History(
        tag=tag,
        unit=unit,
        agg=agg,
        start=start,
        end=end,
        count=sum(point.value is not None for point in known),
        value=value,
        at=at,
        first=next((point for point in known if point.value is not None), None),
        last=next((point for point in reversed(known) if point.value is not None), None),
        points=_points(known, start, end, agg, buckets, target),
        oldest=oldest,
        target=target,
        reaches_at=_reaches(numbers, slope, target, end),
        above=tuple(_above(known, end, target)) if target is not None else (),
    )


def _within(samples: Sequence[HistoryPoint], start: datetime, end: datetime) -> list[HistoryPoint]:
    """The samples of the period; the value that held at its start is moved there."""
    inside = [point for point in samples if start <= point.at <= end]
    before = next((point for point in reversed(samples) if point.at < start), None)
    if before is not None and (not inside or inside[0].at > start):
        inside.insert(0, HistoryPoint(at=start, value=before.value, reason=before.reason))
    return inside


def _number(value: Scalar | None) -> Decimal | None:
    if value is None or isinstance(value, str):
        return None
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _aggregate(
    known: Sequence[HistoryPoint], numbers: Sequence[tuple[datetime, Decimal]], end: datetime, agg: Agg, target: Decimal | None
) -> tuple[Decimal | float | int | None, datetime | None]:
    """The aggregate over all of the period, and when it stood (minimum, maximum, first, last)."""
    if agg == "count":
        return sum(point.value is not None for point in known), None
    if not numbers or agg == "raw":
        return None, None
    match agg:
        case "min":
            at, value = min(numbers, key=lambda pair: pair[1])
            return value, at
        case "max":
            at, value = max(numbers, key=lambda pair: pair[1])
            return value, at
        case "first":
            return numbers[0][1], numbers[0][0]
        case "last":
            return numbers[-1][1], numbers[-1][0]
        case "delta":
            return numbers[-1][1] - numbers[0][1], None
        case "slope":
            return _slope_per_hour(numbers), None
        case "mean":
            integral, hours = _integral(known, end)
            return (integral / hours if hours else float(numbers[-1][1])), None
        case "integral":
            return _integral(known, end)[0], None
        case "duration":
            spans = _above(known, end, target if target is not None else Decimal(0))
            return sum((until - since).total_seconds() for since, until in spans), None
        case _:
            assert_never(agg)


def _held(known: Sequence[HistoryPoint], end: datetime) -> Iterator[tuple[datetime, datetime, Decimal]]:
    """Spans (since, until, value) over which a number held."""
    for index, point in enumerate(known):
        until = known[index + 1].at if index + 1 < len(known) else end
        value = _number(point.value)
        if value is not None and until > point.at:
            yield point.at, until, value


def _integral(known: Sequence[HistoryPoint], end: datetime) -> tuple[float, float]:
    """Value times hours, and the hours for which a value was known."""
    integral = hours = 0.0
    for since, until, value in _held(known, end):
        span = (until - since).total_seconds() / _HOUR_S
        integral += float(value) * span
        hours += span
    return integral, hours


def _slope_per_hour(numbers: Sequence[tuple[datetime, Decimal]]) -> float | None:
    """Least-squares slope in unit per hour; None with fewer than two moments."""
    if len(numbers) < 2 or numbers[0][0] == numbers[-1][0]:
        return None
    origin = numbers[0][0]
    hours = [(at - origin).total_seconds() / _HOUR_S for at, _ in numbers]
    values = [float(value) for _, value in numbers]
    mean_h, mean_v = sum(hours) / len(hours), sum(values) / len(values)
    spread = sum((hour - mean_h) ** 2 for hour in hours)
    return sum((hour - mean_h) * (value - mean_v) for hour, value in zip(hours, values, strict=True)) / spread


def _reaches(numbers: Sequence[tuple[datetime, Decimal]], slope: float | None, target: Decimal | None, end: datetime) -> datetime | None:
    """When the present trend meets the target, from the last known value on; None if it moves away."""
    if target is None or not slope or not numbers:
        return None
    at, value = numbers[-1]
    hours = float(target - value) / slope
    return at + timedelta(hours=hours) if 0 <= hours < 24 * 365 and end >= at else None


def _above(known: Sequence[HistoryPoint], end: datetime, target: Decimal | None) -> Iterator[tuple[datetime, datetime]]:
    """Spans in which the value was above the target, neighbours joined."""
    open_since: datetime | None = None
    last_until = end
    for since, until, value in _held(known, end):
        if target is not None and value > target:
            if open_since is not None and last_until != since:
                yield open_since, last_until
                open_since = since
            open_since = open_since or since
            last_until = until
        elif open_since is not None:
            yield open_since, last_until
            open_since = None
    if open_since is not None:
        yield open_since, last_until


def _points(
    known: Sequence[HistoryPoint], start: datetime, end: datetime, agg: Agg, buckets: int, target: Decimal | None
) -> tuple[HistoryPoint, ...]:
    if not buckets:
        return tuple(known) if agg == "raw" else ()
    width = (end - start) / buckets
    made = []
    for number in range(buckets):
        since, until = start + number * width, start + (number + 1) * width
        part = _within(known, since, until)
        numbers = [(point.at, value) for point in part if (value := _number(point.value)) is not None]
        found, _ = _aggregate(part, numbers, until, "last" if agg == "raw" else agg, target)
        made.append(HistoryPoint(at=since, value=found))
    return tuple(made)
