"""The side of a device that looks before a write: it reads, and cannot write."""

from collections.abc import Sequence
from typing import Protocol

from gateway.link.bus import Bus, Lane
from gateway.model.point import Point, RegisterMap
from gateway.model.sample import Sample


class Readable(Protocol):
    """A device as interlocks need it."""

    id: str
    bus: Bus
    map: RegisterMap

    async def read_fresh(self, points: Sequence[Point], *, lane: Lane | None = None) -> list[Sample]:
        """Samples read now; `lane` is the link that the caller holds."""
        ...
