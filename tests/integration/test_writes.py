"""From a person's yes to the read-back, over real devices on the memory transport (THREATS B and G, CASES W and S)."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import Connection

from gateway.clock import ManualClock, settle
from gateway.errors import (
    AcknowledgeError,
    DeviceBusyError,
    FrameError,
    GatewayTargetError,
    IllegalFunctionError,
    IllegalValueError,
    LinkDownError,
    LinkError,
    LinkTimeoutError,
    UnknownTagError,
    WriteRefusedError,
)
from gateway.link.base import MaskWrite, Read, Request, WriteCoils, WriteRegisters
from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.point import Role
from gateway.model.sample import Scalar
from gateway.poll.device import Device
from gateway.service.base import Outcome, Proposal, Via, WantedWrite
from gateway.service.confirm import AlreadyTakenError
from tests.write_rig import PUMP, Rig, actor, make_map, running

E = Role.ENGINEER


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(tmp_path) as made:
        yield made


def clock_of(rig: Rig) -> ManualClock:
    assert isinstance(rig.clock, ManualClock)
    return rig.clock


async def codes_of(confirming: Awaitable[object]) -> tuple[str, ...]:
    """The codes by which a confirmation is refused."""
    with pytest.raises(WriteRefusedError) as caught:
        await confirming
    assert caught.value.message_zh
    return caught.value.codes


def speed(hz: int) -> WriteRegisters:
    return WriteRegisters(unit_id=UnitId(1), address=PduAddress(0), words=(hz * 100,), single=True)


def fails(error: LinkError, *, then_mute: bool = False) -> Callable[[Request], LinkError | None]:
    """Writes fail with `error`; with `then_mute` what follows gets no reply."""
    failed: list[bool] = []

    def fault(request: Request) -> LinkError | None:
        if not isinstance(request, Read):
            failed.append(True)
            return error
        return LinkTimeoutError("mute") if failed and then_mute else None

    return fault


# ---- the path of a write ----------------------------------------------------------------------------------------


async def test_confirmed_write_goes_out_once_and_is_read_back(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    done = await rig.confirm(made, "otto")
    (outcome,) = done.outcomes
    assert (done.state, done.finished_by, outcome.outcome, outcome.code, outcome.read_back) == ("EXECUTED", "otto", "verified", "", 43)
    assert rig.line.writes == [speed(43)]
    assert await rig.kinds() == ["proposed", "confirmed", "sending", "outcome"]
    assert [one.state for one in rig.changes] == ["PENDING", "CONFIRMED", "EXECUTED"]
    assert await rig.proposer.get(made.id) == done


async def test_record_of_an_executed_write_is_complete(rig: Rig) -> None:
    done = await rig.confirm(await rig.propose("pump.speed_sp", 43, via="chat"), "otto")
    (record,) = await rig.audit.entries(["outcome"])
    assert record.subject == "pump.speed_sp"
    assert record.body == {
        "proposal": done.id,
        "user": "olga",
        "confirmed_by": ["otto"],
        "tag": "pump.speed_sp",
        "device": "pump",
        "map_version": "1",
        "words": [4300],
        "old": 45,
        "new": 43,
        "unit": "Hz",
        "reason": "because",
        "via": "chat",
        "conversation": "",
        "model": "",
        "outcome": "verified",
        "code": "",
        "old_read": 45,
        "read_back": 43,
        "trouble": "",
    }
    assert (await rig.audit.verify()).ok


WIRE: dict[str, tuple[str, Scalar, Request, Outcome]] = {
    "coil": ("pump.enable", True, WriteCoils(unit_id=UnitId(1), address=PduAddress(0), bits=(True,), single=True), "verified"),
    "W05-float": (
        "pump.ratio",
        12,
        WriteRegisters(unit_id=UnitId(1), address=PduAddress(12), words=(0x4140, 0)),
        "verified",
    ),
    "pulse": ("pump.trip", 1, WriteRegisters(unit_id=UnitId(1), address=PduAddress(7), words=(1,), single=True), "acknowledged"),
    "W12-bits": ("pump.mode_bits", 5, MaskWrite(unit_id=UnitId(1), address=PduAddress(15), and_mask=0xFF0F, or_mask=0x50), "verified"),
    "W21-scale": (
        "pump.dose",
        Decimal("12.35"),
        WriteRegisters(unit_id=UnitId(1), address=PduAddress(9), words=(1235,), single=True),
        "verified",
    ),
    "zero": ("pump.trim", 0, WriteRegisters(unit_id=UnitId(1), address=PduAddress(8), words=(0,), single=True), "verified"),
}


@pytest.mark.parametrize(("tag", "value", "request_", "outcome"), WIRE.values(), ids=WIRE)
async def test_what_is_on_the_wire(rig: Rig, tag: str, value: Scalar, request_: Request, outcome: Outcome) -> None:
    done = await rig.confirm(await rig.propose(tag, value))
    assert [one.outcome for one in done.outcomes] == [outcome]
    assert rig.line.writes[-1] == request_


async def test_w08_false_is_a_value(rig: Rig) -> None:
    rig.line.put(1, Table.COIL, 0, [1])
    assert (await rig.confirm(await rig.propose("pump.enable", False))).outcomes[0].outcome == "verified"
    assert rig.line.get(1, Table.COIL, 0, 1) == (0,)


OUTCOMES: dict[str, tuple[LinkError, bool, Outcome, str]] = {
    "T30-W16-mute": (LinkTimeoutError("no reply"), True, "unknown", ""),
    "T30-mute-but-read": (LinkTimeoutError("no reply"), False, "unknown", ""),
    "T30-W13-wrong-echo": (FrameError("other value", kind="echo_mismatch"), False, "unknown", ""),
    "T30-exception-5": (AcknowledgeError(5), False, "unknown", ""),
    "T30-exception-11": (GatewayTargetError(11), False, "unknown", ""),
    "T30-lost-link": (LinkDownError("reset", sent=True), True, "unknown", ""),
    "not-sent": (LinkDownError("refused", sent=False), False, "not_sent", ""),
    "refused-3": (IllegalValueError(3), False, "refused", "DEVICE"),
    "refused-6": (DeviceBusyError(6), False, "refused", "DEVICE"),
    "refused-1": (IllegalFunctionError(1), False, "refused", "DEVICE"),
}


@pytest.mark.parametrize(("error", "then_mute", "outcome", "code"), OUTCOMES.values(), ids=OUTCOMES)
async def test_t30_trouble_is_an_outcome_and_never_a_second_write(
    rig: Rig, error: LinkError, then_mute: bool, outcome: Outcome, code: str
) -> None:
    made = await rig.propose("pump.ratio", 12)
    rig.line.fault = fails(error, then_mute=then_mute)
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.code) == (outcome, code)
    assert ended.message.en
    assert ended.message.zh
    if outcome == "unknown":
        assert len(rig.line.writes) == 1
        assert "check at the device" in ended.message.en
    assert (await rig.kinds()).count("outcome") == 1


async def test_w16_mute_device_that_did_it_is_verified_by_its_read_back(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)

    def takes_it_silently(request: Request) -> LinkError | None:
        if isinstance(request, Read):
            return None
        rig.line.put(1, Table.HOLDING, 0, [4300])
        return LinkTimeoutError("no reply")

    rig.line.fault = takes_it_silently
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.read_back, len(rig.line.writes)) == ("verified", 43, 1)


async def test_t30_w15_device_that_acknowledges_and_ignores_differs(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    rig.line.ignores_writes = True
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.read_back) == ("differs", 45)
    assert "45 Hz" in ended.message.en
    assert "45 Hz" in ended.message.zh


async def test_t30_after_unknown_the_point_is_blocked_until_it_was_read(rig: Rig) -> None:
    made = await rig.propose("pump.trim", 24)
    rig.line.fault = fails(LinkTimeoutError("no reply"), then_mute=True)
    await rig.confirm(made)
    assert await codes_of(rig.propose("pump.trim", 26)) == ("BLOCKED", "OFFLINE")
    rig.line.fault = lambda _: None
    await clock_of(rig).advance(1)
    assert await codes_of(rig.propose("pump.trim", 26)) == ("BLOCKED",)
    await rig.plant.poll("pump.trim")
    assert (await rig.propose("pump.trim", 26)).state == "PENDING"


async def test_t30_a_read_from_before_does_not_unblock(rig: Rig) -> None:
    await rig.plant.poll("pump.trim")
    await clock_of(rig).advance(1)
    made = await rig.propose("pump.trim", 24)
    rig.line.fault = fails(LinkTimeoutError("no reply"))
    await rig.confirm(made)
    assert await codes_of(rig.propose("pump.trim", 26)) == ("BLOCKED",)


async def test_t30_other_points_stay_free(rig: Rig) -> None:
    made = await rig.propose("pump.trim", 24)
    rig.line.fault = fails(LinkTimeoutError("no reply"))
    await rig.confirm(made)
    rig.line.fault = lambda _: None
    assert (await rig.confirm(await rig.propose("pump.speed_sp", 43))).outcomes[0].outcome == "verified"


async def test_unreadable_point_is_unblocked_by_an_engineer(rig: Rig) -> None:
    made = await rig.propose("pump.trip", 1)
    rig.line.fault = fails(LinkTimeoutError("no reply"))
    await rig.confirm(made)
    rig.line.fault = lambda _: None
    assert await codes_of(rig.propose("pump.trip", 1)) == ("BLOCKED",)
    assert await rig.confirmer.release("pump.trip", "looked at it", actor("enid", E))
    assert (await rig.propose("pump.trip", 1)).state == "PENDING"


# ---- who may, and when ------------------------------------------------------------------------------------------


async def test_t24_replayed_confirmation_executes_once(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    results = await asyncio.gather(*(rig.confirm(made) for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(one, Proposal) for one in results) == 1
    assert all(isinstance(one, Proposal | AlreadyTakenError) for one in results)
    with pytest.raises(AlreadyTakenError) as late:
        await rig.confirm(made)
    assert (late.value.proposal.outcomes[0].outcome, late.value.proposal.finished_by) == ("verified", "olga")
    assert rig.line.writes == [speed(43)]


async def test_t25_two_operators_at_once_in_two_processes(tmp_path: Path, rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    async with running(tmp_path, clock=rig.clock, line=rig.line, lan=rig.lan) as other:
        results = await asyncio.gather(rig.confirm(made, "olga"), other.confirm(made, "otto"), return_exceptions=True)
    (loser,) = [one for one in results if isinstance(one, AlreadyTakenError)]
    (winner,) = [one for one in results if isinstance(one, Proposal)]
    assert loser.proposal.finished_by == winner.finished_by
    assert winner.finished_by in loser.message
    assert rig.line.writes == [speed(43)]


async def test_t26_value_changed_since_it_was_shown(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    rig.line.put(1, Table.HOLDING, 0, [4400])
    done = await rig.confirm(made)
    assert [(one.outcome, one.code) for one in done.outcomes] == [("changed_before", "CHANGED")]
    assert "44 Hz" in done.outcomes[0].message.en
    assert rig.line.writes == []
    assert await rig.kinds() == ["proposed", "confirmed", "outcome"]


async def test_t27_nonce_belongs_to_its_proposal(rig: Rig) -> None:
    one, two = await rig.propose("pump.speed_sp", 43), await rig.propose("pump.trim", 24)
    assert await codes_of(rig.confirmer.confirm(one.id, two.nonce, actor())) == ("NOT_ALLOWED",)
    assert await codes_of(rig.confirmer.confirm(one.id, "", actor())) == ("NOT_ALLOWED",)
    with pytest.raises(UnknownTagError):
        await rig.confirmer.confirm("P-none", one.nonce, actor())
    assert rig.line.writes == []


async def test_t27_stored_proposal_that_was_altered_is_refused(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await rig.store.write(lambda connection: connection.exec_driver_sql("update proposals set body = replace(body, '4300', '5000')"))
    assert await codes_of(rig.confirm(made)) == ("NOT_ALLOWED",)


@pytest.mark.parametrize(
    ("via", "session", "codes"),
    [("chat", "s1", ("NOT_ALLOWED",)), ("mcp", "s1", ("NOT_ALLOWED",)), ("page", "", ("NOT_ALLOWED",)), ("api", "", ("NOT_ALLOWED",))],
    ids=["chat", "mcp", "page-without-session", "api-without-session"],
)
async def test_only_a_signed_in_person_confirms(rig: Rig, via: Via, session: str, codes: tuple[str, ...]) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    assert await codes_of(rig.confirmer.confirm(made.id, made.nonce, actor(via=via, session=session))) == codes
    assert rig.line.writes == []


async def test_t28_expired(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await clock_of(rig).advance(120)
    assert await codes_of(rig.confirm(made)) == ("EXPIRED",)
    assert await codes_of(rig.confirm(made)) == ("EXPIRED",)
    assert (await rig.proposer.get(made.id)).state == "EXPIRED"


async def test_t28_two_step_expires_in_a_minute(rig: Rig) -> None:
    made = await rig.propose("pump.run_cmd", "run")
    await clock_of(rig).advance(60)
    assert await codes_of(rig.confirm(made, repeat="run")) == ("EXPIRED",)


async def test_t28_expiry_is_told_without_a_question(rig: Rig) -> None:
    await rig.propose("pump.speed_sp", 43)
    await rig.confirmer.expire_due()
    await clock_of(rig).advance(121)
    await rig.confirmer.expire_due()
    assert [one.state for one in rig.changes] == ["PENDING", "EXPIRED"]


async def test_t36_clock_set_back_revives_nothing(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await clock_of(rig).advance(121)
    clock_of(rig).jump(-3600)
    assert await codes_of(rig.confirm(made)) == ("EXPIRED",)


async def test_t28_restart_kills_pending_ones(tmp_path: Path, rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    async with running(tmp_path, line=rig.line, lan=rig.lan) as again:
        await again.confirmer.recover()
        assert [one.state for one in again.changes] == ["EXPIRED"]
        assert await codes_of(again.confirm(made)) == ("EXPIRED",)
    assert rig.line.writes == []


@pytest.mark.parametrize("change", ["version", "gone"])
async def test_t28_changed_map(rig: Rig, change: str) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    points = [one for one in PUMP if change == "version" or one.name != "speed_sp"]
    rig.plant.devices["pump"].map = make_map("pump", points, version="2" if change == "version" else "1")
    assert await codes_of(rig.confirm(made)) == ("MAP_CHANGED",)
    assert (await rig.proposer.get(made.id)).state == "EXPIRED"
    assert rig.line.writes == []


async def test_t29_second_approval_needs_another_person(rig: Rig) -> None:
    made = await rig.propose("pump.reset", 1, "enid", E)
    first = await rig.confirm(made, "enid", E)
    assert (first.state, first.approved_by) == ("PENDING", ("enid",))
    assert await codes_of(rig.confirmer.confirm(made.id, made.nonce, actor("enid", E, session="another"))) == ("SECOND_PERSON",)
    assert await codes_of(rig.confirm(made, "olga")) == ("ROLE",)
    assert rig.line.writes == []
    done = await rig.confirm(made, "emil", E)
    assert (done.state, done.approved_by, done.outcomes[0].outcome) == ("EXECUTED", ("enid", "emil"), "acknowledged")
    (record,) = await rig.audit.entries(["outcome"])
    assert record.body["confirmed_by"] == ["enid", "emil"]
    meanings = [one.body["meaning"] for one in reversed(await rig.audit.entries(["approved", "confirmed"]))]
    assert meanings == ["approved", "second approval"]


@pytest.mark.parametrize("repeat", [None, "", "stop", "0", "run, run", "ru"])
async def test_two_step_needs_the_value_again(rig: Rig, repeat: str | None) -> None:
    made = await rig.propose("pump.run_cmd", "run")
    assert await codes_of(rig.confirm(made, repeat=repeat)) == ("NOT_ALLOWED",)
    assert rig.line.writes == []
    assert (await rig.proposer.get(made.id)).state == "PENDING"


@pytest.mark.parametrize("repeat", ["1", "run", "RUN", "运行", " run ", "1.0"])
async def test_two_step_takes_the_value_or_its_word(rig: Rig, repeat: str) -> None:
    done = await rig.confirm(await rig.propose("pump.run_cmd", "run"), repeat=repeat)
    assert done.outcomes[0].outcome == "verified"


async def test_two_step_of_several_takes_all_values(rig: Rig) -> None:
    wanted = [WantedWrite(tag="pump.run_cmd", value="run"), WantedWrite(tag="pump.speed_sp", value=43)]
    made = await rig.proposer.propose(wanted, "", actor())
    assert await codes_of(rig.confirm(made, repeat="run")) == ("NOT_ALLOWED",)
    done = await rig.confirm(made, repeat="run, 43 Hz")
    assert [one.outcome for one in done.outcomes] == ["verified", "verified"]


async def test_t23_t44_role_is_the_one_of_now(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    assert await codes_of(rig.confirm(made, "vera", Role.OPERATOR)) == ("ROLE",)
    assert await codes_of(rig.confirm(made, "stranger", Role.ADMIN)) == ("ROLE",)
    rig.people.roles["olga"] = Role.VIEWER
    assert await codes_of(rig.confirm(made, "olga", Role.OPERATOR)) == ("ROLE",)
    assert await codes_of(rig.confirm(made, "otto", Role.OPERATOR)) == ("ROLE",)
    assert (await rig.proposer.get(made.id)).state == "EXPIRED"
    assert rig.line.writes == []


async def test_t44_open_cards_of_a_changed_user_die(rig: Rig) -> None:
    mine, other = await rig.propose("pump.speed_sp", 43), await rig.propose("pump.trim", 24, "otto")
    await rig.confirmer.forget_user("olga")
    assert [(await rig.proposer.get(one.id)).state for one in (mine, other)] == ["EXPIRED", "PENDING"]


@pytest.mark.parametrize("scope", ["*", "pump", "pump.speed_sp"])
async def test_t33_lockout_while_a_card_is_open(rig: Rig, scope: str) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await rig.confirmer.lock_out(scope, "men at work", actor("enid", E))
    assert await codes_of(rig.confirm(made)) == ("LOCKED_OUT",)
    assert await codes_of(rig.propose("pump.speed_sp", 42)) == ("LOCKED_OUT",)
    assert [(one.scope, one.by) for one in await rig.confirmer.lockouts()] == [(scope, "enid")]
    assert await codes_of(rig.confirmer.release(scope, "", actor("enid", E))) == ("NOT_ALLOWED",)
    assert await codes_of(rig.confirmer.release(scope, "done", actor("olga", Role.OPERATOR))) == ("ROLE",)
    assert await rig.confirmer.release(scope, "done", actor("enid", E))
    assert (await rig.confirm(made)).outcomes[0].outcome == "verified"


async def test_t33_lockout_elsewhere_does_not_matter_and_needs_a_reason(rig: Rig) -> None:
    await rig.confirmer.lock_out("tank", "cleaning", actor("enid", E))
    assert (await rig.confirm(await rig.propose("pump.speed_sp", 43))).outcomes[0].outcome == "verified"
    assert await codes_of(rig.confirmer.lock_out("*", " ", actor("enid", E))) == ("NOT_ALLOWED",)
    assert await codes_of(rig.confirmer.lock_out("*", "x", actor("olga", Role.OPERATOR))) == ("ROLE",)
    with pytest.raises(UnknownTagError):
        await rig.confirmer.lock_out("pmup", "typed wrong", actor("enid", E))


@pytest.mark.parametrize(
    ("where", "address", "word"),
    [("line", 2, 7), ("line", 3, 0), ("lan", 0, 100)],
    ids=["T22-same-device", "T22-field", "T22-other-link"],
)
async def test_t22_interlock_is_checked_again_at_the_write(rig: Rig, where: str, address: int, word: int) -> None:
    made = await rig.propose("pump.run_cmd", "run")
    (rig.line if where == "line" else rig.lan).put(1, Table.HOLDING, address, [word])
    (ended,) = (await rig.confirm(made, repeat="run")).outcomes
    assert (ended.outcome, ended.code) == ("refused", "INTERLOCK")
    assert "interlock of pump.run_cmd" in ended.message.en
    assert rig.line.writes == []


async def test_t22_interlock_that_went_mute_stops_the_write(rig: Rig) -> None:
    made = await rig.propose("pump.run_cmd", "run")
    rig.lan.fault = lambda _: LinkTimeoutError("mute")
    (ended,) = (await rig.confirm(made, repeat="run")).outcomes
    assert (ended.outcome, ended.code) == ("refused", "INTERLOCK")
    assert "cannot be proved" in ended.message.en
    assert rig.line.writes == []


async def test_two_writes_whose_interlocks_lie_on_each_others_link_do_not_wait_for_each_other(rig: Rig) -> None:
    one, two = await rig.propose("pump.run_cmd", "run"), await rig.propose("panel.horn", 1)
    async with asyncio.timeout(20):
        done = await asyncio.gather(rig.confirm(one, repeat="run"), rig.confirm(two, "otto"))
    assert [each.outcomes[0].outcome for each in done] == ["verified", "verified"]


async def test_w19_cooldown_and_limit(rig: Rig) -> None:
    assert await codes_of(rig.propose("pump.speed_sp", 51)) == ("LIMIT_MAX", "MAX_STEP")
    await rig.confirm(await rig.propose("pump.speed_sp", 43))
    assert await codes_of(rig.propose("pump.speed_sp", 44)) == ("COOLDOWN",)
    await clock_of(rig).advance(10)
    assert (await rig.confirm(await rig.propose("pump.speed_sp", 44))).outcomes[0].outcome == "verified"


async def test_t21_cooldown_counts_at_confirmation_too(rig: Rig) -> None:
    one, two = await rig.propose("pump.speed_sp", 43), await rig.propose("pump.speed_sp", 44, "otto")
    await rig.confirm(one)
    assert await codes_of(rig.confirm(two, "otto")) == ("COOLDOWN",)


async def test_t21_small_steps_add_up(rig: Rig) -> None:
    await rig.confirm(await rig.propose("pump.speed_sp", 43))
    await clock_of(rig).advance(11)
    await rig.confirm(await rig.propose("pump.speed_sp", 41))
    await clock_of(rig).advance(11)
    assert await codes_of(rig.propose("pump.speed_sp", 39)) == ("MAX_STEP",)
    assert (await rig.propose("pump.speed_sp", 40)).state == "PENDING"
    await clock_of(rig).advance(60)
    assert (await rig.propose("pump.speed_sp", 39, "otto")).state == "PENDING"


# ---- several writes ---------------------------------------------------------------------------------------------


def three() -> list[WantedWrite]:
    return [
        WantedWrite(tag="panel.lamp", value=1),
        WantedWrite(tag="tank.alarm_sp", value=70),
        WantedWrite(tag="pump.trim", value=24),
    ]


async def test_t35_all_are_written_in_order(rig: Rig) -> None:
    done = await rig.confirm(await rig.proposer.propose(three(), "", actor()))
    assert [(one.tag, one.outcome) for one in done.outcomes] == [
        ("panel.lamp", "verified"),
        ("tank.alarm_sp", "verified"),
        ("pump.trim", "verified"),
    ]
    assert (await rig.kinds()).count("outcome") == 3


@pytest.mark.parametrize("change", ["value", "mute"])
async def test_t35_none_is_sent_if_one_cannot_be(rig: Rig, change: str) -> None:
    made = await rig.proposer.propose(three(), "", actor())
    if change == "value":
        rig.lan.put(1, Table.HOLDING, 1, [81])
    else:
        rig.lan.fault = lambda _: LinkTimeoutError("mute")
    done = await rig.confirm(made)
    stopped = ("changed_before", "CHANGED") if change == "value" else ("refused", "OFFLINE")
    assert [(one.outcome, one.code) for one in done.outcomes] == [("not_sent", ""), stopped, ("not_sent", "")]
    assert (rig.line.writes, rig.lan.writes) == ([], [])


async def test_t35_interlock_of_one_holds_back_all(rig: Rig) -> None:
    wanted = [WantedWrite(tag="tank.alarm_sp", value=70), WantedWrite(tag="panel.horn", value=1)]
    made = await rig.proposer.propose(wanted, "", actor())
    rig.line.put(1, Table.HOLDING, 2, [7])
    done = await rig.confirm(made)
    assert [(one.outcome, one.code) for one in done.outcomes] == [("not_sent", ""), ("refused", "INTERLOCK")]
    assert (rig.line.writes, rig.lan.writes) == ([], [])


async def test_t35_partial_result_is_told_by_item(rig: Rig) -> None:
    made = await rig.proposer.propose(three(), "", actor())
    rig.lan.fault = fails(LinkTimeoutError("no reply"), then_mute=True)
    done = await rig.confirm(made)
    assert [one.outcome for one in done.outcomes] == ["verified", "unknown", "not_sent"]
    assert len(rig.lan.writes) == 1


# ---- stop, crash, audit -----------------------------------------------------------------------------------------


async def test_t31_cancelled_caller_does_not_cancel_the_write(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    inside, go_on = threading.Event(), threading.Event()

    def slow_disk(_: Connection) -> None:
        inside.set()
        assert go_on.wait(20)

    confirming = asyncio.ensure_future(rig.confirm(made))
    while not any(one.state == "CONFIRMED" for one in rig.changes):
        await settle()
    blocking = asyncio.ensure_future(rig.store.write(slow_disk))
    await asyncio.to_thread(inside.wait, 20)
    confirming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await confirming
    go_on.set()
    await blocking
    await rig.confirmer.drain()
    assert (await rig.proposer.get(made.id)).outcomes[0].outcome == "verified"
    assert rig.line.writes == [speed(43)]


async def test_t31_stopping_takes_no_more_confirmations(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await rig.confirmer.drain()
    assert await codes_of(rig.confirm(made)) == ("NOT_ALLOWED",)


async def test_bug_during_execution_is_loud_and_leaves_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Device, "write_checked", broken)
    with pytest.raises(ExceptionGroup) as caught:
        async with running(tmp_path) as rig:
            await rig.confirm(await rig.propose("pump.speed_sp", 43))
    assert caught.group_contains(ZeroDivisionError)
    async with running(tmp_path) as rig:
        await rig.confirmer.recover()
        (record,) = await rig.audit.entries(["outcome"])
        assert record.body["outcome"] == "not_sent"


FULL = "create trigger full before insert on audit when new.kind = '{}' begin select raise(abort, 'disk is full'); end"


async def break_audit(rig: Rig, kind: str) -> None:
    await rig.store.write(lambda connection: connection.exec_driver_sql(FULL.format(kind)))


async def test_t82_no_confirmation_without_its_record(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await break_audit(rig, "confirmed")
    assert await codes_of(rig.confirm(made)) == ("AUDIT_DOWN",)
    assert (await rig.proposer.get(made.id)).state == "PENDING"
    assert rig.line.writes == []


async def test_t82_nothing_is_sent_without_record_2(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await break_audit(rig, "sending")
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.code) == ("refused", "AUDIT_DOWN")
    assert rig.line.writes == []


async def test_t82_write_without_record_3_is_told_and_blocks_the_point(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    made = await rig.propose("pump.trim", 24)
    await break_audit(rig, "outcome")
    done = await rig.confirm(made)
    assert (done.state, done.outcomes[0].outcome, len(rig.line.writes)) == ("EXECUTED", "verified", 1)
    assert "cannot be recorded" in caplog.text
    assert "BLOCKED" in await codes_of(rig.propose("pump.trim", 26))


async def test_t82_finish_that_cannot_be_stored_is_still_told(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    made = await rig.propose("pump.trim", 24)
    await rig.store.write(
        lambda connection: connection.exec_driver_sql(
            "create trigger full before update on proposals when new.state = 'EXECUTED' begin select raise(abort, 'full'); end"
        )
    )
    done = await rig.confirm(made)
    assert (done.state, done.outcomes[0].outcome) == ("EXECUTED", "verified")
    assert "cannot be stored" in caplog.text


async def test_refused_confirmations_stand_in_the_audit(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    await codes_of(rig.confirm(made, "vera", Role.OPERATOR))
    (record,) = await rig.audit.entries(["refused"])
    assert (record.subject, record.body["user"], record.body["codes"]) == (made.id, "vera", ["ROLE"])


async def test_reject_ends_it_for_everybody(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    with pytest.raises(WriteRefusedError):
        await rig.confirmer.reject(made.id, actor("vera", Role.VIEWER))
    done = await rig.confirmer.reject(made.id, actor("otto"), "not now")
    assert (done.state, done.finished_by) == ("REJECTED", "otto")
    with pytest.raises(AlreadyTakenError):
        await rig.confirm(made)
    with pytest.raises(AlreadyTakenError):
        await rig.confirmer.reject(made.id, actor("otto"))
    (record,) = await rig.audit.entries(["rejected"])
    assert record.body["reason"] == "not now"


async def test_t94_acknowledgement_by_proposal_and_confirmation(rig: Rig) -> None:
    made = await rig.proposer.propose_ack("AL-1", actor(via="chat"))
    done = await rig.confirm(made, "otto")
    assert (done.state, done.outcomes[0].outcome, rig.acked) == ("EXECUTED", "acknowledged", ["AL-1 otto"])
    assert rig.line.writes == []


async def test_acknowledgement_that_comes_too_late_is_refused(rig: Rig) -> None:
    one, two = await rig.proposer.propose_ack("AL-1", actor()), await rig.proposer.propose_ack("AL-1", actor("otto"))
    await rig.confirm(one)
    done = await rig.confirm(two, "otto")
    assert [(each.outcome, each.code) for each in done.outcomes] == [("refused", "NOT_ALLOWED")]


async def test_proposal_that_expires_while_it_is_checked(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    rig.people.meanwhile.append(lambda: clock_of(rig).advance(121))
    assert await codes_of(rig.confirm(made)) == ("EXPIRED",)
    assert rig.line.writes == []


async def test_proposal_that_is_decided_while_it_is_checked(rig: Rig) -> None:
    one, two = await rig.propose("pump.speed_sp", 43), await rig.propose("pump.trim", 24)
    rig.people.meanwhile.append(lambda: rig.confirmer.reject(one.id, actor("otto")))
    with pytest.raises(AlreadyTakenError) as caught:
        await rig.confirm(one)
    assert caught.value.proposal.state == "REJECTED"
    rig.people.meanwhile.append(lambda: rig.confirm(two, "otto"))
    with pytest.raises(AlreadyTakenError) as caught:
        await rig.confirmer.reject(two.id, actor())
    assert caught.value.proposal.state == "EXECUTED"


@pytest.mark.parametrize("kind", ["rejected", "locked_out", "released", "refused"])
async def test_t82_every_act_needs_the_audit(rig: Rig, kind: str) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    engineer = actor("enid", E)
    await rig.confirmer.lock_out("tank", "cleaning", engineer)
    await break_audit(rig, kind)
    acts: dict[str, Callable[[], Awaitable[object]]] = {
        "rejected": lambda: rig.confirmer.reject(made.id, actor()),
        "locked_out": lambda: rig.confirmer.lock_out("*", "x", engineer),
        "released": lambda: rig.confirmer.release("tank", "x", engineer),
        "refused": lambda: rig.confirm(made, "vera"),
    }
    assert (await codes_of(acts[kind]()))[-1] == "AUDIT_DOWN"
    assert [one.scope for one in await rig.confirmer.lockouts()] == ["tank"]
    assert (await rig.proposer.get(made.id)).state == "PENDING"


async def test_writes_to_several_links_run_at_once(rig: Rig) -> None:
    made = [
        await rig.propose("pump.trim", 24),
        await rig.propose("tank.alarm_sp", 70, "otto"),
        await rig.propose("panel.lamp", 1, "enid", E),
    ]
    done = await asyncio.gather(*(rig.confirm(one) for one in made))
    assert [one.outcomes[0].outcome for one in done] == ["verified"] * 3
