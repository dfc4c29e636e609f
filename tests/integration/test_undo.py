"""Undo: a new proposal of the old values, under all rules; what has moved since is said (THREATS T34)."""

from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.errors import LinkTimeoutError, UnknownTagError, WriteRefusedError
from gateway.link.base import Read
from gateway.model.address import Table
from gateway.model.point import Deadband, Role, WriteRule
from gateway.service.base import Proposal, WantedWrite
from tests.write_rig import PUMP, Rig, actor, make_map, running


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(tmp_path) as made:
        yield made


async def refused(asking: Awaitable[object]) -> WriteRefusedError:
    with pytest.raises(WriteRefusedError) as caught:
        await asking
    assert caught.value.message_zh
    return caught.value


async def written(rig: Rig, tag: str = "pump.speed_sp", value: int | Decimal | str = 43) -> Proposal:
    done = await rig.confirm(await rig.propose(tag, value), repeat="run")
    assert isinstance(rig.clock, ManualClock)
    await rig.clock.advance(11)
    return done


async def test_t34_undo_is_a_new_proposal_that_a_person_confirms(rig: Rig) -> None:
    done = await written(rig)
    undo = await rig.proposer.undo(done.id, actor("otto"))
    assert [(write.old, write.new) for write in undo.writes] == [(43, 45)]
    assert (undo.state, undo.proposer, undo.reason, undo.id != done.id) == ("PENDING", "otto", f"undo of {done.id}", True)
    assert len(rig.line.writes) == 1
    (ended,) = (await rig.confirm(undo)).outcomes
    assert (ended.outcome, ended.read_back, len(rig.line.writes)) == ("verified", 45, 2)


async def test_t34_undo_is_held_to_every_rule(rig: Rig) -> None:
    done = await rig.confirm(await rig.propose("pump.speed_sp", 43))
    assert (await refused(rig.proposer.undo(done.id, actor()))).codes == ("COOLDOWN",)
    assert (await refused(rig.proposer.undo(done.id, actor("vera", Role.VIEWER)))).codes == ("ROLE", "COOLDOWN")
    await rig.confirmer.lock_out("pump", "men at work", actor("enid", Role.ENGINEER))
    assert "LOCKED_OUT" in (await refused(rig.proposer.undo(done.id, actor()))).codes


async def test_t34_interlock_counts_for_undo_too(rig: Rig) -> None:
    rig.line.put(1, Table.HOLDING, 1, [1])
    done = await rig.confirm(await rig.propose("pump.run_cmd", "stop"), repeat="stop")
    rig.line.put(1, Table.HOLDING, 2, [7])
    assert (await refused(rig.proposer.undo(done.id, actor()))).codes == ("INTERLOCK",)


async def test_t34_point_that_moved_since_is_undone_from_where_it_is_and_the_card_says_so(rig: Rig) -> None:
    done = await written(rig)
    rig.line.put(1, Table.HOLDING, 0, [4200])
    undo = await rig.proposer.undo(done.id, actor())
    assert [(write.old, write.new) for write in undo.writes] == [(42, 45)]
    assert "it is 42 Hz, after the write it was 43 Hz" in undo.notes[0].en
    assert "现为 42 Hz" in undo.notes[0].zh
    assert (await rig.confirm(undo)).outcomes[0].read_back == 45


async def test_t34_a_move_inside_the_deadband_is_none(rig: Rig) -> None:
    points = [replace(one, deadband=Deadband(amount=Decimal("0.5"))) if one.name == "speed_sp" else one for one in PUMP]
    rig.plant.devices["pump"].map = make_map("pump", points)
    done = await written(rig)
    rig.line.put(1, Table.HOLDING, 0, [4310])
    undo = await rig.proposer.undo(done.id, actor())
    assert [(one.old, one.new) for one in undo.writes] == [(Decimal("43.1"), 45)]
    assert not any("was changed since" in note.en for note in undo.notes)


