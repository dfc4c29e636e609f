"""Values that live by the `sim` keys of their map: waves, lags behind another point, counters."""

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.model.point import Point
from simulators.process.base import State, lagged

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_CONDITION = re.compile(r"\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*(?:'([^']*)'|(-?[\d.]+))\s*")


class SimKeys:
    """One device's points with `sim` keys; `device` prefixes its tags."""

    def __init__(self, device: str, points: Mapping[str, Point], chance: random.Random) -> None:
        self._points = points
        self._chance = chance
        self._age_s = 0.0
        self._lives = [_Life.of(device, name, point) for name, point in points.items() if point.sim]
        self._device = device

    def step(self, state: State, dt: float) -> None:
        """Move every such point on."""
        self._age_s += dt
        for life in self._lives:
            if life.tag in state:
                self._step(life, state, dt)

    def _step(self, life: "_Life", state: State, dt: float) -> None:
        runs = life.when is None or self._holds(life.when, state)
        if life.wave:
            state[life.tag] = life.mean + life.amplitude * self._wave(life)
        elif life.follows in state:
            target = state[life.follows] if runs else 0.0
            state[life.tag] = lagged(state[life.tag], target, dt, life.lag_s) if life.lag_s else target
        elif life.counter_of in state and runs:
            state[life.tag] += state[life.counter_of] * dt / life.per_s

    def _wave(self, life: "_Life") -> float:
        turn = self._age_s / life.period_s
        match life.wave:
            case "sine":
                return math.sin(2 * math.pi * turn)
            case "ramp":
                return 2 * (turn % 1) - 1
            case "square":
                return 1.0 if turn % 1 < 0.5 else -1.0
            case _:
                return self._chance.uniform(-1, 1)

    def _holds(self, condition: re.Match[str], state: State) -> bool:
        name, sign, label, number = condition.groups()
        value = state.get(f"{self._device}.{name}", 0.0)
        if label is not None:
            codes = [code for code, text in self._points[name].enum.items() if text.en == label]
            wanted = float(codes[0]) if codes else math.nan
        else:
            wanted = float(number)
        return {
            "==": value == wanted,
            "!=": value != wanted,
            "<": value < wanted,
            "<=": value <= wanted,
            ">": value > wanted,
            ">=": value >= wanted,
        }[sign]


def first_value(point: Point) -> object:
    """What the `sim` keys say that the point holds at the start; None if nothing."""
    value = point.sim.get("value")
    return value if value is not None else point.sim.get("mean")


def seconds(period: object, otherwise: float) -> float:
    """`90s`, `500ms`, `1h` in seconds."""
    found = re.fullmatch(r"([\d.]+)\s*(ms|s|m|h|d)", str(period))
    return float(found[1]) * _UNITS_S[found[2]] if found else otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Life:
    tag: str
    wave: str
    mean: float
    amplitude: float
    period_s: float
    follows: str
    lag_s: float
    counter_of: str
    per_s: float
    when: re.Match[str] | None

    @classmethod
    def of(cls, device: str, name: str, point: Point) -> "_Life":
        keys = point.sim
        return cls(
            tag=f"{device}.{name}",
            wave=str(keys.get("wave") or ""),
            mean=float(str(keys.get("mean", 0))),
            amplitude=float(str(keys.get("amplitude", 0))),
            period_s=seconds(keys.get("period"), 60.0),
            follows=f"{device}.{keys['follows']}" if "follows" in keys else "",
            lag_s=seconds(keys.get("lag"), 0.0),
            counter_of=f"{device}.{keys['counter_of']}" if "counter_of" in keys else "",
            per_s=seconds(keys.get("per"), 3600.0),
            when=_CONDITION.fullmatch(str(keys["when"])) if "when" in keys else None,
        )
