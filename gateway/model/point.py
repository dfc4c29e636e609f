"""A point as a register map describes it, ready for planning, decoding, writing and showing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from gateway.model.address import Notation, PduAddress, Table


class DataType(StrEnum):
    """What the words of a point hold (MAPS 1b)."""

    BOOL = "bool"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    UINT64 = "uint64"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    BCD16 = "bcd16"
    BCD32 = "bcd32"
    BCD48 = "bcd48"
    BCD64 = "bcd64"
    MOD10 = "mod10"
    STRING = "string"
    BYTES = "bytes"


class Order(StrEnum):
    """Order of bytes and registers (MAPS 1b): the 32-bit names serve every width."""

    ABCD = "ABCD"
    CDAB = "CDAB"
    BADC = "BADC"
    DCBA = "DCBA"
    EFGHABCD = "EFGHABCD"
    CDABGHEF = "CDABGHEF"


class Access(StrEnum):
    """Read only, read and write, write only."""

    RO = "ro"
    RW = "rw"
    WO = "wo"


class Role(StrEnum):
    """Who may do what; each role includes those before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ENGINEER = "engineer"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """True if this role may do all that `other` may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(other)


@dataclass(frozen=True, slots=True)
class Text:
    """The same words in English and Chinese; `zh` falls back to `en`."""

    en: str = ""
    zh: str = ""

    def in_(self, lang: str) -> str:
        """The words in `lang` ("en" or "zh"), else in the other language."""
        return (self.zh or self.en) if lang == "zh" else (self.en or self.zh)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFormat:
    """How a string lies in its words."""

    encoding: Literal["ascii", "latin-1", "utf-8", "gb18030"] = "ascii"
    chars: Literal["packed", "low", "high"] = "packed"
    pad: Literal["nul", "space"] = "nul"
    length: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleFrom:
    """The scale is held by another point: as exponent (10^n), as factor, or by a table of codes."""

    point: str
    rule: Literal["exponent", "factor", "table"]
    table: Mapping[int, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Two-point scaling: raw `raw_low..raw_high` means `low..high` of the unit."""

    raw_low: Decimal
    raw_high: Decimal
    low: Decimal
    high: Decimal
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeFrom:
    """The range is chosen by the code that another point holds."""

    point: str
    table: Mapping[int, Range]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """The meaning of one bit."""

    text: Text
    alarm: Literal["low", "medium", "high"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldOf:
    """One of several values in a word: by `bits` (shifted down) or by `mask` (not shifted)."""

    name: str
    bits: tuple[int, int] | None = None
    mask: int | None = None
    enum: Mapping[int, Text] = field(default_factory=dict)
    flags: Mapping[int, Flag] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interlock:
    """Conditions that must all be true and fresh; `when` limits them to one written raw value."""

    conditions: tuple[str, ...]
    when: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRule:
    """What may be written, by whom, and how it is proved. Limits are in engineering units, times in seconds."""

    function: Literal[5, 6, 15, 16, 22] | None = None
    min: Decimal | None = None
    max: Decimal | None = None
    step: Decimal | None = None
    max_step: Decimal | None = None
    cooldown_s: float = 0.0
    role: Role = Role.OPERATOR
    confirm: Literal["none", "user", "two_step", "never"] = "user"
    approvals: Literal[1, 2] = 1
    interlock: tuple[Interlock, ...] = ()
    readback: str | bool = True
    settle_s: float = 0.0
    persist: Literal["ram", "eeprom"] | None = None
    pulse: bool = False
    reply: bool = True
    note: Text = Text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Valid:
    """Outside these limits (engineering units) a value is UNCERTAIN."""

    min: Decimal | None = None
    max: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRule:
    """Alarm levels in engineering units (at or beyond is active); `delay_s` is how long a level must be exceeded."""

    lolo: Decimal | None = None
    lo: Decimal | None = None
    hi: Decimal | None = None
    hihi: Decimal | None = None
    hysteresis: Decimal = Decimal(0)
    delay_s: float = 0.0
    priority: Literal["low", "medium", "high"] = "medium"
    text: Text = Text()
    """Words of the alarm; empty: made from the point's title and the level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadband:
    """Smallest change worth storing: absolute in the unit, or a share of the last stored value."""

    amount: Decimal = Decimal(0)
    relative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value of a device. `words` counts registers (1 for coils and discrete inputs)."""

    name: str
    table: Table
    pdu: PduAddress
    words: int
    type: DataType
    notation: Notation = Notation.PDU
    written_address: str = ""
    order: Order = Order.ABCD
    unit_id: int | None = None
    base: str | None = None
    bit: int | None = None
    bits: tuple[int, int] | None = None
    signed: bool = False
    text: TextFormat | None = None
    scale: Decimal = Decimal(1)
    offset: Decimal = Decimal(0)
    range: Range | None = None
    scale_from: ScaleFrom | None = None
    range_from: RangeFrom | None = None
    unit: str = ""
    decimals: int | None = None
    enum: Mapping[int, Text] = field(default_factory=dict)
    flags: Mapping[int, Flag] = field(default_factory=dict)
    fields: tuple[FieldOf, ...] = ()
    format: Literal["unix_s", "ddmm", "hhmm", "yymmddhhmmss", "iec870_date", "ipv4", "eui48", "hex"] | None = None
    invalid: Mapping[int, str] = field(default_factory=dict)
    """Raw bits (after order, before sign and scale) -> reason."""
    access: Access = Access.RO
    write: WriteRule | None = None
    poll: str = "normal"
    deadband: Deadband = Deadband()
    valid: Valid | None = None
    alarm: AlarmRule | None = None
    title: Text = Text()
    description: Text = Text()
    aliases: tuple[str, ...] = ()
    group: str = ""
    page: str = ""
    section: str = ""
    source: str = ""
    confidence: Literal["high", "medium", "low"] | None = None
    note: str = ""
    sim: Mapping[str, object] = field(default_factory=dict)
    line: int = 0

    @property
    def held_by(self) -> str | None:
        """Name of the point that holds this point's scale or range, if one does."""
        held = self.scale_from or self.range_from
        return held.point if held else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """What a device model can do on the wire; counts are registers (or bits for coils and discrete inputs)."""

    unit_id: int | None = None
    functions: frozenset[int] = frozenset()
    max_read: int = 125
    max_write: int = 123
    max_gap: int = 0
    gap_s: float = 0.0
    timeout_s: float | None = None
    readable: Mapping[Table, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Inclusive PDU address ranges that may be read at all; empty: no limit known."""
    baud: int | None = None
    """Speed of the serial line the device leaves the factory with; None: not stated, or no serial device."""
    bits_per_character: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a procedure: a write, or a wait for a condition."""

    write: str | None = None
    value: int | Decimal | str | None = None
    wait: str | None = None
    timeout_s: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """A named safe sequence: one proposal, one confirmation."""

    name: str
    title: Text
    confirm: Literal["user", "two_step"]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterMap:
    """What a device model offers. `version` is a digest of the file's content."""

    id: str
    vendor: str
    model: str
    kind: str
    title: Text
    addressing: Notation
    version: str
    device: DeviceFacts
    periods: Mapping[str, float | None]
    """Poll group -> period in seconds; None: read once or on demand (see `on_demand`)."""
    on_demand: frozenset[str]
    points: Mapping[str, Point]
    procedures: Mapping[str, Procedure] = field(default_factory=dict)
    bases: Mapping[str, int] = field(default_factory=dict)
    """Base name -> SunSpec model id to be found at run time."""
    moved_by: Mapping[Table, int] = field(default_factory=dict)
    """What was added to the file's addresses for a part of a unit; empty: they are as in the file."""
    file: str = ""
