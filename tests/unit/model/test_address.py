"""Addresses as manuals write them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.model.address import AddressError, Table, check_span, from_pdu, from_ref, from_reg, looks_like_modicon, notations

HOLDING, COIL, DISCRETE, INPUT = Table.HOLDING, Table.COIL, Table.DISCRETE, Table.INPUT


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        pytest.param(lambda: [from_ref("400001"), from_ref("40001"), from_pdu(0, HOLDING)], [(HOLDING, 0)] * 3, id="P11"),
        pytest.param(lambda: [from_ref("465536"), from_ref("49999")], [(HOLDING, 65535), (HOLDING, 9998)], id="P12"),
        pytest.param(lambda: [from_ref("300001"), from_ref("10001"), from_ref("00001")], [(INPUT, 0), (DISCRETE, 0), (COIL, 0)], id="P13"),
        pytest.param(lambda: [from_ref(" 40001 "), from_ref("40001", HOLDING)], [(HOLDING, 0)] * 2, id="blanks-and-table"),
        pytest.param(lambda: [from_pdu("0x0bd3", INPUT), from_pdu("0XFFFF", INPUT)], [(INPUT, 3027), (INPUT, 65535)], id="hex-text"),
    ],
)
def test_written_addresses_name_table_and_pdu_address(read: Callable[[], object], expected: object) -> None:
    assert read() == expected


@pytest.mark.parametrize(
    ("read", "code"),
    [
        pytest.param(lambda: from_ref("4x1"), "not_digits", id="P11-4x1"),
        pytest.param(lambda: from_ref("400000"), "register_zero", id="P12-400000"),
        pytest.param(lambda: from_ref("40000"), "register_zero", id="P12-40000"),
        pytest.param(lambda: from_ref("1"), "bad_digit_count", id="P13-1"),
        pytest.param(lambda: from_ref("10.1"), "ambiguous_bit", id="D35-ref-10.1"),
        pytest.param(lambda: from_pdu(10.1, HOLDING), "ambiguous_bit", id="D35-pdu-10.1"),
        pytest.param(lambda: from_pdu("10.10", HOLDING), "ambiguous_bit", id="D35-pdu-10.10"),
        pytest.param(lambda: from_reg(10.1, HOLDING), "ambiguous_bit", id="D35-reg-10.1"),
        pytest.param(lambda: from_reg("10.1", HOLDING), "ambiguous_bit", id="D35-reg-text"),
        pytest.param(lambda: from_ref(40001), "ref_must_be_quoted", id="number-as-ref"),
        pytest.param(lambda: from_ref("  "), "empty", id="empty"),
        pytest.param(lambda: from_ref("４０００１"), "not_digits", id="full-width-digits"),
        pytest.param(lambda: from_ref("4000001"), "bad_digit_count", id="seven-digits"),
        pytest.param(lambda: from_ref("600001"), "file_record_unsupported", id="file-record"),
        pytest.param(lambda: from_ref("200001"), "bad_table_digit", id="table-2"),
        pytest.param(lambda: from_ref("465537"), "register_above_65536", id="465537"),
        pytest.param(lambda: from_ref("30001", HOLDING), "table_mismatch", id="wrong-table"),
        pytest.param(lambda: from_reg("5017", INPUT), "wrong_type", id="reg-text"),
        pytest.param(lambda: from_reg(True, INPUT), "wrong_type", id="reg-bool"),
        pytest.param(lambda: from_reg(-1, INPUT), "out_of_range", id="reg-negative"),
        pytest.param(lambda: from_reg(1, None), "table_required", id="reg-without-table"),
        pytest.param(lambda: from_pdu("3027", HOLDING), "wrong_type", id="pdu-decimal-text"),
        pytest.param(lambda: from_pdu(False, HOLDING), "wrong_type", id="pdu-bool"),
        pytest.param(lambda: from_pdu(65536, HOLDING), "out_of_range", id="pdu-65536"),
        pytest.param(lambda: from_pdu(-1, HOLDING), "out_of_range", id="pdu-negative"),
        pytest.param(lambda: from_pdu(1, None), "table_required", id="pdu-without-table"),
        pytest.param(lambda: check_span(65535, 2), "span_beyond_65535", id="P06-int32-at-65535"),
    ],
)
def test_impossible_addresses_are_refused_with_code_and_fix(read: Callable[[], object], code: str) -> None:
    with pytest.raises(AddressError) as caught:
        read()
    assert caught.value.code == code
    assert caught.value.fix
    assert str(caught.value) == f"{caught.value.message}: {caught.value.fix}"


def test_span_may_end_at_the_last_address() -> None:
    check_span(65534, 2)


@pytest.mark.parametrize(
    ("pdu", "suspicious"),
    [
        (10000, False),
        (10001, True),
        (19999, True),
        (20000, False),
        (30001, True),
        (39999, True),
        (40001, True),
        (49999, True),
        (50000, False),
    ],
)
def test_looks_like_modicon_marks_five_digit_ranges(pdu: int, suspicious: bool) -> None:
    assert looks_like_modicon(pdu) is suspicious


def test_five_digits_end_at_register_9999() -> None:
    assert (notations(INPUT, 9998).ref5, notations(INPUT, 9999).ref5) == ("39999", None)


@given(st.sampled_from(Table), st.integers(0, 65535))
def test_notations_read_back_as_the_same_address(table: Table, pdu: int) -> None:
    forms = notations(table, pdu)
    assert from_ref(forms.ref6) == from_reg(forms.reg, table) == from_pdu(pdu, table) == (table, pdu)
    assert forms.ref5 is None or from_ref(forms.ref5) == (table, pdu)


@pytest.mark.parametrize(("table", "function", "bits"), [(COIL, 1, True), (DISCRETE, 2, True), (HOLDING, 3, False), (INPUT, 4, False)])
def test_table_knows_its_read_function(table: Table, function: int, bits: bool) -> None:
    assert (table.read_function, table.is_bits) == (function, bits)
