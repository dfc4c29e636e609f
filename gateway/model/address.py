"""The four Modbus tables, PDU addresses, and what a manual's number means in each notation."""

from enum import StrEnum
from typing import NewType

PduAddress = NewType("PduAddress", int)
UnitId = NewType("UnitId", int)


class Table(StrEnum):
    """The four Modbus tables."""

    COIL = "coil"
    DISCRETE = "discrete"
    INPUT = "input"
    HOLDING = "holding"

    @property
    def is_bits(self) -> bool:
        """True for coils and discrete inputs."""
        return self in (Table.COIL, Table.DISCRETE)

    @property
    def read_function(self) -> int:
        """The function code that reads this table (Modbus V1.1b3 6.1 to 6.4)."""
        return {Table.COIL: 1, Table.DISCRETE: 2, Table.HOLDING: 3, Table.INPUT: 4}[self]


class Notation(StrEnum):
    """How a manual or map writes an address; stated, never guessed."""

    PDU = "pdu"
    REG = "reg"
    REF = "ref"
