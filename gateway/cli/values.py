"""`busmate address`, `decode` and `encode`: what numbers on paper and on the wire mean. Nothing is sent."""

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

import typer

from gateway.cli.output import fail, print_json
from gateway.model.address import AddressError, PduAddress, Table, from_pdu, from_ref, from_reg, looks_like_modicon, notations
from gateway.model.codec import INTEGERS, TYPES, shape_of
from gateway.model.decode import decode_point
from gateway.model.encode import EncodeError, encode_point
from gateway.model.formats import FORMATS
from gateway.model.order import orders_for
from gateway.model.point import DataType, Order, Point, TextFormat
from gateway.model.quality import NOT_AVAILABLE, quality_of
from gateway.model.sample import Scalar

Json = Annotated[bool, typer.Option("--json", help="One JSON document.")]
Type = Annotated[DataType, typer.Option("--type", help="Data type.")]
OrderName = Annotated[str, typer.Option("--order", help="ABCD, CDAB, BADC, DCBA; for 64 bits also EFGHABCD, CDABGHEF.")]
Factor = Annotated[str, typer.Option(help="value = raw x scale + offset")]
Invalid = Annotated[list[str] | None, typer.Option(help="Raw bits in hex that mean no value; may be repeated.")]
Encoding = Annotated[Literal["ascii", "latin-1", "utf-8", "gb18030"], typer.Option(help="Of text.")]
Chars = Annotated[Literal["packed", "low", "high"], typer.Option(help="Where the characters of text lie in each register.")]
Pad = Annotated[Literal["nul", "space"], typer.Option(help="What fills up text.")]
Format = Annotated[
    Literal["unix_s", "ddmm", "hhmm", "yymmddhhmmss", "iec870_date", "ipv4", "eui48", "hex"] | None,
    typer.Option("--format", help="What the number stands for."),
]
Signed = Annotated[bool, typer.Option("--signed", help="The groups of a mod10 carry a sign.")]


def address(
    ref: Annotated[str | None, typer.Option(help='Modicon reference of five or six digits, such as "40001".')] = None,
    reg: Annotated[str | None, typer.Option(help="Register number that counts from 1; needs --table.")] = None,
    pdu: Annotated[str | None, typer.Option(help="Address as on the wire, counting from 0; needs --table.")] = None,
    table: Annotated[Table | None, typer.Option(help="Modbus table.")] = None,
    as_json: Json = False,
) -> None:
    """What a manual's register number means, in three notations."""
    if sum(given is not None for given in (ref, reg, pdu)) != 1:
        raise typer.BadParameter("give exactly one of --ref, --reg and --pdu")
    try:
        if ref is not None:
            named, wire = from_ref(ref, table)
        elif reg is not None:
            named, wire = from_reg(_number_or_text(reg), table)
        else:
            named, wire = from_pdu(_number_or_text(pdu or ""), table)
    except AddressError as exc:
        fail(exc.code, exc.message, fix=exc.fix, as_json=as_json)
    if looks_like_modicon(wire):
        sys.stderr.write(f"looks_like_modicon: PDU address {wire} looks like a reference; if the manual means one, use --ref\n")
    forms = notations(named, wire)
    if as_json:
        print_json({"table": named.value, "pdu_address": wire, "reg": forms.reg, "ref5": forms.ref5, "ref6": forms.ref6})
    else:
        print(f"{named}  pdu {wire} (0x{wire:04X})  reg {forms.reg}  ref {forms.ref5 or '-'} / {forms.ref6}")


def decode(
    words: Annotated[list[str], typer.Argument(help="Registers in hex, in the order of the wire.")],
    type_: Type,
    order: OrderName = "ABCD",
    scale: Factor = "1",
    offset: Factor = "0",
    invalid: Invalid = None,
    bit: Annotated[int | None, typer.Option(help="One bit, LSB = 0.")] = None,
    bits: Annotated[str | None, typer.Option(help='Some bits, such as "15..8".')] = None,
    encoding: Encoding = "ascii",
    chars: Chars = "packed",
    pad: Pad = "nul",
    format_: Format = None,
    signed: Signed = False,
    all_orders: Annotated[bool, typer.Option("--all-orders", help="The value in every order.")] = False,
    as_json: Json = False,
) -> None:
    """Words to a value."""
    registers = []
    for word in words:
        if not re.fullmatch(r"(0[xX])?[0-9A-Fa-f]{1,4}", word):
            fail("bad_word", f"{word!r} is not a register", fix="write up to four hex digits, such as 0x42F6", as_json=as_json)
        registers.append(int(word, 16))
    needed = TYPES[type_].words or len(registers)
    if len(registers) != needed:
        fail("wrong_word_count", f"{type_} needs {needed} registers, not {len(registers)}", fix="give all its registers", as_json=as_json)
    point = _checked(
        Point(
            name="value",
            table=Table.HOLDING,
            pdu=PduAddress(0),
            words=len(registers),
            type=type_,
            order=_order(order),
            bit=bit,
            bits=_span(bits),
            signed=signed,
            text=TextFormat(encoding=encoding, chars=chars, pad=pad),
            scale=_factor(scale),
            offset=_decimal(offset),
            format=format_,
            invalid=_patterns(invalid),
        )
    )
    orders = orders_for(len(registers)) if all_orders else (point.order,)
    rows = [_row(replace(point, order=candidate), registers) for candidate in orders]
    if as_json:
        print_json(rows if all_orders else rows[0])
        return
    for row in rows:
        value = "no value" if row["value"] is None else row["value"]
        print("  ".join(str(part) for part in (row["order"], row["type"], value, row["quality"], row["reason"]) if part is not None))


