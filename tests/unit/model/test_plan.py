"""Which registers are read together, and what it costs."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.model.address import Table, UnitId
from gateway.model.bustime import Framing, RequestCost, exchange_bytes, serial_time
from gateway.model.plan import PlanError, PlanLimits, ReadBlock, plan_blocks
from gateway.model.point import Access, DeviceFacts, Order, Point, ScaleFrom
from tests.unit.model.points import point

OPEN = PlanLimits(max_gap=125)
HOLDING = Table.HOLDING


def _row(*spans: tuple[int, int], **facts: Any) -> list[Point]:
    """Points of so many words at addresses: `(address, words)`."""
    return [point("bytes", f"p{place}", address, words=words, **facts) for place, (address, words) in enumerate(spans)]


def _coils(count: int) -> list[Point]:
    return [point("bool", f"c{address}", address, table="coil") for address in range(count)]


def _plan(
    points: Sequence[Point], limits: PlanLimits = OPEN, cost: RequestCost | None = None, group: str = "normal"
) -> list[tuple[int, int]]:
    return [(block.address, block.count) for block in _blocks(points, limits, cost, group)]


def _blocks(
    points: Sequence[Point], limits: PlanLimits = OPEN, cost: RequestCost | None = None, group: str = "normal"
) -> tuple[ReadBlock, ...]:
    return plan_blocks(points, UnitId(1), group, limits, cost)


@pytest.mark.parametrize(
    ("points", "limits", "expected"),
    [
        pytest.param(_row((100, 1), (101, 2), (105, 1), (120, 1)), PlanLimits(max_gap=2), [(100, 6), (120, 1)], id="P01"),
        pytest.param(_row((0, 1), (124, 2)), OPEN, [(0, 1), (124, 2)], id="P02-two"),
        pytest.param(_row((0, 1), (123, 2)), OPEN, [(0, 125)], id="P02-one"),
        pytest.param(_row(*((2 * place, 2) for place in range(100))), OPEN, [(0, 124), (124, 76)], id="P03"),
        pytest.param(_coils(2001), PlanLimits(), [(0, 2000), (2000, 1)], id="P04"),
        pytest.param(_row((0, 10), (2, 1)), PlanLimits(), [(0, 10)], id="P05-inside"),
        pytest.param(_row((0, 1), (0, 2)), PlanLimits(), [(0, 2)], id="P05-same-start"),
        pytest.param(_row((65534, 1), (65535, 1)), PlanLimits(), [(65534, 2)], id="P06"),
        pytest.param(
            _row((10, 1), (14, 1), (16, 1)), PlanLimits(max_gap=8, holes={HOLDING: ((11, 13),)}), [(10, 1), (14, 3)], id="P07-holes"
        ),
        pytest.param(
            _row((10, 1), (14, 1), (16, 1)),
            PlanLimits(max_gap=8, readable={HOLDING: ((0, 10), (14, 20))}),
            [(10, 1), (14, 3)],
            id="P07-readable",
        ),
        pytest.param(_row((0, 1), (1, 1), (2, 1)), PlanLimits(holes={HOLDING: ((1, 1),)}), [(0, 1), (1, 1), (2, 1)], id="point-in-a-hole"),
        pytest.param(_row((0, 100), (50, 100)), PlanLimits(), [(0, 100), (50, 100)], id="overlap-too-long-for-one"),
        pytest.param(_row((0, 1), (10, 1)), PlanLimits(max_gap=8), [(0, 1), (10, 1)], id="gap-too-wide"),
        pytest.param(_row((0, 40), (40, 40)), PlanLimits(max_read=63), [(0, 40), (40, 40)], id="max-read"),
        pytest.param(
            _row((0, 1), (1, 1), base="m103"),
            PlanLimits(readable={HOLDING: ((40000, 40100),)}),
            [(0, 2)],
            id="ranges-are-not-relative-to-a-base",
        ),
        pytest.param([], PlanLimits(), [], id="nothing"),
    ],
)
def test_neighbours_share_an_exchange(points: list[Point], limits: PlanLimits, expected: list[tuple[int, int]]) -> None:
    assert _plan(points, limits) == expected


@pytest.mark.parametrize(
    ("second", "merged"),
    [
        pytest.param(point("uint16", "b", 1, table="input"), False, id="P08-table"),
        pytest.param(point("uint16", "b", 1, unit_id=2), False, id="P08-unit"),
        pytest.param(point("uint16", "b", 1, base="m103"), False, id="P08-base"),
        pytest.param(point("uint16", "b", 1, order=Order.BADC), True, id="P08-order"),
        pytest.param(point("uint16", "b", 1, unit_id=1), True, id="same-unit-spelt-out"),
    ],
)
def test_exchange_never_crosses_table_unit_or_base(second: Point, merged: bool) -> None:
    blocks = _blocks([point("uint16", "a", 0), second])
    assert len(blocks) == (1 if merged else 2)
    for block in blocks:
        for member in block.points:
            assert (block.table, block.unit_id, block.base) == (member.table, member.unit_id or 1, member.base)


@pytest.mark.parametrize(
    ("points", "limits", "code", "words"),
    [
        pytest.param(
            [point("string", "name", 0, words=20)],
            PlanLimits(max_read=16),
            "max_read_too_small",
            "name: needs 20 registers in one exchange, but the device gives at most 16 (max_read)",
            id="P09",
        ),
        pytest.param(
            [point("uint32", "total", 99)],
            PlanLimits(readable={HOLDING: ((0, 99),)}),
            "not_readable",
            "total: PDU address 99 is outside what the device lets read (readable)",
            id="outside-readable",
        ),
    ],
)
def test_point_that_cannot_be_read_is_an_error_naming_it(points: list[Point], limits: PlanLimits, code: str, words: str) -> None:
    with pytest.raises(PlanError) as caught:
        _blocks(points, limits)
    assert (caught.value.code, str(caught.value), caught.value.point) == (code, words, points[0])


def _scaled(value: int, held: int, **facts: object) -> list[Point]:
    scale_from = ScaleFrom(point="sf", rule="exponent")
    return [point("int16", "power", value, scale_from=scale_from), point("int16", "sf", held, **facts)]


@pytest.mark.parametrize(
    ("points", "limits", "expected"),
    [
        pytest.param(_scaled(0, 40), PlanLimits(max_gap=2), [((0, 1), False), ((40, 1), True)], id="P10-apart"),
        pytest.param(_scaled(0, 40), OPEN, [((0, 41), True)], id="P10-together"),
        pytest.param([*_scaled(0, 40), point("bytes", "x", 10, words=20)], PlanLimits(max_gap=10), [((0, 41), True)], id="P10-bridge"),
        pytest.param(_scaled(0, 1, poll="once"), PlanLimits(), [((0, 2), True)], id="P10-held-in-another-group"),
        pytest.param(_scaled(0, 9, poll="once"), PlanLimits(max_gap=2), [((0, 1), False)], id="P10-held-out-of-reach"),
        pytest.param(_scaled(40, 0), OPEN, [((0, 41), True)], id="P10-held-before"),
        pytest.param(_scaled(0, 1, table="input"), OPEN, [((0, 1), False), ((1, 1), True)], id="P10-other-table"),
        pytest.param([_scaled(0, 1)[0]], OPEN, [((0, 1), False)], id="P10-held-nowhere"),
        pytest.param(_scaled(0, 1, access=Access.WO), OPEN, [((0, 1), False)], id="P10-held-where-nothing-is-read"),
    ],
)
def test_value_and_its_scale_register_stay_together_or_are_marked(
    points: list[Point], limits: PlanLimits, expected: list[tuple[tuple[int, int], bool]]
) -> None:
    blocks = sorted(_blocks(points, limits), key=lambda block: block.address)
    assert [((block.address, block.count), block.atomic) for block in blocks] == expected


def test_cut_is_moved_so_that_a_scale_register_stays_with_its_value() -> None:
    filler = [point("uint16", f"f{address}", address) for address in range(124)]
    power, held = _scaled(124, 125)
    blocks = _blocks([*filler, power, held])
    assert [(block.count, block.atomic) for block in blocks] == [(124, True), (2, True)]


def test_only_the_group_asked_for_is_read_and_nothing_write_only() -> None:
    points = [
        point("uint16", "a", 0, poll="fast"),
        point("uint16", "b", 1),
        point("uint16", "c", 2, poll="fast", access=Access.WO),
    ]
    assert [[member.name for member in block.points] for block in _blocks(points, group="fast")] == [["a"]]
    assert _plan(points, group="slow") == []


@pytest.mark.parametrize(
    ("gap", "cost", "exchanges"),
    [
        pytest.param(10, RequestCost.serial(9600, turnaround_s=0.005), 1, id="9600-short-gap"),
        pytest.param(60, RequestCost.serial(9600, turnaround_s=0.005), 2, id="9600-long-gap"),
        pytest.param(60, RequestCost.network(0.02), 1, id="network-reads-through"),
        pytest.param(60, RequestCost(request_s=1, register_s=1), 2, id="registers-cost-more"),
    ],
)
def test_gap_is_read_through_where_that_is_faster(gap: int, cost: RequestCost, exchanges: int) -> None:
    assert len(_plan(_row((0, 1), (gap + 1, 1)), OPEN, cost)) == exchanges


def test_coils_are_cut_where_reading_on_costs_more_than_asking_again() -> None:
    coils = [point("bool", "a", 0, table="coil"), point("bool", "b", 320, table="coil")]
    limits = PlanLimits(max_gap=2000)
    assert _plan(coils, limits) == [(0, 321)]
    assert _plan(coils, limits, RequestCost(request_s=1, register_s=0.1)) == [(0, 1), (320, 1)]


def test_one_coil_under_two_names_is_read_once() -> None:
    assert _plan([point("bool", name, 5, table="coil") for name in ("a", "b")], PlanLimits()) == [(5, 1)]


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 12)), min_size=1, max_size=8),
    st.integers(12, 40),
    st.integers(0, 30),
    st.sampled_from([0.0, 0.05, 0.3]),
)
def test_no_other_cut_is_cheaper(spans: list[tuple[int, int]], max_read: int, max_gap: int, register_s: float) -> None:
    limits, cost = PlanLimits(max_read=max_read, max_gap=max_gap), RequestCost(register_s=register_s)
    blocks = _blocks(_row(*spans), limits, cost)
    assert sorted(member.name for block in blocks for member in block.points) == sorted(f"p{place}" for place in range(len(spans)))
    for block in blocks:
        assert block.count <= max_read
        assert block.address == min(member.pdu for member in block.points)
        assert block.address + block.count == max(member.pdu + member.words for member in block.points)
    ours = sum(cost.request_s + register_s * block.count for block in blocks)
    assert ours <= _cheapest(sorted(spans), limits, cost) + 1e-9


def _cheapest(spans: list[tuple[int, int]], limits: PlanLimits, cost: RequestCost) -> float:
    """The price of the best of all cuts, tried one by one."""
    if not spans:
        return 0.0
    best, end = float("inf"), spans[0][0]
    for size, (address, words) in enumerate(spans, 1):
        if address - end > limits.max_gap:
            break
        end = max(end, address + words)
        if end - spans[0][0] > limits.max_read:
            break
        best = min(best, cost.request_s + cost.register_s * (end - spans[0][0]) + _cheapest(spans[size:], limits, cost))
    return best


@pytest.mark.parametrize(
    ("facts", "registers", "bits"),
    [
        pytest.param(DeviceFacts(), 125, 2000, id="nothing-said"),
        pytest.param(DeviceFacts(max_read=63, max_gap=4), 63, 63, id="stated"),
        pytest.param(DeviceFacts(max_read=999), 125, 999, id="more-than-modbus-allows"),
        pytest.param(DeviceFacts(max_read=9999), 125, 2000, id="far-more"),
    ],
)
def test_limits_come_from_the_map(facts: DeviceFacts, registers: int, bits: int) -> None:
    limits = PlanLimits.of(facts, {HOLDING: ((5, 5),)})
    assert (limits.largest(HOLDING), limits.largest(Table.COIL), limits.max_gap) == (registers, bits, facts.max_gap)
    assert limits.holes == {HOLDING: ((5, 5),)}


@pytest.mark.parametrize(
    ("count", "is_bits", "framing", "size"),
    [
        (1, False, "rtu", 15),
        (125, False, "rtu", 263),
        (125, False, "tcp", 271),
        (1, True, "rtu", 14),
        (16, True, "tcp", 23),
        (17, True, "rtu", 16),
        (1, False, "ascii", 32),
    ],
)
def test_bytes_of_an_exchange(count: int, is_bits: bool, framing: Framing, size: int) -> None:
    """ASCII: `:` + 6 bytes + LRC + CR LF asked, `:` + 5 bytes + LRC + CR LF answered, two signs a byte."""
    assert exchange_bytes(count, is_bits=is_bits, framing=framing) == size


@pytest.mark.parametrize(
    ("baud", "bits", "seconds"),
    [
        pytest.param(9600, 11, Decimal(263 * 11 + 77) / 9600, id="9600-8E1"),
        pytest.param(19200, 10, Decimal(263 * 10 + 70) / 19200, id="19200-8N1"),
        pytest.param(115200, 11, Decimal(263 * 11) / 115200 + Decimal("0.0035"), id="fast-lines-have-a-fixed-quiet-time"),
    ],
)
def test_time_on_a_serial_line(baud: int, bits: int, seconds: Decimal) -> None:
    assert serial_time(263, baud, bits) == pytest.approx(float(seconds))
    cost = RequestCost.serial(baud, bits)
    assert cost.request_s + 125 * cost.register_s == pytest.approx(float(seconds))
    assert serial_time(263, baud, bits, gap_s=1.0) == pytest.approx(float(seconds) + 1.0 - _silence(baud, bits))


def _silence(baud: int, bits: int) -> float:
    return 0.00175 if baud > 19200 else 3.5 * bits / baud
