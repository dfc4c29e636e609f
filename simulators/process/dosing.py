"""Chlorine dosing: in automatic paced by the flow, in manual at the set-point; chlorine follows dose and flow."""

import random
from typing import Literal

from simulators.process.base import Measured, Parameters, State, lagged


class DosingParameters(Parameters):
    """A controller with the points of demo_doseplc."""

    model: Literal["dosing"]
    device: str
    nominal_flow_m3h: float = 128.5
    nominal_dose: float = 118.0
    nominal_chlorine: float = 0.62
    delivery: float = 118 / 120
    """What the pump delivers of what it is told."""
    tank_l: float = 200.0
    refill_below: float = 5.0
    refill_to: float = 95.0
    tau_s: float = 240.0
    most_chlorine: float = 5.0


class Dosing:
    """An empty chemical tank or the emergency stop ends the dosing; somebody refills the tank."""

    def __init__(self, parameters: DosingParameters, chance: random.Random) -> None:
        self._is = parameters
        self._chlorine = Measured(f"{parameters.device}.chlorine", 0.004, chance)

    def step(self, state: State, dt: float) -> None:
        """Move dose, chemical tank and chlorine on."""
        device = self._is.device
        flow = state[f"{device}.flow"]
        pace = flow / self._is.nominal_flow_m3h if state[f"{device}.auto_manual"] == 1 else 1.0
        can_dose = state[f"{device}.estop"] == 0 and state[f"{device}.chem_tank_level"] > 0
        wanted = state[f"{device}.dose_rate_sp"] * pace * self._is.delivery if can_dose else 0.0
        dose = lagged(state[f"{device}.dose_rate_fb"], wanted, dt, 2.0)
        state[f"{device}.dose_rate_fb"] = dose
        state[f"{device}.dose_pump_run"] = float(dose >= 1)
        level = state[f"{device}.chem_tank_level"] - dose / 1000 * dt / 60 / self._is.tank_l * 100
        state[f"{device}.chem_tank_level"] = self._is.refill_to if level < self._is.refill_below else level
        if flow > 1:
            strength = dose / self._is.nominal_dose * self._is.nominal_flow_m3h / flow
            target = min(self._is.nominal_chlorine * strength, self._is.most_chlorine)
        else:
            target = 0.0
        tau_s = self._is.tau_s if flow > 1 else 10 * self._is.tau_s
        self._chlorine.show(state, max(lagged(self._chlorine.true(state), target, dt, tau_s), 0.01))
