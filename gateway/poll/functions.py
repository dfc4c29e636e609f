"""Which function writes a point: as the map says, else the usual one, else what the device was found to accept (CASES W09)."""

from collections.abc import Sequence

from gateway.link.base import MaskWrite, Request, WriteCoils, WriteRegisters
from gateway.model.address import PduAddress, UnitId
from gateway.model.encode import Encoded, write_functions
from gateway.model.point import DeviceFacts, Point


class WriteFunctions:
    """The write functions of one device; remembers those it refused with exception 1."""

    def __init__(self, facts: DeviceFacts) -> None:
        self._stated = facts.functions
        self.refused: set[int] = set()

    def candidates(self, point: Point) -> Sequence[int]:
        """Functions to try in order; a later one only if the one before it was answered with exception 1."""
        if point.write is not None and point.write.function is not None:
            return (point.write.function,)
        usual = write_functions(point)
        stated = [function for function in usual if not self._stated or function in self._stated] or list(usual)
        return [function for function in stated if function not in self.refused] or stated


def write_request(function: int, unit_id: UnitId, address: PduAddress, encoded: Encoded, current: Sequence[int]) -> Request:
    """The request that writes `encoded` by `function`; `current` are the registers now, for bits of a shared word."""
    match function:
        case 5 | 15:
            return WriteCoils(unit_id=unit_id, address=address, bits=(bool(encoded.coil),), single=function == 5)
        case 22:
            return MaskWrite(unit_id=unit_id, address=address, and_mask=encoded.keep[0], or_mask=encoded.words[0])
        case _:
            return WriteRegisters(unit_id=unit_id, address=address, words=encoded.merged(current), single=function == 6)
