"""Raw-water tank, pumps and outlet: speeds make flow and pressure, flow empties the tank, the inlet valve fills it."""

import random
from typing import Literal

from simulators.process.base import Measured, Parameters, State, lagged


class HydraulicsParameters(Parameters):
    """A tank with the points of demo_lt50; outlet flow and pressure are points of demo_doseplc."""

    model: Literal["hydraulics"]
    tank: str
    outlet: str
    drives: tuple[str, ...]
    nominal_hz: float = 44.9
    nominal_flow_m3h: float = 128.5
    nominal_pressure_bar: float = 4.2
    static_bar: float = 1.0
    tank_m3: float = 250.0
    tank_m: float = 5.0
    inflow_m3h: float = 106.0
    refill_m3h: float = 180.0
    refill_below: float = 25.0
    refill_above: float = 80.0
    dry_below: float = 2.0


class Hydraulics:
    """Two pumps in parallel give less than twice the flow of one."""

    def __init__(self, parameters: HydraulicsParameters, chance: random.Random) -> None:
        self._is = parameters
        self._is_refilling = False
        self._flow = Measured(f"{parameters.outlet}.flow", 0.4, chance)
        self._pressure = Measured(f"{parameters.outlet}.discharge_pressure", 0.02, chance)
        self._echo = Measured(f"{parameters.tank}.signal_quality", 1.0, chance)
        self._water = Measured(f"{parameters.tank}.temp", 0.05, chance)

    def step(self, state: State, dt: float) -> None:
        """Move flow, pressure and level on."""
        level_tag = f"{self._is.tank}.level"
        flow = lagged(self._flow.true(state), self._wanted_flow(state, state[level_tag]), dt, 2.0)
        share = (flow / self._is.nominal_flow_m3h) ** 2
        pressure = self._is.static_bar + (self._is.nominal_pressure_bar - self._is.static_bar) * share
        level = state[level_tag] + (self._inflow(state[level_tag]) - flow) * dt / 3600 / self._is.tank_m3 * 100
        state[level_tag] = min(max(level, 0.0), 100.0)
        state[f"{self._is.tank}.level_m"] = state[level_tag] * self._is.tank_m / 100
        if flow > 0.5:
            self._flow.show(state, flow)
        else:
            state[f"{self._is.outlet}.flow"] = 0.0
        self._pressure.show(state, lagged(self._pressure.true(state), pressure, dt, 2.0))
        self._echo.show(state, self._echo.true(state))
        self._water.show(state, self._water.true(state))

    def _wanted_flow(self, state: State, level: float) -> float:
        if level <= self._is.dry_below:
            return 0.0
        speeds = sum((max(state[f"{drive}.speed_fb"], 0.0) / self._is.nominal_hz) ** 1.5 for drive in self._is.drives)
        return float(self._is.nominal_flow_m3h * speeds ** (1 / 1.5))

    def _inflow(self, level: float) -> float:
        self._is_refilling = level < (self._is.refill_above if self._is_refilling else self._is.refill_below)
        if level >= 100:
            return 0.0
        return self._is.refill_m3h if self._is_refilling else self._is.inflow_m3h
