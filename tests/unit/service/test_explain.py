"""The screen an engineer trusts: what it says is what goes over the wire and what the codec makes of it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.link.base import Read
from gateway.link.frames.ascii import AsciiFramer
from gateway.link.frames.framer import Framer
from gateway.link.frames.mbap import MbapFramer
from gateway.link.frames.pdu import decode
from gateway.link.frames.rtu import RtuFramer
from gateway.link.options import LinkOptions
from gateway.maps.load import load_map
from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.bustime import Framing
from gateway.model.codec import TYPES
from gateway.model.decode import decode_point
from gateway.model.order import orders_for
from gateway.model.point import Access, DataType, Order, Point, Range, ScaleFrom, Text, Valid
from gateway.model.sample import Sample, Scalar, Tag
from gateway.service.base import DeviceInfo
from gateway.service.explain import Explanation, WordsError, explain, parsed_words
from gateway.service.explain_frames import reply_frame, request_frame, shown
from gateway.service.explain_orders import candidates, plausible
from gateway.service.explain_steps import decode_steps
from tests.polled import point, register_map

MAPS = Path(__file__).parents[3] / "registermaps"
FRAMERS: dict[Framing, type[MbapFramer] | type[RtuFramer] | type[AsciiFramer]] = {"tcp": MbapFramer, "rtu": RtuFramer, "ascii": AsciiFramer}
DEVICE = DeviceInfo(id="d", link="l", unit_id=17, map="m", vendor="v", model="m", title=Text("d"), aliases=(), area="", points=1)
RTU = LinkOptions(id="l", transport="rtu")


def explained(points: Sequence[Point], *, words: Sequence[int] | None = None, link: LinkOptions = RTU, **samples: Sample) -> Explanation:
    return explain(DEVICE, register_map(points), points[0], link, samples=samples, words=words)


def sample(name: str, value: Scalar | None, words: tuple[int, ...] = (1,), reason: str | None = None) -> Sample:
    return Sample(
        tag=Tag(f"d.{name}"),
        value=value,
        words=words,
        reason=reason,
        read_at=datetime(2026, 1, 1, tzinfo=UTC),
        age_s=2.5,
    )


# Frames: Modbus V1.1b3 6.1 and 6.3; the check sums were computed by hand or with another implementation.
@pytest.mark.parametrize(
    ("framing", "table", "address", "words", "request_", "reply"),
    [
        (
            "tcp",
            Table.HOLDING,
            107,
            (0x022B, 0, 0x64),
            "00 01 00 00 00 06 11 03 00 6B 00 03",
            "00 01 00 00 00 09 11 03 06 02 2B 00 00 00 64",
        ),
        ("rtu", Table.HOLDING, 0x6B, (0xAE41, 0x5652, 0x4340), "11 03 00 6B 00 03 76 87", "11 03 06 AE 41 56 52 43 40 49 AD"),
        ("ascii", Table.HOLDING, 0x6B, (0xAE41, 0x5652, 0x4340), ":1103006B00037E", ":110306AE4156524340CC"),
        ("rtu", Table.COIL, 0x13, (1, 0, 1, 1, 0, 0, 1, 1, 1), "11 01 00 13 00 09 0F 59", "11 01 02 CD 01 ED 6F"),
    ],
    ids=["tcp", "rtu", "ascii", "coils"],
)
def test_frames_are_those_of_the_specification(
    framing: Framing, table: Table, address: int, words: tuple[int, ...], request_: str, reply: str
) -> None:
    read = Read(unit_id=UnitId(17), table=table, address=PduAddress(address), count=len(words))
    assert shown(request_frame(read, framing), framing) == request_
    assert shown(reply_frame(read, words, framing), framing) == reply


@given(framing=st.sampled_from(sorted(FRAMERS)), table=st.sampled_from(Table), data=st.data())
def test_reply_frame_is_taken_for_the_reply_by_the_link(framing: Framing, table: Table, data: st.DataObject) -> None:
    words = tuple(data.draw(st.lists(st.integers(0, 1 if table.is_bits else 0xFFFF), min_size=1, max_size=20)))
    read = Read(unit_id=UnitId(data.draw(st.integers(1, 247))), table=table, address=PduAddress(7), count=len(words))
    framer: Framer = FRAMERS[framing]()
    framer.start(read)
    framer.feed(reply_frame(read, words, framing))
    frame = framer.cut()
    assert frame is not None
    assert (frame.unit_id, tuple(decode(read, frame.pdu).words)) == (read.unit_id, words)


PLAIN = point("value", 0)


@pytest.mark.parametrize(
    ("made", "words", "steps"),
    [
        (point("v", 0, scale=Decimal("0.01")), [4500], [("order", "0x1194"), ("type", "4500"), ("scale", "45.00")]),
        (
            point("v", 0, type_=DataType.INT16, scale=Decimal("0.1"), offset=Decimal(-40), invalid={0x8000: "not_available"}),
            [0xFFFE],
            [("order", "0xFFFE"), ("sentinel", "GOOD"), ("type", "-2"), ("scale", "-0.2"), ("offset", "-40.2")],
        ),
        (
            point("v", 0, type_=DataType.INT16, invalid={0x8000: "sensor_break"}),
            [0x8000],
            [("order", "0x8000"), ("sentinel", "sensor_break"), ("type", "sensor_break")],
        ),
        (
            point("v", 0, type_=DataType.FLOAT32, words=2, order=Order.CDAB, valid=Valid(max=Decimal(100))),
            [0x8000, 0x4366],
            [("order", "0x43668000"), ("type", "230.5"), ("valid", "out_of_range")],
        ),
        (
            point("v", 0, bits=(15, 8), type_=DataType.UINT8, enum={3: Text("fault", "故障")}),
            [0x0301],
            [("order", "0x0301"), ("bits", "0x3"), ("type", "3"), ("label", "fault / 故障")],
        ),
        (point("v", 0, type_=DataType.BOOL, bit=3), [0x0008], [("order", "0x0008"), ("bits", "0x1"), ("type", "1")]),
        (point("v", 0, table=Table.COIL, type_=DataType.BOOL), [1], [("bit", "1")]),
        (
            point("v", 0, range=Range(raw_low=Decimal(0), raw_high=Decimal(65535), low=Decimal(4), high=Decimal(20))),
            [65535],
            [("order", "0xFFFF"), ("type", "65535"), ("range", "20")],
        ),
        (point("v", 0, format="hhmm"), [630], [("order", "0x0276"), ("type", "630"), ("format", "06:30")]),
        (
            point("v", 0, scale_from=ScaleFrom(point="sf", rule="exponent")),
            [5],
            [("order", "0x0005"), ("type", "5"), ("scale", "bad_scale_factor")],
        ),
    ],
    ids=["scale", "sign-offset", "sentinel", "float-range", "bits-enum", "bit", "coil", "two-point", "format", "no-scale"],
)
def test_every_step_shows_what_it_made(made: Point, words: list[int], steps: list[tuple[str, str]]) -> None:
    found = decode_steps(made, words)
    assert [(step.name, step.result) for step in found] == steps
    assert all(step.text.en and step.text.zh for step in found)


NUMBERS = [kind for kind in DataType if TYPES[kind].words is not None and TYPES[kind].code]


@given(kind=st.sampled_from(NUMBERS), scale=st.sampled_from(["1", "0.1", "-2.5"]), offset=st.sampled_from(["0", "-40"]), data=st.data())
def test_last_step_is_what_polling_shows(kind: DataType, scale: str, offset: str, data: st.DataObject) -> None:
    count = TYPES[kind].words or 1
    words = data.draw(st.lists(st.integers(0, 0xFFFF), min_size=count, max_size=count))
    order = data.draw(st.sampled_from(orders_for(count)))
    made = point("v", 0, type_=kind, words=count, order=order, scale=Decimal(scale), offset=Decimal(offset))
    value, reason = decode_point(made, words)
    result = decode_steps(made, words)[-1].result
    assert result == (reason if value is None else format(value, "f") if isinstance(value, Decimal) else str(value))


def test_every_order_stands_beside_the_others_and_the_true_one_is_marked() -> None:
    made = point("v", 0, type_=DataType.FLOAT32, words=2, unit="V", order=Order.ABCD)
    found = candidates(made, [0x8000, 0x4366], None, [229.0, 231.5])
    assert {each.orders[0]: (each.mark, each.is_used) for each in found} == {
        Order.ABCD: ("unlikely", True),
        Order.CDAB: ("likely", False),
        Order.BADC: ("unlikely", False),
        Order.DCBA: ("unlikely", False),
    }
    assert next(each.value for each in found if each.orders[0] is Order.CDAB) == 230.5


def test_one_register_has_two_readings_and_a_coil_none() -> None:
    assert [each.orders for each in candidates(PLAIN, [0x1234], None, [])] == [(Order.ABCD, Order.CDAB), (Order.BADC, Order.DCBA)]
    assert candidates(point("c", 0, table=Table.COIL, type_=DataType.BOOL), [1], None, []) == ()


@pytest.mark.parametrize(
    ("made", "value", "reason", "neighbours", "mark"),
    [
        (point("v", 0, valid=Valid(min=Decimal(0), max=Decimal(60))), 45, None, [], "likely"),
        (point("v", 0, valid=Valid(min=Decimal(0), max=Decimal(60))), 99, "out_of_range", [45.0], "unlikely"),
        (PLAIN, None, "not_available", [], "unlikely"),
        (point("v", 0, unit="degC"), 4000, None, [], "unlikely"),
        (point("v", 0, type_=DataType.FLOAT32, words=2), 1e-38, None, [], "unlikely"),
        (point("v", 0, unit="A"), 12, None, [11.0, 0.0], "likely"),
        (point("v", 0, unit="A"), 3_000_000, None, [11.0], "unlikely"),
        (point("v", 0, enum={1: Text("run")}), 1, None, [], "likely"),
        (point("v", 0, enum={1: Text("run")}), 256, None, [], "unlikely"),
        (PLAIN, 7, None, [], "unknown"),
    ],
    ids=["valid", "outside", "none", "unit", "tiny", "alike", "strange", "code", "no-code", "nothing"],
)
def test_marks(made: Point, value: int | float | None, reason: str | None, neighbours: list[float], mark: str) -> None:
    found, why = plausible(made, value, reason, neighbours)
    assert (found, bool(why.en and why.zh)) == (mark, True)


def test_live_words_carry_quality_age_and_the_held_scale() -> None:
    made = [point("p", 10, scale_from=ScaleFrom(point="sf", rule="exponent"), unit="W"), point("sf", 11, type_=DataType.INT16)]
    one = explained(made, p=sample("p", Decimal("2.5"), (25,), "stale"), sf=sample("sf", -1, (0xFFFF,)))
    assert (one.value, one.quality, one.reason, one.age_s) == (Decimal("2.5"), "UNCERTAIN", "stale", 2.5)
    assert one.steps[-1].result == "2.5"
    assert "sf = -1" in one.steps[-1].text.en


def test_value_that_failed_has_no_words_and_says_why() -> None:
    one = explained([PLAIN], value=sample("value", None, (), "timeout"))
    assert (one.value, one.reason, one.steps, one.candidates, one.reply) == (None, "timeout", (), (), "")
    assert one.request == "11 03 00 00 00 01 86 9A"


def test_typed_words_have_no_age() -> None:
    one = explained([PLAIN], words=[7], value=sample("value", 3, (3,)))
    assert (one.value, one.age_s, one.read_at, one.is_typed) == (7, None, None, True)


@pytest.mark.parametrize("words", [[], [1, 2], [0x10000]], ids=["none", "too-many", "too-large"])
def test_words_that_cannot_be_are_refused(words: list[int]) -> None:
    with pytest.raises(WordsError):
        explained([PLAIN], words=words)


@pytest.mark.parametrize("text", ["", "0x", "12345", "-1", "1.5", "１"], ids=["empty", "prefix", "long", "sign", "point", "wide"])
def test_words_are_hex(text: str) -> None:
    assert parsed_words("0x42F6, e979") == [0x42F6, 0xE979]
    if text:
        with pytest.raises(WordsError):
            parsed_words(text)


def test_what_cannot_be_read_shows_no_frame() -> None:
    written = explained([point("reset", 0, access=Access.WO)])
    based = explained([point("w", 14, base="m103")], w=sample("w", 5, (5,)))
    assert (written.request, written.read_function) == ("", None)
    assert (based.request, based.reply, based.base) == ("", "", "m103")


def test_map_line_and_three_notations() -> None:
    made = load_map(MAPS / "demo_em300.yaml")
    one = explain(DEVICE, made, made.points["voltage_l1"], RTU, samples={}, words=[2305, 0])
    line = Path(one.origin.file).read_text().splitlines()[one.origin.line - 1]
    assert line.strip() == "voltage_l1:"
    assert (one.notation, one.pdu, one.forms.reg, one.forms.ref5, one.forms.ref6) == ("ref", 0, 1, "30001", "300001")
    assert (one.value, one.unit, one.read_function) == (Decimal("230.5"), "V", 4)
