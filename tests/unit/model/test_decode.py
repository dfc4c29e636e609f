"""Blocks decoded in whole: the same values as point by point, whatever stands beside what."""

import math
from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gateway.model.address import UnitId
from gateway.model.decode import compile_block, decode_point, failed
from gateway.model.plan import PlanLimits, ReadBlock, plan_blocks
from gateway.model.point import Order, Point, ScaleFrom, TextFormat
from gateway.model.quality import BAD_SCALE_FACTOR, LENGTH_MISMATCH, NOT_AVAILABLE, NOT_FINITE, OUT_OF_RANGE
from gateway.model.sample import BlockSamples, Scalar
from tests.unit.model.points import AT, point, valid

HALF = Decimal("0.5")


def _block(points: Sequence[Point]) -> ReadBlock:
    (block,) = plan_blocks(points, UnitId(1), "normal", PlanLimits(max_gap=125))
    return block


def _decoded(points: Sequence[Point], words: Sequence[int]) -> BlockSamples:
    return compile_block(_block(points)).decode(words, AT, 1.5)


MIXED = [
    point("float32", "a", 0),
    point("float32", "b", 2, order=Order.CDAB),
    point("int16", "c", 4, scale=Decimal("0.1"), invalid={0x8000: "not_fitted"}),
    point("uint16", "d", 5, order=Order.BADC),
    point("int32", "e", 6, order=Order.DCBA, valid=valid("0", "10")),
    point("uint64", "f", 8, order=Order.EFGHABCD),
    point("bool", "g", 12, bit=3),
    point("uint8", "h", 12, bits=(15, 8)),
    point("uint16", "i", 12),
    point("string", "j", 13, words=2),
    point("bcd16", "k", 15),
    point("float64", "l", 16, order=Order.BADC, scale=HALF),
    point("float32", "m", 20, invalid={0x7F800000: "open_wire"}),
    point("float32", "n", 22, scale=HALF, valid=valid("-1", "1")),
    point("int8", "o", 24),
    point("mod10", "p", 25, words=2),
    point("float16", "q", 28),
    point("uint8", "r", 29, invalid={0xFF: "not_fitted"}),
    point("uint32", "s", 30, bit=20),
    point("uint16", "t", 32, bits=(3, 0), order=Order.BADC),
]
MIXED_BLOCK = _block(MIXED)
MIXED_DECODER = compile_block(MIXED_BLOCK)
SPECIAL = st.sampled_from([0, 1, 0x7FC0, 0x7F80, 0xFF80, 0x7FFF, 0x8000, 0xFFFF, 0x7FF0, 0xF07F, 0x4142, 0x1234])


@settings(max_examples=50)
@given(st.lists(st.one_of(SPECIAL, st.integers(0, 0xFFFF)), min_size=33, max_size=33))
@example([0x8000, 0] * 16 + [0])
@example([0x7F7F, 0xFFFF] * 16 + [0])
def test_block_decodes_as_each_point_alone(words: list[int]) -> None:
    samples = MIXED_DECODER.decode(words, AT, 1.5)
    assert len(samples.values) == len(samples.reasons) == len(MIXED)
    for member, value, reason in zip(MIXED_BLOCK.points, samples.values, samples.reasons, strict=True):
        own = words[member.pdu : member.pdu + member.words]
        alone = decode_point(member, own)
        assert (repr(value), reason) == (repr(alone[0]), alone[1]), member.name
        assert value is None or not isinstance(value, float) or math.isfinite(value)
        assert (value is None) == (reason not in (None, OUT_OF_RANGE))


def test_samples_carry_block_words_and_times() -> None:
    samples = _decoded([point("uint16", "a", 7)], (5,))
    assert (samples.block.address, samples.values, samples.reasons) == (7, (5,), (None,))
    assert (samples.words, samples.read_at, samples.read_mono) == ((5,), AT, 1.5)


def test_failed_exchange_gives_no_values() -> None:
    block = _block([point("uint16", "a", 0), point("uint16", "b", 1)])
    samples = failed(block, "timeout", AT, 1.5)
    assert (samples.values, samples.reasons, samples.words) == ((None, None), ("timeout", "timeout"), ())
    assert (samples.block, samples.read_at, samples.read_mono) == (block, AT, 1.5)


@pytest.mark.parametrize("words", [[], [1], [1, 2, 3]])
def test_reply_of_another_length_gives_no_values(words: list[int]) -> None:
    assert _decoded([point("uint32", "a", 0)], words).reasons == (LENGTH_MISMATCH,)