def encode(
    value: Annotated[str, typer.Argument(help="The value in its unit; text for string, hex digits for bytes.")],
    type_: Type,
    order: OrderName = "ABCD",
    scale: Factor = "1",
    offset: Factor = "0",
    words: Annotated[int | None, typer.Option(help="Registers of a mod10, string or bytes.", min=1, max=123)] = None,
    encoding: Encoding = "ascii",
    chars: Chars = "packed",
    pad: Pad = "nul",
    invalid: Invalid = None,
    signed: Signed = False,
    as_json: Json = False,
) -> None:
    """A value to words."""
    size = TYPES[type_].words or words
    if size is None and type_ is not DataType.BOOL:
        raise typer.BadParameter(f"say with --words how many registers the {type_} has")
    point = _checked(
        Point(
            name="value",
            table=Table.HOLDING,
            pdu=PduAddress(0),
            words=size or 1,
            type=type_,
            order=_order(order),
            bit=0 if type_ is DataType.BOOL else None,
            signed=signed,
            text=TextFormat(encoding=encoding, chars=chars, pad=pad),
            scale=_factor(scale),
            offset=_decimal(offset),
            invalid=_patterns(invalid),
        )
    )
    if words not in (None, point.words):
        raise typer.BadParameter(f"a {type_} has {point.words} registers, not {words}")
    try:
        encoded = encode_point(point, _wanted(value, type_))
    except EncodeError as exc:
        fail(exc.code, exc.message, fix="" if exc.nearest is None else f"write {exc.nearest}", as_json=as_json)
    registers = [f"0x{word:04X}" for word in encoded.words]
    if as_json:
        print_json({"words": registers, "value": encoded.value})
    else:
        print(f"{' '.join(registers)}  reads back as {encoded.value}")


def _row(point: Point, registers: Sequence[int]) -> dict[str, object]:
    value, reason = decode_point(point, registers)
    return {"value": value, "quality": quality_of(reason).value, "reason": reason, "type": point.type.value, "order": point.order.value}


def _checked(point: Point) -> Point:
    """The point, if its options go together; raises BadParameter."""
    try:
        shape = shape_of(point)
    except ValueError as exc:
        raise typer.BadParameter(str(exc)) from exc
    if point.type is DataType.BOOL and point.bit is None:
        raise typer.BadParameter("a bool in registers needs --bit")
    if (point.bit is not None or point.bits is not None) and point.type not in INTEGERS and point.type is not DataType.BOOL:
        raise typer.BadParameter(f"--bit and --bits go with integers and bool, not {point.type}")
    if not 0 <= shape.low < shape.low + shape.width <= point.words * 16:
        raise typer.BadParameter(f"the bits lie outside the {point.words * 16} bits of {point.type}")
    if point.format is not None and not FORMATS[point.format].fits(shape):
        raise typer.BadParameter(f"format {point.format} does not go with {point.type} of {point.words} registers")
    return point


_LONG_NAMES = {
    "AB": "ABCD",
    "BA": "BADC",
    "ABCDEFGH": "ABCD",
    "GHEFCDAB": "CDAB",
    "BADCFEHG": "BADC",
    "HGFEDCBA": "DCBA",
}


def _order(name: str) -> Order:
    letters = name.upper()
    try:
        return Order(_LONG_NAMES.get(letters, letters))
    except ValueError:
        raise typer.BadParameter(f"{name!r} is no order: use one of {', '.join(Order)}") from None


def _span(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,2})\.\.(\d{1,2})", text, re.ASCII)
    if found is None:
        raise typer.BadParameter(f'{text!r} is not a span of bits such as "15..8"')
    return int(found[1]), int(found[2])


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise typer.BadParameter(f"{text!r} is not a decimal number")
    return number


def _factor(text: str) -> Decimal:
    scale = _decimal(text)
    if scale == 0:
        raise typer.BadParameter("scale 0 makes every value 0")
    return scale


def _patterns(texts: list[str] | None) -> dict[int, str]:
    for text in texts or ():
        if not re.fullmatch(r"(0[xX])?[0-9A-Fa-f]+", text):
            raise typer.BadParameter(f"{text!r} is not a pattern in hex such as 0x8000")
    return {int(text, 16): NOT_AVAILABLE for text in texts or ()}


def _number_or_text(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?\d+", text, re.ASCII) else text


def _wanted(text: str, type_: DataType) -> Scalar:
    if type_ is DataType.BOOL:
        return {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}.get(text.lower(), text)
    if type_ in (DataType.STRING, DataType.BYTES):
        return text
    try:
        return Decimal(text)
    except InvalidOperation:
        return text
