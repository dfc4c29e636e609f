"""When a lost link may be dialled again: doubling delays with jitter, up to a cap, and a common pace for many links."""

import random

from gateway.clock import Clock

FIRST_S = 0.5
CAP_S = 10.0
_EVERY_S = 0.02


class Backoff:
    """Delays of one link: after n failures a random share (half to whole) of `first_s` x 2^n, at most `cap_s`."""

    def __init__(self, rng: random.Random, *, first_s: float = FIRST_S, cap_s: float = CAP_S) -> None:
        self._rng = rng
        self._first_s = first_s
        self._cap_s = cap_s
        self._failures = 0
        self.ready_at = 0.0

    def failed(self, now: float) -> None:
        """The link could not be used; `ready_at` moves on."""
        longest = min(self._cap_s, self._first_s * 2 ** min(self._failures, 16))
        self._failures += 1
        self.ready_at = now + longest * self._rng.uniform(0.5, 1.0)

    def reset(self) -> None:
        """The link works."""
        self._failures = 0
        self.ready_at = 0.0


class DialPace:
    """Shared by all links: dials begin at least 20 ms apart, five in a tenth of a second."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._free_at = 0.0

    async def turn(self) -> None:
        """Return when one more link may be dialled."""
        now = self._clock.monotonic()
        at = max(now, self._free_at)
        self._free_at = at + _EVERY_S
        if at > now:
            await self._clock.sleep(at - now)
