"""Arithmetic over stored samples."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gateway.model.sample import Tag
from gateway.service.base import Agg, HistoryPoint
from gateway.service.history import summarise

T0 = datetime(2026, 3, 10, 13, 0, tzinfo=UTC)
TAG = Tag("lt1.level")


def minutes(*pairs: tuple[float, object]) -> list[HistoryPoint]:
    return [HistoryPoint(at=T0 + timedelta(minutes=m), value=v) for m, v in pairs]  # type: ignore[arg-type] # table of any values


FALLING = minutes(*((m, Decimal(72) - Decimal(m) * Decimal("0.15")) for m in range(61)))
END = T0 + timedelta(hours=1)


@pytest.mark.parametrize(
    ("agg", "value"),
    [("min", Decimal("63.00")), ("max", Decimal("72.00")), ("delta", Decimal("-9.00")), ("first", 72), ("last", 63), ("count", 61)],
)
def test_exact_aggregates(agg: Agg, value: object) -> None:
    assert summarise(TAG, "%", FALLING, T0, END, agg).value == value


def test_slope_and_reaching_a_target() -> None:
    found = summarise(TAG, "%", FALLING, T0, END, "slope", target=Decimal(15))
    assert found.value == pytest.approx(-9.0)
    assert found.reaches_at is not None
    assert abs(found.reaches_at - (END + timedelta(hours=48 / 9))) < timedelta(seconds=1)
    assert summarise(TAG, "%", FALLING, T0, END, "slope", target=Decimal(80)).reaches_at is None


def test_mean_and_integral_are_weighted_by_time() -> None:
    steps = minutes((0, 10), (45, 20))
    assert summarise(TAG, "kW", steps, T0, END, "mean").value == pytest.approx(12.5)
    assert summarise(TAG, "kW", steps, T0, END, "integral").value == pytest.approx(12.5)


def test_value_before_the_start_holds() -> None:
    found = summarise(TAG, "%", minutes((-30, 7)), T0, END, "mean")
    assert (found.value, found.count) == (7, 1)
    assert found.first == HistoryPoint(at=T0, value=7)


def test_gap_is_not_bridged() -> None:
    gap = minutes((0, 10), (15, None), (45, 20))
    assert summarise(TAG, "kW", gap, T0, END, "integral").value == pytest.approx(10 * 0.25 + 20 * 0.25)


def test_spans_above_a_target() -> None:
    peaks = minutes((0, 0), (9, 1.1), (20, 1.2), (24, 0.9), (40, 1.5), (50, None))
    found = summarise(TAG, "mg/L", peaks, T0, END, "duration", target=Decimal(1))
    assert found.above == (
        (T0 + timedelta(minutes=9), T0 + timedelta(minutes=24)),
        (T0 + timedelta(minutes=40), T0 + timedelta(minutes=50)),
    )
    assert found.value == 25 * 60


def test_no_data_is_no_value() -> None:
    found = summarise(TAG, "%", [], T0, END, "max")
    assert (found.value, found.count, found.first, found.points) == (None, 0, None, ())


def test_text_counts_but_gives_no_number() -> None:
    found = summarise(TAG, "", minutes((0, "A"), (5, "B")), T0, END, "max")
    assert (found.value, found.count) == (None, 2)


def test_buckets_share_the_period_and_raw_keeps_the_samples() -> None:
    found = summarise(TAG, "%", FALLING, T0, END, "max", buckets=4)
    assert [point.value for point in found.points] == [72, Decimal("69.75"), Decimal("67.5"), Decimal("65.25")]
    assert len(summarise(TAG, "%", FALLING, T0, END, "raw").points) == 61
