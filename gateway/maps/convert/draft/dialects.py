"""Addresses as other programs write them, read into a table and the address on the wire.

The base is said by a person wherever a program has a switch for it. What reads in two ways is refused.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gateway.maps.convert.draft.draft import Keys
from gateway.model.address import LAST_ADDRESS, AddressError, PduAddress, Table, from_reg

_DIGITS = {"0": Table.COIL, "1": Table.DISCRETE, "3": Table.INPUT, "4": Table.HOLDING}
_HR = {
    "": "int16", "US": "uint16", "I": "int32", "UI": "uint32", "I_64": "int64", "UI_64": "uint64", "F": "float32", "D": "float64",
    "BCD": "bcd16", "BCD_32": "bcd32",
}  # fmt: skip
_IGNITION = {"HR": Table.HOLDING, "IR": Table.INPUT, "C": Table.COIL, "DI": Table.DISCRETE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a value lies; `table` is None if the text does not say. `keys` are what it says besides (type, bit, words, unit id)."""

    table: Table | None
    pdu: PduAddress
    keys: Keys = field(default_factory=dict)


def read_address(dialect: str, text: str, base: int | None = None) -> Address:
    """The address that `text` means in `dialect` (a key of DIALECTS); raises AddressError."""
    return DIALECTS[dialect](text.strip(), base)


def neuron(text: str, base: int | None) -> Address:
    """Neuron `1!400001.3`: unit id, area digit and number, bit. Base 1 takes number 0 for the first, as Neuron does."""
    match = re.fullmatch(r"(\d{1,3})!([0134])(\d{1,6})(?:\.(\d{1,3}))?", text)
    if not match:
        raise _wrong(text, "write UNIT!AREA and number, such as 1!400001")
    number = int(match[3])
    keys: Keys = {"unit_id": int(match[1]), **({"bit": int(match[4])} if match[4] else {})}
    return Address(table=_DIGITS[match[2]], pdu=_wire(text, number - (_said(base, text) if number else 0)), keys=keys)


def kepware(text: str, base: int | None) -> Address:
    """Kepware `400001`, `40001` or `41`: a table digit and a number, which goes out less one with zero-based addressing (base 1)."""
    match = re.fullmatch(r"([0134])(\d{1,5})(?:\.(\d{1,2}))?", text)
    if not match:
        raise _wrong(text, "write a table digit and a number, such as 400001")
    keys: Keys = {"bit": int(match[3])} if match[3] else {}
    return Address(table=_DIGITS[match[1]], pdu=_wire(text, int(match[2]) - _said(base, text)), keys=keys)


def modicon_x(text: str, _base: int | None) -> Address:
    """`4x0001`, `3X12`: table digit, x, register number."""
    match = re.fullmatch(r"([0134])[xX](\d{1,6})", text)
    if not match:
        raise _wrong(text, "write a table digit, x and a register number, such as 4x0001")
    table, pdu = from_reg(int(match[2]), _DIGITS[match[1]])
    return Address(table=table, pdu=pdu)


def ignition(text: str, base: int | None) -> Address:
    """Ignition `HR1`, `HRF5`, `1.DI3`, `HRS1024:20`, `HR7.3`. HR alone is signed."""
    match = re.fullmatch(
        r"(?:(\d{1,3})\.)?(HR|IR|C|DI)(S|US|I_64|UI_64|UI|I|F|D|BCD_32|BCD)?(\d{1,5})(?::(\d{1,3}))?(?:\.(\d{1,2}))?", text
    )
    if not match or (match[2] in ("C", "DI") and (match[3] or match[5] or match[6])) or (match[3] == "S") != bool(match[5]):
        raise _wrong(text, "write a designator and a number, such as HR1, HRF5 or HRS10:8")
    keys: Keys = {"unit_id": int(match[1])} if match[1] else {}
    table = _IGNITION[match[2]]
    if table.is_bits or match[6]:
        keys |= {"type": "bool", **({"bit": int(match[6])} if match[6] else {})}
    elif match[5]:
        if int(match[5]) % 2:
            raise _wrong(text, "a text has an even number of characters")
        keys |= {"type": "string", "words": int(match[5]) // 2}
    else:
        keys |= {"type": _HR[match[3] or ""]}
    return Address(table=table, pdu=_wire(text, int(match[4]) - _said(base, text)), keys=keys)


def node_red(text: str, _base: int | None) -> Address:
    """node-red-contrib-modbus IO file `%IW0`: a word of the holding block."""
    match = re.fullmatch(r"%IW(\d{1,5})", text)
    if not match:
        raise _wrong(text, "only %IW and a number is plain; write the address with `pdu` and its table")
    return Address(table=Table.HOLDING, pdu=_wire(text, int(match[1])))


def wot(text: str, base: int | None) -> Address:
    """W3C WoT `modbus+tcp://h:502/1/40001?quantity=2`; the standard counts from 1 unless the thing says otherwise."""
    match = re.fullmatch(r"modbus\+tcp://[^/\s]+/(\d{1,3})/(\d{1,5})(?:\?quantity=(\d{1,4}))?", text)
    if not match:
        raise _wrong(text, "write modbus+tcp://HOST:PORT/UNIT/ADDRESS?quantity=N")
    return Address(table=None, pdu=_wire(text, int(match[2]) - _said(base, text)), keys={"unit_id": int(match[1])})


def edgex(value: object) -> tuple[PduAddress, int | None]:
    """EdgeX `startingAddress` and bit; the bare number 10.1 is refused, since EdgeX reads it as "10.10", bit 10."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _wire(str(value), value), None
    match = re.fullmatch(r"(\d{1,5})(?:\.(\d{1,2}))?", value.strip()) if isinstance(value, str) else None
    if not match:
        code = "wrong_type" if value is None or isinstance(value, str | bool) else "ambiguous_bit"
        message = (
            f"startingAddress {value} without quotes may mean bit 1 or bit 10" if code == "ambiguous_bit" else f"no address: {value!r}"
        )
        raise AddressError(code, message, 'write it in quotes: "10.1" is bit 1, "10.10" is bit 10')
    return _wire(match[0], int(match[1])), int(match[2]) if match[2] else None


DIALECTS: Mapping[str, Callable[[str, int | None], Address]] = {
    "modicon-x": modicon_x,
    "ignition": ignition,
    "kepware": kepware,
    "neuron": neuron,
    "node-red": node_red,
    "wot": wot,
}


def _said(base: int | None, text: str) -> int:
    if base is None:
        raise AddressError("base_needed", f"whether {text} counts from 0 or from 1 is a switch of the device", "give --base 0 or --base 1")
    return base


def _wire(text: str, address: int) -> PduAddress:
    if not 0 <= address <= LAST_ADDRESS:
        raise AddressError("out_of_range", f"{text} is outside 0..65535 on the wire", "check the number, and --base")
    return PduAddress(address)


def _wrong(text: str, fix: str) -> AddressError:
    return AddressError("not_an_address", f"{text[:40]!r} is not an address of this kind", fix)
