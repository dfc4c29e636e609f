"""How a link does, in one snapshot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gateway.link.bus import Bus
from gateway.link.trace import TracedFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkStatus:
    """Counters since the start. `cause` says why a link is down; `load` is the share of the time in which it carried exchanges.

    `dropped` counts what came and was not used, by kind: rejected_late, foreign_unit, crc_error, echo_seen, unasked_bytes, ...
    """

    id: str
    place: str
    state: Literal["open", "closed", "down"]
    cause: str
    queued: int
    exchanges: int
    timeouts: int
    dials: int
    failed_dials: int
    load: float
    dropped: Mapping[str, int]
    frames: Sequence[TracedFrame]


def link_status(bus: Bus) -> LinkStatus:
    """The link as it is now; one that is closed and not down is dialled when it is needed."""
    stats, trace = bus.stats, bus.transport.trace
    return LinkStatus(
        id=bus.id,
        place=bus.options.place,
        state="down" if bus.down_cause else "open" if bus.transport.is_open else "closed",
        cause=bus.down_cause,
        queued=bus.queued,
        exchanges=stats.exchanges,
        timeouts=stats.timeouts,
        dials=stats.dials,
        failed_dials=stats.failed_dials,
        load=bus.load,
        dropped=dict(trace.dropped),
        frames=trace.frames(),
    )
