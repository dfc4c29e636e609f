"""What holds for every type, order and scale: encoding gives back what decoding gave, and no words raise."""

import math
import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gateway.model.codec import TYPES, shape_of
from gateway.model.decode import decode_point
from gateway.model.encode import encode_point
from gateway.model.formats import FORMATS
from gateway.model.order import orders_for, to_bits, to_words
from gateway.model.point import DataType, Order, Point, Range, RangeFrom, ScaleFrom, TextFormat
from gateway.model.quality import OUT_OF_RANGE
from tests.unit.model.points import point, valid

WORD = st.integers(0, 0xFFFF)
SCALES = st.sampled_from(
    [Decimal(1), Decimal("0.1"), Decimal("0.001"), Decimal("-0.25"), Decimal(100), Decimal("1E+3"), Decimal("0.006103515625")]
)
OFFSETS = st.sampled_from([Decimal(0), Decimal(-25), Decimal("0.5"), Decimal("1234567.89")])
NUMBERS = [kind for kind in DataType if kind not in (DataType.BOOL, DataType.STRING, DataType.BYTES)]


DIGITS = st.integers(0, 9999)
PACKED = DIGITS.map(lambda number: int(str(number), 16))
MEANT = {kind: PACKED for kind in DataType if kind.startswith("bcd")} | {DataType.MOD10: DIGITS}
"""Words that are a value, for the types in which few are (swapped bytes of a mod10 group may still not be)."""


@st.composite
def _numbers(draw: st.DrawFn, kind: DataType) -> Point:
    words = TYPES[kind].words or draw(st.integers(1, 4))
    order = draw(st.sampled_from(orders_for(words)))
    signed = kind is DataType.MOD10 and draw(st.booleans())
    return point(kind, words=words, order=order, scale=draw(SCALES), offset=draw(OFFSETS), signed=signed)


@pytest.mark.parametrize("kind", NUMBERS)
@settings(max_examples=30)
@given(data=st.data())
def test_number_read_and_written_gives_the_same_words(kind: DataType, data: st.DataObject) -> None:
    given_point = data.draw(_numbers(kind))
    words = data.draw(st.lists(MEANT.get(kind, WORD), min_size=given_point.words, max_size=given_point.words))
    value, reason = decode_point(given_point, words)
    assume(value is not None)
    assert reason is None
    if TYPES[kind].is_float:
        given_point = point(kind, words=given_point.words, order=given_point.order)
        value, _ = decode_point(given_point, words)
    encoded = encode_point(given_point, value)
    assert encoded.value == value
    assert decode_point(given_point, encoded.merged(words)) == (value, None)
    if value != 0:
        assert list(encoded.merged(words)) == words


@pytest.mark.parametrize("kind", [DataType.FLOAT32, DataType.FLOAT64])
@given(value=st.decimals(-1000000, 1000000, places=3), scale=SCALES, offset=OFFSETS)
def test_scaled_float_reads_back_close_to_what_was_written(kind: DataType, value: Decimal, scale: Decimal, offset: Decimal) -> None:
    back = encode_point(point(kind, scale=scale, offset=offset), value).value
    assert isinstance(back, float)
    assert abs(Decimal(back) - value) <= abs(value - offset) * Decimal("1E-6") + abs(value) * Decimal("1E-12")


@pytest.mark.parametrize("kind", list(DataType))
@settings(max_examples=15)
@given(data=st.data())
def test_no_words_raise(kind: DataType, data: st.DataObject) -> None:
    words = data.draw(st.lists(WORD, min_size=TYPES[kind].words or 1, max_size=TYPES[kind].words or 5))
    order = data.draw(st.sampled_from(orders_for(len(words))))
    text = data.draw(
        st.builds(
            TextFormat,
            encoding=st.sampled_from(["ascii", "latin-1", "utf-8", "gb18030"]),
            chars=st.sampled_from(["packed", "low", "high"]),
            pad=st.sampled_from(["nul", "space"]),
            length=st.none() | st.integers(1, 10),
        )
    )
    base = point(kind, words=len(words), order=order, bit=0 if kind is DataType.BOOL else None, text=text, signed=data.draw(st.booleans()))
    formats = [None, *(name for name, row in FORMATS.items() if row.fits(shape_of(base)))]
    for name in formats:
        value, reason = decode_point(point(kind, words=base.words, order=order, bit=base.bit, text=text, format=name), words)
        assert (value is None) != (reason is None)


WHOLE = [kind for kind in DataType if kind.startswith(("int", "uint"))]


@st.composite
def _parts(draw: st.DrawFn, kind: DataType) -> Point:
    """A point of some bits of a whole number, or of one bit."""
    words = TYPES[kind].words or 1
    order = draw(st.sampled_from(orders_for(words)))
    low = draw(st.integers(0, 16 * words - 1))
    if draw(st.booleans()):
        return point(kind, words=words, order=order, bit=low)
    high = draw(st.integers(low, 16 * words - 1))
    return point(kind, words=words, order=order, bits=(high, low), scale=draw(SCALES), offset=draw(OFFSETS))


