"""Blocks of several logical devices in one exchange."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.bustime import RequestCost
from gateway.model.plan import PlanLimits, ReadBlock
from gateway.model.share import share


def block(address: int, count: int, *, table: Table = Table.HOLDING, unit_id: int = 1, base: str | None = None) -> ReadBlock:
    return ReadBlock(unit_id=UnitId(unit_id), table=table, address=PduAddress(address), count=count, group="normal", points=(), base=base)


def spans(parts: list[tuple[str, ReadBlock]], *limits: PlanLimits, cost: RequestCost | None = None) -> list[tuple[int, int, str]]:
    names = dict.fromkeys(owner for owner, _ in parts)
    given_limits = dict(zip(names, limits or [PlanLimits()] * len(names), strict=True))
    reads = share(parts, given_limits, cost or RequestCost())
    return [(read.address, read.count, "".join(owner for owner, _ in read.parts)) for read in reads]


def test_adjoining_and_overlapping_blocks_become_one() -> None:
    assert spans([("b", block(10, 5)), ("a", block(0, 10)), ("c", block(12, 10))]) == [(0, 22, "abc")]


def test_the_narrower_device_decides() -> None:
    parts = [("a", block(0, 10)), ("b", block(12, 10))]
    assert spans(parts, PlanLimits(max_gap=9), PlanLimits(max_gap=2)) == [(0, 22, "ab")]
    assert spans(parts, PlanLimits(max_gap=9), PlanLimits(max_gap=1)) == [(0, 10, "a"), (12, 10, "b")]
    assert spans(parts, PlanLimits(max_gap=9), PlanLimits(max_gap=9, max_read=21)) == [(0, 10, "a"), (12, 10, "b")]


def test_nothing_is_read_through_a_hole_or_beyond_what_may_be_read() -> None:
    parts = [("a", block(0, 10)), ("b", block(12, 10))]
    wide = PlanLimits(max_gap=9)
    assert len(spans(parts, wide, PlanLimits(max_gap=9, holes={Table.HOLDING: ((11, 11),)}))) == 2
    assert len(spans(parts, wide, PlanLimits(max_gap=9, readable={Table.HOLDING: ((12, 99),)}))) == 2
    assert len(spans(parts, wide, PlanLimits(max_gap=9, readable={Table.HOLDING: ((0, 99),)}))) == 1


def test_other_tables_units_and_bases_stay_apart() -> None:
    others = [block(10, 1, table=Table.INPUT), block(10, 1, unit_id=2), block(10, 1, base="m103")]
    for other in others:
        assert len(spans([("a", block(0, 10)), ("b", other)])) == 2


def test_a_gap_that_costs_more_than_a_request_is_not_read() -> None:
    parts = [("a", block(0, 10)), ("b", block(12, 10))]
    wide = PlanLimits(max_gap=9)
    assert len(spans(parts, wide, wide, cost=RequestCost(request_s=1.0, register_s=0.6))) == 2
    assert len(spans(parts, wide, wide, cost=RequestCost(request_s=1.0, register_s=0.5))) == 1


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 300), st.integers(1, 40)), min_size=1, max_size=30),
    st.integers(40, 125),
    st.integers(0, 8),
)
def test_every_block_is_read_once_whole_and_within_the_limits(given_parts: list[tuple[str, int, int]], max_read: int, gap: int) -> None:
    parts = [(owner, block(address, count)) for owner, address, count in given_parts]
    reads = share(parts, dict.fromkeys("abc", PlanLimits(max_read=max_read, max_gap=gap)), RequestCost())
    assert sorted(id(each) for read in reads for _, each in read.parts) == sorted(id(each) for _, each in parts)
    for read in reads:
        assert read.count <= max_read
        assert all(read.address <= each.address and each.address + each.count <= read.address + read.count for _, each in read.parts)
