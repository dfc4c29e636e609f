"""A plant and what happens to it: a timeline of values and faults, from a file.

```yaml
scenario: 1
plant: pump_station            # a shipped plant, or a plant's or map's file beside this one
timeline:
  - {at: 10s, set: {lt1.level: 12.5}}
  - {at: 1m, fault: "late=0.5,device=vfd2", for: 30s}
  - {at: 5m, clear_faults: true}
```
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gateway.clock import SystemClock
from gateway.errors import ConfigError, GatewayError
from gateway.maps.findings import invalid
from gateway.maps.load import load_map
from gateway.model.sample import Scalar
from gateway.yamlfile import YamlFile, read_yaml
from simulators.fault_args import FaultSpec, parse_fault
from simulators.plant import Plant, at_path, device_plant, find_plant, misfits, plant_of
from simulators.process.sim_keys import seconds
from simulators.simulated_plant import SimulatedPlant


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """At `at_s` from the start: values are set, all faults end, one begins (and ends after `for_s`)."""

    at_s: float
    values: Mapping[str, Scalar]
    fault: FaultSpec | None = None
    for_s: float | None = None
    clears_faults: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A plant, whether it stands still, its seed, and its events in time order."""

    plant: Plant
    steady: bool = False
    seed: int = 0
    events: tuple[Event, ...] = ()
    is_map: bool = False
    """Made from a register map alone."""


def load_scenario(source: str | Path) -> Scenario:
    """What can be simulated: a scenario, a plant (file or shipped name) or a register map; raises ConfigError."""
    yaml = read_yaml(find_plant(source))
    keys = yaml.root if isinstance(yaml.root, dict) else {}
    if "regmap" in keys:
        return Scenario(plant=device_plant(load_map(Path(yaml.file)), {}), is_map=True)
    if "scenario" in keys:
        return _scenario_of(yaml)
    return Scenario(plant=plant_of(yaml))


def schedule(scenario: Scenario, plant: SimulatedPlant) -> None:
    """Have the events happen to `plant`, counted from now."""
    for event in scenario.events:
        plant.later(event.at_s, partial(_happen, event, plant))


class _EventIn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str = Field(pattern=r"^\d+(\.\d+)?(ms|s|m|h|d)$")
    set: dict[str, bool | int | Decimal | str] = {}
    fault: str | None = None
    last: str | None = Field(default=None, alias="for", pattern=r"^\d+(\.\d+)?(ms|s|m|h|d)$")
    clear_faults: bool = False


class _ScenarioIn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    scenario: Literal[1]
    plant: str
    steady: bool = False
    seed: int = 0
    timeline: list[_EventIn]


def _scenario_of(yaml: YamlFile) -> Scenario:
    if yaml.findings:
        raise ConfigError(yaml.findings)
    try:
        written = _ScenarioIn.model_validate(yaml.root)
    except ValidationError as exc:
        raise ConfigError(invalid(exc, yaml, (), yaml.root)) from exc
    beside = Path(yaml.file).parent / written.plant
    plant = load_scenario(beside if beside.is_file() else written.plant).plant
    events = tuple(_event(yaml, number, event, plant) for number, event in enumerate(written.timeline))
    return Scenario(plant=plant, steady=written.steady, seed=written.seed, events=tuple(sorted(events, key=lambda event: event.at_s)))


def _event(yaml: YamlFile, number: int, event: _EventIn, plant: Plant) -> Event:
    wrong = [at_path(yaml, ("timeline", number, "set", tag), message, fix) for tag, message, fix in misfits(plant, event.set)]
    if wrong:
        raise ConfigError(wrong)
    try:
        fault = parse_fault(event.fault) if event.fault else None
        if fault is not None:
            SimulatedPlant(plant, SystemClock(), steady=True).start_fault(fault)  # tags and links of the fault exist
    except GatewayError as exc:
        raise ConfigError([at_path(yaml, ("timeline", number, "fault"), exc.message, exc.fix)]) from exc
    return Event(
        at_s=seconds(event.at, 0.0),
        values=event.set,
        fault=fault,
        for_s=seconds(event.last, 0.0) if event.last else None,
        clears_faults=event.clear_faults,
    )


def _happen(event: Event, plant: SimulatedPlant) -> None:
    if event.clears_faults:
        plant.clear_faults()
    for tag, value in event.values.items():
        plant.set(tag, value)
    if event.fault is not None:
        end: Callable[[], None] = plant.start_fault(event.fault).clear
        if event.for_s is not None:
            plant.later(event.for_s, end)
