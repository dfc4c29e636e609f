"""What a text states: quantities with units, clock times, dates, pages, and the digits in names."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from assistant.grounding.units import BY_SPELLING, SECONDS
from assistant.grounding.units import PATTERN as UNIT
from assistant.grounding.words import CHINESE, ENGLISH, chinese_value, english_value

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    re.compile(r"(?P<y>\d{4})\s*[-/年]\s*(?P<m>\d{1,2})\s*[-/月]\s*(?P<d>\d{1,2})日?(?:T(?=\d))?"),
    re.compile(r"(?<![\d.])(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日号]?"),
    re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH}(?:\s+(?P<y>\d{{4}}))?\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y>\d{{4}}))?(?![\d:.])", re.IGNORECASE),
)
_TIMES = (
    re.compile(
        r"(?<![\d.:])(?P<h>\d{1,2}):(?P<m>\d{2})(?::\d{2}(?:\.\d+)?)?(?:\s*(?P<half>[ap])\.?m\b\.?)?(?:\s?[+-]\d{2}:\d{2}|Z)?",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\d.:])(?P<h>\d{1,2})\s*(?P<half>[ap])\.?m\b\.?", re.IGNORECASE),
    re.compile(r"(?<![\d.:])(?P<h>\d{1,2})\s*[点时](?:\s*(?P<m>\d{1,2})\s*分?|(?P<thirty>半))?"),
)
_COMPOUND = re.compile(
    r"(?<![\d.])(\d+)\s*(?:hours?|hrs?|h|小时)\s*(?:and\s*|零)?(\d{1,2})\s*(?:minutes?|mins?|min|m|分钟|分)(?![A-Za-z])", re.IGNORECASE
)
_PAGE = re.compile(
    r"(?:\[?(?P<doc>[A-Za-z][\w.-]*)\]?[\s,(]*)?(?:\bpp?\.\s*|\bpages?\s+|第\s*)(?P<page>\d+)(?:\s*(?:[-–,]|and|to|和|至)\s*(?P<to>\d+))?\s*页?(?![\d.]*\s*(?:号|步|条|级))",
    re.IGNORECASE | re.ASCII,
)
_IDENTIFIER = re.compile(
    r"\b0x[0-9A-F]+\b|[A-Za-z][A-Za-z_]*(?:\.[A-Za-z_]\w*)*-?\d[\w.-]*[\w]|[A-Za-z][A-Za-z_]*-?\d", re.IGNORECASE | re.ASCII
)
_NAMED = re.compile(
    r"\b(?:pump|drive|motor|vfd|heater|tank|phase|line|channel|relay|transmitter|meter|controller|inverter)s?\s+#?(?P<en>\d)(?![\d.,]*\d)"
    rf"(?!\s*{UNIT})|(?P<zh>[\d一二三四五六七八九])\s*[号#]",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<![\d.])\d{1,2}(?:st|nd|rd|th)\b|第\s*[\d一二三四五六七八九十]+", re.IGNORECASE)
_ENUMERATOR = re.compile(r"^[ \t]*(?:[*-][ \t]*)?\(?(\d{1,2})[.)](?=\s)", re.MULTILINE)
_NUMBER = re.compile(
    r"(?P<sign>零下|\bminus\s+|-)?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[eE](?P<exp>[+-]?\d{1,3}))?"
    rf"(?:[ \t]?(?P<unit>{UNIT}))?",
    re.IGNORECASE,
)
_CIRCLED = re.compile("[①-⓿❶-➓]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as written: `decimals` behind its point, `units` it may carry (empty: none, or none that is known)."""

    value: Decimal
    decimals: int
    units: frozenset[str]
    text: str


@dataclass(slots=True)
class Statement:
    """All that a text states that could be false."""

    quantities: list[Quantity] = field(default_factory=list)
    times: set[tuple[int, int]] = field(default_factory=set)
    dates: set[tuple[int | None, int, int]] = field(default_factory=set)
    pages: set[tuple[str, int]] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    """Digits that tell one device from another: pump 2, 2号泵."""
    name_digits: set[str] = field(default_factory=set)
    """Digits inside identifiers: vfd2 holds 2, P-102 holds 102."""


def read(text: str) -> Statement:
    """What `text` states.

    >>> [str(q.value) for q in read("P-101 在 14:00 为 ４３．５Ｈｚ，四十度").quantities]
    ['40', '43.5']
    """
    found = Statement()
    text = _plain(text)
    for take, patterns in (
        (_take_date, _DATES),
        (_take_time, _TIMES),
        (_take_page, (_PAGE,)),
        (_take_compound, (_COMPOUND,)),
        (_take_name, (_NAMED,)),
        (_skip, (_ORDINAL,)),
        (_take_chinese, (CHINESE,)),
        (_take_english, (ENGLISH,)),
        (_take_identifier, (_IDENTIFIER,)),
    ):
        for pattern in patterns:
            text = _masked(text, pattern, take, found)
    text = _without_enumeration(text)
    found.quantities += [_quantity(match, text) for match in _NUMBER.finditer(text)]
    return found