@pytest.mark.parametrize("kind", WHOLE)
@settings(max_examples=30)
@given(data=st.data())
def test_bits_read_and_written_leave_their_neighbours_alone(kind: DataType, data: st.DataObject) -> None:
    part = data.draw(_parts(kind))
    words, others = (data.draw(st.lists(WORD, min_size=part.words, max_size=part.words)) for _ in range(2))
    value, reason = decode_point(part, words)
    assert reason is None
    encoded = encode_point(part, value)
    assert list(encoded.merged(words)) == words
    merged = encoded.merged(others)
    assert decode_point(part, merged) == (value, None)
    kept = encoded.keep or (0,) * part.words
    assert [now & keep for now, keep in zip(merged, kept, strict=True)] == [was & keep for was, keep in zip(others, kept, strict=True)]


SOURCES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64),
    st.integers(-12, 12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=4),
    st.text(max_size=4),
)
"""What a point that holds a scale or range may say: any value that decoding can give."""
RANGE = Range(raw_low=Decimal(0), raw_high=Decimal(65535), low=Decimal(4), high=Decimal(20), unit="mA")
HELD: dict[str, dict[str, Any]] = {
    "exponent": {"scale_from": ScaleFrom(point="sf", rule="exponent")},
    "factor": {"scale_from": ScaleFrom(point="sf", rule="factor")},
    "table": {"scale_from": ScaleFrom(point="sf", rule="table", table={0: Decimal(1000), 3: Decimal("0.1")})},
    "range": {"range_from": RangeFrom(point="sf", table={7: RANGE})},
    "fixed range": {"range": RANGE},
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("held", HELD)
@settings(max_examples=10)
@given(data=st.data())
def test_no_words_and_no_scale_raise(kind: DataType, held: str, data: st.DataObject) -> None:
    words = data.draw(st.lists(WORD, min_size=TYPES[kind].words or 2, max_size=TYPES[kind].words or 2))
    invalid = data.draw(st.dictionaries(st.integers(0, 2 ** (16 * len(words)) - 1), st.just("not_fitted"), max_size=2))
    limits = data.draw(st.sampled_from([None, valid("-5", "5"), valid(None, "100.25")]))
    given_point = point(kind, words=len(words), invalid=invalid, valid=limits, **HELD[held])
    value, reason = decode_point(given_point, words, data.draw(SOURCES))
    assert (value is None) == (reason not in (None, OUT_OF_RANGE))
    assert not isinstance(value, float) or math.isfinite(value)
    assert not isinstance(value, Decimal) or value.is_finite()


@settings(max_examples=30)
@given(st.binary(min_size=2, max_size=12).filter(lambda data: len(data) % 2 == 0 and data.strip(b"\xff")), st.data())
def test_bytes_read_and_written_are_the_same(data: bytes, draw: st.DataObject) -> None:
    words = list(struct.unpack(f">{len(data) // 2}H", data))
    given_point = point("bytes", words=len(words), order=draw.draw(st.sampled_from(orders_for(len(words)))))
    value, reason = decode_point(given_point, words)
    assert reason is None
    assert list(encode_point(given_point, value).words) == words


@given(st.booleans(), st.sampled_from(["coil", "discrete"]))
def test_a_coil_is_written_as_it_is_read(is_on: bool, table: str) -> None:
    coil = point("bool", table=table)
    value, reason = decode_point(coil, [int(is_on)])
    assert (value, reason, encode_point(coil, value).coil) == (is_on, None, is_on)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6),
    st.sampled_from(["latin-1", "utf-8", "gb18030"]),
    st.sampled_from(["packed", "low", "high"]),
    st.sampled_from(["nul", "space"]),
    st.sampled_from([Order.ABCD, Order.CDAB, Order.BADC, Order.DCBA]),
)
def test_text_written_reads_back(text: str, encoding: str, chars: str, pad: str, order: Order) -> None:
    try:
        size = len(text.encode(encoding))
    except UnicodeEncodeError:
        size = -1
    assume(size >= 0 and not (pad == "space" and text.endswith(" ")))
    form = TextFormat(encoding=encoding, chars=chars, pad=pad)  # type: ignore[arg-type]  # drawn from the literals
    words = max(1, (size + 1) // 2 if chars == "packed" else size)
    given_point = point("string", words=words, order=order, text=form)
    data = text.encode(encoding)
    assume(data.strip(b"\xff") or not data)
    encoded = encode_point(given_point, text)
    assert encoded.value == text
    assert decode_point(given_point, encoded.words) == (text, None)


@given(st.lists(WORD, min_size=1, max_size=6), st.data(), st.booleans())
def test_order_is_undone_by_its_reverse(words: list[int], data: st.DataObject, is_text: bool) -> None:
    order = data.draw(st.sampled_from(orders_for(len(words))))
    assert list(to_words(to_bits(words, order, is_text=is_text), len(words), order, is_text=is_text)) == words


@given(st.integers(0, 2**64 - 1))
def test_orders_are_those_of_struct(bits: int) -> None:
    """An independent way to the four common orders: pack with one byte order, unpack with the other."""
    big = struct.unpack(">4H", struct.pack(">Q", bits))
    for order, packs, unpacks in (("ABCD", ">", ">"), ("BADC", "<", ">"), ("CDAB", "<", "<"), ("DCBA", ">", "<")):
        words = to_words(bits, 4, Order(order))
        assert struct.unpack(f"{unpacks}Q", struct.pack(f"{packs}4H", *words)) == (bits,)
    assert to_words(bits, 4, Order.ABCD) == big
