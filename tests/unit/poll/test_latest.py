"""Last samples: waiting, good, failed, stale; what the words say replaces a value at once, what the wire does not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gateway.clock import ManualClock
from gateway.errors import UnknownTagError
from gateway.model.address import PduAddress, UnitId
from gateway.model.decode import compile_block, failed
from gateway.model.plan import PlanLimits, ReadBlock, plan_blocks
from gateway.model.point import DataType, Point, Range, RangeFrom, Text, Valid
from gateway.model.sample import Sample, Tag
from gateway.poll.latest import Latest, stale_after_of
from tests.polled import point, register_map

LEVEL = point("level", 0, scale=Decimal("0.1"), unit="%", decimals=1, invalid={0xFFFF: "not_available"}, valid=Valid(max=Decimal(100)))
STATE = point("state", 1, enum={0: Text("off", "关"), 1: Text("on", "开")})
MAP = register_map([LEVEL, STATE], periods={"normal": 2.0})
TAG = Tag("d1.level")


class Held:
    """Latest values of one device on a manual clock."""

    def __init__(self, points: Sequence[Point] = (LEVEL, STATE), stale_after_s: float | None = 6.0) -> None:
        self.clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.latest = Latest(self.clock)
        self.latest.track("d1", points, {"normal": stale_after_s})
        (self.block,) = plan_blocks(points, UnitId(1), "normal", PlanLimits())

    def good(self, *words: int, block: ReadBlock | None = None) -> None:
        block = block or self.block
        self.latest.put("d1", compile_block(block).decode(words, self.clock.utc(), self.clock.monotonic()))

    def fail(self, reason: str = "timeout", block: ReadBlock | None = None) -> None:
        self.latest.put("d1", failed(block or self.block, reason, self.clock.utc(), self.clock.monotonic()))

    def get(self, tag: str = TAG) -> Sample:
        return self.latest.get(Tag(tag))


def seen(sample: Sample) -> tuple[object, str | None, float | None]:
    return sample.value, sample.reason, sample.age_s


async def test_before_the_first_read_it_waits() -> None:
    held = Held()
    assert seen(held.get()) == (None, "waiting", None)
    assert held.get().unit == "%"


async def test_good_value_has_all_that_people_need() -> None:
    held = Held()
    held.good(123, 1)
    await held.clock.advance(1.5)
    level, state = held.get(), held.get("d1.state")
    assert (level.value, level.unit, level.decimals, level.words, level.age_s) == (Decimal("12.3"), "%", 1, (123,), 1.5)
    assert (state.value, state.label, state.label_text) == (1, "on", Text("on", "开"))


async def test_failed_exchange_keeps_the_last_good_value_until_it_is_stale() -> None:
    held = Held()
    held.good(123, 1)
    await held.clock.advance(5)
    held.fail()
    assert seen(held.get()) == (Decimal("12.3"), None, 5.0)
    await held.clock.advance(2)
    held.fail("link_down")
    assert seen(held.get()) == (Decimal("12.3"), "stale", 7.0)
    held.good(124, 1)
    assert seen(held.get()) == (Decimal("12.4"), None, 0.0)


async def test_where_no_good_value_ever_came_the_failure_is_the_reason() -> None:
    held = Held()
    held.fail("link_down")
    held.fail("exception_2")
    assert seen(held.get()) == (None, "exception_2", 0.0)


async def test_what_the_words_say_replaces_the_value_at_once_and_does_not_grow_stale() -> None:
    held = Held()
    held.good(123, 1)
    held.good(0xFFFF, 1)
    assert seen(held.get()) == (None, "not_available", 0.0)
    await held.clock.advance(60)
    assert seen(held.get()) == (None, "not_available", 60.0)


async def test_value_out_of_range_is_uncertain_and_then_stale() -> None:
    held = Held()
    held.good(2000, 1)
    assert seen(held.get()) == (Decimal("200.0"), "out_of_range", 0.0)
    await held.clock.advance(7)
    assert seen(held.get()) == (Decimal("200.0"), "stale", 7.0)


async def test_group_without_a_period_never_grows_stale() -> None:
    held = Held(stale_after_s=None)
    held.good(123, 1)
    await held.clock.advance(1e6)
    assert seen(held.get()) == (Decimal("12.3"), None, 1e6)


async def test_fresh_sample_is_kept_until_a_newer_poll() -> None:
    held = Held()
    held.good(1, 1)
    await held.clock.advance(1)
    fresh = replace(held.get(), value=Decimal("9.9"), words=(99,), age_s=0.25, read_at=held.clock.utc())
    held.latest.keep([fresh, replace(fresh, tag=Tag("d9.x")), replace(fresh, tag=Tag("d1.state"), words=())])
    await held.clock.advance(1)
    assert seen(held.get()) == (Decimal("9.9"), None, 1.25)
    assert held.get("d1.state").value == 1, "a failed fresh read replaces nothing"
    held.good(2, 1)
    assert seen(held.get()) == (Decimal("0.2"), None, 0.0)


async def test_unknown_tag_is_an_error() -> None:
    with pytest.raises(UnknownTagError):
        Held().get("d1.levle")


async def test_new_plan_takes_over_when_it_has_values() -> None:
    held = Held()
    held.good(123, 1)
    level, state = plan_blocks([LEVEL, STATE], UnitId(1), "normal", PlanLimits(max_read=1))
    held.fail("timeout", level)
    assert held.get().value == Decimal("12.3"), "a new block without values does not hide the old one's"
    held.good(7, block=level)
    held.good(0, block=state)
    assert (held.get().value, held.get("d1.state").value) == (Decimal("0.7"), 0)
    assert len(held.latest._slots) == 2, "blocks that no tag is read from are let go"


async def test_scale_register_read_along_with_another_group_stays_with_its_own() -> None:
    fast, slow = point("fast", 0), point("slow", 1, poll="slow")
    held = Held([fast, slow])
    own, along = (
        replace(held.block, address=PduAddress(1), count=1, points=(slow,), group="slow"),
        replace(held.block, count=2, points=(fast, slow)),
    )
    held.latest.track("d1", [fast, slow], {"normal": 6.0, "slow": 60.0})
    held.good(5, block=own)
    held.good(1, 6, block=along)
    assert held.get("d1.slow").value == 5


async def test_unit_of_a_chosen_range_is_shown() -> None:
    ranges = {0: Range(raw_low=Decimal(0), raw_high=Decimal(100), low=Decimal(0), high=Decimal(10), unit="V")}
    value, code = point("value", 0, range_from=RangeFrom(point="code", table=ranges)), point("code", 1)
    held = Held([value, code])
    held.good(50, 0)
    sample = held.get("d1.value")
    assert (sample.value, sample.unit) == (Decimal(5), "V")


def test_stale_after_is_three_periods_or_as_stated() -> None:
    made = register_map([], periods={"fast": 0.5, "slow": 60.0, "once": None, "asked": None}, on_demand=frozenset({"asked"}))
    assert stale_after_of(made) == {"fast": 1.5, "slow": 180.0, "once": None, "asked": 10.0}
    assert stale_after_of(made, 7.0) == {"fast": 7.0, "slow": 7.0, "once": None, "asked": 7.0}


async def test_put_touches_no_point() -> None:
    """One step per block: what is put is the same object, whatever its size."""
    held = Held([point(f"p{at}", at, type_=DataType.UINT16) for at in range(120)])
    held.good(*range(120))
    held.good(*range(1, 121))
    assert held.get("d1.p5").value == 6
