"""Addresses as other programs write them."""

import json
from pathlib import Path
from typing import TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.maps.convert.draft.dialects import DIALECTS, edgex, read_address
from gateway.model.address import AddressError, Table

VECTORS = Path(__file__).parents[3] / "golden" / "address_imports.json"


class Vector(TypedDict, total=False):
    """One entry of the golden file."""

    dialect: str
    notation: str
    table: str
    pdu_address: int
    error: str


def vectors() -> list[Vector]:
    """All entries."""
    found: list[Vector] = json.loads(VECTORS.read_text(encoding="utf-8"))
    return found


def base_of(dialect: str) -> int | None:
    """What the entry says of the device's switch: base 1 is `minus one on the wire`."""
    if "base 0" in dialect or "ignition(zero" in dialect:
        return 0
    return 1 if "(" in dialect else None


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: f"{vector['dialect']}-{vector['notation']}")
def test_address_means_what_the_vector_says(vector: Vector) -> None:
    name = vector["dialect"].partition("(")[0].split()[0].replace("node-red-contrib-modbus", "node-red")
    if name == "edgex":
        with pytest.raises(AddressError) as caught:
            edgex(float(vector["notation"]))
        assert caught.value.code == vector["error"]
        return
    found = read_address(name, vector["notation"], base_of(vector["dialect"]))
    assert found.pdu == vector["pdu_address"]
    assert found.table == (Table(vector["table"]) if "table" in vector else None)


@pytest.mark.parametrize(
    ("dialect", "text", "base", "table", "pdu", "keys"),
    [
        ("ignition", "HR1", 1, "holding", 0, {"type": "int16"}),
        ("ignition", "HRUS7", 0, "holding", 7, {"type": "uint16"}),
        ("ignition", "HRUI_64100", 1, "holding", 99, {"type": "uint64"}),
        ("ignition", "HRBCD_3210", 1, "holding", 9, {"type": "bcd32"}),
        ("ignition", "5.IRF3", 1, "input", 2, {"unit_id": 5, "type": "float32"}),
        ("ignition", "HR7.3", 1, "holding", 6, {"type": "bool", "bit": 3}),
        ("ignition", "HRS10:8", 1, "holding", 9, {"type": "string", "words": 4}),
        ("neuron", "1!40001", 1, "holding", 0, {"unit_id": 1}),
        ("neuron", "1!400000", 1, "holding", 0, {"unit_id": 1}),
        ("kepware", "400020.5", 1, "holding", 19, {"bit": 5}),
        ("kepware", "400001", 0, "holding", 1, {}),
        ("modicon-x", "3X12", None, "input", 11, {}),
    ],
)
def test_address_says_table_wire_and_more(dialect: str, text: str, base: int | None, table: str, pdu: int, keys: dict[str, object]) -> None:
    found = read_address(dialect, text, base)
    assert (found.table, found.pdu, found.keys) == (Table(table), pdu, keys)


@pytest.mark.parametrize(
    ("dialect", "text", "base", "code"),
    [
        ("ignition", "HRS10:7", 1, "not_an_address"),
        ("ignition", "V2000", 1, "not_an_address"),
        ("ignition", "HR0", 1, "out_of_range"),
        ("ignition", "HR1", None, "base_needed"),
        ("kepware", "H40001", 1, "not_an_address"),
        ("kepware", "400000", 1, "out_of_range"),
        ("neuron", "1!465537", 1, "out_of_range"),
        ("neuron", "1!500001", 1, "not_an_address"),
        ("node-red", "%QX0.0", None, "not_an_address"),
        ("modicon-x", "4x0", None, "register_zero"),
        ("wot", "http://h/1/2", 1, "not_an_address"),
    ],
)
def test_what_reads_in_two_ways_is_refused(dialect: str, text: str, base: int | None, code: str) -> None:
    with pytest.raises(AddressError) as caught:
        read_address(dialect, text, base)
    assert caught.value.code == code


@pytest.mark.parametrize(("value", "expected"), [(10, (10, None)), ("10", (10, None)), ("10.1", (10, 1)), ("10.10", (10, 10))])
def test_edgex_bits_stand_in_text(value: object, expected: tuple[int, int | None]) -> None:
    assert edgex(value) == expected


@given(text=st.text(max_size=20), base=st.sampled_from([None, 0, 1]), dialect=st.sampled_from(sorted(DIALECTS)))
def test_any_text_is_an_address_or_an_address_error(text: str, base: int | None, dialect: str) -> None:
    try:
        found = read_address(dialect, text, base)
    except AddressError:
        return
    assert 0 <= found.pdu <= 65535
