"""The shape of one point of a register map (MAPS 1b); what its keys mean together is checked by `gateway.maps.rules`."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from gateway.maps.schema_types import (
    NAME,
    Confidence,
    DeadbandIn,
    Interlocks,
    Number,
    Patterns,
    Pause,
    Period,
    Plain,
    Priority,
    Strict,
    Words,
    wrong,
)
from gateway.model.address import AddressError, Table, from_pdu, from_ref, from_reg

TableName = Literal["coil", "discrete", "input", "holding"]
TypeName = Literal[
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
    "bcd16", "bcd32", "bcd48", "bcd64", "mod10", "string", "bytes",
]  # fmt: skip
OrderName = Literal["ABCD", "CDAB", "BADC", "DCBA", "EFGHABCD", "CDABGHEF"]
FormatName = Literal["unix_s", "ddmm", "hhmm", "yymmddhhmmss", "iec870_date", "ipv4", "eui48", "hex"]


def _address(read: Callable[[str | int | float, Table | None], object], value: object) -> object:
    """The value as written, if it can be an address at all; which table it is in is known later."""
    if value is None:
        return None
    try:
        read(value if isinstance(value, str | int) else str(value), None if read is from_ref else Table.HOLDING)
    except AddressError as exc:
        raise wrong(exc.code, exc.message, exc.fix) from exc
    return value


def _flag(value: object) -> object:
    return {"en": value} if isinstance(value, str) else value


Pdu = Annotated[
    int | str | None,
    BeforeValidator(partial(_address, from_pdu)),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 65535}, {"type": "string", "pattern": "^0[xX][0-9A-Fa-f]+$"}]}),
]
Reg = Annotated[
    int | None, BeforeValidator(partial(_address, from_reg)), WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 65536})
]
Ref = Annotated[
    str | None, BeforeValidator(partial(_address, from_ref)), WithJsonSchema({"type": "string", "pattern": "^[0134][0-9]{4,5}$"})
]


Alias = Annotated[Plain, Field(min_length=1, max_length=80)]


class FlagIn(Strict):
    """The words of one bit, and whether it is an alarm."""

    en: str = Field(default="", max_length=400)
    zh: str = Field(default="", max_length=400)
    alarm: Priority | None = None


Flags = dict[
    Annotated[int, Field(ge=0, le=63)],
    Annotated[FlagIn, BeforeValidator(_flag), WithJsonSchema({"anyOf": [{"type": "string"}, FlagIn.model_json_schema()]})],
]
Enum = dict[int, Words]


class FieldIn(Strict):
    """One of several values in a word: `bits` are shifted down, a `mask` is not."""

    bits: str | None = None
    mask: int | None = Field(default=None, ge=1)
    enum: Enum | str | None = None
    flags: Flags | None = None


class RangeIn(Strict):
    """Two-point scaling."""

    raw: list[Number] = Field(min_length=2, max_length=2)
    eng: list[Number] = Field(min_length=2, max_length=2)


class CodedRangeIn(RangeIn):
    """A range chosen by a code, with its own unit."""

    unit: str = ""


class ScaleFromIn(Strict):
    """Another point holds the scale."""

    point: str
    as_: Literal["exponent", "factor"] | dict[int, Number] = Field(alias="as")


class RangeFromIn(Strict):
    """Another point holds the code of the range."""

    point: str
    as_: dict[int, CodedRangeIn] = Field(alias="as", min_length=1)


class WriteIn(Strict):
    """What may be written, by whom, and how it is proved."""

    function: Literal[5, 6, 15, 16, 22] | None = None
    min: Number | None = None
    max: Number | None = None
    step: Number | None = None
    max_step: Number | None = None
    cooldown: Pause | None = None
    role: Literal["viewer", "operator", "engineer", "admin"] = "operator"
    confirm: Literal["none", "user", "two_step", "never"] = "user"
    approvals: Literal[1, 2] = 1
    interlock: Interlocks | None = None
    readback: bool | str = True
    settle: Pause | None = None
    persist: Literal["ram", "eeprom"] | None = None
    pulse: bool = False
    reply: Literal["none"] | None = None
    note: Words | None = None


class ValidIn(Strict):
    """Outside these limits a value is UNCERTAIN."""

    min: Number | None = None
    max: Number | None = None


class AlarmIn(Strict):
    """Alarm levels in the unit; `text` are the words of the alarm, else made from the point's title."""

    lolo: Number | None = None
    lo: Number | None = None
    hi: Number | None = None
    hihi: Number | None = None
    hysteresis: Number | None = None
    delay: Pause | None = None
    priority: Priority | None = None
    text: Words | None = None


class RepeatIn(Strict):
    """The same point several times, `stride` registers apart."""

    count: int | None = Field(default=None, ge=1, le=1000)
    stride: int = Field(ge=1, le=65535)
    names: list[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$")]] | None = Field(default=None, min_length=1)


class SimIn(Strict):
    """How the simulator lets the value live."""

    value: Number | bool | str | None = None
    wave: Literal["sine", "noise", "ramp", "square"] | None = None
    mean: Number | None = None
    amplitude: Number | None = None
    period: Period | None = None
    follows: str | None = None
    lag: Pause | None = None
    counter_of: str | None = None
    per: Period | None = None
    when: str | None = None


class PointIn(Strict):
    """One point as the map writes it, after its defaults."""

    pdu: Pdu = None
    reg: Reg = None
    ref: Ref = None
    table: TableName | None = None
    unit_id: int | None = Field(default=None, ge=1, le=247)
    base: str | None = None
    repeat: RepeatIn | None = None
    type: TypeName | None = None
    words: int | None = Field(default=None, ge=1, le=125)
    signed: bool = False
    order: OrderName = "ABCD"
    bit: int | None = Field(default=None, ge=0, le=63)
    bits: str | None = None
    encoding: Literal["ascii", "latin-1", "utf-8", "gb18030"] | None = None
    chars: Literal["packed", "low", "high"] | None = None
    pad: Literal["nul", "space"] | None = None
    length: int | None = Field(default=None, ge=1, le=250)
    scale: Number | None = None
    offset: Number | None = None
    range: RangeIn | None = None
    scale_from: ScaleFromIn | None = None
    range_from: RangeFromIn | None = None
    unit: str = Field(default="", max_length=20)
    decimals: int | None = Field(default=None, ge=0, le=12)
    enum: Enum | str | None = None
    flags: Flags | None = None
    fields: dict[Annotated[str, Field(pattern=NAME)], FieldIn] | None = None
    format: FormatName | None = None
    invalid: Patterns | None = None
    access: Literal["ro", "rw", "wo"] = "ro"
    write: WriteIn | None = None
    poll: str = "normal"
    deadband: DeadbandIn | None = None
    valid: ValidIn | None = None
    alarm: AlarmIn | None = None
    name: Words | None = None
    description: Words | None = None
    aliases: list[Alias] = Field(default_factory=list, max_length=60)
    group: str = ""
    page: Plain = ""
    section: Plain = ""
    source: str = ""
    confidence: Confidence | None = None
    note: Words | None = None
    sim: SimIn | None = None
