"""A unit that does not answer must not cost the others: it is demoted and asked again only now and then, with a short time-out."""

from gateway.link.latency import Latency

SILENT_READS = 3
PROBE_FIRST_S = 1.0
PROBE_CAP_S = 10.0
_SHARE = 0.05
"""Share of the link's time that probes of one unit may take."""
_FULL_EVERY = 4


class Breaker:
    """Demotes a unit after `SILENT_READS` silent reads in a row; the delay between probes doubles up to `PROBE_CAP_S`.

    A probe waits only for as long as the unit was ever seen to need, or for its share of the link's time;
    every fourth one waits the whole time-out, so that a slow unit is found again, too.
    """

    def __init__(self, timeout_s: float, latency: Latency) -> None:
        self._timeout_s = timeout_s
        self._latency = latency
        self._silent = 0
        self._probes = 0
        self._probe_at = 0.0

    @property
    def is_demoted(self) -> bool:
        """True while the unit is only probed."""
        return self._silent >= SILENT_READS

    def may_ask(self, now: float) -> bool:
        """True if the unit may be polled now: always, unless it is demoted and the next probe is not due."""
        return not self.is_demoted or now >= self._probe_at

    def timeout_s(self) -> float:
        """How long to wait for the reply to the next read."""
        if not self.is_demoted or self._probes % _FULL_EVERY == _FULL_EVERY - 1:
            return self._timeout_s
        return min(self._timeout_s, max(_SHARE * self._delay_s(), 1.5 * self._latency.longest_s))

    def alive(self) -> None:
        """The unit gave a sign of life."""
        self._silent = self._probes = 0

    def silent(self, now: float) -> None:
        """A read got no sign of life."""
        if self.is_demoted:
            self._probes += 1
        self._silent += 1
        self._probe_at = now + self._delay_s()

    def _delay_s(self) -> float:
        return min(PROBE_CAP_S, PROBE_FIRST_S * 2.0 ** min(self._probes, 8))
