"""Just before a write: what stops it, by values alone."""

from decimal import Decimal

import pytest

from gateway.model.encode import Encoded
from gateway.model.point import Access, Deadband, Point, ScaleFrom, WriteRule
from gateway.model.quality import TIMEOUT
from gateway.model.sample import Sample, Scalar, Tag
from gateway.poll.compare import SCALE_CHANGED, stops
from gateway.poll.written import Intent
from tests.polled import point

PLAIN = point("speed", 1, access=Access.RW, write=WriteRule(), deadband=Deadband(amount=Decimal("0.5")))
SCALED = point("dose", 2, access=Access.RW, write=WriteRule(), scale_from=ScaleFrom(point="sf", rule="exponent"))


def sample(value: Scalar | None, reason: str | None = None, *, words: tuple[int, ...] = (1,)) -> Sample:
    return Sample(tag=Tag("a.b"), value=value, reason=reason, words=words)


MUTE = sample(None, TIMEOUT, words=())

CASES: dict[str, tuple[Point, Scalar | None, Sample | None, Sample | None, tuple[str, str, str] | None]] = {
    "same": (PLAIN, 45, sample(45), None, None),
    "float-is-compared-by-its-text": (PLAIN, Decimal("12.3"), sample(12.3), None, None),
    "T26-inside-the-deadband": (PLAIN, 45, sample(Decimal("45.4")), None, None),
    "T26-moved": (PLAIN, 45, sample(Decimal("45.5")), None, ("changed_before", "CHANGED", "")),
    "only-written": (PLAIN, None, None, None, None),
    "no-old-value-was-shown": (PLAIN, None, sample(45), None, None),
    "mute": (PLAIN, 45, MUTE, None, ("refused", "OFFLINE", "timeout")),
    "no-value": (PLAIN, 45, sample(None, "not_available"), None, ("refused", "STALE", "not_available")),
    "W21-same-scale": (SCALED, 0, sample(0), sample(-2), None),
    "W21-other-scale": (SCALED, 0, sample(0), sample(-1), ("changed_before", "CHANGED", SCALE_CHANGED)),
    "W21-scale-is-none": (SCALED, 0, sample(0), sample(None, "not_available"), ("changed_before", "CHANGED", SCALE_CHANGED)),
    "W21-scale-is-mute": (SCALED, None, None, MUTE, ("refused", "OFFLINE", "timeout")),
    "W21-scale-was-not-read": (SCALED, None, None, None, ("refused", "OFFLINE", "")),
}


@pytest.mark.parametrize(("made", "old", "now", "scale", "expected"), CASES.values(), ids=CASES)
def test_what_stops_a_write(
    made: Point, old: Scalar | None, now: Sample | None, scale: Sample | None, expected: tuple[str, str, str] | None
) -> None:
    intent = Intent(point=made, encoded=Encoded(value=Decimal("12.35"), words=(1235,)), old=old)
    stop = stops(intent, now, scale)
    assert (None if stop is None else (stop.outcome, stop.code, stop.reason)) == expected
