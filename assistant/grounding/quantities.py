"""Numbers with their units in a text, in digits (also 1,234.5 and 1.2e3) or in words, and compound times such as 5 h 20 min."""

import re
from dataclasses import dataclass
from decimal import Decimal

from assistant.grounding.units import BY_SPELLING, SECONDS
from assistant.grounding.units import PATTERN as UNIT
from assistant.grounding.words import CHINESE, ENGLISH, chinese_value, english_value

_COMPOUND = re.compile(
    r"(?<![\d.])(\d+)\s*(?:hours?|hrs?|h|小时)\s*(?:and\s*|零)?(\d{1,2})\s*(?:minutes?|mins?|min|m|分钟|分)(?![A-Za-z])", re.IGNORECASE
)
_NUMBER = re.compile(
    r"(?P<sign>零下|\bminus\s+|-)?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[eE](?P<exp>[+-]?\d{1,3}))?"
    rf"(?:[ \t]?(?P<unit>{UNIT}))?",
    re.IGNORECASE,
)
_UNIT_BEHIND = re.compile(rf"\s?({UNIT})", re.IGNORECASE)
_NEGATIVE_WORD = re.compile(r"(?:零下|负|minus )$", re.IGNORECASE)
_LEAD = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as written, where it stands and with the words before it.

    `decimals` behind its point; `units` it may carry (empty: none, or none that is known).
    """

    value: Decimal
    decimals: int
    units: frozenset[str]
    text: str
    lead: str
    start: int


def take_quantities(text: str) -> tuple[Quantity, ...]:
    """All quantities of a text that was made plain and has names, dates and times taken out."""
    found: list[Quantity] = []
    for pattern, take in ((_COMPOUND, _compound), (CHINESE, _chinese), (ENGLISH, _english), (_NUMBER, _digits)):
        spans: list[tuple[int, int]] = []
        for match in pattern.finditer(text):
            quantity = take(match)
            if quantity is not None:
                found.append(quantity)
                spans.append(match.span())
        for start, end in spans:
            text = text[:start] + "\x00" * (end - start) + text[end:]
    return tuple(found)


def seconds_per(units: frozenset[str]) -> Decimal | None:
    """Seconds in one of `units` if it is one unit of time."""
    return next((Decimal(SECONDS[unit]) for unit in units if unit in SECONDS), None) if len(units) == 1 else None


def _compound(match: re.Match[str]) -> Quantity:
    minutes = Decimal(int(match[1]) * 60 + int(match[2]))
    return Quantity(value=minutes, decimals=0, units=frozenset({"min"}), text=match[0], lead=_lead(match), start=match.start())


def _chinese(match: re.Match[str]) -> Quantity | None:
    value = chinese_value(match[0])
    return _words(value, match) if value is not None else None


def _english(match: re.Match[str]) -> Quantity | None:
    """A single word below ten without a unit counts things ("two pumps") and is not taken."""
    value = english_value(match[0])
    is_count = value < 10 and " " not in match[0] and not _UNIT_BEHIND.match(match.string, match.end())
    return None if is_count else _words(value, match)


def _words(value: Decimal, match: re.Match[str]) -> Quantity:
    lead = _lead(match)
    unit = _UNIT_BEHIND.match(match.string, match.end())
    units = BY_SPELLING[unit[1].lower()] if unit else frozenset()
    return Quantity(
        value=-value if _NEGATIVE_WORD.search(lead) else value,
        decimals=_decimals(value),
        units=frozenset({"%"}) if lead.endswith("百分之") else units,
        text=match[0] + (unit[0] if unit else ""),
        lead=lead,
        start=match.start(),
    )


def _digits(match: re.Match[str]) -> Quantity:
    value = Decimal(match["digits"].replace(",", ""))
    decimals = _decimals(value)
    if match["exp"]:
        value = value.scaleb(int(match["exp"]))
        decimals = max(0, decimals - int(match["exp"]))
    lead = _lead(match)
    is_range = match["sign"] == "-" and lead.rstrip()[-1:].isdigit()
    units = BY_SPELLING[match["unit"].lower()] if match["unit"] else frozenset()
    return Quantity(
        value=-value if (match["sign"] and not is_range) or _NEGATIVE_WORD.search(lead) else value,
        decimals=decimals,
        units=frozenset({"%"}) if lead.endswith("百分之") else units,
        text=match[0].strip().lstrip("-" if is_range else ""),
        lead=lead,
        start=match.start(),
    )


def _lead(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _LEAD) : match.start()]


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
