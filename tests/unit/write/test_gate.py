"""The gate by itself: it trusts no card, and says only what is known."""

from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.model.address import Table
from gateway.model.sample import Scalar, Tag
from gateway.poll.written import Outcome, Written
from gateway.store.base import Lockout
from gateway.write.gate import Gate
from gateway.write.order import Order, OrderedWait, OrderedWrite, change
from gateway.write.words import message_of
from tests.write_rig import PUMP, Rig, make_map, running


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(tmp_path) as made:
        yield made


def write(tag: str, old: Scalar | None, new: Scalar, *words: int) -> OrderedWrite:
    device, _, name = tag.partition(".")
    return OrderedWrite(step=0, tag=Tag(tag), device=device, point=name, map_version="1", old=old, new=new, unit="", words=words)


TRIM = write("pump.trim", 25, 24, 240)


def order(*writes: OrderedWrite, proposal: str = "P-1") -> Order:
    return Order(
        proposal=proposal,
        proposer="olga",
        confirmed_by=("otto",),
        reason="",
        via="page",
        conversation="",
        model="",
        steps=numbered(*writes),
    )


def numbered(*writes: OrderedWrite) -> tuple[OrderedWrite, ...]:
    return tuple(replace(one, step=number) for number, one in enumerate(writes))


async def confirmed(rig: Rig) -> Order:
    """An order that the database knows as confirmed."""
    made = await rig.propose("pump.trim", 24)
    await rig.claims.approve(made.id, "otto", {})
    return order(TRIM, proposal=made.id)


def gate(rig: Rig) -> Gate:
    return Gate(rig.plant.devices, rig.claims, rig.clock)


async def nobody(_: object) -> None:
    return None


async def execute(rig: Rig, what: Order) -> list[tuple[str, str]]:
    return [(one.outcome, one.code) for one in await gate(rig).execute(what, nobody)]


async def test_confirmed_order_is_executed(rig: Rig) -> None:
    assert await execute(rig, await confirmed(rig)) == [("verified", "")]


async def test_t31_stopped_gate_begins_no_step(rig: Rig) -> None:
    wait = OrderedWait(step=1, tag=Tag("pump.state"), device="pump", map_version="1", condition="state == 0", timeout_s=1.0)
    what = replace(await confirmed(rig), steps=(TRIM, wait), procedure="pump.p")
    stopped = gate(rig)
    stopped.stop()
    ended = await stopped.execute(what, nobody)
    assert [(one.step, one.outcome) for one in ended] == [(0, "not_sent"), (1, "not_sent")]
    assert "stopping" in ended[0].message.en
    assert rig.line.writes == []


async def test_order_nobody_confirmed_is_not_sent(rig: Rig) -> None:
    made = await rig.propose("pump.trim", 24)
    assert await execute(rig, order(TRIM, proposal=made.id)) == [("refused", "AUDIT_DOWN")]
    assert rig.line.writes == []


async def test_same_order_twice_is_sent_once(rig: Rig) -> None:
    what = await confirmed(rig)
    await execute(rig, what)
    rig.line.put(1, Table.HOLDING, 8, [250])
    assert await execute(rig, what) == [("refused", "AUDIT_DOWN")]
    assert len(rig.line.writes) == 1


@pytest.mark.parametrize("scope", ["*", "pump", "pump.trim"])
async def test_t33_lockout_after_the_yes_stops_it_before_the_wire(rig: Rig, scope: str) -> None:
    what = await confirmed(rig)
    await rig.claims.lock_out(Lockout(scope=scope, reason="men at work", by="enid", at=rig.clock.utc()))
    assert await execute(rig, what) == [("refused", "LOCKED_OUT")]
    assert rig.line.writes == []


STALE_CARDS = {
    "other-version": replace(TRIM, map_version="0"),
    "no-such-point": replace(TRIM, point="nothing"),
    "no-such-device": replace(TRIM, device="nowhere"),
    "other-words": replace(TRIM, words=(999,)),
    "no-words-any-more": replace(TRIM, new=Decimal("24.05")),
}


