"""What a bank holds, what of it can be read and written, and what it refuses."""

from decimal import Decimal

import pytest

from gateway.errors import UnknownTagError
from gateway.model.address import Table
from gateway.model.point import Access, DataType, DeviceFacts, FieldOf, Order, Point, ScaleFrom, Text, WriteRule
from gateway.model.sample import Scalar
from simulators.registers import Bank, no_value
from tests.unit.simulators.small_maps import point, register_map, writable


def test_points_of_all_tables_keep_apart() -> None:
    bank = Bank(
        register_map(
            point("a", 0),
            point("b", 0, table=Table.INPUT),
            point("c", 0, DataType.BOOL, Table.COIL),
            point("d", 0, DataType.BOOL, Table.DISCRETE),
        )
    )
    bank.set("a", 1)
    bank.set("b", 2)
    bank.set("c", True)
    assert [bank.read(table, 0, 1) for table in (Table.HOLDING, Table.INPUT, Table.COIL, Table.DISCRETE)] == [(1,), (2,), (1,), (0,)]
    assert [bank.get(name) for name in "abcd"] == [1, 2, True, False]


@pytest.mark.parametrize(
    ("facts", "address", "count", "expected"),
    [
        pytest.param({}, 10, 2, (1, 2), id="adjoining"),
        pytest.param({}, 10, 3, None, id="one too far"),
        pytest.param({}, 11, 5, None, id="a gap does not exist"),
        pytest.param({"max_gap": 3}, 11, 5, (2, 0, 0, 0, 5), id="a gap the map allows reads 0"),
        pytest.param({"max_gap": 2}, 11, 5, None, id="a wider gap does not"),
        pytest.param({"readable": {Table.HOLDING: ((0, 20),)}}, 0, 12, (0,) * 10 + (1, 2), id="a readable range"),
        pytest.param({"readable": {Table.HOLDING: ((0, 20),)}}, 20, 2, None, id="beyond the readable range"),
    ],
)
def test_only_what_exists_can_be_read(facts: dict[str, object], address: int, count: int, expected: tuple[int, ...] | None) -> None:
    bank = Bank(register_map(point("a", 10), point("b", 11), point("c", 15), facts=DeviceFacts(**facts)))  # type: ignore[arg-type]
    for name, value in (("a", 1), ("b", 2), ("c", 5)):
        bank.set(name, value)
    assert bank.read(Table.HOLDING, address, count) == expected


def test_writes_reach_writable_points_only_and_all_or_nothing() -> None:
    bank = Bank(register_map(writable("a", 0), point("b", 1), writable("c", 2)))
    heard: list[tuple[str, Scalar]] = []
    bank.on_write = lambda name, value: heard.append((name, value))
    assert bank.write(Table.HOLDING, 0, [7])
    assert not bank.write(Table.HOLDING, 0, [8, 8, 8])
    assert not bank.write(Table.HOLDING, 1, [8])
    assert not bank.write(Table.INPUT, 0, [8])
    assert [bank.get(name) for name in "abc"] == [7, 0, 0]
    assert heard == [("a", 7)]


def test_of_the_bits_in_one_word_only_the_changed_ones_are_reported() -> None:
    bits = [writable(f"bit{place}", 0, DataType.BOOL, bit=place) for place in (0, 3)]
    bank = Bank(register_map(*bits))
    bank.set("bit0", True)
    heard: list[tuple[str, Scalar]] = []
    bank.on_write = lambda name, value: heard.append((name, value))
    bank.write(Table.HOLDING, 0, [0b1001])
    assert heard == [("bit3", True)]
    assert bank.read(Table.HOLDING, 0, 1) == (0b1001,)


def test_a_command_shares_its_address_with_what_is_read_there() -> None:
    bank = Bank(register_map(point("pv", 0), point("command", 0, access=Access.WO, write=WriteRule())))
    bank.set("pv", 250)
    assert bank.write(Table.HOLDING, 0, [9])
    assert bank.read(Table.HOLDING, 0, 1) == (250,)
    assert bank.get("command") == 9
    assert Bank(register_map(point("command", 0, access=Access.WO, write=WriteRule()))).read(Table.HOLDING, 0, 1) is None


