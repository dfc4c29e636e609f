"""Just before a write: is the plant still as it was shown to the person who confirmed? Pure."""

from decimal import Decimal

from gateway.model.deadband import changed
from gateway.model.encode import EncodeError, encode_point
from gateway.model.sample import Sample, Scalar
from gateway.poll.written import Intent, Written

SCALE_CHANGED = "scale_changed"
"""Reason of a write that was held back because its words would mean another value now."""


def stops(intent: Intent, now: Sample | None, scale: Sample | None) -> Written | None:
    """Why the write must not be sent, judged by values read just now; None if it may.

    `now` is the point itself (None: it is only written), `scale` the point that holds its scale, where one does.
    """
    return _value_stops(intent, now) or _scale_stops(intent, scale)


def comparable(value: Scalar) -> Scalar:
    """A float by its shortest text, so that 12.3 equals Decimal("12.3")."""
    return Decimal(repr(value)) if isinstance(value, float) else value


def _value_stops(intent: Intent, now: Sample | None) -> Written | None:
    if now is None:
        return None
    if not now.words:
        return Written(point=intent.point, outcome="refused", code="OFFLINE", reason=now.reason or "")
    if intent.old is None:
        return None
    if now.value is None:
        return Written(point=intent.point, outcome="refused", code="STALE", reason=now.reason or "")
    if changed(comparable(intent.old), comparable(now.value), intent.point.deadband):
        return Written(point=intent.point, outcome="changed_before", code="CHANGED", old=now.value)
    return None


def _scale_stops(intent: Intent, scale: Sample | None) -> Written | None:
    """The words were made with the scale of then; under another one they are another value."""
    if intent.point.held_by is None:
        return None
    if scale is None or not scale.words:
        return Written(point=intent.point, outcome="refused", code="OFFLINE", reason=scale.reason or "" if scale else "")
    try:
        words = encode_point(intent.point, intent.encoded.value, scale=scale.value).words
    except EncodeError:
        words = ()
    if words == intent.encoded.words:
        return None
    return Written(point=intent.point, outcome="changed_before", code="CHANGED", reason=SCALE_CHANGED)
