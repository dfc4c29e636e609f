"""Fixtures for tests against simulated devices: `simulated_plant` and `simulated_device`.

Switched on by `pytest_plugins = ["simulators.pytest_plugin"]` in a project's top `conftest.py`:

```python
async def test_level(simulated_device):
    device = await simulated_device("demo_lt50", {"level": 50})
    host, port = device.port
```
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest_asyncio

from gateway.clock import Clock, SystemClock
from gateway.maps.load import find_map, load_map
from gateway.model.sample import Scalar
from simulators.fault import ActiveFault
from simulators.fault_args import Arg
from simulators.frames import LinkKind
from simulators.plant import Plant, device_plant, load_plant
from simulators.running import Port, Running
from simulators.simulated_plant import SimulatedPlant, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedPlant:
    """A plant that is reached through `running.ports`."""

    plant: SimulatedPlant
    running: Running


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedDevice:
    """One device that is reached at `port` (host and port, or a terminal) under `unit_id`."""

    plant: SimulatedPlant
    port: Port
    unit_id: int

    def get(self, point: str) -> Scalar:
        """The value the device holds."""
        return self.plant.get(f"device.{point}")

    def set(self, point: str, value: Scalar) -> None:
        """Make the device hold a value."""
        self.plant.set(f"device.{point}", value)

    def fault(self, name: str, **args: Arg) -> ActiveFault:
        """Start a fault."""
        return self.plant.fault(name, **args)

    @property
    def written(self) -> list[Written]:
        """What requests wrote, as `device.POINT`, in order."""
        return self.plant.written


class MakePlant(Protocol):
    """Makes and serves a plant until the test ends."""

    async def __call__(
        self,
        source: str | Path | Plant = "pump_station",
        *,
        clock: Clock | None = None,
        seed: int = 0,
        steady: bool = True,
        paced: bool = False,
    ) -> ServedPlant:
        """A shipped plant's name, a plant's file, or a plant made by hand."""
        ...


class MakeDevice(Protocol):
    """Makes and serves one device until the test ends."""

    async def __call__(
        self,
        map_id: str | Path,
        values: Mapping[str, Scalar] | None = None,
        *,
        kind: LinkKind = "tcp",
        unit_id: int | None = None,
        steady: bool = True,
        clock: Clock | None = None,
    ) -> ServedDevice:
        """A device of a shipped map's id or a map's file, holding `values` by point."""
        ...


@pytest_asyncio.fixture
async def simulated_plant() -> AsyncIterator[MakePlant]:
    """Serves plants until the test ends; see `MakePlant`."""
    async with AsyncExitStack() as stack:

        async def make(
            source: str | Path | Plant = "pump_station",
            *,
            clock: Clock | None = None,
            seed: int = 0,
            steady: bool = True,
            paced: bool = False,
        ) -> ServedPlant:
            what = source if isinstance(source, Plant) else load_plant(source)
            plant = SimulatedPlant(what, clock or SystemClock(), seed, steady=steady)
            return ServedPlant(plant=plant, running=await stack.enter_async_context(plant.running(paced=paced)))

        yield make


@pytest_asyncio.fixture
async def simulated_device(simulated_plant: MakePlant) -> AsyncIterator[MakeDevice]:
    """Serves single devices until the test ends; see `MakeDevice`."""

    async def make(
        map_id: str | Path,
        values: Mapping[str, Scalar] | None = None,
        *,
        kind: LinkKind = "tcp",
        unit_id: int | None = None,
        steady: bool = True,
        clock: Clock | None = None,
    ) -> ServedDevice:
        path = map_id if isinstance(map_id, Path) else find_map(map_id)
        what = device_plant(load_map(path), values or {}, kind=kind, unit_id=unit_id)
        served = await simulated_plant(what, clock=clock, steady=steady)
        return ServedDevice(plant=served.plant, port=served.running.ports["link"], unit_id=what.devices["device"].unit_id)

    yield make
