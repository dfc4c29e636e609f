"""Writes of points whose scale another point holds: the neighbours' bits stay, and the scale of the write is the one of the card."""

from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.errors import IllegalFunctionError, LinkError, LinkTimeoutError
from gateway.link.base import MaskWrite, Read, Request, WriteRegisters
from gateway.model.address import PduAddress, Table, UnitId
from gateway.service.base import WantedWrite
from tests.write_rig import Rig, actor, running

ONE, BLEND = UnitId(1), PduAddress(16)


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(tmp_path) as made:
        yield made


def lacks_22(request: Request) -> LinkError | None:
    return IllegalFunctionError(1) if isinstance(request, MaskWrite) else None


async def test_field_of_a_shared_register_is_written_by_its_mask(rig: Rig) -> None:
    (ended,) = (await rig.confirm(await rig.propose("pump.blend", Decimal("0.25")))).outcomes
    assert (ended.outcome, ended.read_back) == ("verified", Decimal("0.25"))
    assert rig.line.writes == [MaskWrite(unit_id=ONE, address=BLEND, and_mask=0xF00F, or_mask=25 << 4)]
    assert rig.line.get(1, Table.HOLDING, 16, 1) == (0xA00F | 25 << 4,)


async def test_without_function_22_the_neighbours_bits_are_kept_too(rig: Rig) -> None:
    rig.line.fault = lacks_22
    (ended,) = (await rig.confirm(await rig.propose("pump.blend", Decimal("0.25")))).outcomes
    assert ended.outcome == "verified"
    assert rig.line.writes[-1] == WriteRegisters(unit_id=ONE, address=BLEND, words=(0xA00F | 25 << 4,), single=True)


async def test_neighbour_that_moves_meanwhile_is_no_difference(rig: Rig) -> None:
    made = await rig.propose("pump.blend", Decimal("0.25"))
    rig.line.put(1, Table.HOLDING, 16, [0xB00E])
    (ended,) = (await rig.confirm(made)).outcomes
    assert ended.outcome == "verified"
    assert rig.line.get(1, Table.HOLDING, 16, 1) == (0xB00E | 25 << 4,)


@pytest.mark.parametrize("tag", ["pump.dose", "pump.blend"], ids=["W21-register", "W21-field"])
async def test_w21_scale_that_changed_since_the_card_stops_the_write(rig: Rig, tag: str) -> None:
    """The old value is 0 under any scale, so that it alone would not show it: the words would be ten times as much."""
    rig.line.put(1, Table.HOLDING, 9, [0])
    made = await rig.propose(tag, Decimal("0.25"))
    rig.line.put(1, Table.HOLDING, 10, [0xFFFF])
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.code) == ("changed_before", "CHANGED")
    assert "scale was changed" in ended.message.en
    assert "比例系数" in ended.message.zh
    assert rig.line.writes == []


async def test_w21_scale_of_a_two_device_card_is_looked_at_before_anything_is_sent(rig: Rig) -> None:
    rig.line.put(1, Table.HOLDING, 9, [0])
    wanted = [WantedWrite(tag="tank.alarm_sp", value=70), WantedWrite(tag="pump.dose", value=Decimal("0.25"))]
    made = await rig.proposer.propose(wanted, "", actor())
    rig.line.put(1, Table.HOLDING, 10, [0xFFFF])
    done = await rig.confirm(made)
    assert [(one.outcome, one.code) for one in done.outcomes] == [("not_sent", ""), ("changed_before", "CHANGED")]
    assert (rig.line.writes, rig.lan.writes) == ([], [])


@pytest.mark.parametrize("word", [0x8000, 11], ids=["not-implemented", "no-exponent"])
async def test_scale_that_is_none_any_more_stops_the_write(rig: Rig, word: int) -> None:
    made = await rig.propose("pump.blend", Decimal("0.25"))
    rig.line.put(1, Table.HOLDING, 10, [word])
    (ended,) = (await rig.confirm(made)).outcomes
    assert ended.code in ("STALE", "CHANGED")
    assert rig.line.writes == []


async def test_scale_that_went_mute_stops_the_write(rig: Rig) -> None:
    made = await rig.propose("pump.dose", Decimal("0.25"))
    rig.line.fault = lambda request: LinkTimeoutError("mute") if isinstance(request, Read) else None
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.code) == ("refused", "OFFLINE")
    assert rig.line.writes == []
