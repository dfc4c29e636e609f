"""The breaker's probes, what was learnt, and the search against any device that has holes or a limit."""

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.link.latency import Latency
from gateway.model.address import Table, UnitId
from gateway.model.decode import failed
from gateway.model.plan import PlanLimits, ReadBlock, plan_blocks
from gateway.model.point import DataType, DeviceFacts, Point
from gateway.model.sample import BlockSamples
from gateway.poll.breaker import PROBE_CAP_S, SILENT_READS, Breaker
from gateway.poll.learn import Learnt
from gateway.poll.search import MOST_READS, Findings, Search, SearchEnded, cells_of
from tests.polled import point

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def demoted(latency: Latency, probes: int) -> tuple[Breaker, float]:
    breaker, now = Breaker(1.0, latency), 0.0
    for _ in range(SILENT_READS):
        breaker.silent(now)
    for _ in range(probes):
        while not breaker.may_ask(now):
            now += 0.01
        breaker.silent(now)
    return breaker, now


def test_unit_is_demoted_after_silence_in_a_row_only() -> None:
    breaker = Breaker(1.0, Latency())
    for _ in range(10):
        breaker.silent(0)
        breaker.silent(0)
        breaker.alive()
        assert not breaker.is_demoted
    for _ in range(SILENT_READS):
        assert breaker.may_ask(0.0)
        breaker.silent(0)
    assert breaker.is_demoted
    assert not breaker.may_ask(0.0)
    breaker.alive()
    assert breaker.may_ask(0.0)


@pytest.mark.parametrize(("probes", "delay_s"), [(0, 1), (1, 2), (2, 4), (3, 8), (4, PROBE_CAP_S), (50, PROBE_CAP_S)])
def test_probes_are_rarer_and_rarer_up_to_the_cap(probes: int, delay_s: float) -> None:
    breaker, now = demoted(Latency(), probes)
    assert not breaker.may_ask(now + delay_s - 0.05)
    assert breaker.may_ask(now + delay_s)


def test_probe_waits_for_its_share_of_the_time_and_now_and_then_in_full() -> None:
    waits = [demoted(Latency(), probes)[0].timeout_s() for probes in range(8, 16)]
    assert waits == [0.5, 0.5, 0.5, 1.0] * 2


def test_probe_waits_as_long_as_the_unit_was_seen_to_need() -> None:
    latency = Latency()
    latency.add(0.6)
    assert demoted(latency, 8)[0].timeout_s() == pytest.approx(0.9)
    latency.add(5.0)
    assert demoted(latency, 8)[0].timeout_s() == 1.0
    assert Breaker(1.0, latency).timeout_s() == 1.0


def test_patch_for_a_part_of_a_unit_speaks_of_the_addresses_in_its_map() -> None:
    learnt = Learnt(DeviceFacts(), {Table.HOLDING: 100, Table.INPUT: 5})
    learnt.add_hole(Table.HOLDING, 110, 111)
    learnt.add_hole(Table.INPUT, 0, 4)
    learnt.add_hole(Table.COIL, 3, 3)
    readable = {"holding": ["0..9", "12..65435"], "input": ["0..65530"], "coil": ["0..2", "4..65535"]}
    assert learnt.patch() == {"readable": readable}


def test_what_was_learnt_tightens_the_plan_and_is_offered_as_a_patch() -> None:
    learnt = Learnt(DeviceFacts(max_read=100, max_gap=4))
    assert learnt.patch() == {}
    assert learnt.add_hole(Table.HOLDING, 50, 59)
    assert not learnt.add_hole(Table.HOLDING, 50, 59)
    assert learnt.add_hole(Table.INPUT, 0, 3)
    assert learnt.add_largest(Table.HOLDING, 64)
    assert not learnt.add_largest(Table.INPUT, 64)
    assert learnt.add_largest(Table.COIL, 32)
    limits = learnt.limits()
    assert (limits.max_read, limits.max_bits, limits.max_gap) == (64, 32, 4)
    assert limits.holes == {Table.HOLDING: ((50, 59),), Table.INPUT: ((0, 3),)}
    assert learnt.is_hole(Table.HOLDING, 52, 53)
    assert not learnt.is_hole(Table.HOLDING, 58, 61)
    assert learnt.patch({6}) == {
        "max_read": 64,
        "readable": {"holding": ["0..49", "60..65535"], "input": ["4..65535"]},
        "functions": [1, 2, 3, 4, 5, 15, 16, 22],
    }
    learnt.drop_hole(Table.HOLDING, 50, 59)
    assert "holding" not in learnt.limits().holes


def test_hole_at_the_end_leaves_nothing_after_it() -> None:
    learnt = Learnt(DeviceFacts())
    learnt.add_hole(Table.HOLDING, 65530, 65535)
    assert learnt.patch() == {"readable": {"holding": ["0..65529"]}}


