"""The process of a plant: its state by tag, moved up to now whenever somebody looks."""

import heapq
import math
from collections.abc import Callable, Sequence
from itertools import count

from gateway.clock import Clock
from simulators.process.base import Model, State

_STEP_S = 0.1
_MOST_STEPS = 600
"""Longer times are walked in coarser steps."""


class Process:
    """Runs without a task: `advance` walks from the last look to now, doing what is due on the way in order.

    `show(tag, value)` is called for values that changed. Without models the values stand still.
    """

    def __init__(self, models: Sequence[Model], *, clock: Clock, show: Callable[[str, float], None]) -> None:
        self.state: State = {}
        self._models = models
        self._clock = clock
        self._show = show
        self._at = clock.monotonic()
        self._shown: State = {}
        self._frozen: set[str] = set()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._number = count()

    def adopt(self, tag: str, value: float) -> None:
        """Take over a value that the device holds already, set by a request or by hand."""
        self.state[tag] = self._shown[tag] = value

    def later(self, delay_s: float, act: Callable[[], None]) -> None:
        """Have `act` called once `delay_s` have passed."""
        heapq.heappush(self._due, (self._clock.monotonic() + delay_s, next(self._number), act))

    def freeze(self, tag: str) -> Callable[[], None]:
        """Show no more changes of `tag` until the returned function is called."""
        self._frozen.add(tag)
        return lambda: self._frozen.discard(tag)

    def advance(self) -> None:
        """Walk to now and show what changed."""
        now = self._clock.monotonic()
        while self._due and self._due[0][0] <= now:
            due, _, act = heapq.heappop(self._due)
            self._walk(due, at_least=0.0)
            self._show_changes()
            act()
        self._walk(now, at_least=_STEP_S)
        self._show_changes()

    def _walk(self, until: float, *, at_least: float) -> None:
        elapsed = until - self._at
        if elapsed <= at_least:
            return
        steps = min(math.ceil(elapsed / _STEP_S), _MOST_STEPS)
        for _ in range(steps):
            for model in self._models:
                model.step(self.state, elapsed / steps)
        self._at = until

    def _show_changes(self) -> None:
        for tag, value in self.state.items():
            if value != self._shown.get(tag) and tag not in self._frozen:
                self._shown[tag] = value
                self._show(tag, value)
