"""The gateway's codec and the simulator's, written apart, say the same of any registers."""

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.model.decode import decode_point
from gateway.model.encode import encode_point
from gateway.model.point import DataType, Order, Point, TextFormat
from simulators.encoding import decode, encode
from simulators.values import to_raw, to_value
from tests.unit.simulators.small_maps import WIDTHS, point_with

NUMBERS = [kind for kind in DataType if kind not in (DataType.BOOL, DataType.STRING, DataType.BYTES)]
TENTHS = Decimal("0.1")


@st.composite
def points(draw: st.DrawFn) -> Point:
    """Any numeric point with any order, and some of their bits."""
    kind = draw(st.sampled_from(NUMBERS))
    words = draw(st.integers(1, 4)) if kind is DataType.MOD10 else WIDTHS.get(kind, 1)
    orders = [order for order in Order if words == 4 or order not in (Order.EFGHABCD, Order.CDABGHEF)]
    more: dict[str, object] = {"order": draw(st.sampled_from(orders)), "words": words, "scale": draw(st.sampled_from([Decimal(1), TENTHS]))}
    if kind is DataType.MOD10:
        more["signed"] = draw(st.booleans())
    if kind in (DataType.UINT16, DataType.UINT32, DataType.INT16, DataType.UINT64) and draw(st.booleans()):
        low = draw(st.integers(0, 16 * words - 1))
        more["bits"] = (draw(st.integers(low, 16 * words - 1)), low)
    return point_with(more, kind)


def no_source(name: str) -> Decimal:
    raise AssertionError(name)


@settings(deadline=None)
@given(st.data())
def test_any_registers_mean_the_same_to_both(data: st.DataObject) -> None:
    subject = data.draw(points())
    words = data.draw(st.lists(st.integers(0, 0xFFFF), min_size=subject.words, max_size=subject.words))
    value, reason = decode_point(subject, words)
    try:
        other = to_value(subject, decode(subject, words), no_source)
    except ValueError:
        assert reason in ("bad_bcd_digit", "bad_mod10_group")
        return
    if isinstance(other, float) and not math.isfinite(other):
        assert (value, reason) == (None, "not_finite" if math.isinf(other) else "not_available")
    elif isinstance(other, float):
        assert value == pytest.approx(other, rel=1e-15)
    else:
        assert (value, reason) == (other, None)


@settings(deadline=None)
@given(st.data())
def test_any_value_is_written_alike_by_both(data: st.DataObject) -> None:
    subject = data.draw(points().filter(lambda drawn: drawn.bits is None and drawn.type not in (DataType.INT8, DataType.UINT8)))
    words = data.draw(st.lists(st.integers(0, 0xFFFF), min_size=subject.words, max_size=subject.words))
    value, reason = decode_point(subject, words)
    if reason is not None or value is None:
        return
    ours = encode(subject, to_raw(subject, value, no_source), [0] * subject.words)
    assert tuple(encode_point(subject, value).words) == ours


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8),
    st.sampled_from(["utf-8", "gb18030", "latin-1"]),
    st.sampled_from([Order.ABCD, Order.CDAB, Order.BADC, Order.DCBA]),
    st.sampled_from(["packed", "low", "high"]),
)
def test_text_is_read_as_it_was_put(text: str, encoding: str, order: Order, chars: str) -> None:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return
    layout = TextFormat(encoding=encoding, chars=chars)  # type: ignore[arg-type]
    subject = point_with({"words": 32, "order": order, "text": layout}, DataType.STRING)
    words = encode(subject, text, [0] * 32)
    assert decode_point(subject, words)[0] == text
    assert decode(subject, words) == text


FORMATS = [
    ("unix_s", DataType.UINT32, 2),
    ("ddmm", DataType.UINT16, 1),
    ("hhmm", DataType.BCD16, 1),
    ("yymmddhhmmss", DataType.BCD48, 3),
    ("iec870_date", DataType.BYTES, 4),
    ("ipv4", DataType.UINT32, 2),
    ("eui48", DataType.BYTES, 3),
    ("hex", DataType.INT16, 1),
    ("hex", DataType.BYTES, 2),
]


@pytest.mark.parametrize(("name", "kind", "words"), FORMATS, ids=[f"{name}-{kind}" for name, kind, _ in FORMATS])
@settings(deadline=None)
@given(data=st.data())
def test_a_date_or_address_reads_the_same_to_both(name: str, kind: DataType, words: int, data: st.DataObject) -> None:
    subject = point_with({"format": name, "words": words}, kind)
    held = data.draw(st.lists(st.integers(0, 0xFFFF), min_size=words, max_size=words))
    value, reason = decode_point(subject, held)
    if reason is None:
        assert to_value(subject, decode(subject, held), no_source) == value
        assert encode(subject, to_raw(subject, value, no_source), held) == encode_point(subject, value).words
