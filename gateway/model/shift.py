"""A map at another place of its unit: a logical device whose addresses begin at a base of its own."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from gateway.model.address import PduAddress, Table
from gateway.model.point import DeviceFacts, Point, RegisterMap

LAST_ADDRESS = 65535


def shifted(register_map: RegisterMap, base: Mapping[Table, int]) -> RegisterMap:
    """The map with `base[table]` added to the PDU addresses of its points and of what may be read.

    A point whose own base is found at run time stays. Raises ValueError, naming the point, if one would lie beyond the last address.
    """
    if not any(base.values()):
        return register_map
    points = {name: _moved(point, base.get(point.table, 0)) for name, point in register_map.points.items()}
    digest = hashlib.sha256(f"{register_map.version} {sorted(base.items())}".encode()).hexdigest()[:16]
    return replace(register_map, points=points, device=_facts(register_map.device, base), version=digest, moved_by=base)


def _moved(point: Point, by: int) -> Point:
    if not by or point.base is not None:
        return point
    last = point.pdu + by + point.words - 1
    if last > LAST_ADDRESS:
        raise ValueError(f"{point.name} would reach PDU address {last}, beyond {LAST_ADDRESS}")
    return replace(point, pdu=PduAddress(point.pdu + by), written_address=f"{point.written_address} + {by}")


def _facts(facts: DeviceFacts, base: Mapping[Table, int]) -> DeviceFacts:
    moved = {
        table: tuple((low + base.get(table, 0), min(high + base.get(table, 0), LAST_ADDRESS)) for low, high in spans)
        for table, spans in facts.readable.items()
    }
    return replace(facts, readable=moved)
