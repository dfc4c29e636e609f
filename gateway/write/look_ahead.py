"""Before writes to several devices: all of them are looked at before the first is sent, so that none goes without the others."""

from collections.abc import Mapping, Sequence

from gateway.model.point import Access
from gateway.model.sample import Sample
from gateway.poll.compare import stops
from gateway.poll.written import Intent
from gateway.write.intents import intents_of
from gateway.write.interlocks import Interlocks
from gateway.write.order import Ended, OrderedWrite
from gateway.write.readable import Readable
from gateway.write.words import MAP_CHANGED, message_of, not_sent_because


async def look_ahead(
    devices: Mapping[str, Readable], interlocks: Interlocks, batches: Mapping[str, Sequence[OrderedWrite]]
) -> Ended | None:
    """The first write that could not be sent as things are now; None if all could. `batches`: device id -> its writes."""
    for name, writes in batches.items():
        device = devices.get(name)
        intents = None if device is None else intents_of(device, writes)
        if device is None or intents is None:
            return Ended(
                step=writes[0].step,
                tag=writes[0].tag,
                outcome="refused",
                code="MAP_CHANGED",
                message=not_sent_because(writes[0].tag, MAP_CHANGED),
            )
        samples = await _read(device, intents)
        for write, intent in zip(writes, intents, strict=True):
            stop = stops(intent, samples.get(intent.point.name), samples.get(intent.point.held_by or ""))
            if stop is not None:
                message = message_of(write, stop)
                return Ended(
                    step=write.step,
                    tag=write.tag,
                    outcome=stop.outcome,
                    code=stop.code,
                    old_read=stop.old,
                    trouble=stop.reason,
                    message=message,
                )
        broken = await interlocks.first_broken(device, writes, None)
        if broken is not None:
            write, refusal = broken
            return Ended(step=write.step, tag=write.tag, outcome="refused", code=refusal.code, message=refusal.text)
    return None


async def _read(device: Readable, intents: Sequence[Intent]) -> Mapping[str, Sample]:
    """The values that writes replace, and the scales they need, by point."""
    points = device.map.points
    names = {intent.point.name for intent in intents if intent.point.access is not Access.WO}
    names |= {intent.point.held_by for intent in intents if intent.point.held_by}
    wanted = [points[name] for name in sorted(names)]
    return {point.name: sample for point, sample in zip(wanted, await device.read_fresh(wanted), strict=True)}
