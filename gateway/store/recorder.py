"""What of a block's samples is worth storing: changes beyond the deadband, and every value once a heartbeat."""

import math
from collections.abc import Callable, Sequence

from gateway.model.deadband import changed
from gateway.model.plan import ReadBlock
from gateway.model.point import Deadband
from gateway.model.sample import BlockSamples, Scalar, Tag
from gateway.store.base import StoredSample

HEARTBEAT_S = 60.0
_NEVER = (math.inf, -math.inf)

Put = Callable[[Sequence[StoredSample]], None]


class BlockRecorder:
    """Remembers what was stored last of one block, and hands on what differs from it."""

    def __init__(self, block: ReadBlock, tags: Sequence[Tag], put: Put, heartbeat_s: float = HEARTBEAT_S) -> None:
        self._tags = tuple(tags)
        self._deadbands = tuple(point.deadband for point in block.points)
        self._put = put
        self._heartbeat_s = heartbeat_s
        self._values: list[Scalar | None] = [None] * len(tags)
        self._reasons: list[str | None] = ["waiting"] * len(tags)
        self._stored_mono = [float("-inf")] * len(tags)
        self._quiet = [_NEVER] * len(tags)
        self._seen: BlockSamples | None = None

    def record(self, samples: BlockSamples) -> None:
        """Store what of `samples` is new."""
        due = samples.read_mono - self._heartbeat_s
        all_recent = min(self._stored_mono) > due
        seen = self._seen
        if all_recent and seen is not None and seen.values == samples.values and seen.reasons == samples.reasons:
            return
        self._seen = samples
        rows = []
        compared = zip(samples.values, samples.reasons, self._reasons, self._quiet, strict=True)
        for index, (value, reason, old_reason, (low, high)) in enumerate(compared):
            if reason == old_reason and (all_recent or self._stored_mono[index] > due):
                if (type(value) is float or type(value) is int) and low < value < high:
                    continue
                if not changed(self._values[index], value, self._deadbands[index]):
                    continue
            self._values[index], self._reasons[index], self._stored_mono[index] = value, reason, samples.read_mono
            self._quiet[index] = _quiet(value, self._deadbands[index])
            rows.append(StoredSample(tag=self._tags[index], at=samples.read_at, value=value, reason=reason))
        if rows:
            self._put(rows)


def _quiet(stored: Scalar | None, deadband: Deadband) -> tuple[float, float]:
    """Between these a number differs from `stored` by less than the deadband for sure; closer to its edge it is compared exactly."""
    if not isinstance(stored, float | int) or isinstance(stored, bool):
        return _NEVER
    band = float(deadband.amount) * (abs(stored) if deadband.relative else 1.0)
    sure = band * (1 - 1e-9) - 4 * math.ulp(abs(stored) + band)
    return (stored - sure, stored + sure) if sure > 0 else _NEVER