async def test_t34_after_a_clamped_write_the_clamped_value_is_what_stands(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    rig.line.ignores_writes = True
    done = await rig.confirm(made)
    rig.line.ignores_writes = False
    assert done.outcomes[0].outcome == "differs"
    error = await refused(rig.proposer.undo(done.id, actor()))
    assert (error.codes, "has its old value already" in error.message) == (("NOT_ALLOWED",), True)


async def test_t34_unknown_outcome_can_be_undone_once_the_point_was_read(rig: Rig) -> None:
    made = await rig.propose("pump.trim", 24)

    def takes_it_and_is_mute(request: object) -> LinkTimeoutError | None:
        if isinstance(request, Read):
            return LinkTimeoutError("mute") if rig.line.writes else None
        return None

    rig.line.fault = takes_it_and_is_mute
    done = await rig.confirm(made)
    assert done.outcomes[0].outcome == "unknown"
    rig.line.fault = lambda _: None
    assert (await refused(rig.proposer.undo(done.id, actor()))).codes == ("BLOCKED",)
    assert isinstance(rig.clock, ManualClock)
    await rig.clock.advance(1)
    await rig.plant.poll("pump.trim")
    undo = await rig.proposer.undo(done.id, actor())
    assert [(one.old, one.new) for one in undo.writes] == [(24, 25)]


async def test_t34_float_goes_back_to_the_number_people_know(rig: Rig) -> None:
    done = await written(rig, "pump.ratio", 12)
    assert done.writes[0].old == Decimal("12.300000190734863")
    undo = await rig.proposer.undo(done.id, actor())
    assert (await rig.confirm(undo)).outcomes[0].outcome == "verified"


async def test_t34_float_whose_short_form_means_no_value_goes_back_as_it_was(rig: Rig) -> None:
    """0x4144CCCE is 12.3 in seven digits, and 12.3 is the word by which the device says that there is none."""
    points = [replace(one, write=WriteRule(), invalid={0x4144CCCD: "not_available"}) if one.name == "ratio" else one for one in PUMP]
    rig.plant.devices["pump"].map = make_map("pump", points)
    rig.line.put(1, Table.HOLDING, 12, [0x4144, 0xCCCE])
    done = await written(rig, "pump.ratio", 12)
    undo = await rig.proposer.undo(done.id, actor())
    assert undo.writes[0].words == (0x4144, 0xCCCE)


@pytest.mark.parametrize(
    ("tag", "value", "words"),
    [("pump.trip", 1, "no old value is known"), ("pump.reset", 1, "acts at once")],
    ids=["T34-write-only", "T34-pulse"],
)
async def test_what_cannot_be_undone_says_so(rig: Rig, tag: str, value: int, words: str) -> None:
    made = await rig.propose(tag, value, "enid", Role.ENGINEER)
    await rig.confirm(made, "enid", Role.ENGINEER)
    done = await rig.proposer.get(made.id)
    if done.state == "PENDING":
        await rig.confirm(made, "emil", Role.ENGINEER)
    error = await refused(rig.proposer.undo(made.id, actor("enid", Role.ENGINEER)))
    assert (error.codes, words in error.message) == (("NOT_ALLOWED",), True)


async def test_t34_what_wrote_nothing_has_nothing_to_undo(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    assert "nothing to undo" in (await refused(rig.proposer.undo(made.id, actor()))).message
    rig.line.put(1, Table.HOLDING, 0, [4400])
    assert (await rig.confirm(made)).outcomes[0].outcome == "changed_before"
    assert "nothing to undo" in (await refused(rig.proposer.undo(made.id, actor()))).message
    ack = await rig.confirm(await rig.proposer.propose_ack("AL-1", actor()))
    assert "nothing to undo" in (await refused(rig.proposer.undo(ack.id, actor()))).message
    with pytest.raises(UnknownTagError):
        await rig.proposer.undo("P-none", actor())


async def test_t34_of_several_only_what_was_written_goes_back_last_first(rig: Rig) -> None:
    wanted = [WantedWrite(tag="panel.lamp", value=1), WantedWrite(tag="pump.trim", value=24), WantedWrite(tag="tank.alarm_sp", value=70)]
    made = await rig.proposer.propose(wanted, "", actor())
    rig.lan.fault = lambda request: None if isinstance(request, Read) else LinkTimeoutError("mute")
    done = await rig.confirm(made)
    assert [one.outcome for one in done.outcomes] == ["verified", "verified", "unknown"]
    rig.lan.fault = lambda _: None
    undo = await rig.proposer.undo(done.id, actor())
    assert [(one.tag, one.new) for one in undo.writes] == [("pump.trim", 25), ("panel.lamp", 0)]
    rig.lan.put(1, Table.HOLDING, 1, [70])
    assert isinstance(rig.clock, ManualClock)
    await rig.clock.advance(1)
    await rig.plant.poll("tank.alarm_sp")
    undo = await rig.proposer.undo(done.id, actor())
    assert [(one.tag, one.new) for one in undo.writes] == [("tank.alarm_sp", 80), ("pump.trim", 25), ("panel.lamp", 0)]


@pytest.mark.parametrize("change", ["version", "gone"])
async def test_t34_changed_map_is_said(rig: Rig, change: str) -> None:
    done = await written(rig)
    points = [one for one in PUMP if change == "version" or one.name != "speed_sp"]
    rig.plant.devices["pump"].map = make_map("pump", points, version="2")
    assert (await refused(rig.proposer.undo(done.id, actor()))).codes == ("MAP_CHANGED",)
