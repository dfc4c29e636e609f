"""The shape of a register map file; the source of `registermaps/schema.json`."""

from typing import Annotated, Literal

from pydantic import Field

from gateway.maps.schema_point import Enum, PointIn, TableName
from gateway.maps.schema_types import ID, NAME, Number, Pause, Period, Plain, PollPeriod, Strict, Words


class ManualIn(Strict):
    """The manual the map was typed from, and how it prints addresses."""

    title: str
    addressing: Literal["pdu", "reg", "ref"]
    revision: Plain = ""
    date: Plain = ""
    file: str = ""
    sha256: str = ""


class EvidenceIn(Strict):
    """How the map is known to be right."""

    level: Literal["bench", "document", "community"]
    firmware: Plain = ""
    on: Plain = ""
    note: str = ""


class SerialIn(Strict):
    """The line settings the device leaves the factory with."""

    baud: int | None = Field(default=None, ge=300, le=1_000_000)
    parity: Literal["none", "even", "odd"] | None = None
    stop_bits: Literal[1, 2] | None = None
    data_bits: Literal[7, 8] | None = None


class TcpIn(Strict):
    """The port the device listens on."""

    port: int = Field(ge=1, le=65535)


class WatchdogIn(Strict):
    """What the device does when nobody polls it."""

    poll_at_least: Period
    note: Words | None = None


class DeviceIn(Strict):
    """Facts about the device on the wire; counts are registers."""

    unit_id: int | None = Field(default=None, ge=1, le=247)
    serial: SerialIn | None = None
    tcp: TcpIn | None = None
    functions: list[Annotated[int, Field(ge=1, le=127)]] = Field(default_factory=list)
    max_read: int = Field(default=125, ge=1, le=125)
    max_write: int = Field(default=123, ge=1, le=123)
    max_gap: int = Field(default=0, ge=0, le=124)
    gap_ms: Number | None = Field(default=None, ge=0)
    timeout_ms: Number | None = Field(default=None, gt=0)
    readable: dict[TableName, list[str]] = Field(default_factory=dict)
    watchdog: WatchdogIn | None = None


class BaseIn(Strict):
    """A base address found at run time."""

    sunspec: int = Field(ge=1, le=65535)


class StepIn(Strict):
    """One step of a procedure: a write with its value, or a wait."""

    write: str | None = None
    value: Number | str | None = None
    wait: str | None = None
    timeout: Pause | None = None


class ProcedureIn(Strict):
    """A named safe sequence of writes and waits."""

    name: Words
    confirm: Literal["user", "two_step"] = "user"
    steps: list[StepIn] = Field(min_length=1)


class MapHeadIn(Strict):
    """A map without its points, which are validated one by one so that one fault hides no other."""

    regmap: Literal[1]
    id: str = Field(pattern=ID)
    vendor: str
    model: str
    kind: str
    title: Words
    manual: ManualIn
    evidence: EvidenceIn | None = None
    device: DeviceIn = Field(default_factory=DeviceIn)
    bases: dict[Annotated[str, Field(pattern=NAME)], BaseIn] = Field(default_factory=dict)
    poll: dict[Annotated[str, Field(pattern=NAME)], PollPeriod] = Field(default_factory=lambda: {"normal": "1s"})
    enums: dict[Annotated[str, Field(pattern=NAME)], Enum] = Field(default_factory=dict)
    procedures: dict[Annotated[str, Field(pattern=NAME)], ProcedureIn] = Field(default_factory=dict)


class MapIn(MapHeadIn):
    """A whole map file."""

    defaults: PointIn | None = None
    points: dict[Annotated[str, Field(pattern=NAME)], PointIn] = Field(min_length=1)


def json_schema() -> dict[str, object]:
    """The JSON schema that editors use for `registermaps/*.yaml`."""
    schema = MapIn.model_json_schema(mode="validation")
    _close(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Busmate register map"}


def _close(schema: object) -> None:
    """Names that fit no pattern are wrong, not unknown."""
    if isinstance(schema, dict):
        if "patternProperties" in schema:
            schema.setdefault("additionalProperties", False)
        for child in schema.values():
            _close(child)
