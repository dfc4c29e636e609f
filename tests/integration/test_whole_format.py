"""The whole map format, from the file over a real socket and back: a device that lives its map by another codec, read and written."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
import pytest_asyncio

from gateway.app import Gateway, running
from gateway.clock import SystemClock
from gateway.maps.load import load_map
from gateway.model.point import Role
from gateway.model.sample import Label, Sample, Scalar
from gateway.service.base import Actor, WantedWrite
from gateway.settings import load_settings
from simulators.plant import device_plant
from simulators.simulated_plant import SimulatedPlant

MAP = Path(__file__).parents[1] / "golden" / "whole_format.yaml"
HELD: dict[str, Scalar] = {
    "exponent": -1, "factor": Decimal("2.5"), "code": 3, "sunspec_sf": -1,
    "i8": -5, "u8_high": 200, "i16": Decimal("21.5"), "u16_swapped": 0x1234, "i32": Decimal("-1234.567"), "u32": 4_000_000_000,
    "i64": -(2**62), "u64": 2**63 + 1, "f16": 1.5, "f32": -12.25, "f64": 1234567.891, "bcd16": 1234, "bcd32": 12345678,
    "bcd48": 123456789012, "bcd64": 1234567890123456, "energy": 1234567890123, "balance": -12345678,
    "by_exponent": Decimal("230.5"), "by_factor": Decimal(250), "by_table": 12, "by_range": Decimal("7.2"), "line": Decimal(25),
    "sunspec_w": Decimal("-150.5"), "mode": 1, "state": 0b1000_0001, "missing": 17, "no_number": 0.5, "bit": False, "wide_bit": True,
    "few_bits": 5, "unix": "2026-01-02T03:04:05Z", "ddmm": "03-15", "hhmm": "06:30", "clock": "2026-01-02T03:04:05",
    "date": "2026-01-02T03:04:05.678", "ipv4": "192.168.1.100", "eui48": "00:80:25:01:AB:CD", "hex": "0x0BD3", "ascii": "SN-00042",
    "low_bytes": "AB12", "high_bytes": "XY", "chinese": "1号泵", "short": "abc", "raw_bytes": "00FF10AA", "by_ref": -7, "by_reg": 77,
    "contact": True, "loop_flow_rk1": Decimal("55.5"), "loop_flow_rk2": Decimal("-3.5"), "loop_flow_rk3": Decimal(0), "loop_mode_1": 0,
    "loop_mode_2": 1, "loop_mode_3": 0, "gateway": 4711, "asked": 9, "relay": False, "relays": True, "sp": Decimal("20.5"),
    "wide_sp": -2.5, "scaled_sp": Decimal("12.5"), "mode_sp": 0, "text_sp": "阀门", "held_state": 40,
}  # fmt: skip
LABELS: dict[str, Label] = {
    "mode": "auto", "state": ["ready", "fault"], "contact": "open", "loop_mode_1": "standby", "loop_mode_2": "auto", "mode_sp": "standby",
    "loop_mode_3": "standby", "packed": {"step": 5, "mode": "auto", "marks": ["left", "right"]},
}  # fmt: skip
WRITTEN: dict[str, tuple[Scalar, int]] = {
    "relay": (True, 5), "relays": (False, 15), "bit": (True, 22), "sp": (Decimal("30.5"), 6), "wide_sp": (7.5, 16),
    "scaled_sp": (Decimal("13.7"), 6), "mode_sp": (1, 6), "text_sp": ("水", 16), "pulse": (1, 6), "held": (40, 6),
}  # fmt: skip
"""Value written, and by which function."""
ADMIN = Actor(user="ann", role=Role.ADMIN, via="page", session="s")


@dataclass(frozen=True)
class Rig:
    gateway: Gateway
    plant: SimulatedPlant

    async def read(self, *points: str) -> dict[str, Sample]:
        samples = await self.gateway.read.fresh([f"d.{point}" for point in points])
        return {sample.tag.removeprefix("d."): sample for sample in samples}

    async def write(self, point: str, value: Scalar) -> str:
        """Propose and confirm; how it ended."""
        card = await self.gateway.propose.propose([WantedWrite(tag=f"d.{point}", value=value)], "test", ADMIN)
        done = await self.gateway.confirm.confirm(card.id, card.nonce, ADMIN, repeat=str(value) if card.confirm == "two_step" else None)
        return done.outcomes[0].outcome


@pytest_asyncio.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    plant = SimulatedPlant(device_plant(load_map(MAP), HELD), SystemClock(), steady=True)
    for field, value in {"step": 5, "mode": 1, "marks": 0x0300}.items():
        plant.set(f"device.packed.{field}", value)
    async with plant.running() as served:
        at = served.ports["link"]
        assert isinstance(at, tuple)
        host, port = at
        (tmp_path / "whole_format.yaml").write_text(MAP.read_text("utf-8"), "utf-8")
        config = tmp_path / "plant.yaml"
        config.write_text(
            f"site: {{name: Test, timezone: UTC}}\ndata_dir: ./data\nmaps: [.]\n"
            f"links:\n  - {{id: lan1, transport: tcp, host: {host}, port: {port}}}\n"
            "devices:\n  - {id: d, link: lan1, unit_id: 1, map: whole_format, title: Device}\n",
            "utf-8",
        )
        async with running(load_settings(config), SystemClock()) as gateway:
            await gateway.users.add("ann", "a-password-for-tests", Role.ADMIN, by="test")
            yield Rig(gateway, plant)


async def test_every_point_reads_as_the_device_holds_it(rig: Rig) -> None:
    points = load_map(MAP).points
    assert points.keys() == {*HELD, "packed", "pulse", "held"}
    read = await rig.read(*points)
    assert {name: sample.value for name, sample in read.items() if sample.value != HELD.get(name)} == {"packed": 0b0000_0011_0001_0101}
    assert {name: sample.reason for name, sample in read.items() if sample.reason} == {"pulse": "not_available", "held": "not_available"}
    assert {name: sample.label for name, sample in read.items() if sample.label is not None} == LABELS
    assert read["contact"].label_text.zh == "开"
    units = {"i16": "degC", "by_range": "mA", "mode": "", "f16": "V", "loop_flow_rk2": "degC"}
    assert {name: read[name].unit for name in units} == units


async def test_what_is_no_value_says_why(rig: Rig) -> None:
    masked = ["missing", "no_number", "sunspec_w"]
    for name in masked:
        bank, point = rig.plant.find(f"device.{name}")
        bank.mask(point)
    rig.plant.set("device.line", Decimal(125))
    rig.plant.set("device.exponent", 11)
    rig.plant.set("device.code", 5)
    rig.plant.set("device.ddmm", 3115)
    rig.plant.set("device.bcd16", 0)
    rig.plant.set("device.state", 0b1000_0010_0000_0010)
    read = await rig.read(*masked, "line", "by_exponent", "by_range", "by_table", "ddmm", "bcd16", "state")
    assert {name: (sample.value, sample.reason) for name, sample in read.items()} == {
        "missing": (None, "not_fitted"),
        "no_number": (None, "not_available"),
        "sunspec_w": (None, "not_available"),
        "line": (Decimal(125), "out_of_range"),
        "by_exponent": (None, "bad_scale_factor"),
        "by_range": (None, "bad_scale_factor"),
        "by_table": (None, "bad_scale_factor"),
        "ddmm": (None, "bad_date"),
        "bcd16": (0, None),
        "state": (0b1000_0010_0000_0010, None),
    }
    assert read["state"].label == ["running", "bit9", "bit15"]


@pytest.mark.parametrize("name", WRITTEN)
async def test_what_is_written_arrives_by_the_right_function(rig: Rig, name: str) -> None:
    value, function = WRITTEN[name]
    before = len(rig.plant.requests())
    outcome = await rig.write(name, value)
    assert outcome == ("acknowledged" if name == "pulse" else "verified")
    assert (f"device.{name}", value) in [(one.tag, one.value) for one in rig.plant.written]
    writes = [request.pdu[0] for request in rig.plant.requests()[before:] if request.pdu[0] > 4]
    assert writes == [function], "sent once"
    if name == "bit":
        assert rig.plant.get("device.bit") is True
