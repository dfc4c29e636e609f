"""What a text states: quantities, clock times, dates, pages, codes, and the digits in names."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from assistant.grounding.quantities import Quantity, take_quantities
from assistant.grounding.units import PATTERN as UNIT
from assistant.grounding.words import chinese_value

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DATES = (
    re.compile(r"(?P<y>\d{4})\s*[-/年]\s*(?P<m>\d{1,2})\s*[-/月]\s*(?P<d>\d{1,2})日?(?:T(?=\d))?"),
    re.compile(r"(?<![\d.])(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日号]?"),
    re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH}(?:\s+(?P<y>\d{{4}}))?\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y>\d{{4}}))?(?![\d:.])", re.IGNORECASE),
)
_CHINESE_DIGITS = "[一二两三四五六七八九十]{1,3}"
_TIMES = (
    re.compile(
        r"(?<![\d.:])(?P<h>\d{1,2}):(?P<m>\d{2})(?::\d{2}(?:\.\d+)?)?(?:\s*(?P<half>[ap])\.?m\b\.?)?(?:\s?[+-]\d{2}:\d{2}|Z)?",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\d.:])(?P<h>\d{1,2})\s*(?P<half>[ap])\.?m\b\.?", re.IGNORECASE),
    re.compile(r"(?<![\d.:])(?P<h>\d{1,2})\s*[点时](?:\s*(?P<m>\d{1,2})\s*分?|(?P<thirty>半))?"),
    re.compile(rf"(?P<zh_h>{_CHINESE_DIGITS})点(?:(?P<thirty>半)|整|(?P<zh_m>{_CHINESE_DIGITS})分)"),
)
_PAGES = (
    re.compile(
        r"(?:(?P<doc>[A-Za-z][\w-]*)\]?[\s,(]*)?(?:\bpp?\.\s*|\bpages?\s+)(?P<page>\d+)(?:\s*(?:[-–,]|and|to)\s*(?P<to>\d+))?",
        re.IGNORECASE | re.ASCII,
    ),
    re.compile(r"(?:(?P<doc>[A-Za-z][A-Za-z0-9_-]*)\]?[\s,(]*)?第?\s*(?P<page>\d+)(?:\s*[-–、到至和]\s*(?P<to>\d+))?\s*页"),
)
_NAMED = re.compile(
    r"\b(?:pump|drive|motor|vfd|heater|tank|phase|line|channel|relay|transmitter|meter|controller|inverter)s?[ \t]+#?"
    r"(?P<en>\d)(?![\d.,]*\d)"
    rf"(?!\s*{UNIT})|(?P<zh>[\d一二三四五六七八九])\s*[号#]|(?:泵|变频器|电机|水箱|仪表|加热器)\s?(?P<zh_last>\d)(?![\d.,]*\d)(?!\s*(?:{UNIT}|号))",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<![\d.])\d{1,2}(?:st|nd|rd|th)\b|第\s*[\d一二三四五六七八九十]+", re.IGNORECASE)
_IDENTIFIER = re.compile(r"\b0x[0-9A-F]+\b|(?<!\d)[A-Za-z][A-Za-z_]*(?:(?:\.[A-Za-z_]\w*)*-?\d[\w.-]*\w|-?\d)", re.IGNORECASE | re.ASCII)
_TAG = re.compile(r"(?<![\w.])(?P<device>[A-Za-z][\w-]*)\.[A-Za-z_]\w*", re.ASCII)
_CODE = re.compile(r"(?<![A-Za-z0-9])[A-Z]\d{2,3}(?![A-Za-z0-9])", re.ASCII)
_ENUMERATOR = re.compile(r"^[ \t]*(?:[*-][ \t]*)?\(?(\d{1,2})[.)](?=\s)", re.MULTILINE)
_SPACED = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
_CIRCLED = re.compile("[①-⓿❶-➓]")


@dataclass(slots=True)
class Statement:
    """All that a text states that could be false."""

    quantities: tuple[Quantity, ...] = ()
    times: set[tuple[int, int]] = field(default_factory=set)
    dates: set[tuple[int | None, int, int]] = field(default_factory=set)
    pages: set[tuple[str, int]] = field(default_factory=set)
    """Document in lower case, empty where none is named, and page."""
    codes: set[str] = field(default_factory=set)
    """Fault and alarm codes: F07."""
    named: set[str] = field(default_factory=set)
    """Digits that tell one device from another: pump 2, 2号泵."""
    mentions: list[tuple[int, str]] = field(default_factory=list)
    """Where which device is named: the digit of `pump 2`, an identifier such as p-102, the device of a tag such as vfd2.speed_fb."""
    name_digits: set[str] = field(default_factory=set)
    """Digits inside identifiers: vfd2 holds 2, P-102 holds 102."""


def read(text: str, *, is_source: bool = False) -> Statement:
    """What `text` states; a source is read with the running numbers of its lists, and 30 000 also as 30000.

    >>> [str(q.value) for q in read("P-101 在 14:00 为 ４３．５Ｈｚ，四十度").quantities]
    ['40', '43.5']
    """
    found = Statement()
    text = _plain(text)
    found.codes = set(_CODE.findall(text))
    for take, patterns in (
        (_take_date, _DATES),
        (_take_page, _PAGES),
        (_take_time, _TIMES),
        (_take_name, (_NAMED,)),
        (_take_ordinal, (_ORDINAL,)),
        (_take_tag, (_TAG,)),
        (_take_identifier, (_IDENTIFIER,)),
    ):
        for pattern in patterns:
            text = _masked(text, pattern, take, found)
    found.quantities = take_quantities(text if is_source else _without_enumeration(text))
    if is_source and _SPACED.search(text):
        found.quantities += take_quantities(_SPACED.sub("", text))
    return found


@lru_cache(maxsize=2000)
def read_source(line: str) -> Statement:
    """What a line of an observation states; lines come again and again with each step of a turn."""
    return read(line, is_source=True)


def _plain(text: str) -> str:
    """NFKC with lists kept apart: a full-width comma is never a thousands separator, a circled digit is a bullet.

    Quotes from manuals are JSON strings, so that a line ends with a backslash and an n.
    """
    text = _CIRCLED.sub(" ", text).replace("，", ", ").replace("、", ", ").replace("\u2212", "-").replace("\\n", "\n")
    return re.sub(r"\bm3(?!\w)", "m³", unicodedata.normalize("NFKC", text), flags=re.ASCII)


def _masked(text: str, pattern: re.Pattern[str], take: Callable[[re.Match[str], Statement], bool], found: Statement) -> str:
    """`text` with each match that `take` took blanked out, position for position."""
    return pattern.sub(lambda match: "\x00" * len(match[0]) if take(match, found) else match[0], text)


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
    if parts.get("zh_h"):
        hour, minute = (int(chinese_value(parts[part] or "零") or 0) for part in ("zh_h", "zh_m"))
    else:
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
    doc = match["doc"] if match["doc"] and re.search(r"[-\d]", match["doc"]) else ""
    found.pages |= {(doc.lower(), int(page)) for page in (match["page"], match["to"]) if page}
    return True


def _take_name(match: re.Match[str], found: Statement) -> bool:
    digit = match["en"] or match["zh"] or match["zh_last"]
    digit = digit if digit.isascii() else str("一二三四五六七八九".index(digit) + 1)
    found.named.add(digit)
    found.mentions.append((match.start(), digit))
    return True


def _take_ordinal(match: re.Match[str], found: Statement) -> bool:  # noqa: ARG001 one signature for all takers
    return True


def _take_tag(match: re.Match[str], found: Statement) -> bool:
    found.name_digits |= set(re.findall(r"\d+", match[0]))
    found.mentions.append((match.start(), match["device"].lower()))
    return True


def _take_identifier(match: re.Match[str], found: Statement) -> bool:
    found.mentions.append((match.start(), match[0].lower()))
    found.name_digits |= set(re.findall(r"\d+", match[0]))
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