def test_overlapping_points_are_one_cell() -> None:
    points = [point("word", 3), point("bit", 3, type_=DataType.BOOL, bit=1), point("long", 4, words=2), point("low", 5), point("next", 6)]
    (block,) = plan_blocks(points, UnitId(1), "normal", PlanLimits())
    assert [(cell.start, cell.end, len(cell.points)) for cell in cells_of(block)] == [(3, 4, 2), (4, 6, 2), (6, 7, 1)]


class Device:
    """Holds 0 everywhere, except in `holes`, and gives at most `largest` at once, never from below `wall` to it or beyond."""

    def __init__(self, holes: set[int], largest: int = 125, wall: int = 1000) -> None:
        self.holes, self.largest, self.wall, self.reads = holes, largest, wall, 0

    async def read(self, block: ReadBlock) -> BlockSamples:
        self.reads += 1
        bad = block.count > self.largest or any(at in self.holes for at in range(block.address, block.address + block.count))
        bad = bad or block.address < self.wall < block.address + block.count
        samples = failed(block, "exception_2", NOW, 0.0)
        if bad:
            return samples
        return BlockSamples(
            block=block,
            values=(0,) * len(block.points),
            reasons=(None,) * len(block.points),
            words=(0,) * block.count,
            read_at=NOW,
            read_mono=0.0,
        )


def block_of(points: list[Point]) -> ReadBlock:
    (block,) = plan_blocks(points, UnitId(1), "normal", PlanLimits(max_gap=125))
    return block


def search(points: list[Point], device: Device) -> Findings:
    return asyncio.run(Search(block_of(points), device.read, lambda samples: samples.reasons[0] == "exception_2").run())


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 125), st.data())
def test_any_limit_is_found_in_few_reads(size: int, data: st.DataObject) -> None:
    largest = data.draw(st.integers(1, size - 1))
    device = Device(set(), largest)
    assert search([point(f"p{at}", at) for at in range(size)], device) == Findings(largest=largest)
    assert device.reads <= 20


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 125), st.data())
def test_any_single_hole_is_found_in_few_reads(size: int, data: st.DataObject) -> None:
    hole = data.draw(st.integers(0, size - 1))
    device = Device({hole})
    assert search([point(f"p{at}", at) for at in range(size)], device) == Findings(holes=[(hole, hole)])
    assert device.reads <= 2 * 7


@settings(max_examples=40, deadline=None)
@given(st.sets(st.integers(0, 60), min_size=2, max_size=40), st.data())
def test_points_that_exist_are_never_taken_for_holes(places: set[int], data: st.DataObject) -> None:
    between = sorted(set(range(min(places), max(places))) - places)
    if not between:
        return
    holes = data.draw(st.sets(st.sampled_from(between), min_size=1))
    device = Device(holes)
    found = search([point(f"p{at}", at) for at in sorted(places)], device)
    assert found.largest is None
    assert not any(low <= place <= high for low, high in found.holes for place in places)
    if device.reads < MOST_READS:
        assert all(any(low <= hole <= high for low, high in found.holes) for hole in holes), "the plan avoids all of them"


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 125), st.data())
def test_two_holes_at_like_places_are_no_limit(size: int, data: st.DataObject) -> None:
    holes = data.draw(st.sets(st.integers(0, size - 1), min_size=2, max_size=2))
    if size == 2:
        return
    found = search([point(f"p{at}", at) for at in range(size)], Device(holes))
    assert found == Findings(holes=sorted((hole, hole) for hole in holes))


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 125), st.data())
def test_wall_that_no_read_may_cross_ends_in_a_count_that_works(size: int, data: st.DataObject) -> None:
    wall = data.draw(st.integers(1, size - 1))
    found = search([point(f"p{at}", at) for at in range(size)], Device(set(), wall=wall))
    assert found == Findings(largest=wall)


def test_search_is_bounded_and_keeps_what_it_found() -> None:
    device = Device(set(range(0, 125, 2)))
    found = search([point(f"p{at}", at) for at in range(125)], device)
    assert device.reads == MOST_READS
    assert len(found.holes) > 10
    assert all(low == high and low % 2 == 0 for low, high in found.holes)


def test_search_over_a_dead_device_finds_nothing() -> None:
    device = Device(set(range(125)))
    assert search([point(f"p{at}", at) for at in range(125)], device) == Findings()


def test_other_failure_ends_the_search() -> None:
    device = Device(set(range(60, 125)))
    points = [point(f"p{at}", at) for at in range(125)]
    with pytest.raises(SearchEnded):
        asyncio.run(Search(block_of(points), device.read, lambda samples: False).run())