def _plain(text: str) -> str:
    """NFKC with lists kept apart: a full-width comma is never a thousands separator, a circled digit is a bullet."""
    text = _CIRCLED.sub(" ", text).replace("，", ", ").replace("、", ", ").replace("\u2212", "-")
    return re.sub(r"\bm3(?!\w)", "m³", unicodedata.normalize("NFKC", text), flags=re.ASCII)


def _masked(text: str, pattern: re.Pattern[str], take: Callable[[re.Match[str], Statement], bool], found: Statement) -> str:
    """`text` with each match that `take` took blanked out, position for position."""
    return pattern.sub(lambda match: "\x00" * len(match[0]) if take(match, found) else match[0], text)


def _skip(match: re.Match[str], found: Statement) -> bool:  # noqa: ARG001 one signature for all takers
    return True


def _take_date(match: re.Match[str], found: Statement) -> bool:
    parts = match.groupdict()
    month = _MONTHS.index(parts["month"].lower()) + 1 if parts.get("month") else int(parts["m"])
    day = int(parts["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return False
    found.dates.add((int(parts["y"]) if parts.get("y") else None, month, day))
    return True


def _take_time(match: re.Match[str], found: Statement) -> bool:
    parts = match.groupdict()
    hour, minute = int(parts["h"]), int(parts.get("m") or 0)
    if parts.get("thirty"):
        minute = 30
    if half := (parts.get("half") or "").lower():
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 24 or minute > 59:
        return False
    found.times.add((hour, minute))
    return True


def _take_page(match: re.Match[str], found: Statement) -> bool:
    text = match[0]
    if "第" in text and not text.rstrip().endswith("页"):
        return False
    doc = match["doc"] if match["doc"] and re.search(r"[-\d]", match["doc"]) else ""
    found.pages |= {(doc.lower(), int(page)) for page in (match["page"], match["to"]) if page}
    return True


def _take_compound(match: re.Match[str], found: Statement) -> bool:
    minutes = Decimal(int(match[1]) * 60 + int(match[2]))
    found.quantities.append(Quantity(value=minutes, decimals=0, units=frozenset({"min"}), text=match[0]))
    return True


def _take_name(match: re.Match[str], found: Statement) -> bool:
    digit = match["en"] or match["zh"]
    found.named.add(str("一二三四五六七八九".find(digit) + 1) if digit in "一二三四五六七八九" else digit)
    return True


def _take_identifier(match: re.Match[str], found: Statement) -> bool:
    found.name_digits |= set(re.findall(r"\d+", match[0]))
    return True


def _take_chinese(match: re.Match[str], found: Statement) -> bool:
    value = chinese_value(match[0])
    return value is not None and _take_words(value, match, found)


def _take_english(match: re.Match[str], found: Statement) -> bool:
    value = english_value(match[0])
    counted = value < 10 and " " not in match[0] and not re.match(rf"\s{UNIT}", match.string[match.end() :], re.IGNORECASE)
    return not counted and _take_words(value, match, found)


def _take_words(value: Decimal, match: re.Match[str], found: Statement) -> bool:
    rest = match.string[match.end() :]
    unit = re.match(rf"\s?({UNIT})", rest, re.IGNORECASE)
    units = BY_SPELLING[unit[1].lower()] if unit else frozenset()
    if match.string[: match.start()].endswith("百分之"):
        units = frozenset({"%"})
    sign = -1 if re.search(r"(?:零下|负|minus )$", match.string[: match.start()], re.IGNORECASE) else 1
    found.quantities.append(Quantity(value=sign * value, decimals=_decimals(value), units=units, text=match[0] + (unit[0] if unit else "")))
    return True


def _without_enumeration(text: str) -> str:
    """`text` without the running numbers 1, 2, 3 ... in front of its lines."""
    expected = 1

    def drop(match: re.Match[str]) -> str:
        nonlocal expected
        if int(match[1]) != expected:
            return match[0]
        expected += 1
        return "\x00" * len(match[0])

    return _ENUMERATOR.sub(drop, text)


def _quantity(match: re.Match[str], text: str) -> Quantity:
    value = Decimal(match["digits"].replace(",", ""))
    decimals = _decimals(value)
    if match["exp"]:
        value = value.scaleb(int(match["exp"]))
        decimals = max(0, decimals - int(match["exp"]))
    before = text[: match.start()].rstrip()
    if match["sign"] and not (match["sign"] == "-" and before[-1:].isdigit()):
        value = -value
    if text[: match.start("digits")].endswith("百分之"):
        return Quantity(value=value, decimals=decimals, units=frozenset({"%"}), text=f"百分之{match[0]}")
    units = BY_SPELLING[match["unit"].lower()] if match["unit"] else frozenset()
    return Quantity(value=value, decimals=decimals, units=units, text=match[0].strip())


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def seconds_per(units: frozenset[str]) -> Decimal | None:
    """Seconds in one of `units` if it is one unit of time."""
    return next((Decimal(SECONDS[unit]) for unit in units if unit in SECONDS), None) if len(units) == 1 else None
