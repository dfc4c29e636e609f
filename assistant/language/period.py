"""Periods of time: the grammar that tools take, and the period that a question speaks of."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from assistant.language.amounts import plain

GRAMMAR = (
    '"1h", "30 min", "24h", "3 days", "today", "this morning", "this afternoon", "yesterday", "this week", "09:00-12:00"'
    ', "yesterday 14:00", "13:30", "since 06:00", "2h ago"'
)
"""What `span_of` reads, as examples for descriptions and error messages."""


class PeriodError(ValueError):
    """The text is no period; the message says what is."""


@dataclass(frozen=True, slots=True)
class Span:
    """A start and an end, aware; `instant` if one moment was asked for, which is then the end."""

    start: datetime
    end: datetime
    instant: bool = False


def span_of(period: str, now: datetime, zone: tzinfo) -> Span:
    """The span that `period` means at `now`, days and clock times in the site's time zone; raises PeriodError."""
    text = plain(period).removeprefix("the ").strip()
    local = now.astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if (match := _LAST.fullmatch(text)) is not None:
        length = timedelta(**{_UNIT[match["unit"][0]]: float(match["number"] or 1)})
        if length <= timedelta(0) or length > timedelta(days=400):
            raise PeriodError("a period lies between a moment and 400 days")
        return Span(local - length, local)
    if (match := _EARLIER.fullmatch(text)) is not None:
        moment = local - (timedelta(days=1) if match["number"] is None else timedelta(**{_UNIT[match["unit"][0]]: float(match["number"])}))
        return Span(moment - timedelta(minutes=5), moment, instant=True)
    since = text.startswith("since ")
    match = _DAY.fullmatch(text.removeprefix("since "))
    if match is None:
        raise PeriodError(f"{period!r} is no period; use one of {GRAMMAR}")
    day = midnight - timedelta(days=_BACK.get((match["day"] or "").split()[0] if match["day"] else "", 0))
    if match["day"] == "this week":
        return Span(midnight - timedelta(days=midnight.weekday()), local)
    if match["from"]:
        start = _at(day, match["from"])
        if since:
            return Span(start, local)
        if match["to"] is None:
            start = start if start <= local or match["day"] else start - timedelta(days=1)
            return Span(start - timedelta(minutes=5), start, instant=True)
        end = _at(day, match["to"])
        return Span(start, end if end > start else end + timedelta(days=1))
    part = match["part"]
    if part is None and match["day"] is None:
        raise PeriodError(f"{period!r} is no period; use one of {GRAMMAR}")
    begin, finish = _PARTS[part or "day"]
    start, end = day + timedelta(hours=begin), day + timedelta(hours=finish)
    return Span(start, min(end, local) if start < local else end)


def period_in(question: str) -> str | None:
    """The period a question names, in the grammar of `span_of`; None if it names none.

    >>> period_in("How many kWh did we use in the last two hours?"), period_in("今天上午的最大功率是多少？")
    ('2h', 'this morning')
    >>> period_in("昨天这个时候的流量")
    'yesterday now'
    >>> period_in("流量从9点到11点半怎么变化？"), period_in("What was the level at 1:30 pm?"), period_in("tank level")
    ('09:00-11:30', '13:30', None)
    """
    text = re.sub(r"\b(?:half an?|half) (?=hour)", "0.5 ", re.sub(r"\ban? (?=hour|minute|day|week)", "1 ", plain(question)))
    if (match := _AGO.search(text)) is not None:
        return f"{match['number'] or match['zh']}{_short(match['unit'] or match['zhunit'])} ago"
    day = next((name for name, pattern in _SAID_DAY if pattern.search(text)), "")
    if (match := _SAID_RANGE.search(text)) is not None:
        late = "pm" in text or "下午" in text or "晚上" in text
        return f"{day} {_clock(match['a'], late=late)}-{_clock(match['b'], late=late)}".strip()
    if day == "yesterday" and re.search(r"this time|same time|这个?时候|此时|这会儿|同一时间|现在这个", text):
        return "yesterday now"
    part = next((name for name, pattern in _SAID_PART if pattern.search(text)), "")
    if (match := _SAID_CLOCK.search(text)) is not None:
        since = "since " if match[0].startswith("since") or re.match("以来|起|开始|到现在|至今", text[match.end() :]) else ""
        late = "pm" in match[0] or "p.m" in match[0] or part in ("afternoon", "evening")
        return since + f"{day if day == 'yesterday' else ''} {_clock(match['clock'] or match['zh'], late=late)}".strip()
    if (match := _SAID_LAST.search(text)) is not None:
        number = match["number"] or match["zh"] or "1"
        return f"{number}{_short(match['unit'] or match['zhunit'])}"
    if part:
        return f"yesterday {part}" if day == "yesterday" else f"this {part}"
    return day or None


def without_period(text: str) -> str:
    """A plain question without the words that say when.

    >>> without_period("how many kwh did we use in the last hour?")
    'how many kwh did we use  ?'
    """
    return _PERIODS.sub(" ", text)


