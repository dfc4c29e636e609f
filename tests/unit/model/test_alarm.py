"""The state machine of an alarm."""

from decimal import Decimal

import pytest

from gateway.model.alarm import Level, Standing, acknowledge, evaluate, level_of
from gateway.model.point import AlarmRule

RULE = AlarmRule(lolo=Decimal(10), lo=Decimal(20), hi=Decimal(75), hihi=Decimal(90), hysteresis=Decimal(2))


@pytest.mark.parametrize(
    ("value", "now", "level"),
    [
        (50, None, None),
        (75, None, "hi"),
        (74.9, None, None),
        (74.9, "hi", "hi"),
        (73, "hi", None),
        (90, "hi", "hihi"),
        (88.5, "hihi", "hihi"),
        (88, "hihi", "hi"),
        (73.5, "hihi", "hi"),
        (20, None, "lo"),
        (21.9, "lo", "lo"),
        (22, "lo", None),
        (10, "lo", "lolo"),
        (21, "hi", None),
        (Decimal("74.9"), "hi", "hi"),
    ],
)
def test_level_holds_until_back_by_hysteresis(value: float, now: Level | None, level: Level | None) -> None:
    assert level_of(RULE, value, now) == level


def test_life_of_an_alarm() -> None:
    normal = Standing()
    raised = evaluate(normal, "hi", 0.0, 1.0)
    assert raised.state == "UNACK_ACTIVE"
    assert evaluate(raised, "hi", 0.0, 2.0) is raised
    assert acknowledge(raised).state == "ACK_ACTIVE"
    assert evaluate(raised, None, 0.0, 3.0).state == "RTN_UNACK"
    assert acknowledge(evaluate(raised, None, 0.0, 3.0)).state == "NORMAL"
    assert evaluate(acknowledge(raised), None, 0.0, 3.0).state == "NORMAL"


def test_worse_level_needs_a_new_acknowledgement_and_an_easing_one_does_not() -> None:
    acked = acknowledge(evaluate(Standing(), "hi", 0.0, 1.0))
    worse = evaluate(acked, "hihi", 0.0, 2.0)
    assert worse.state == "UNACK_ACTIVE"
    assert evaluate(acknowledge(worse), "hi", 0.0, 3.0).state == "ACK_ACTIVE"
    assert evaluate(acknowledge(worse), "lo", 0.0, 3.0).state == "UNACK_ACTIVE"


def test_a_level_must_last_for_the_delay() -> None:
    pending = evaluate(Standing(), "hi", 5.0, 10.0)
    assert pending.state == "NORMAL"
    assert evaluate(pending, "hi", 5.0, 14.9) is pending
    assert evaluate(pending, "hi", 5.0, 15.0).state == "UNACK_ACTIVE"
    assert evaluate(pending, None, 5.0, 12.0).pending is None
    assert evaluate(evaluate(pending, None, 5.0, 12.0), "hi", 5.0, 16.0).state == "NORMAL"