@pytest.mark.parametrize("card", STALE_CARDS.values(), ids=STALE_CARDS)
async def test_card_that_does_not_fit_the_map_is_refused(rig: Rig, card: OrderedWrite) -> None:
    what = replace(await confirmed(rig), steps=numbered(card))
    assert await execute(rig, what) == [("refused", "MAP_CHANGED")]
    assert rig.line.writes == []
    assert (await rig.kinds())[-1] == "outcome"


async def test_card_that_does_not_fit_holds_back_the_other_devices(rig: Rig) -> None:
    what = replace(await confirmed(rig), steps=numbered(replace(TRIM, device="nowhere"), write("tank.alarm_sp", 80, 70, 70)))
    assert await execute(rig, what) == [("refused", "MAP_CHANGED"), ("not_sent", "")]
    rig.plant.devices["panel"].map = make_map("panel", PUMP[:1])
    what = replace(what, steps=numbered(write("panel.lamp", 0, 1, 1), TRIM))
    assert await execute(rig, what) == [("refused", "MAP_CHANGED"), ("not_sent", "")]
    what = replace(what, steps=numbered(TRIM, write("panel.lamp", 0, 1, 1)))
    assert await execute(rig, what) == [("not_sent", ""), ("refused", "MAP_CHANGED")]
    assert (rig.line.writes, rig.lan.writes) == ([], [])


async def test_look_ahead_stops_for_a_value_that_is_no_value(rig: Rig) -> None:
    what = replace(await confirmed(rig), steps=numbered(write("tank.alarm_sp", 80, 70, 70), write("pump.sensor", 1, 2, 2)))
    assert await execute(rig, what) == [("not_sent", ""), ("refused", "STALE")]


async def test_look_ahead_takes_what_has_no_old_value_as_it_is(rig: Rig) -> None:
    what = replace(await confirmed(rig), steps=numbered(write("tank.alarm_sp", None, 70, 70), write("pump.trip", None, 1, 1)))
    assert await execute(rig, what) == [("verified", ""), ("acknowledged", "")]


CUT_OFF = {
    "never-begun": ({}, "not_sent"),
    "begun": ({0: ""}, "unknown"),
    "ended": ({0: "differs"}, "differs"),
    "unknown-already": ({0: "unknown"}, "unknown"),
}


@pytest.mark.parametrize(("known", "outcome"), CUT_OFF.values(), ids=CUT_OFF)
async def test_cut_off_order_is_closed_with_what_is_known(rig: Rig, known: dict[int, str], outcome: str) -> None:
    (ended,) = await gate(rig).close_cut_off(order(TRIM), known)
    assert ended.outcome == outcome
    assert (await rig.kinds()).count("outcome") == (0 if known.get(0) else 1)


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [(45, 43, Decimal(-2)), (Decimal("0.1"), 0.3, Decimal("0.2")), (None, 1, None), (False, True, None), ("a", "b", None)],
)
def test_change(old: Scalar | None, new: Scalar, moved: Decimal | None) -> None:
    assert change(old, new) == moved


ALL: list[tuple[Outcome, str, str]] = [
    ("verified", "", "read back as 24"),
    ("differs", "", "check at the device"),
    ("acknowledged", "", "accepted"),
    ("changed_before", "CHANGED", "nothing was sent"),
    ("refused", "DEVICE", "exception 3"),
    ("refused", "OFFLINE", "not sent"),
    ("refused", "STALE", "not sent"),
    ("refused", "OTHER", "a rule says no"),
    ("not_sent", "", "not sent"),
    ("unknown", "", "check at the device"),
]


@pytest.mark.parametrize(("outcome", "code", "words"), ALL)
def test_every_outcome_has_words_in_both_languages(outcome: Outcome, code: str, words: str) -> None:
    written = Written(point=PUMP[8], outcome=outcome, code=code, reason="timeout", exception=3, old=26, read_back=24)
    message = message_of(TRIM, written)
    assert words in message.en
    assert any("\u4e00" <= sign <= "\u9fff" for sign in message.zh)
    if outcome not in ("verified", "acknowledged"):
        assert "accepted" not in message.en
        assert "已接受" not in message.zh
