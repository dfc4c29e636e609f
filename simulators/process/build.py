"""The models a plant file can name, and how one is made."""

import random
from typing import Annotated, assert_never

from pydantic import Field

from simulators.process.base import Model
from simulators.process.dosing import Dosing, DosingParameters
from simulators.process.drive import Drive, DriveParameters
from simulators.process.heater import Heater, HeaterParameters
from simulators.process.hydraulics import Hydraulics, HydraulicsParameters
from simulators.process.meter import Meter, MeterParameters

ProcessParameters = Annotated[
    DriveParameters | HydraulicsParameters | MeterParameters | HeaterParameters | DosingParameters, Field(discriminator="model")
]


def build(parameters: ProcessParameters, chance: random.Random) -> Model:
    """The model that these parameters describe."""
    match parameters:
        case DriveParameters():
            return Drive(parameters, chance)
        case HydraulicsParameters():
            return Hydraulics(parameters, chance)
        case MeterParameters():
            return Meter(parameters, chance)
        case HeaterParameters():
            return Heater(parameters, chance)
        case DosingParameters():
            return Dosing(parameters, chance)
        case _:
            assert_never(parameters)