def test_digits_that_are_none_are_refused_and_change_nothing() -> None:
    bank = Bank(register_map(writable("a", 0, DataType.BCD16)))
    bank.set("a", 12)
    with pytest.raises(ValueError, match="12a4"):
        bank.write(Table.HOLDING, 0, [0x12A4])
    assert bank.get("a") == 12


def test_points_of_other_units_are_served_there() -> None:
    bank = Bank(register_map(point("a", 5), point("b", 5, unit_id=227)), unit_id=100)
    bank.set("a", 1)
    bank.set("b", 2)
    assert bank.units == {100, 227}
    assert bank.read(Table.HOLDING, 5, 1) == (1,)
    assert bank.read(Table.HOLDING, 5, 1, unit_id=227) == (2,)


def test_fields_are_set_and_read_by_their_name() -> None:
    part = FieldOf(name="state", bits=(7, 4), enum={2: Text(en="running")})
    bank = Bank(register_map(point("status", 0, fields=(part,))))
    bank.set("status", 0xFFFF)
    bank.set("status.state", "running")
    assert bank.get("status") == 0xFF2F
    assert bank.get("status.state") == 2
    with pytest.raises(UnknownTagError):
        bank.get("status.nothing")


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        pytest.param(point(kind=DataType.INT16, invalid={0x8000: "not_available"}), (0x8000,), id="sentinel"),
        pytest.param(point(kind=DataType.UINT32, invalid={0x80000000: "x"}, order=Order.CDAB), (0, 0x8000), id="sentinel in order"),
        pytest.param(point(kind=DataType.FLOAT32), (0x7FC0, 0), id="nan"),
        pytest.param(point(kind=DataType.FLOAT16), (0x7E00,), id="half nan"),
        pytest.param(point(kind=DataType.FLOAT64), (0x7FF8, 0, 0, 0), id="double nan"),
        pytest.param(point(kind=DataType.STRING, words=2), (0xFFFF, 0xFFFF), id="text"),
    ],
)
def test_a_masked_point_reads_as_no_value_until_unmasked(subject: Point, words: tuple[int, ...]) -> None:
    bank = Bank(register_map(subject))
    before = bank.read(Table.HOLDING, 0, subject.words)
    unmask = bank.mask("value")
    assert bank.read(Table.HOLDING, 0, subject.words) == words
    unmask()
    assert bank.read(Table.HOLDING, 0, subject.words) == before


def test_a_plain_integer_cannot_say_that_there_is_no_value() -> None:
    with pytest.raises(ValueError, match="no `invalid`"):
        no_value(point())


def test_bases_are_found_by_walking_the_chain() -> None:
    power = point("w", 14, DataType.INT16, base="m103")
    serial = point("serial", 50, DataType.STRING, words=16, base="m1")
    bank = Bank(register_map(power, serial, bases={"m1": 1, "m103": 103}))
    bank.set("w", -5)
    assert bank.read(Table.HOLDING, 40000, 2) == (0x5375, 0x6E53)
    at, found = 40002, {}
    while True:
        model, length = bank.read(Table.HOLDING, at, 2) or (0, 0)
        if model == 0xFFFF:
            break
        found[model] = at
        at += 2 + length
    assert set(found) == {1, 103}
    assert bank.read(Table.HOLDING, found[103] + 14, 1) == (0xFFFB,)


def test_a_register_that_chooses_a_scale_starts_with_a_code_that_exists() -> None:
    chosen = point("v", 0, scale_from=ScaleFrom(point="code", rule="table", table={3: Decimal("0.1")}))
    bank = Bank(register_map(chosen, point("code", 1)))
    assert bank.get("code") == 3
    bank.set("v", 12)
    assert bank.read(Table.HOLDING, 0, 1) == (120,)


def test_an_unknown_point_is_named() -> None:
    with pytest.raises(UnknownTagError, match=r"small\.nothing"):
        Bank(register_map(point())).set("nothing", 1)
