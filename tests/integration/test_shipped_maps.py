"""Each shipped map, lived by the simulator and read back: two codecs, one map, no value lost."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Context, Decimal
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.maps.load import shipped_maps
from gateway.model.address import UnitId
from gateway.model.decode import compile_block
from gateway.model.plan import PlanLimits, ReadBlock, plan_blocks
from gateway.model.point import Access, RegisterMap
from gateway.model.sample import Scalar
from simulators.registers import Bank
from simulators.scenario import load_scenario
from simulators.simulated_plant import SimulatedPlant

START = datetime(2026, 1, 1, tzinfo=UTC)
PATHS = sorted(shipped_maps().glob("*.yaml"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
async def test_every_point_of_a_simulated_device_reads_as_it_is_held(path: Path) -> None:
    clock = ManualClock(START)
    scenario = load_scenario(path)
    plant = SimulatedPlant(scenario.plant, clock)
    ((device, served),) = scenario.plant.devices.items()
    blocks = blocks_of(served.map, UnitId(served.unit_id))
    for _ in range(3):
        read = read_all(plant, served.link, blocks, Bank(served.map, served.unit_id))
        assert {name: reason for name, (value, reason) in read.items() if value is None} == {}
        assert read.keys() == {name for name, point in served.map.points.items() if point.access is not Access.WO}
        for name, (value, _) in read.items():
            assert rounded(value) == rounded(plant.get(f"{device}.{name}"))
        await clock.advance(1800)


def rounded(value: Scalar | None) -> Scalar | None:
    """To the 15 digits that a two-point range has."""
    return Context(prec=15).plus(value) if isinstance(value, Decimal) else value


def blocks_of(register_map: RegisterMap, unit_id: UnitId) -> list[ReadBlock]:
    """The exchanges of all groups; those that are read once come first, as the scales among them are needed."""
    groups = sorted(register_map.periods, key=lambda group: register_map.periods[group] is not None)
    points, limits = list(register_map.points.values()), PlanLimits.of(register_map.device)
    return [block for group in groups for block in plan_blocks(points, unit_id, group, limits)]


def read_all(plant: SimulatedPlant, link: str, blocks: Sequence[ReadBlock], bank: Bank) -> dict[str, tuple[Scalar | None, str | None]]:
    """Value and reason of every point; scales from elsewhere are those of the first round."""
    read: dict[str, tuple[Scalar | None, str | None]] = {}
    values: dict[str, Scalar | None] = {}
    for _ in range(2):
        for block in blocks:
            shift = bank.point(block.points[0].name).pdu - block.points[0].pdu
            request = bytes([block.table.read_function]) + (block.address + shift).to_bytes(2) + block.count.to_bytes(2)
            reply = plant.serve_pdu(link, block.unit_id, request)
            assert reply is not None
            assert reply[0] == block.table.read_function, reply.hex()
            words = words_of(reply[2:], block)
            samples = compile_block(block).decode(words, START, 0.0, values.get)
            for point, value, reason in zip(block.points, samples.values, samples.reasons, strict=True):
                read[point.name], values[point.name] = (value, reason), value
    return read


def words_of(data: bytes, block: ReadBlock) -> list[int]:
    """The registers of a reply, or its bits as 0 and 1."""
    if block.table.is_bits:
        return [data[place // 8] >> place % 8 & 1 for place in range(block.count)]
    return [int.from_bytes(data[place : place + 2]) for place in range(0, len(data), 2)]
