"""A simulated device with registers and coils where the fuzz asks."""

from gateway.model.address import Table
from gateway.model.point import DataType
from simulators.registers import Bank
from tests.unit.simulators.small_maps import register_map, writable


def bank() -> Bank:
    """A hundred registers and coils from 0 and a few elsewhere; all else does not exist."""
    return Bank(
        register_map(
            *(writable(f"reg{at}", at) for at in (*range(100), 107, 0x0300)),
            *(writable(f"coil{at}", at, DataType.BOOL, Table.COIL) for at in range(100)),
        )
    )
