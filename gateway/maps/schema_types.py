"""The small types that map files and configurations are made of: exact numbers, periods, texts, patterns.

They take what the YAML reader gives (never converting text to numbers) and say in the error what to write instead.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from gateway.model.point import Text
from gateway.model.quality import Quality, quality_of

NAME = r"^[a-z][a-z0-9_]*$"
ID = r"^[a-z][a-z0-9_-]*$"
_PERIOD = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": Decimal("0.001"), "s": Decimal(1), "m": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}
_PERCENT = re.compile(r"[0-9]+(\.[0-9]+)?%")


class Strict(BaseModel):
    """Base of all file models: no unknown keys, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def wrong(code: str, message: str, fix: str) -> PydanticCustomError:
    """A finding raised inside a validator: code, words and fix reach the reader unchanged."""
    return PydanticCustomError(code, "{words}", {"words": message, "fix": fix})


def seconds(period: str) -> float:
    """A period in seconds.

    >>> seconds("500ms"), seconds("5m")
    (0.5, 300.0)
    """
    match = _PERIOD.fullmatch(period)
    if not match:
        raise ValueError(period)
    return float(Decimal(match[1]) * _SECONDS[match[2]])


def _number(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    if isinstance(value, Decimal):
        return value
    hint = value.replace(",", ".") if isinstance(value, str) and re.fullmatch(r"[0-9]+,[0-9]+", value) else ""
    raise wrong("wrong_type", f"{value!r} is not a number", f"write {hint}" if hint else "write a plain number, without quotes or unit")


def _period(value: object) -> object:
    if isinstance(value, str) and _PERIOD.fullmatch(value):
        if not seconds(value) > 0:
            raise wrong("bad_period", f"{value} is no time at all", "write a time above zero")
        return value
    fix = f"write {value}s or {value}ms" if isinstance(value, int) else "write a number and its unit: 500ms, 1s, 5m, 1h"
    raise wrong("bad_period", f"{value!r} is not a time", fix)


def _pause(value: object) -> object:
    return value if value == "0s" else _period(value)


def _poll_period(value: object) -> object:
    return value if value in ("once", "on_demand") else _period(value)


def _deadband(value: object) -> object:
    if isinstance(value, str):
        if not _PERCENT.fullmatch(value):
            raise wrong("wrong_type", f"{value!r} is not a deadband", "write a number in the point's unit, or a share such as 1%")
        return value
    return _number(value)


def _text(value: object) -> object:
    text = {"en": value} if isinstance(value, str) else value
    if isinstance(text, dict) and not any(text.get(language) for language in ("en", "zh")) and text.keys() <= {"en", "zh"}:
        raise wrong("empty", "no words", "write them, or {en: ..., zh: ...}")
    return text


def _patterns(value: object) -> object:
    if isinstance(value, dict):
        for reason in value.values():
            if not isinstance(reason, str) or not re.fullmatch(NAME, reason):
                raise wrong("bad_name", f"{reason!r} is no reason", "write a word such as not_fitted: small letters, digits and _")
            if quality_of(reason) is not Quality.BAD:
                raise wrong("bad_choice", f"{reason!r} means an uncertain value, and a sentinel is none", "write another word")
    if not isinstance(value, list):
        return value
    if any(isinstance(pattern, bool) or not isinstance(pattern, int) for pattern in value):
        raise wrong("wrong_type", "a pattern that is no whole number", "write raw bits such as [0x7FFF]")
    return dict.fromkeys(value, "not_available")


def _plain(value: object) -> object:
    """Numbers keep their digits: 3.10 is not 3.1."""
    return str(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else value


def _interlocks(value: object) -> object:
    return [{"all": [item]} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


class LocalText(Strict):
    """Words in English and Chinese."""

    en: str = Field(default="", max_length=400)
    zh: str = Field(default="", max_length=400)

    def text(self) -> Text:
        """As the model of points has it."""
        return Text(self.en, self.zh)


_NUMBER_SCHEMA = {"type": "number"}
_TEXT_SCHEMA = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"en": {"type": "string"}, "zh": {"type": "string"}}, "additionalProperties": False},
    ]
}
_PERIOD_SCHEMA = {"type": "string", "pattern": f"^{_PERIOD.pattern}$"}
_PATTERNS_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "integer", "minimum": 0}},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ]
}

Number = Annotated[Decimal, BeforeValidator(_number), WithJsonSchema(_NUMBER_SCHEMA)]
Words = Annotated[LocalText, BeforeValidator(_text), WithJsonSchema(_TEXT_SCHEMA)]
Period = Annotated[str, BeforeValidator(_period), WithJsonSchema(_PERIOD_SCHEMA)]
Pause = Annotated[str, BeforeValidator(_pause), WithJsonSchema(_PERIOD_SCHEMA)]
PollPeriod = Annotated[
    str, BeforeValidator(_poll_period), WithJsonSchema({"anyOf": [_PERIOD_SCHEMA, {"type": "string", "enum": ["once", "on_demand"]}]})
]
DeadbandIn = Annotated[
    Decimal | str,
    BeforeValidator(_deadband),
    WithJsonSchema({"anyOf": [_NUMBER_SCHEMA, {"type": "string", "pattern": f"^{_PERCENT.pattern}$"}]}),
]
Patterns = Annotated[Mapping[int, str], BeforeValidator(_patterns), WithJsonSchema(_PATTERNS_SCHEMA)]
Plain = Annotated[str, BeforeValidator(_plain), WithJsonSchema({"type": ["string", "number"]})]
"""Text that may look like a number: a page, a section, a revision."""
Priority = Literal["low", "medium", "high"]
Confidence = Literal["high", "medium", "low"]


class InterlockIn(Strict):
    """Conditions that must all be true and fresh; `when` limits them to one written value (a label or number)."""

    when: int | str | None = None
    all: list[str] = Field(min_length=1)


Interlocks = Annotated[
    list[InterlockIn],
    BeforeValidator(_interlocks),
    WithJsonSchema({"type": "array", "items": {"anyOf": [{"type": "string"}, InterlockIn.model_json_schema()]}}),
]
