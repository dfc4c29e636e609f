"""The last sample of every tag. Putting a block is one step; values are looked up, and grow old, when they are asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gateway.clock import Clock
from gateway.errors import UnknownTagError
from gateway.model.plan import ReadBlock
from gateway.model.point import Point, RegisterMap
from gateway.model.quality import OUT_OF_RANGE, STALE, WAITING
from gateway.model.sample import BlockSamples, Sample, Tag
from gateway.poll.sampling import sample_at, tag_of

PERIODS_UNTIL_STALE = 3
ON_DEMAND_STALE_S = 10.0


def stale_after_of(register_map: RegisterMap, stated_s: float | None = None) -> dict[str, float | None]:
    """Poll group -> seconds after which its values are stale: as stated, else three periods.

    Values read once never are; those read on demand after `ON_DEMAND_STALE_S`.
    """
    ages: dict[str, float | None] = {}
    for group, period in register_map.periods.items():
        if period is not None:
            ages[group] = stated_s or PERIODS_UNTIL_STALE * period
        else:
            ages[group] = (stated_s or ON_DEMAND_STALE_S) if group in register_map.on_demand else None
    return ages


@dataclass(slots=True)
class _Slot:
    """One block's last reply and, if the newest exchange failed, that failure. Holds the block, so that its identity stays its own."""

    block: ReadBlock
    good: BlockSamples | None = None
    failure: BlockSamples | None = None


@dataclass(slots=True)
class _Tracked:
    device_id: str
    point: Point
    stale_after_s: float | None
    slot: _Slot | None = None
    index: int = 0
    kept: Sample | None = None
    kept_mono: float = 0.0


class Latest:
    """Last samples by tag.

    A failed exchange leaves the last good value in sight until it is stale, then UNCERTAIN with its age; health shows
    the failure. Where no good value ever came, the failure is the reason. What the words themselves say replaces it at once.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tracked: dict[Tag, _Tracked] = {}
        self._slots: dict[int, _Slot] = {}

    def track(self, device_id: str, points: Iterable[Point], stale_after_s: Mapping[str, float | None]) -> None:
        """Make the tags of a device known; they are `waiting`."""
        for point in points:
            self._tracked[tag_of(device_id, point)] = _Tracked(device_id, point, stale_after_s.get(point.poll))

    def forget(self, device_id: str) -> None:
        """Drop the tags of a device and all that was read of them."""
        self._tracked = {tag: tracked for tag, tracked in self._tracked.items() if tracked.device_id != device_id}
        in_use = {id(tracked.slot) for tracked in self._tracked.values()}
        self._slots = {key: kept for key, kept in self._slots.items() if id(kept) in in_use}

    def put(self, device_id: str, samples: BlockSamples) -> None:
        """Take the outcome of one exchange."""
        slot = self._slots.get(id(samples.block))
        if slot is None:
            slot = self._slots[id(samples.block)] = _Slot(samples.block)
        if not samples.words:
            first = slot.failure is None and slot.good is None
            slot.failure = samples
            if first:
                self._place(device_id, slot, only_empty=True)
            return
        first = slot.good is None
        slot.good, slot.failure = samples, None
        if first:
            self._place(device_id, slot, only_empty=False)

    def keep(self, samples: Iterable[Sample]) -> None:
        """Take samples that were read outside of the poll, just now."""
        now = self._clock.monotonic()
        for sample in samples:
            tracked = self._tracked.get(sample.tag)
            if tracked is not None and sample.read_at is not None and sample.words:
                tracked.kept, tracked.kept_mono = sample, now - (sample.age_s or 0.0)

    def get(self, tag: Tag) -> Sample:
        """The last sample of `tag` with its present age; raises UnknownTagError."""
        tracked = self._tracked.get(tag)
        if tracked is None:
            raise UnknownTagError(tag)
        now = self._clock.monotonic()
        sample = self._newest(tracked, now)
        if sample.reason in (None, OUT_OF_RANGE) and tracked.stale_after_s is not None and (sample.age_s or 0.0) > tracked.stale_after_s:
            return replace(sample, reason=STALE)
        return sample

    def _newest(self, tracked: _Tracked, now: float) -> Sample:
        slot = tracked.slot
        polled = (slot.good or slot.failure) if slot else None
        if tracked.kept is not None and (polled is None or not polled.words or polled.read_mono <= tracked.kept_mono):
            return replace(tracked.kept, age_s=max(0.0, now - tracked.kept_mono))
        if polled is not None:
            return sample_at(tracked.device_id, polled, tracked.index, now)
        point = tracked.point
        return Sample(tag=tag_of(tracked.device_id, point), value=None, unit=point.unit, decimals=point.decimals, reason=WAITING)

    def _place(self, device_id: str, slot: _Slot, *, only_empty: bool) -> None:
        """Let the tags of a new block be looked up in its slot.

        A failed block takes no tag from one that had values, a scale register read along with another group none from its own.
        """
        touched = {id(slot): slot}
        for index, point in enumerate(slot.block.points):
            tracked = self._tracked.get(tag_of(device_id, point))
            if tracked is None or (tracked.slot is not None and point.poll != slot.block.group):
                continue
            if not (only_empty and tracked.slot is not None and tracked.slot.good is not None):
                if tracked.slot is not None:
                    touched[id(tracked.slot)] = tracked.slot
                tracked.slot, tracked.index = slot, index
        for each in touched.values():
            if not self._is_used(device_id, each):
                self._slots.pop(id(each.block), None)

    def _is_used(self, device_id: str, slot: _Slot) -> bool:
        """True if some tag is looked up in the slot."""
        tracked = (self._tracked.get(tag_of(device_id, point)) for point in slot.block.points)
        return any(one is not None and one.slot is slot for one in tracked)
