"""Numbers with units in what an operator wrote: not those of names, times and dates."""

import re
from dataclasses import dataclass
from decimal import Decimal

from assistant.language.numerals import with_digits
from gateway.service.lexicon import UNITS
from gateway.service.words import fold, instances_of


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it was written, its unit in the maps' spelling (empty where none stood), and its place."""

    value: Decimal
    unit: str
    start: int
    end: int


def plain(text: str) -> str:
    """The text as the other functions read it: folded, numbers as digits, digits that were torn apart joined.

    >>> plain("Set pump 1 to 4 3 Hz"), plain("１号泵　４３．５Ｈｚ")
    ('set pump 1 to 43 hz', '1号泵 43.5hz')
    """
    folded = re.sub(r"(?:\bminus |\bnegative |负)(?=\d)", "-", with_digits(fold(text)))
    names = [(found.start, found.end) for found in instances_of(folded)]
    for match in reversed(list(_TORN.finditer(folded))):
        if not any(start < match.end(1) and match.start() < end for start, end in names):
            folded = folded[: match.start()] + match[0].replace(" ", "") + folded[match.end() :]
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", folded)


def amounts_in(text: str) -> tuple[Amount, ...]:
    """The amounts of a plain text, in order.

    >>> [(str(found.value), found.unit) for found in amounts_in(plain("Raise P-101 by 2.5 hertz at 14:30, drive 2 too"))]
    [('2.5', 'Hz')]
    """
    masked = text
    for start, end in [(found.start, found.end) for found in instances_of(text)] + [found.span() for found in _NOT_AMOUNTS.finditer(text)]:
        masked = masked[:start] + " " * (end - start) + masked[end:]
    return tuple(
        Amount(Decimal(found["number"].replace(",", ".")), _UNIT_OF.get(found["unit"] or "", ""), found.start(), found.end())
        for found in _AMOUNT.finditer(masked)
    )


_UNIT_OF = {form: unit for unit, (_, english, chinese) in UNITS.items() for form in f"{english},{chinese}".split(",")}
_FORMS = "|".join(
    re.escape(form) + (r"(?![a-z0-9])" if form.isascii() and form != "%" else "") for form in sorted(_UNIT_OF, key=len, reverse=True)
)
_AMOUNT = re.compile(rf"(?<![a-z0-9_.])(?P<number>-?\d+(?:[.,]\d+)?)(?![\d:])(?: ?(?P<unit>{_FORMS}))?(?![\d.]*\d)")
_TORN = re.compile(rf"(?<![a-z0-9_.,:-])(\d) \d(?:\.\d+)?(?= ?(?:{_FORMS})|[ .!?。！]*$)")
_NOT_AMOUNTS = re.compile(
    r"\d{4}-\d\d-\d\d(?:t[\d:]+)?|\d{1,2}:\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]\.?m\b\.?|\d{1,2}点(?:\d{1,2}分?|半)?"
    r"|[a-z][a-z_]*-?\d[a-z0-9_.-]*|\d+-bit|m3"
    r"|(?:密码|口令|password|pin|token)\D{0,4}\S+|(?:last|past|最近|过去|近) ?\d+(?:\.\d+)? ?(?:min\w*|h\w*|个?小时|分钟|天|d\w*)"
    r"|\d+ ?(?:个?小时|分钟"
    r"|天)(?:之?前|内|以来)"
    r"|\d+(?:\.\d+)? ?(?:min\w*|hours?|h|days?) ago"
)
