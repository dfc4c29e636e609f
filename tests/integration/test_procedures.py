"""Procedures: one card, one yes, steps and waits one after another; the first that fails ends it, and each step says how it ended."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import pytest

from gateway.clock import ManualClock, settle
from gateway.errors import IllegalValueError, LinkError, LinkTimeoutError, UnknownTagError, WriteRefusedError
from gateway.link.base import Read, Request, WriteRegisters
from gateway.model.address import Table
from gateway.model.point import Interlock, Procedure, Role, Step, Text, WriteRule
from gateway.service.base import ProposedWait, ProposedWrite
from gateway.service.confirm import AlreadyTakenError
from tests.write_rig import PROCEDURES, PUMP, START, Rig, actor, make_map, running

E = Role.ENGINEER
T = TypeVar("T")


class CountingClock(ManualClock):
    """Knows whether somebody sleeps, so that time is moved only then."""

    sleepers = 0

    async def sleep(self, seconds: float) -> None:
        self.sleepers += seconds > 0
        try:
            await super().sleep(seconds)
        finally:
            self.sleepers -= seconds > 0


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(tmp_path, clock=CountingClock(START)) as made:
        yield made


def clock_of(rig: Rig) -> CountingClock:
    assert isinstance(rig.clock, CountingClock)
    return rig.clock


async def in_time(rig: Rig, work: Awaitable[T]) -> T:
    """The result of `work`, while time passes whenever it waits for time."""
    task = asyncio.ensure_future(work)
    while not task.done():
        if clock_of(rig).sleepers:
            await clock_of(rig).advance(0.25)
        await settle()
    return await task


async def in_a_wait(rig: Rig) -> None:
    """Return when a procedure waits for time to pass."""
    while not clock_of(rig).sleepers:
        await settle()


def drive(rig: Rig, after_s: float = 3.0) -> Callable[[Request], LinkError | None]:
    """A drive: its speed follows the run command, its state the command, both `after_s` later."""
    since: dict[str, float] = {}

    def play(request: Request) -> LinkError | None:
        now = rig.clock.monotonic()
        run, command = rig.line.get(1, Table.HOLDING, 1, 1)[0], rig.line.get(1, Table.HOLDING, 18, 1)[0]
        for key, address, value in (("run", 17, run * 4300), ("command", 19, command)):
            if rig.line.get(1, Table.HOLDING, address, 1) != (value,) and now - since.setdefault(key, now) >= after_s:
                rig.line.put(1, Table.HOLDING, address, [value])
                since.pop(key)
        return None

    return play


async def refused(asking: Awaitable[object]) -> WriteRefusedError:
    with pytest.raises(WriteRefusedError) as caught:
        await asking
    assert caught.value.message_zh
    return caught.value


def written(rig: Rig) -> list[tuple[int, int]]:
    """(address, word) of the writes that arrived."""
    return [(one.address, one.words[0]) for one in rig.line.writes if isinstance(one, WriteRegisters)]


# ---- the card -----------------------------------------------------------------------------------------------


async def test_card_shows_every_step_in_both_languages(rig: Rig) -> None:
    made = await rig.run("pump.start")
    speed, run, wait = made.steps
    assert isinstance(speed, ProposedWrite)
    assert isinstance(run, ProposedWrite)
    assert isinstance(wait, ProposedWait)
    assert (made.kind, made.procedure, made.title, made.confirm) == ("procedure", "pump.start", Text("Start pump", "启动水泵"), "two_step")
    assert [(one.tag, one.old, one.new) for one in (speed, run)] == [("pump.speed_sp", 45, 43), ("pump.run_cmd", 0, 1)]
    assert (wait.tag, wait.condition, wait.timeout_s) == ("pump.speed_fb", "speed_fb >= 20", 30)
    assert wait.shown == Text("speed (pump.speed_fb) >= 20 Hz", "转速（pump.speed_fb）>= 20 Hz")
    assert made.writes == (speed, run)
    assert await rig.proposer.get(made.id) == made
    assert (await rig.kinds(), rig.line.writes) == (["proposed"], [])
    (record,) = await rig.audit.entries(["proposed"])
    assert record.body["procedure"] == "pump.start"
    assert record.body["steps"] == [
        {"write": "pump.speed_sp", "new": 43},
        {"write": "pump.run_cmd", "new": 1},
        {"wait": "speed_fb >= 20", "device": "pump", "timeout_s": 30},
    ]


async def test_later_step_on_the_same_point_expects_what_the_earlier_one_left(rig: Rig) -> None:
    writes = (await rig.run("pump.enable")).writes
    assert [(one.old, one.new, one.new_label) for one in writes] == [(0, 1, "prepare"), (1, 2, "go")]


async def test_procedures_are_listed_with_their_steps_in_words(rig: Rig) -> None:
    start, enable, flush = rig.proposer.procedures()
    assert (start.name, start.device, start.role, start.confirm) == ("pump.start", "pump", Role.OPERATOR, "two_step")
    assert [one.en for one in start.steps] == [
        "speed_sp: 43 Hz",
        "run_cmd: run",
        "wait until speed (pump.speed_fb) >= 20 Hz, at most 30 s",
    ]
    assert start.steps[2].zh == "等待 转速（pump.speed_fb）>= 20 Hz，最多 30 秒"
    assert enable.steps[1] == Text("wait until pump.state == ready, at most 2 s", "等待 pump.state == 就绪，最多 2 秒")
    assert flush.role is Role.ENGINEER


# ---- running ------------------------------------------------------------------------------------------------


async def test_steps_run_in_order_and_each_tells_how_it_ended(rig: Rig) -> None:
    made = await rig.run("pump.start")
    rig.line.fault = drive(rig)
    done = await in_time(rig, rig.confirm(made, "otto", repeat="Start pump"))
    assert [(one.step, one.tag, one.outcome) for one in done.outcomes] == [
        (0, "pump.speed_sp", "verified"),
        (1, "pump.run_cmd", "verified"),
        (2, "pump.speed_fb", "met"),
    ]
    assert (done.state, written(rig)) == ("EXECUTED", [(0, 4300), (1, 1)])
    assert done.outcomes[2].read_back == 43
    assert "43 Hz" in done.outcomes[2].message.en
    assert done.ending == done.outcomes[0]
    assert await rig.kinds() == ["proposed", "confirmed", "sending", "outcome", "sending", "outcome", "waited"]
    ends = [record.body for record in reversed(await rig.audit.entries(["outcome", "waited"]))]
    assert [(one["procedure"], one["step"], one["outcome"]) for one in ends] == [
        ("pump.start", 1, "verified"),
        ("pump.start", 2, "verified"),
        ("pump.start", 3, "met"),
    ]
    assert (await rig.audit.verify()).ok


async def test_pages_see_each_step_as_it_ends(rig: Rig) -> None:
    made = await rig.run("pump.start")
    rig.line.fault = drive(rig)
    await in_time(rig, rig.confirm(made, repeat="start"))
    told = [(one.state, [each.outcome for each in one.outcomes]) for one in rig.changes]
    assert told == [
        ("PENDING", []),
        ("CONFIRMED", []),
        ("CONFIRMED", ["verified"]),
        ("CONFIRMED", ["verified", "verified"]),
        ("CONFIRMED", ["verified", "verified", "met"]),
        ("EXECUTED", ["verified", "verified", "met"]),
    ]


async def test_point_that_only_procedures_write_is_written_twice(rig: Rig) -> None:
    made = await rig.run("pump.enable")
    rig.line.fault = drive(rig, after_s=1)
    done = await in_time(rig, rig.confirm(made))
    assert [one.outcome for one in done.outcomes] == ["verified", "met", "verified", "met"]
    assert written(rig) == [(18, 1), (18, 2)]
    assert (await refused(rig.propose("pump.command", "go"))).codes == ("NOT_ALLOWED",)


async def test_wait_that_does_not_come_true_ends_it(rig: Rig) -> None:
    made = await rig.run("pump.enable")
    begun = rig.clock.monotonic()
    done = await in_time(rig, rig.confirm(made))
    assert [(one.outcome, one.code) for one in done.outcomes] == [("verified", ""), ("not_met", ""), ("not_sent", ""), ("not_sent", "")]
    assert done.outcomes[1].message.en == "pump.state == ready was not reached in 2 s: it is 0 (off); check at the device"
    assert "2 秒内未达到" in done.outcomes[1].message.zh
    assert done.ending == done.outcomes[1]
    assert 2 <= rig.clock.monotonic() - begun < 3
    assert written(rig) == [(18, 1)]
    assert (await rig.kinds())[-4:] == ["outcome", "waited", "outcome", "waited"]


async def test_wait_takes_no_value_that_is_none(rig: Rig) -> None:
    made = await rig.run("pump.enable")
    rig.line.fault = lambda request: LinkTimeoutError("mute") if isinstance(request, Read) and request.address == 19 else None
    done = await in_time(rig, rig.confirm(made))
    assert [one.outcome for one in done.outcomes] == ["verified", "not_met", "not_sent", "not_sent"]
    assert "could not be read (timeout)" in done.outcomes[1].message.en


STOPS: dict[str, tuple[Callable[[Request], LinkError | None], str, str]] = {
    "T30-mute": (lambda request: None if isinstance(request, Read) else LinkTimeoutError("mute"), "unknown", ""),
    "device-refuses": (lambda request: None if isinstance(request, Read) else IllegalValueError(3), "refused", "DEVICE"),
}


@pytest.mark.parametrize(("fault", "outcome", "code"), STOPS.values(), ids=STOPS)
async def test_step_that_fails_ends_it(rig: Rig, fault: Callable[[Request], LinkError | None], outcome: str, code: str) -> None:
    made = await rig.run("pump.start")
    rig.line.fault = fault
    done = await in_time(rig, rig.confirm(made, repeat="start"))
    assert [(one.outcome, one.code) for one in done.outcomes] == [(outcome, code), ("not_sent", ""), ("not_sent", "")]
    assert len(rig.line.writes) == 1


async def test_t26_first_step_that_was_changed_meanwhile_sends_nothing(rig: Rig) -> None:
    made = await rig.run("pump.start")
    rig.line.put(1, Table.HOLDING, 0, [4400])
    done = await in_time(rig, rig.confirm(made, repeat="start"))
    assert [one.outcome for one in done.outcomes] == ["changed_before", "not_sent", "not_sent"]
    assert rig.line.writes == []


async def test_t22_interlock_is_tested_at_its_step(rig: Rig) -> None:
    made = await rig.run("pump.start")
    rig.line.put(1, Table.HOLDING, 2, [7])
    done = await in_time(rig, rig.confirm(made, repeat="start"))
    assert [(one.outcome, one.code) for one in done.outcomes] == [("verified", ""), ("refused", "INTERLOCK"), ("not_sent", "")]


async def test_t22_condition_that_an_earlier_step_brings_about_is_no_refusal(rig: Rig) -> None:
    """`purge` needs run_cmd == 0: it is 1 now, and the first step makes it 0."""
    rig.line.put(1, Table.HOLDING, 1, [1])
    rig.line.put(1, Table.HOLDING, 17, [4300])
    made = await rig.run("pump.flush", "enid", E)
    rig.line.fault = drive(rig)
    done = await in_time(rig, rig.confirm(made, "enid", E, repeat="flush"))
    assert [one.outcome for one in done.outcomes] == ["verified", "met", "verified"]
    rig.line.put(1, Table.HOLDING, 2, [7])
    assert (await refused(rig.run("pump.flush", "enid", E))).codes == ("INTERLOCK",)


async def test_t33_lockout_between_two_steps_stops_the_rest(rig: Rig) -> None:
    made = await rig.run("pump.enable")
    rig.line.fault = drive(rig, after_s=1)
    confirming = asyncio.ensure_future(rig.confirm(made))
    await in_a_wait(rig)
    await rig.confirmer.lock_out("pump", "men at work", actor("enid", E))
    done = await in_time(rig, confirming)
    assert [(one.outcome, one.code) for one in done.outcomes] == [
        ("verified", ""),
        ("met", ""),
        ("refused", "LOCKED_OUT"),
        ("not_sent", ""),
    ]


async def test_t31_stop_ends_the_wait_and_begins_no_step(rig: Rig) -> None:
    made = await rig.run("pump.enable")
    confirming = asyncio.ensure_future(rig.confirm(made))
    await in_a_wait(rig)
    draining = asyncio.ensure_future(rig.confirmer.drain())
    done = await in_time(rig, confirming)
    await draining
    assert [one.outcome for one in done.outcomes] == ["verified", "not_met", "not_sent", "not_sent"]
    assert "the gateway is stopping" in done.outcomes[1].message.en


async def test_t31_person_stops_a_running_procedure(rig: Rig) -> None:
    made = await rig.run("pump.enable")
    assert (await refused(rig.confirmer.stop(made.id, actor("otto")))).codes == ("NOT_ALLOWED",)
    confirming = asyncio.ensure_future(rig.confirm(made))
    await in_a_wait(rig)
    assert (await refused(rig.confirmer.stop(made.id, actor("vera", Role.VIEWER)))).codes == ("ROLE",)
    seen = await rig.confirmer.stop(made.id, actor("otto"), "it rattles")
    assert (seen.state, [one.outcome for one in seen.outcomes]) == ("CONFIRMED", ["verified"])
    done = await in_time(rig, confirming)
    assert [one.outcome for one in done.outcomes] == ["verified", "not_met", "not_sent", "not_sent"]
    assert done.outcomes[1].message == Text("stopped by otto: it rattles", "已由 otto 停止: it rattles")
    (record,) = await rig.audit.entries(["stopped"])
    assert (record.subject, record.body["user"], record.body["reason"]) == (made.id, "otto", "it rattles")
    assert len(rig.line.writes) == 1
    assert (await refused(rig.confirmer.stop(made.id, actor("otto")))).codes == ("NOT_ALLOWED",)


async def test_t31_stop_works_without_the_audit_and_between_two_writes(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    twice = Procedure(name="twice", title=Text("Twice"), confirm="user", steps=(Step(write="trim", value=24), Step(write="trim", value=26)))
    rig.plant.devices["pump"].map = make_map("pump", PUMP, procedures={"twice": twice})
    made = await rig.run("pump.twice")
    full = "create trigger full before insert on audit when new.kind = 'stopped' begin select raise(abort, 'full'); end"
    await rig.store.write(lambda connection: connection.exec_driver_sql(full))
    stopping: list[asyncio.Future[object]] = []

    def stops(request: Request) -> LinkError | None:
        if not isinstance(request, Read):
            stopping.append(asyncio.ensure_future(rig.confirmer.stop(made.id, actor("otto"))))
        return None

    rig.line.fault = stops
    done = await in_time(rig, rig.confirm(made))
    assert [one.outcome for one in done.outcomes] == ["verified", "not_sent"]
    assert "stopped by otto" in done.outcomes[1].message.en
    assert len(await asyncio.gather(*stopping)) == 1
    assert "cannot be recorded" in caplog.text


async def test_t28_map_that_changes_between_two_steps_stops_the_rest(rig: Rig) -> None:
    made = await rig.run("pump.enable")

    def ready_with_another_map(request: Request) -> LinkError | None:
        if isinstance(request, Read) and request.address == 19:
            rig.line.put(1, Table.HOLDING, 19, [1])
            rig.plant.devices["pump"].map = make_map("pump", PUMP, version="2", procedures=PROCEDURES)
        return None

    rig.line.fault = ready_with_another_map
    done = await in_time(rig, rig.confirm(made))
    assert [(one.outcome, one.code) for one in done.outcomes][1:3] == [("met", ""), ("refused", "MAP_CHANGED")]


async def test_t28_map_that_changes_during_a_write_ends_the_wait_after_it(rig: Rig) -> None:
    made = await rig.run("pump.enable")

    def changes_the_map(request: Request) -> LinkError | None:
        if not isinstance(request, Read):
            rig.plant.devices["pump"].map = make_map("pump", PUMP, version="2", procedures=PROCEDURES)
        return None

    rig.line.fault = changes_the_map
    done = await in_time(rig, rig.confirm(made))
    assert [(one.outcome, one.code) for one in done.outcomes][:2] == [("verified", ""), ("not_met", "MAP_CHANGED")]


@pytest.mark.parametrize("change", ["version", "gone"])
async def test_t28_map_that_changes_during_a_wait_ends_it(rig: Rig, change: str) -> None:
    made = await rig.run("pump.enable")
    confirming = asyncio.ensure_future(rig.confirm(made))
    await in_a_wait(rig)
    if change == "gone":
        rig.plant.devices.pop("pump")
    else:
        rig.plant.devices["pump"].map = make_map("pump", PUMP, version="2", procedures=PROCEDURES)
    done = await in_time(rig, confirming)
    assert [(one.outcome, one.code) for one in done.outcomes] == [
        ("verified", ""),
        ("not_met", "MAP_CHANGED"),
        ("not_sent", ""),
        ("not_sent", ""),
    ]


async def test_t82_steps_that_cannot_be_stored_on_the_way_are_told_all_the_same(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    made = await rig.run("pump.enable")
    rig.line.fault = drive(rig, after_s=1)
    full = "create trigger full before update of outcomes on proposals when new.state = 'CONFIRMED' begin select raise(abort, 'full'); end"
    await rig.store.write(lambda connection: connection.exec_driver_sql(full))
    done = await in_time(rig, rig.confirm(made))
    assert [one.outcome for one in done.outcomes] == ["verified", "met", "verified", "met"]
    assert "its steps cannot be stored" in caplog.text
    assert [len(one.outcomes) for one in rig.changes] == [0, 0, 1, 2, 3, 4, 4]


async def test_t82_wait_without_its_record_ends_the_procedure(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    made = await rig.run("pump.enable")
    rig.line.fault = drive(rig, after_s=1)
    full = "create trigger full before insert on audit when new.kind in ('waited', 'sending') begin select raise(abort, 'full'); end"

    async def fill_up() -> None:
        await in_a_wait(rig)
        await rig.store.write(lambda connection: connection.exec_driver_sql(full))

    filling = asyncio.ensure_future(fill_up())
    confirming = asyncio.ensure_future(rig.confirm(made))
    await filling
    done = await in_time(rig, confirming)
    assert [(one.outcome, one.code) for one in done.outcomes][1:] == [("met", ""), ("not_sent", ""), ("not_sent", "")]
    assert "audit cannot be written" in done.outcomes[2].message.en
    assert "cannot be recorded" in caplog.text
    assert len(rig.line.writes) == 1


async def test_t28_map_that_changed_before_the_yes(rig: Rig) -> None:
    made = await rig.run("pump.enable")
    rig.plant.devices["pump"].map = make_map("pump", PUMP, version="2", procedures=PROCEDURES)
    assert (await refused(rig.confirm(made))).codes == ("MAP_CHANGED",)


# ---- who, how often -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeat", ["Start pump", "启动水泵", "pump.start", "START", " start "])
async def test_two_step_takes_its_name(rig: Rig, repeat: str) -> None:
    made = await rig.run("pump.start")
    rig.line.fault = drive(rig)
    assert (await in_time(rig, rig.confirm(made, repeat=repeat))).state == "EXECUTED"


@pytest.mark.parametrize("repeat", [None, "", "43", "run", "stop"])
async def test_two_step_takes_nothing_else(rig: Rig, repeat: str | None) -> None:
    made = await rig.run("pump.start")
    assert (await refused(rig.confirm(made, repeat=repeat))).codes == ("NOT_ALLOWED",)
    assert rig.line.writes == []


async def test_t23_strictest_role_and_confirmation_of_its_points_count(rig: Rig) -> None:
    assert (await refused(rig.run("pump.flush"))).codes == ("ROLE",)
    assert (await refused(rig.run("pump.start", "vera", Role.VIEWER))).codes == ("ROLE",)
    made = await rig.run("pump.flush", "enid", E)
    assert (made.role, made.confirm, made.approvals_needed) == (E, "two_step", 1)
    assert (await refused(rig.confirm(made, "olga"))).codes == ("ROLE",)


async def test_t24_confirmed_twice_runs_once(rig: Rig) -> None:
    made = await rig.run("pump.start")
    rig.line.fault = drive(rig)
    both = asyncio.gather(rig.confirm(made, repeat="start"), rig.confirm(made, "otto", repeat="start"), return_exceptions=True)
    results = await in_time(rig, both)
    assert sum(isinstance(one, AlreadyTakenError) for one in results) == 1
    assert len(rig.line.writes) == 2


async def test_t09_identical_ones_are_merged_and_a_key_stands_for_one(rig: Rig) -> None:
    first = await rig.run("pump.start", key="k1")
    assert (await rig.run("pump.start")).id == first.id
    assert (await rig.run("pump.start", key="k1")).id == first.id
    assert (await rig.run("pump.start", "otto")).id != first.id
    assert (await refused(rig.run("pump.enable", key="k1"))).codes == ("NOT_ALLOWED",)
    assert (await rig.run("pump.enable")).id != first.id


async def test_cooldown_limits_and_steps_count(rig: Rig) -> None:
    await rig.confirm(await rig.propose("pump.speed_sp", 44))
    assert (await refused(rig.run("pump.start"))).codes == ("COOLDOWN",)
    await clock_of(rig).advance(11)
    rig.line.put(1, Table.HOLDING, 0, [4900])
    assert (await refused(rig.run("pump.start"))).codes == ("MAX_STEP",)


async def test_site_limit_below_the_maps_step_is_said(rig: Rig) -> None:
    points = [replace(one, write=replace(one.write or WriteRule(), max=Decimal(42))) if one.name == "speed_sp" else one for one in PUMP]
    rig.plant.devices["pump"].map = make_map("pump", points, procedures=PROCEDURES)
    assert (await refused(rig.run("pump.start"))).codes == ("LIMIT_MAX",)


async def test_offline_device_is_said(rig: Rig) -> None:
    rig.line.fault = lambda _: LinkTimeoutError("mute")
    assert (await refused(rig.run("pump.start"))).codes == ("OFFLINE", "INTERLOCK")


@pytest.mark.parametrize("wait", ["gone == 1", "trip == 1"], ids=["no-such-point", "write-only"])
async def test_wait_that_cannot_be_read_is_refused(rig: Rig, wait: str) -> None:
    blind = Procedure(name="blind", title=Text("Blind"), confirm="user", steps=(Step(write="trim", value=24), Step(wait=wait)))
    rig.plant.devices["pump"].map = make_map("pump", PUMP, procedures={"blind": blind})
    error = await refused(rig.run("pump.blind"))
    assert (error.codes, "cannot be read" in error.message) == (("NOT_ALLOWED",), True)
    assert "wait until" in rig.proposer.procedures()[0].steps[1].en


async def test_steps_of_one_point_add_up(rig: Rig) -> None:
    ramp = Procedure(
        name="ramp", title=Text("Ramp"), confirm="user", steps=(Step(write="speed_sp", value=42), Step(write="speed_sp", value=39))
    )
    rig.plant.devices["pump"].map = make_map("pump", PUMP, procedures={"ramp": ramp})
    assert (await refused(rig.run("pump.ramp"))).codes == ("MAX_STEP",)


async def test_interlock_of_another_value_of_the_same_point_is_read_too(rig: Rig) -> None:
    locked = WriteRule(interlock=(Interlock(when=2, conditions=("tank.level >= 90",)),))
    points = [replace(one, write=locked) if one.name == "command" else one for one in PUMP]
    rig.plant.devices["pump"].map = make_map("pump", points, procedures=PROCEDURES)
    assert "tank.level >= 90 is not met, it is 63 %" in (await refused(rig.run("pump.enable"))).message


async def test_pulse_leaves_nothing_to_compare_the_next_step_with(rig: Rig) -> None:
    twice = Procedure(name="twice", title=Text("Twice"), confirm="user", steps=(Step(write="reset", value=1), Step(write="reset", value=1)))
    rig.plant.devices["pump"].map = make_map("pump", PUMP, procedures={"twice": twice})
    made = await rig.run("pump.twice", "enid", E)
    assert ([one.old for one in made.writes], made.approvals_needed) == ([0, None], 2)
    await rig.confirm(made, "enid", E)
    done = await in_time(rig, rig.confirm(made, "emil", E))
    assert [one.outcome for one in done.outcomes] == ["acknowledged", "acknowledged"]


async def test_scale_that_another_point_holds_is_read_for_a_step(rig: Rig) -> None:
    dose = Procedure(name="dose", title=Text("Dose"), confirm="user", steps=(Step(write="dose", value=12),))
    rig.plant.devices["pump"].map = make_map("pump", PUMP, procedures={"dose": dose})
    made = await rig.run("pump.dose")
    assert made.writes[0].words == (1200,)
    assert (await rig.confirm(made)).outcomes[0].outcome == "verified"
    assert (await refused(rig.run("pump.dose", "vera", Role.VIEWER))).codes == ("ROLE",)


async def test_unknown_procedure_names_near_ones(rig: Rig) -> None:
    with pytest.raises(UnknownTagError) as caught:
        await rig.run("pump.strat")
    assert "pump.start" in caught.value.near


async def test_t34_a_procedure_is_not_undone(rig: Rig) -> None:
    made = await rig.run("pump.start")
    rig.line.fault = drive(rig)
    await in_time(rig, rig.confirm(made, repeat="start"))
    error = await refused(rig.proposer.undo(made.id, actor()))
    assert (error.codes, "reverses it" in error.message) == (("NOT_ALLOWED",), True)


async def test_a_model_may_propose_one_but_confirms_none(rig: Rig) -> None:
    made = await rig.run("pump.enable", via="chat")
    assert (made.confirm, made.via) == ("user", "chat")
    assert (await refused(rig.confirmer.confirm(made.id, made.nonce, actor(via="chat")))).codes == ("NOT_ALLOWED",)