_PERIODS = re.compile(
    r"\bhow (?:fast|quickly)\b|\b(?:per|an|each) (?:hour|minute|day)\b|每(?:个)?(?:小时|分钟|天)|\b(?:in |over |during |for "
    r"|within )?(?:the )?(?:last|past|previous) (?:\d+(?:\.\d+)? ?)?(?:hours?|minutes?|mins?|days?|h|weeks?)\b|\b(?:this "
    r"|yesterday )?(?:morning|afternoon|evening|night)\b|\btoday\b|\byesterday\b|\bat this (?:rate|time)\b|\bthis time\b|\bthis week\b"
    r"|(?:from |between |at |since |around )?\d{1,2}:\d\d(?: ?(?:-|to|and|until|–) ?\d{1,2}:\d\d)?(?: ?[ap]m)?"
    r"|\d+(?:\.\d+)? ?(?:hours?|minutes?|mins?|h) ago|(?:最近|过去|近)?\d+(?:\.\d+)? ?个?(?:小时|分钟|天)(?:之?内|以?前)?|最近|过去"
    r"|今天|昨天|上午|下午|早上|晚上"
    r"|这个时候|照这个速度|按这个速度|按照?现在的?速度|\d{1,2}点(?:半|\d{1,2}分?)?"
)
_UNIT = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LAST = re.compile(
    r"(?:last |past |previous )?(?P<number>\d+(?:\.\d+)?)? ?(?P<unit>s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?"
    r"|w(?:eeks?)?)"
)
_EARLIER = re.compile(r"yesterday now|(?P<number>\d+(?:\.\d+)?) ?(?P<unit>min|h|d) ago")
_TIME = r"\d{1,2}:\d\d"
_DAY = re.compile(
    rf"(?P<day>today|yesterday|the day before yesterday|this week)?,? ?(?:this )?(?P<part>morning|afternoon|evening|night|day)?"
    rf"(?:(?:from |at )?(?P<from>{_TIME})(?: ?(?:-|to|until|–) ?(?P<to>{_TIME}))?)?"
)
_BACK = {"today": 0, "yesterday": 1, "the": 2, "this": 0}
_PARTS = {"day": (0, 24), "morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (0, 6)}
_SAID_DAY = (
    ("yesterday", re.compile(r"\byesterday\b|昨天|昨日|昨晚")),
    ("this week", re.compile(r"\bthis week\b|本周|这周")),
    ("today", re.compile(r"\btoday\b|今天|今日|当天|since midnight|so far")),
)
_SAID_PART = (
    ("morning", re.compile(r"\bmorning\b|上午|早上|早晨|今早")),
    ("afternoon", re.compile(r"\bafternoon\b|下午|午后")),
    ("evening", re.compile(r"\bevening\b|\btonight\b|晚上|傍晚|昨晚|今晚")),
    ("night", re.compile(r"\bnight\b|夜里|凌晨|夜间|overnight")),
)
_CLOCK = r"\d{1,2}点(?:半|\d{1,2}分?)?|\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?"
_SAID_RANGE = re.compile(
    rf"(?:(?:from|between|从) ?|(?<![a-z0-9.:-])(?=[\d:]*[:点]))(?P<a>{_CLOCK}) ?(?:-|–|to|until|till|and|到|至"
    rf"|~) ?(?P<b>{_CLOCK})(?=[^\d%.]|$)(?! ?(?:hz|%|bar|degc?|kw|ml|v\b|a\b|赫|度|米))"
)
_SAID_CLOCK = re.compile(
    r"(?:at |around |by |since |before |after )?(?P<clock>\d{1,2}:\d\d(?: ?[ap]\.?m)?|\d{1,2} ?[ap]\.?m\b)|(?P<zh>\d{1,2}点(?:半"
    r"|\d{1,2}分?)?)(?!几)"
)
_SAID_LAST = re.compile(
    r"(?:last|past|previous|in|for|over|within|during)(?: the)?(?: last| past| previous)? ?(?P<number>\d+(?:\.\d+)?)? ?(?P<unit>hours?"
    r"|hrs?|h\b|minutes?|mins?|days?|weeks?)\b"
    r"|(?P<zh>\d+(?:\.\d+)?) ?个?(?P<zhunit>小时|分钟|天|日|周)(?:之?内|以来|里|的|来|中)?"
)
_AGO = re.compile(
    r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>min(?:ute)?s?|h(?:ou)?rs?|h|days?) ago|(?P<zh>\d+(?:\.\d+)?) ?个?(?P<zhunit>小时|分钟"
    r"|天)(?:之|以)?前"
)


def _short(unit: str) -> str:
    return {"小": "h", "分": " min", "天": "d", "日": "d", "周": "w", "h": "h", "m": " min", "d": "d", "w": "w"}[unit[0]]


def _at(day: datetime, clock: str) -> datetime:
    hour, minute = map(int, clock.split(":"))
    if hour > 24 or minute > 59:
        raise PeriodError(f"{clock} is no time of day")
    return day + timedelta(hours=hour, minutes=minute)


def _clock(text: str, *, late: bool) -> str:
    numbers = re.findall(r"\d+", text)
    hour, minute = int(numbers[0]), 30 if "半" in text else int(numbers[1]) if len(numbers) > 1 else 0
    if (late or re.search(r"p\.?m", text)) and hour < 12 and not re.search(r"a\.?m", text):
        hour += 12
    return f"{hour:02d}:{minute:02d}"
