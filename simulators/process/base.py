"""What every model of the process shares: the state by tag, lags, and noise on what is measured."""

import math
import random
from typing import Protocol

from pydantic import BaseModel, ConfigDict

State = dict[str, float]
"""Value of every numeric tag, unrounded; registers are filled from it."""


class Parameters(BaseModel):
    """Base of what a plant file says about one model."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Model(Protocol):
    """One part of the process."""

    def step(self, state: State, dt: float) -> None:
        """Move `state` on by `dt` seconds."""
        ...


def lagged(value: float, target: float, dt: float, tau_s: float) -> float:
    """A first-order lag: where `value` is after `dt` on its way to `target`.

    >>> round(lagged(0.0, 100.0, 10.0, 10.0), 1)
    63.2
    """
    return target + (value - target) * math.exp(-dt / tau_s)


def ramped(value: float, target: float, step: float) -> float:
    """`value` moved towards `target` by at most `step`."""
    return min(target, value + step) if value < target else max(target, value - step)


class Measured:
    """A true value behind a noisy tag; what somebody sets from outside becomes the true value."""

    def __init__(self, tag: str, amplitude: float, chance: random.Random) -> None:
        self._tag = tag
        self._amplitude = amplitude
        self._chance = chance
        self._true = 0.0
        self._shown: float | None = None

    def true(self, state: State) -> float:
        """The value without noise."""
        if self._shown != state[self._tag]:
            self._true = state[self._tag]
        return self._true

    def show(self, state: State, true: float) -> None:
        """Put `true` and its noise into the tag."""
        self._true = true
        self._shown = state[self._tag] = true + self._chance.uniform(-self._amplitude, self._amplitude)
