"""The station's energy meter: power follows the drives, energy counts it, a reset starts the count again."""

import random
from typing import Literal

from simulators.process.base import Measured, Parameters, State, lagged

_NOISE = {"voltage_l1": 0.4, "voltage_l2": 0.4, "voltage_l3": 0.4, "frequency": 0.01, "power_factor": 0.003, "thd_v": 0.05}


class MeterParameters(Parameters):
    """A meter with the points of demo_em300."""

    model: Literal["meter"]
    device: str
    drives: tuple[str, ...]
    nominal_hz: float = 44.9
    base_kw: float = 2.4
    pump_kw: float = 16.0
    nominal_a: tuple[float, float, float] = (30.1, 33.6, 29.4)


class Meter:
    """Power of a pump goes with the cube of its speed."""

    def __init__(self, parameters: MeterParameters, chance: random.Random) -> None:
        self._is = parameters
        self._steady = [Measured(self._tag(point), amplitude, chance) for point, amplitude in _NOISE.items()]
        self._power = Measured(self._tag("active_power"), 0.08, chance)
        self._amps = [Measured(self._tag(f"current_l{phase}"), 0.1, chance) for phase in (1, 2, 3)]

    def step(self, state: State, dt: float) -> None:
        """Move power, currents and energy on."""
        for value in self._steady:
            value.show(state, value.true(state))
        speeds = sum((max(state[f"{drive}.speed_fb"], 0.0) / self._is.nominal_hz) ** 3 for drive in self._is.drives)
        power = lagged(self._power.true(state), self._is.base_kw + self._is.pump_kw * speeds, dt, 1.0)
        self._power.show(state, power)
        for amps, nominal in zip(self._amps, self._is.nominal_a, strict=True):
            amps.show(state, nominal * power / (self._is.base_kw + self._is.pump_kw))
        if state[self._tag("reset_energy")] == 1:
            state[self._tag("energy_import")] = 0.0
        state[self._tag("energy_import")] += power * dt / 3600

    def _tag(self, point: str) -> str:
        return f"{self._is.device}.{point}"
