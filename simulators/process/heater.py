"""A temperature controller and its heater: off, automatic (PI) or manual, with the alarm bits of the controller."""

import random
from typing import Literal

from simulators.process.base import Measured, Parameters, State, lagged

_OFF, _AUTO = 0, 1
_HIGH, _LOW, _SENSOR_BREAK = 1, 2, 4


class HeaterParameters(Parameters):
    """A controller with the points of demo_tc10."""

    model: Literal["heater"]
    device: str
    ambient_c: float = 14.0
    gain_k: float = 0.25
    """Rise per percent of output, once settled."""
    tau_s: float = 3600.0
    band: float = 5.0
    """Percent of output per kelvin of error."""
    integral_s: float = 600.0
    low_k: float = 20.0
    """The low alarm comes this far below the set-point."""


class Heater:
    """Changes of mode and set-point are bumpless."""

    def __init__(self, parameters: HeaterParameters, chance: random.Random) -> None:
        self._is = parameters
        self._pv = Measured(f"{parameters.device}.pv", 0.03, chance)
        self._last: tuple[float, float] | None = None

    def step(self, state: State, dt: float) -> None:
        """Move output, temperature and alarm bits on."""
        device, pv = self._is.device, self._pv.true(state)
        output = state[f"{device}.output"] = self._output(state, state[f"{device}.sp"] - pv, dt)
        pv = lagged(pv, self._is.ambient_c + self._is.gain_k * output, dt, self._is.tau_s)
        self._pv.show(state, pv)
        broken = int(state[f"{device}.alarm_status"]) & _SENSOR_BREAK
        high = _HIGH if pv >= state[f"{device}.alarm_hi_sp"] else 0
        low = _LOW if pv <= state[f"{device}.sp"] - self._is.low_k else 0
        state[f"{device}.alarm_status"] = broken | high | low

    def _output(self, state: State, error: float, dt: float) -> float:
        device = self._is.device
        mode, output = state[f"{device}.mode"], state[f"{device}.output"]
        if mode == _OFF or int(state[f"{device}.alarm_status"]) & _SENSOR_BREAK:
            self._last = None
            return 0.0
        if mode != _AUTO:
            self._last = None
            return output
        last_error = self._last[1] if self._last and self._last[0] == mode else error
        self._last = mode, error
        return min(max(output + self._is.band * (error - last_error + error * dt / self._is.integral_s), 0.0), 100.0)
