"""Which samples are stored."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.deadband import changed
from gateway.model.plan import ReadBlock
from gateway.model.point import DataType, Deadband, Point
from gateway.model.sample import BlockSamples, Tag
from gateway.store.base import StoredSample
from gateway.store.recorder import BlockRecorder

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
LEVEL = Point(name="level", table=Table.INPUT, pdu=PduAddress(0), words=1, type=DataType.UINT16, deadband=Deadband(amount=Decimal("0.5")))
TEMP = Point(name="temp", table=Table.INPUT, pdu=PduAddress(1), words=1, type=DataType.INT16)
BLOCK = ReadBlock(unit_id=UnitId(1), table=Table.INPUT, address=PduAddress(0), count=2, group="normal", points=(LEVEL, TEMP))


class Shelf:
    def __init__(self) -> None:
        self.rows: list[StoredSample] = []
        self.recorder = BlockRecorder(BLOCK, [Tag("lt1.level"), Tag("lt1.temp")], self.rows.extend, heartbeat_s=60)

    def sees(self, mono: float, level: Decimal | None, temp: int | None, reason: str | None = None) -> list[tuple[str, object, str | None]]:
        before = len(self.rows)
        samples = BlockSamples(
            block=BLOCK, values=(level, temp), reasons=(reason, reason), words=(), read_at=T0 + timedelta(seconds=mono), read_mono=mono
        )
        self.recorder.record(samples)
        return [(row.tag.split(".")[1], row.value, row.reason) for row in self.rows[before:]]


def test_first_values_are_stored_and_small_changes_are_not() -> None:
    shelf = Shelf()
    assert shelf.sees(0, Decimal(63), 14) == [("level", Decimal(63), None), ("temp", 14, None)]
    assert shelf.sees(1, Decimal("63.4"), 14) == []
    assert shelf.sees(2, Decimal("63.5"), 14) == [("level", Decimal("63.5"), None)]
    assert shelf.sees(3, Decimal("63.5"), 15) == [("temp", 15, None)]


def test_slow_drift_is_measured_from_the_stored_value() -> None:
    shelf = Shelf()
    shelf.sees(0, Decimal(63), 14)
    assert shelf.sees(1, Decimal("63.3"), 14) == []
    assert shelf.sees(2, Decimal("63.6"), 14) == [("level", Decimal("63.6"), None)]


def test_unchanged_values_are_stored_once_a_heartbeat() -> None:
    shelf = Shelf()
    shelf.sees(0, Decimal(63), 14)
    assert shelf.sees(59, Decimal(63), 14) == []
    assert shelf.sees(60, Decimal(63), 14) == [("level", Decimal(63), None), ("temp", 14, None)]
    assert shelf.sees(61, Decimal(63), 14) == []


def test_losing_a_value_is_stored_once_with_its_reason() -> None:
    shelf = Shelf()
    shelf.sees(0, Decimal(63), 14)
    assert shelf.sees(1, None, None, "timeout") == [("level", None, "timeout"), ("temp", None, "timeout")]
    assert shelf.sees(2, None, None, "timeout") == []
    assert shelf.sees(3, Decimal(63), 14) == [("level", Decimal(63), None), ("temp", 14, None)]


@given(
    stored=st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(2**63), 2**64 - 1),
    amount=st.decimals("0", "1000", places=3),
    relative=st.booleans(),
    steps=st.sampled_from([0.0, 0.5, 0.999999, 1.0, 1.000001, 2.0]),
)
def test_numbers_near_the_deadband_are_stored_as_the_exact_comparison_says(
    stored: float | int, amount: Decimal, relative: bool, steps: float
) -> None:
    deadband = Deadband(amount=amount, relative=relative)
    block = replace(BLOCK, count=1, points=(replace(LEVEL, deadband=deadband),))
    rows: list[StoredSample] = []
    band = float(amount) * (abs(stored) if relative else 1.0)
    near: tuple[float | int, ...] = (stored + steps * band, stored - steps * band, math.nextafter(stored + band, 0.0))
    if isinstance(stored, int):
        near = (stored + int(steps * band), stored - int(steps * band), stored + int(band) - 1, stored + int(band) + 1)
    for new in near:
        rows.clear()
        fresh = BlockRecorder(block, [Tag("lt1.level")], rows.extend)
        for mono, value in enumerate((stored, new)):
            fresh.record(BlockSamples(block=block, values=(value,), reasons=(None,), words=(), read_at=T0, read_mono=float(mono)))
        assert len(rows) == 1 + changed(stored, new, deadband)
