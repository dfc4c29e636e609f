"""A rule that says no: its code, its place among the others, and its words."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from gateway.model.point import Text
from gateway.model.sample import Scalar

ORDER = (
    "ROLE",
    "READ_ONLY",
    "NO_RAW",
    "NOT_ALLOWED",
    "LOCKED_OUT",
    "BLOCKED",
    "UNREPRESENTABLE",
    "ENUM",
    "LIMIT_MIN",
    "LIMIT_MAX",
    "STEP",
    "OFFLINE",
    "STALE",
    "MAX_STEP",
    "INTERLOCK",
    "COOLDOWN",
    "RATE",
    "AUDIT_DOWN",
    "EXPIRED",
    "CHANGED",
    "MAP_CHANGED",
    "SECOND_PERSON",
    "DEVICE",
)
"""The refusal codes in the order in which they are tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One rule that says no, in words for the operator."""

    code: str
    text: Text


def refused_by(code: str, en: str, zh: str) -> Refusal:
    """A refusal with its words in English and Chinese."""
    return Refusal(code=code, text=Text(en, zh))


def in_order(refusals: Sequence[Refusal]) -> list[Refusal]:
    """The refusals as they are tested; the first is the one to name."""
    return sorted(refusals, key=lambda refusal: ORDER.index(refusal.code))


def plain(value: Scalar | None) -> str:
    """A value as people write it: no exponent, no needless zeros.

    >>> plain(Decimal("45.00")), plain(0.1), plain(Decimal("1E+2")), plain(True)
    ('45', '0.1', '100', '1')
    """
    match value:
        case None:
            return "-"
        case str():
            return value
        case bool():
            return str(int(value))
        case _:
            text = f"{Decimal(repr(value)) if isinstance(value, float) else Decimal(value):f}"
            return text.rstrip("0").rstrip(".") if "." in text else text
