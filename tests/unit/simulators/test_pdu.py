"""Reply PDUs: the examples of the Modbus specification, refusals, and whatever bytes may come."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.model.address import Table
from gateway.model.point import Access, DataType, DeviceFacts, WriteRule
from simulators import pdu
from simulators.registers import Bank
from tests.unit.simulators.small_maps import point, register_map, writable

COILS = "1011001111010110101000101010101010101"


def bank(**facts: object) -> Bank:
    """Registers and coils at the addresses of the specification's examples (V1.1b3, section 6)."""
    made = Bank(
        register_map(
            *(writable(f"coil{at}", at, DataType.BOOL, Table.COIL) for at in range(19, 56)),
            *(point(f"in{at}", at, DataType.BOOL, Table.DISCRETE) for at in range(196, 218)),
            *(writable(f"reg{at}", at) for at in (1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 107, 108, 109)),
            point("input8", 8, table=Table.INPUT),
            point("quiet", 300, access=Access.WO, write=WriteRule(reply=False)),
            facts=DeviceFacts(**facts),  # type: ignore[arg-type]
        )
    )
    for at, bit in enumerate(COILS):
        made.set(f"coil{19 + at}", bit == "1")
    for at, bit in enumerate("0011010111011011101011"):
        made.set(f"in{196 + at}", bit == "1")
    for at, word in ((107, 0x022B), (108, 0), (109, 0x0064), (4, 0x0012)):
        made.set(f"reg{at}", word)
    made.set("input8", 0x000A)
    return made


def ask(device: Bank, request: str) -> str | None:
    reply = device.serve_pdu(1, bytes.fromhex(request))
    return None if reply is None else reply.hex(" ").upper()


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        pytest.param("01 00 13 00 13", "01 03 CD 6B 05", id="6.1 read coils"),
        pytest.param("02 00 C4 00 16", "02 03 AC DB 35", id="6.2 read discrete inputs"),
        pytest.param("03 00 6B 00 03", "03 06 02 2B 00 00 00 64", id="6.3 read holding registers"),
        pytest.param("04 00 08 00 01", "04 02 00 0A", id="6.4 read input registers"),
        pytest.param("05 00 1C FF 00", "05 00 1C FF 00", id="6.5 write single coil"),
        pytest.param("06 00 01 00 03", "06 00 01 00 03", id="6.6 write single register"),
        pytest.param("0F 00 13 00 0A 02 CD 01", "0F 00 13 00 0A", id="6.11 write coils"),
        pytest.param("10 00 01 00 02 04 00 0A 01 02", "10 00 01 00 02", id="6.12 write registers"),
        pytest.param("16 00 04 00 F2 00 25", "16 00 04 00 F2 00 25", id="6.16 mask write"),
        pytest.param("17 00 03 00 06 00 0E 00 03 06 00 FF 00 FF 00 FF", "17 0C 00 00 00 12 00 00 00 00 00 00 00 00", id="6.17 read/write"),
        pytest.param("2B 0E 01 00", "2B 0E 01 82 00 00 03 00 04 41 63 6D 65 01 02 53 31 02 03 31 2E 30", id="6.21 basic identification"),
        pytest.param("2B 0E 04 01", "2B 0E 04 82 00 00 01 01 02 53 31", id="one object"),
        pytest.param("2B 0E 04 63", "AB 02", id="no such object"),
        pytest.param("2B 0D 00 00", "AB 01", id="another interface type"),
        pytest.param("06 01 2C 00 05", None, id="a write without reply"),
        pytest.param("07", "87 01", id="unknown function"),
        pytest.param("03 00 6B 00 00", "83 03", id="quantity 0"),
        pytest.param("03 00 00 00 7E", "83 03", id="126 registers"),
        pytest.param("01 00 13 07 D1", "81 03", id="2001 coils"),
        pytest.param("03 00 6B 00 04", "83 02", id="an address that does not exist"),
        pytest.param("03 FF FF 00 02", "83 02", id="beyond the last address"),
        pytest.param("06 01 00 00 01", "86 02", id="write where nothing is"),
        pytest.param("05 00 13 12 34", "85 03", id="a coil that is neither on nor off"),
        pytest.param("10 00 01 00 02 03 00 0A 01", "90 03", id="byte count and quantity differ"),
        pytest.param("0F 00 13 00 0A 01 CD", "8F 03", id="too few bytes of coils"),
        pytest.param("16 00 63 00 F2 00 25", "96 02", id="mask write where nothing is"),
        pytest.param("17 00 03 00 06 00 FF 00 01 02 00 FF", "97 02", id="read/write where nothing can be written"),
        pytest.param("03", "83 03", id="cut short"),
    ],
)
def test_replies(request_: str, reply: str | None) -> None:
    assert ask(bank(), request_) == reply


def test_mask_write_keeps_the_other_bits() -> None:
    device = bank()
    ask(device, "16 00 04 00 F2 00 25")
    assert device.get("reg4") == 0x17


def test_written_coils_are_those_of_the_specification() -> None:
    device = bank()
    ask(device, "0F 00 13 00 0A 02 CD 01")
    assert [device.get(f"coil{at}") for at in range(19, 29)] == [True, False, True, True, False, False, True, True, True, False]


@pytest.mark.parametrize(
    ("facts", "request_", "reply"),
    [
        pytest.param({"max_read": 2}, "03 00 6B 00 03", "83 03", id="more registers than the device reads"),
        pytest.param({"max_read": 18}, "01 00 13 00 13", "81 03", id="a stated limit holds for coils"),
        pytest.param({"max_read": 19}, "01 00 13 00 13", "01 03 CD 6B 05", id="as many coils as it reads"),
        pytest.param({"max_write": 9}, "0F 00 13 00 0A 02 CD 01", "8F 03", id="more coils than the device writes"),
        pytest.param({"max_write": 1}, "10 00 01 00 02 04 00 0A 01 02", "90 03", id="more registers than the device writes"),
        pytest.param({"functions": frozenset({3})}, "06 00 01 00 03", "86 01", id="a function the device lacks"),
        pytest.param({"functions": frozenset({3})}, "03 00 6B 00 01", "03 02 02 2B", id="a function it has"),
    ],
)
def test_device_facts_hold(facts: dict[str, object], request_: str, reply: str) -> None:
    assert ask(bank(**facts), request_) == reply


def test_another_unit_is_silence() -> None:
    assert bank().serve_pdu(2, bytes.fromhex("03006B0003")) is None


@settings(deadline=None)
@given(st.integers(1, 127), st.binary(max_size=20))
def test_any_bytes_get_a_reply_or_an_exception_of_their_function(function: int, rest: bytes) -> None:
    reply = bank().serve_pdu(1, bytes((function,)) + rest)
    assert reply is None or reply[0] in (function, function | 0x80)


@pytest.mark.parametrize(
    ("request_", "span"),
    [
        ("03 00 10 00 05", (Table.HOLDING, 16, 5)),
        ("04 00 10 00 05", (Table.INPUT, 16, 5)),
        ("06 00 10 12 34", (Table.HOLDING, 16, 1)),
        ("10 00 10 00 02 04 0 0 0 0", (Table.HOLDING, 16, 2)),
        ("17 00 03 00 06 00 0E 00 03 06", (Table.HOLDING, 14, 3)),
        ("2B 0E 01 00", None),
        ("03 00", None),
    ],
)
def test_span_says_what_a_request_touches(request_: str, span: tuple[Table, int, int] | None) -> None:
    assert pdu.span(bytes(int(part, 16) for part in request_.split())) == span
