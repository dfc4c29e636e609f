"""The last frames of a link as hex, and counts of what was dropped and why."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

_KEPT = 64


@dataclass(frozen=True, slots=True)
class TracedFrame:
    """Bytes that went out or came in at a moment."""

    at: datetime
    direction: Literal["out", "in"]
    data: bytes

    @property
    def hex(self) -> str:
        """The bytes as spaced hex digits."""
        return self.data.hex(" ").upper()


class Trace:
    """What went over one link lately; `dropped` counts by kind what was not used: rejected_late, foreign_unit, noise, ..."""

    def __init__(self) -> None:
        self.dropped: Counter[str] = Counter()
        self.bytes_in = 0
        self._frames: deque[TracedFrame] = deque(maxlen=_KEPT)

    def sent(self, at: datetime, data: bytes) -> None:
        """Note bytes that were sent."""
        self._frames.append(TracedFrame(at, "out", data))

    def received(self, at: datetime, data: bytes) -> None:
        """Note bytes that came."""
        self.bytes_in += len(data)
        self._frames.append(TracedFrame(at, "in", data))

    def frames(self) -> Sequence[TracedFrame]:
        """The last frames, oldest first."""
        return tuple(self._frames)
