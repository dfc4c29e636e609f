"""The four Modbus tables, PDU addresses, and what a manual's number means in each notation."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType, Self

PduAddress = NewType("PduAddress", int)
UnitId = NewType("UnitId", int)

LAST_ADDRESS = 65535


class Table(StrEnum):
    """The four Modbus tables, each with the function code that reads it (Modbus V1.1b3 6.1 to 6.4)."""

    COIL = "coil", 1
    DISCRETE = "discrete", 2
    INPUT = "input", 4
    HOLDING = "holding", 3

    read_function: int
    is_bits: bool
    """True for coils and discrete inputs."""

    def __new__(cls, name: str, read_function: int = 0) -> Self:
        """A table: its facts are plain attributes, as every exchange asks for them. `Table(name)` looks one up."""
        table = str.__new__(cls, name)
        table._value_ = name
        table.read_function = read_function
        table.is_bits = read_function in (1, 2)
        return table


class Notation(StrEnum):
    """How a manual or map writes an address; stated, never guessed."""

    PDU = "pdu"
    REG = "reg"
    REF = "ref"


class AddressError(ValueError):
    """A written address that cannot be one; `code` is of INTERFACES "errors of address", `fix` says what to write."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        super().__init__(f"{message}: {fix}")
        self.code = code
        self.message = message
        self.fix = fix


@dataclass(frozen=True, slots=True, kw_only=True)
class Notations:
    """One address in the forms manuals use; `ref5` is None where five digits cannot say it."""

    reg: int
    ref5: str | None
    ref6: str


def from_ref(text: str | int | float, table: Table | None = None) -> tuple[Table, PduAddress]:
    """The table and PDU address of a Modicon reference of five or six digits; raises AddressError.

    >>> from_ref("40001"), from_ref("465536")
    ((<Table.HOLDING: 'holding'>, 0), (<Table.HOLDING: 'holding'>, 65535))
    """
    if not isinstance(text, str):
        raise AddressError("ref_must_be_quoted", f"the reference {text} is a number, not text", f'write it in quotes, "{text}"')
    digits = text.strip()
    if not digits:
        raise AddressError("empty", "the reference is empty", 'write five or six digits such as "40001"')
    _refuse_dotted(digits)
    if not (digits.isascii() and digits.isdigit()):
        raise AddressError("not_digits", f"the reference {text!r} holds more than digits", 'write five or six digits such as "40001"')
    if len(digits) not in (5, 6):
        fix = "write five or six digits, the first naming the table (0, 1, 3, 4), or use `reg` or `pdu`"
        raise AddressError("bad_digit_count", f"the reference {text!r} has {len(digits)} digits", fix)
    if digits[0] == "6":
        raise AddressError(
            "file_record_unsupported", f"{text!r} is a file record (functions 20 and 21)", "only tables 0, 1, 3 and 4 can be read"
        )
    named = _TABLES.get(digits[0])
    if named is None:
        raise AddressError("bad_table_digit", f"the first digit of {text!r} names no table", "0 coil, 1 discrete, 3 input, 4 holding")
    if table is not None and table is not named:
        raise AddressError("table_mismatch", f"{text!r} is in table {named}, not {table}", f"drop `table` or write `table: {named}`")
    return named, _from_number(int(digits[1:]), text)


def from_reg(number: int | float | str, table: Table | None) -> tuple[Table, PduAddress]:
    """The table and PDU address of a register number that counts from 1; raises AddressError."""
    if isinstance(number, float) or (isinstance(number, str) and "." in number):
        _refuse_dotted(str(number))
    if not isinstance(number, int) or isinstance(number, bool):
        raise AddressError(
            "wrong_type", f"the register number {number!r} is not a whole number", "write `reg` as a decimal number from 1 to 65536"
        )
    return _required(table, "reg"), _from_number(number, number)


def from_pdu(address: int | float | str, table: Table | None) -> tuple[Table, PduAddress]:
    """The table and PDU address of an address as on the wire, a number or text "0x0BD3"; raises AddressError."""
    if isinstance(address, float) or (isinstance(address, str) and "." in address):
        _refuse_dotted(str(address))
    if isinstance(address, str) and re.fullmatch(r"0[xX][0-9A-Fa-f]+", address):
        number = int(address, 16)
    elif isinstance(address, int) and not isinstance(address, bool):
        number = address
    else:
        fix = 'write `pdu` as a whole number, or in quotes only as hex such as "0x0BD3"'
        raise AddressError("wrong_type", f"the address {address!r} is not a whole number", fix)
    if not 0 <= number <= LAST_ADDRESS:
        raise AddressError(
            "out_of_range", f"the address {address} is outside 0..65535", "write the address as it goes over the wire, counting from 0"
        )
    return _required(table, "pdu"), PduAddress(number)


def check_span(pdu: int, words: int) -> None:
    """Raise AddressError if `words` registers from `pdu` reach beyond the last address."""
    if pdu + words - 1 > LAST_ADDRESS:
        raise AddressError("span_beyond_65535", f"{words} registers from {pdu} reach beyond 65535", "check the address and the type")


def notations(table: Table, pdu: int) -> Notations:
    """How manuals write this address.

    >>> notations(Table.HOLDING, 9999)
    Notations(reg=10000, ref5=None, ref6='410000')
    """
    number = pdu + 1
    digit = next(digit for digit, named in _TABLES.items() if named is table)
    return Notations(reg=number, ref5=f"{digit}{number:04}" if number <= 9999 else None, ref6=f"{digit}{number:05}")


def looks_like_modicon(pdu: int) -> bool:
    """True if a PDU address looks like a five-digit reference written by mistake (a warning, never a rule)."""
    return 10001 <= pdu <= 19999 or 30001 <= pdu <= 39999 or 40001 <= pdu <= 49999


_TABLES = {"0": Table.COIL, "1": Table.DISCRETE, "3": Table.INPUT, "4": Table.HOLDING}


def _from_number(number: int, written: str | int) -> PduAddress:
    if number == 0:
        raise AddressError(
            "register_zero", f"{written} names register 0, and registers count from 1", "use `pdu` if the manual counts from 0"
        )
    if number < 0:
        raise AddressError("out_of_range", f"the register number {written} is negative", "register numbers go from 1 to 65536")
    if number > LAST_ADDRESS + 1:
        raise AddressError("register_above_65536", f"{written} names register {number}", "register numbers go from 1 to 65536")
    return PduAddress(number - 1)


def _required(table: Table | None, key: str) -> Table:
    if table is None:
        raise AddressError("table_required", f"`{key}` does not say which table it is in", "add `table: coil, discrete, input or holding`")
    return table


def _refuse_dotted(text: str) -> None:
    if re.fullmatch(r"\d+\.\d+", text):
        raise AddressError(
            "ambiguous_bit", f"{text} may mean a bit or a number with a dot", "write the address alone and the bit as `bit: N`"
        )