def test_one_bad_float_costs_its_neighbours_nothing() -> None:
    floats = [point("float32", f"f{place}", 2 * place) for place in range(4)]
    samples = _decoded(floats, [0x3F80, 0, 0x7FC0, 0, 0x7F80, 0, 0x8000, 0])
    assert samples.values == (1.0, None, None, 0.0)
    assert str(samples.values[3]) == "0.0"
    assert samples.reasons == (None, NOT_AVAILABLE, NOT_FINITE, None)


def test_floats_whose_sum_overflows_are_all_good() -> None:
    largest = 1.7976931348623157e308
    samples = _decoded([point("float64", f"f{place}", 4 * place) for place in range(2)], [0x7FEF, 0xFFFF, 0xFFFF, 0xFFFF] * 2)
    assert (samples.values, samples.reasons) == ((largest, largest), (None, None))


def test_checked_float_beside_a_bad_one_is_still_checked() -> None:
    floats = [point("float32", f"f{place}", 2 * place, valid=valid("0", "1")) for place in range(2)]
    samples = _decoded(floats, [0x4000, 0, 0x7FC0, 0])
    assert (samples.values, samples.reasons) == ((2.0, None), (OUT_OF_RANGE, NOT_AVAILABLE))


def test_coils_become_true_and_false_by_their_own_address() -> None:
    coils = [point("bool", "a", 10, table="coil"), point("bool", "c", 12, table="coil")]
    samples = _decoded(coils, [1, 0, 0])
    assert (samples.values, samples.reasons) == ((True, False), (None, None))
    assert decode_point(coils[0], [1]) == (True, None)


def _scaled(name: str, pdu: int, held: str) -> Point:
    return point("int16", name, pdu, scale_from=ScaleFrom(point=held, rule="exponent"))


def test_scale_held_outside_the_block_is_looked_up() -> None:
    decoder = compile_block(_block([_scaled("w", 0, "sf")]))
    asked = []

    def lookup(name: str) -> Scalar | None:
        asked.append(name)
        return -1

    assert decoder.decode([123], AT, 0.0, lookup).values == (Decimal("12.3"),)
    assert asked == ["sf"]
    assert decoder.decode([123], AT, 0.0, lambda _name: None).reasons == (BAD_SCALE_FACTOR,)
    assert decoder.decode([123], AT, 0.0).reasons == (BAD_SCALE_FACTOR,)


def test_scale_held_in_the_block_is_never_looked_up() -> None:
    def lookup(name: str) -> Scalar | None:
        raise AssertionError(name)

    decoder = compile_block(_block([_scaled("w", 0, "sf"), point("int16", "sf", 1)]))
    assert decoder.decode([123, 0xFFFF], AT, 0.0, lookup).values == (Decimal("12.3"), -1)


def test_scale_of_a_scale_is_resolved_in_order() -> None:
    points = [_scaled("w", 0, "sf"), point("int16", "sf", 1, scale_from=ScaleFrom(point="sfsf", rule="factor")), point("int16", "sfsf", 2)]
    assert _decoded(points, [123, 1, 0xFFFE]).values == (Decimal("1.23"), -2, -2)


def test_sentinel_of_a_scaled_value_wins_over_its_scale() -> None:
    power = point("int16", "w", 0, invalid={0x8000: NOT_AVAILABLE}, scale_from=ScaleFrom(point="sf", rule="exponent"))
    assert _decoded([power, point("int16", "sf", 1)], [0x8000, 0]).reasons == (NOT_AVAILABLE, None)


@pytest.mark.parametrize("words", [1, 2, 3])
def test_64_bit_order_on_a_shorter_value_is_a_programming_error(words: int) -> None:
    with pytest.raises(ValueError, match="order EFGHABCD needs a value of 4 registers"):
        compile_block(_block([point("mod10", "m", 0, words=words, order=Order.EFGHABCD)]))


@pytest.mark.parametrize(
    ("encoding", "words", "text"),
    [
        pytest.param("gb18030", [0xD6F7, 0xB1C3, 0], "主泵", id="gb18030"),
        pytest.param("utf-8", [0xE4B8, 0xBBE6, 0xB3B5], "主泵", id="utf-8"),
    ],
)
def test_length_counts_characters_not_bytes(encoding: str, words: list[int], text: str) -> None:
    form = TextFormat(encoding="gb18030" if encoding == "gb18030" else "utf-8", length=1)
    assert decode_point(point("string", words=3, text=form), words) == (text[:1], None)
