"""A pump drive: runs, ramps, warms up, trips, resets; obeys the emergency stop and its selector switch."""

import random
from typing import Literal

from simulators.process.base import Measured, Parameters, State, lagged, ramped

_READY, _RUNNING, _AT_SPEED, _FAULTED = 1, 2, 4, 8
_OVER_TEMPERATURE = 7


class DriveParameters(Parameters):
    """A drive with the points of the map demo_vx200."""

    model: Literal["drive"]
    device: str
    estop: str
    """Tag that is 1 while the emergency stop is active."""
    full_hz: float = 50.0
    slip: float = 0.1 / 45
    no_load_a: float = 8.0
    nominal_hz: float = 44.9
    nominal_a: float = 31.2
    ambient_c: float = 26.0
    nominal_rise_k: float = 56.0
    thermal_tau_s: float = 1800.0
    trip_c: float = 110.0
    reset_below_c: float = 90.0
    coast_s: float = 5.0


class Drive:
    """Ramps to its set-point by `accel_time`; a fault or an emergency stop needs a stop command before the next start."""

    def __init__(self, parameters: DriveParameters, chance: random.Random) -> None:
        self._is = parameters
        self._has_tripped = False
        self._wants: tuple[bool, float] | None = None
        self._bus = Measured(self._tag("dc_bus_v"), 1.0, chance)
        self._amps = Measured(self._tag("motor_current"), 0.15, chance)

    def step(self, state: State, dt: float) -> None:
        """Move the drive's tags on."""
        self._reset(state)
        speed = self._speed(state, dt)
        state[self._tag("speed_fb")] = speed
        self._load(state, speed, dt)
        if speed > 0:
            state[self._tag("run_hours")] += dt / 3600
        self._bus.show(state, self._bus.true(state))
        state[self._tag("status")] = self._status(state, speed)

    def _tag(self, point: str) -> str:
        return f"{self._is.device}.{point}"

    def _reset(self, state: State) -> None:
        is_cool = state[self._tag("motor_temp")] < self._is.reset_below_c
        if state[self._tag("fault_reset")] == 1 and state[self._tag("run_cmd")] == 0 and is_cool:
            state[self._tag("fault_code")] = 0

    def _speed(self, state: State, dt: float) -> float:
        has_command = state[self._tag("run_cmd")] == 1
        is_stopped = state[self._tag("fault_code")] != 0 or state[self._is.estop] != 0
        self._has_tripped = is_stopped or (self._has_tripped and has_command)
        if self._wants is None or state[self._tag("local_remote")] == 1:
            self._wants = has_command, state[self._tag("speed_sp")]
        runs, set_point = self._wants
        target = set_point * (1 - self._is.slip) if runs and not self._has_tripped else 0.0
        over_s = self._is.coast_s if self._has_tripped else max(state[self._tag("accel_time")], 0.1)
        return ramped(state[self._tag("speed_fb")], target, self._is.full_hz / over_s * dt)

    def _load(self, state: State, speed: float, dt: float) -> None:
        share = (speed / self._is.nominal_hz) ** 2
        amps = self._is.no_load_a + (self._is.nominal_a - self._is.no_load_a) * share if speed > 0 else 0.0
        if speed > 0:
            self._amps.show(state, amps)
        else:
            state[self._tag("motor_current")] = 0.0
        hot = self._is.ambient_c + self._is.nominal_rise_k * (amps / self._is.nominal_a) ** 2
        temperature = lagged(state[self._tag("motor_temp")], hot, dt, self._is.thermal_tau_s)
        state[self._tag("motor_temp")] = temperature
        if temperature >= self._is.trip_c and state[self._tag("fault_code")] == 0:
            state[self._tag("fault_code")] = _OVER_TEMPERATURE

    def _status(self, state: State, speed: float) -> int:
        if state[self._tag("fault_code")] != 0:
            return _FAULTED
        is_at_speed = speed > 0 and abs(speed - state[self._tag("speed_sp")]) < 0.3
        ready = 0 if state[self._is.estop] else _READY
        return ready | (_RUNNING if speed > 0 else 0) | (_AT_SPEED if is_at_speed else 0)
