"""Before writes to several devices: all of them are looked at before the first is sent, so that none goes without the others."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from gateway.model.deadband import changed
from gateway.model.point import Access
from gateway.model.sample import Sample, Scalar
from gateway.poll.written import Written
from gateway.write.interlocks import Interlocks
from gateway.write.order import Ended, OrderedWrite
from gateway.write.readable import Readable
from gateway.write.words import message_of

Batches = Mapping[str, Sequence[OrderedWrite]]
"""Device id -> its writes."""


async def look_ahead(
    devices: Mapping[str, Readable], interlocks: Interlocks, batches: Mapping[str, Sequence[OrderedWrite]]
) -> Ended | None:
    """The first write that could not be sent as things are now; None if all could."""
    for name, writes in batches.items():
        device = devices.get(name)
        if device is None or any(write.point not in device.map.points for write in writes):
            continue
        readable = [write for write in writes if device.map.points[write.point].access is not Access.WO]
        samples = await device.read_fresh([device.map.points[write.point] for write in readable])
        for write, sample in zip(readable, samples, strict=True):
            stop = _compare(device, write, sample)
            if stop is not None:
                return stop
        broken = await interlocks.first_broken(device, writes, None)
        if broken is not None:
            write, refusal = broken
            return Ended(tag=write.tag, outcome="refused", code=refusal.code, message=refusal.text)
    return None


def _compare(device: Readable, write: OrderedWrite, sample: Sample) -> Ended | None:
    point = device.map.points[write.point]
    if not sample.words:
        written = Written(point=point, outcome="refused", code="OFFLINE", reason=sample.reason or "")
    elif write.old is None:
        return None
    elif sample.value is None:
        written = Written(point=point, outcome="refused", code="STALE", reason=sample.reason or "")
    elif changed(_comparable(write.old), _comparable(sample.value), point.deadband):
        written = Written(point=point, outcome="changed_before", code="CHANGED", old=sample.value)
    else:
        return None
    return Ended(
        tag=write.tag,
        outcome=written.outcome,
        code=written.code,
        old_read=sample.value,
        trouble=written.reason,
        message=message_of(write, written),
    )


def _comparable(value: Scalar) -> Scalar:
    return Decimal(repr(value)) if isinstance(value, float) else value
