"""What of a block's samples is worth storing: changes beyond the deadband, and every value once a heartbeat."""

from collections.abc import Callable, Sequence

from gateway.model.deadband import changed
from gateway.model.plan import ReadBlock
from gateway.model.sample import BlockSamples, Scalar, Tag
from gateway.store.base import StoredSample

HEARTBEAT_S = 60.0

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
        self._seen: BlockSamples | None = None

    def record(self, samples: BlockSamples) -> None:
        """Store what of `samples` is new."""
        due = samples.read_mono - self._heartbeat_s
        seen = self._seen
        if seen is not None and seen.values == samples.values and seen.reasons == samples.reasons and min(self._stored_mono) > due:
            return
        self._seen = samples
        rows = []
        for index, (value, reason) in enumerate(zip(samples.values, samples.reasons, strict=True)):
            news = reason != self._reasons[index] or changed(self._values[index], value, self._deadbands[index])
            if not news and self._stored_mono[index] > due:
                continue
            self._values[index], self._reasons[index], self._stored_mono[index] = value, reason, samples.read_mono
            rows.append(StoredSample(tag=self._tags[index], at=samples.read_at, value=value, reason=reason))
        if rows:
            self._put(rows)
