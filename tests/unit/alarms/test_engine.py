"""Alarms over samples."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gateway.alarms.engine import Alarms
from gateway.alarms.watch import watches
from gateway.clock import ManualClock
from gateway.errors import WriteRefusedError
from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.alarm import AlarmInfo, level_of
from gateway.model.plan import ReadBlock
from gateway.model.point import AlarmRule, DataType, Flag, Point, Text
from gateway.model.sample import BlockSamples, Tag

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
TEMP = Point(
    name="temp",
    table=Table.HOLDING,
    pdu=PduAddress(0),
    words=1,
    type=DataType.INT16,
    alarm=AlarmRule(hi=Decimal(75), hysteresis=Decimal(2), priority="medium"),
    title=Text("motor temperature", "电机温度"),
)
STATUS = Point(
    name="status",
    table=Table.HOLDING,
    pdu=PduAddress(1),
    words=1,
    type=DataType.UINT16,
    flags={0: Flag(text=Text("ready", "就绪")), 3: Flag(text=Text("fault", "故障"), alarm="high")},
)
BLOCK = ReadBlock(unit_id=UnitId(1), table=Table.HOLDING, address=PduAddress(0), count=2, group="normal", points=(TEMP, STATUS))
WATCHES = watches(BLOCK, lambda name: Tag(f"vfd1.{name}"), Text("Pump 1", "1号泵"))


class Plant:
    def __init__(self) -> None:
        self.clock = ManualClock(T0)
        self.journal: list[AlarmInfo] = []
        self.alarms = Alarms(WATCHES, self.clock, self.journal.append)

    def sees(self, temp: Decimal | None, status: int = 0, reason: str | None = None) -> None:
        samples = BlockSamples(
            block=BLOCK,
            values=(temp, status if reason is None else None),
            reasons=(reason, reason),
            words=(),
            read_at=self.clock.utc(),
            read_mono=self.clock.monotonic(),
        )
        self.alarms.evaluate(WATCHES, samples)

    def states(self) -> list[tuple[str, str]]:
        return [(info.id, info.state) for info in self.alarms.list()]


def test_life_is_told_to_the_journal_in_order() -> None:
    plant = Plant()
    plant.sees(Decimal(76))
    plant.sees(Decimal(77))
    plant.alarms.acknowledge("AL-1", "op1")
    plant.sees(Decimal(70))
    assert [info.state for info in plant.journal] == ["UNACK_ACTIVE", "ACK_ACTIVE", "NORMAL"]
    assert plant.journal[1].acked_by == "op1"
    assert plant.journal[2].cleared_at == T0
    assert plant.alarms.list() == []


def test_returned_alarm_waits_for_a_person_and_a_new_one_gets_a_new_id() -> None:
    plant = Plant()
    plant.sees(Decimal(76))
    plant.sees(Decimal(70))
    assert plant.states() == [("AL-1", "RTN_UNACK")]
    plant.sees(Decimal(80))
    assert plant.states() == [("AL-2", "UNACK_ACTIVE")]


def test_bad_values_neither_raise_nor_clear() -> None:
    plant = Plant()
    plant.sees(Decimal(76))
    plant.sees(None, reason="timeout")
    assert plant.states() == [("AL-1", "UNACK_ACTIVE")]


def test_worst_first() -> None:
    plant = Plant()
    plant.sees(Decimal(76))
    plant.sees(Decimal(76), status=8)
    assert [info.tag for info in plant.alarms.list()] == ["vfd1.status", "vfd1.temp"]
    assert plant.alarms.list()[0].text == Text("Pump 1: status: fault", "1号泵status：故障")


async def test_shelved_alarm_comes_back_in_the_state_of_its_value() -> None:
    plant = Plant()
    plant.sees(Decimal(76))
    plant.alarms.shelve("AL-1", "eng1", T0 + timedelta(hours=1))
    plant.sees(Decimal(70))
    assert plant.states() == [("AL-1", "SHELVED")]
    await plant.clock.advance(3600)
    assert plant.states() == [("AL-1", "RTN_UNACK")]


def test_acknowledging_what_needs_none_is_refused() -> None:
    plant = Plant()
    with pytest.raises(WriteRefusedError, match="no standing alarm AL-9"):
        plant.alarms.acknowledge("AL-9", "op1")
    plant.sees(Decimal(76))
    plant.alarms.acknowledge("AL-1", "op1")
    with pytest.raises(WriteRefusedError, match="needs no acknowledgement"):
        plant.alarms.acknowledge("AL-1", "op1")


def test_restart_keeps_state_and_numbers() -> None:
    plant = Plant()
    plant.sees(Decimal(76))
    again = Plant()
    again.alarms.restore(plant.journal, last_number=1)
    assert again.states() == [("AL-1", "UNACK_ACTIVE")]
    again.sees(Decimal(70), status=8)
    assert again.states() == [("AL-2", "UNACK_ACTIVE"), ("AL-1", "RTN_UNACK")]


@pytest.mark.parametrize("limit", ["0.1", "0.3", "75", "1e-9", "-12.7"])
def test_floats_at_a_limit_reach_it_as_the_exact_comparison_says(limit: str) -> None:
    for rule in (AlarmRule(hi=Decimal(limit)), AlarmRule(lo=Decimal(limit))):
        (watch,) = watches(replace(BLOCK, points=(replace(TEMP, alarm=rule),)), lambda name: Tag(name), Text())
        near = float(limit)
        for value in (near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf), near + 1, near - 1):
            assert watch.level(value, None) == level_of(rule, value, None), (rule, value)
