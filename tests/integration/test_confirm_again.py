"""Everything that was tested for the card is tested again when it is confirmed: the plant and its rules may have changed between."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.errors import LinkTimeoutError, WriteRefusedError
from gateway.link.base import Read
from gateway.model.address import Table
from gateway.model.point import Deadband, Interlock, Point, Role, Text, WriteRule
from gateway.model.sample import Scalar
from tests.write_rig import PUMP, Rig, actor, make_map, running


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(tmp_path) as made:
        yield made


def change(rig: Rig, name: str, make: Callable[[Point], Point]) -> None:
    """Another point under the same map version: nothing but the rules themselves can notice it."""
    points = [make(point) if point.name == name else point for point in PUMP]
    rig.plant.devices["pump"].map = make_map("pump", points)


def rule(make: Callable[[WriteRule], WriteRule]) -> Callable[[Point], Point]:
    return lambda point: replace(point, write=make(point.write or WriteRule()))


RULES: dict[str, tuple[str, Scalar, Callable[[Point], Point], str]] = {
    "LIMIT_MIN": ("speed_sp", 43, rule(lambda one: replace(one, min=Decimal("43.5"))), "LIMIT_MIN"),
    "LIMIT_MAX": ("speed_sp", 43, rule(lambda one: replace(one, max=Decimal(42))), "LIMIT_MAX"),
    "LIMIT_MAX-scale-from": ("dose", 12, rule(lambda one: replace(one, max=Decimal(11))), "LIMIT_MAX"),
    "STEP": ("speed_sp", 43, rule(lambda one: replace(one, step=Decimal(2))), "STEP"),
    "MAX_STEP": ("speed_sp", 43, rule(lambda one: replace(one, max_step=Decimal(1))), "MAX_STEP"),
    "ENUM": ("run_cmd", "run", lambda point: replace(point, enum={0: Text("stop", "停止")}), "ENUM"),
    "sentinel": ("trim", 24, lambda point: replace(point, invalid={240: "not_available"}), "UNREPRESENTABLE"),
    "ROLE": ("speed_sp", 43, rule(lambda one: replace(one, role=Role.ENGINEER)), "ROLE"),
    "NOT_ALLOWED": ("speed_sp", 43, rule(lambda one: replace(one, confirm="never")), "NOT_ALLOWED"),
    "READ_ONLY": ("speed_sp", 43, lambda point: replace(point, write=None), "READ_ONLY"),
}


@pytest.mark.parametrize(("name", "value", "make", "code"), RULES.values(), ids=[f"T28-{one}" for one in RULES])
async def test_rule_tightened_since_the_card_was_made(
    rig: Rig, name: str, value: Scalar, make: Callable[[Point], Point], code: str
) -> None:
    made = await rig.propose(f"pump.{name}", value)
    change(rig, name, make)
    with pytest.raises(WriteRefusedError) as caught:
        await rig.confirm(made, repeat="run")
    assert caught.value.codes == (code,)
    assert caught.value.message_zh
    assert rig.line.writes == []
    assert (await rig.kinds())[-1] == "refused"


async def test_limits_are_held_against_the_value_as_it_was_asked_for(rig: Rig) -> None:
    """12.3 is the limit; as float32 it reads back as 12.300000190734863."""
    made = await rig.propose("pump.ratio", Decimal("12.3"))
    assert made.writes[0].new == Decimal("12.300000190734863")
    assert (await rig.confirm(made)).outcomes[0].outcome == "verified"


async def test_interlock_added_since_counts_at_the_write(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    change(rig, "speed_sp", rule(lambda one: replace(one, interlock=(Interlock(conditions=("fault_code == 7",)),))))
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.code) == ("refused", "INTERLOCK")
    assert rig.line.writes == []


@pytest.mark.parametrize(
    ("now", "outcome"),
    [(4549, "verified"), (4550, "changed_before"), (4450, "changed_before")],
    ids=["T26-inside-the-deadband", "T26-at-the-deadband", "T26-below"],
)
async def test_t26_a_move_counts_from_the_deadband_on(rig: Rig, now: int, outcome: str) -> None:
    change(rig, "speed_sp", lambda point: replace(point, deadband=Deadband(amount=Decimal("0.5"))))
    made = await rig.propose("pump.speed_sp", 43)
    rig.line.put(1, Table.HOLDING, 0, [now])
    (ended,) = (await rig.confirm(made)).outcomes
    assert (ended.outcome, ended.code) == (outcome, "CHANGED" if outcome == "changed_before" else "")


async def test_confirming_is_not_counted_against_the_open_proposals(rig: Rig) -> None:
    """RATE limits proposing; whoever has three cards open may still decide them."""
    made = [await rig.propose("pump.trim", number) for number in (24, 26, 27)]
    with pytest.raises(WriteRefusedError, match="at most 3"):
        await rig.propose("pump.trim", 28)
    assert (await rig.confirm(made[0])).outcomes[0].outcome == "verified"


async def codes(confirming: Awaitable[object]) -> tuple[str, ...]:
    with pytest.raises(WriteRefusedError) as caught:
        await confirming
    return caught.value.codes


async def test_every_rule_that_says_no_is_named_in_order(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43)
    change(rig, "speed_sp", rule(lambda one: replace(one, max=Decimal(42), max_step=Decimal(1), role=Role.ENGINEER)))
    await rig.confirmer.lock_out("pump", "men at work", actor("enid", Role.ENGINEER))
    assert await codes(rig.confirm(made)) == ("ROLE", "LOCKED_OUT", "LIMIT_MAX", "MAX_STEP")


async def test_unknown_outcome_of_another_card_blocks_this_one(rig: Rig) -> None:
    assert isinstance(rig.clock, ManualClock)
    one, two = await rig.propose("pump.trim", 24), await rig.propose("pump.trim", 26, "otto")
    rig.line.fault = lambda request: None if isinstance(request, Read) else LinkTimeoutError("mute")
    assert (await rig.confirm(one)).outcomes[0].outcome == "unknown"
    rig.line.fault = lambda _: None
    assert await codes(rig.confirm(two, "otto")) == ("BLOCKED",)
    await rig.clock.advance(1)
    await rig.plant.poll("pump.trim")
    assert (await rig.confirm(two, "otto")).outcomes[0].outcome == "verified"
