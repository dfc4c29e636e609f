"""Numbers written in words, Chinese (四十三点五) and English (forty-three point five), as decimals."""

import re
from decimal import Decimal

from assistant.grounding.units import PATTERN as UNIT

_DIGITS = {sign: value for value, signs in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九")) for sign in signs}
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10000}
CHINESE = re.compile(
    r"[零〇一二两三四五六七八九十百千万]+点[零〇一二三四五六七八九]+"
    r"|(?=[零〇一二两三四五六七八九]*[十百千万])[零〇一二两三四五六七八九十百千万]{2,}"
    rf"|(?!十分(?!钟))[零〇一二两三四五六七八九十]+(?=\s*{UNIT})",
    re.IGNORECASE,
)

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {word: 10 * (n + 2) for n, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])}
_ENGLISH_VALUES = {**{word: n for n, word in enumerate(_ONES)}, **_TENS}
_WORD = "|".join(sorted([*_ENGLISH_VALUES, "hundred", "thousand"], key=len, reverse=True))
ENGLISH = re.compile(rf"\b(?:{_WORD})(?:[ -](?:and )?(?:{_WORD}))*(?: point(?: (?:{'|'.join(_ONES[:10])}))+)?\b", re.IGNORECASE)


def chinese_value(text: str) -> Decimal | None:
    """The number that a run of Chinese numerals says, None if it says none.

    >>> chinese_value("四十三点五"), chinese_value("一千二百"), chinese_value("万一")
    (Decimal('43.5'), Decimal('1200'), None)
    """
    whole, _, fraction = text.partition("点")
    total = section = digit = 0
    previous_scale = 10**9
    for sign in whole:
        if sign in _DIGITS:
            digit = digit * 10 + _DIGITS[sign] if not any(s in whole for s in _SCALES) else _DIGITS[sign]
            continue
        scale = _SCALES[sign]
        if sign == "万":
            if not (section + digit):
                return None
            total, section, digit, previous_scale = (section + digit) * scale, 0, 0, 10**9
            continue
        if scale >= previous_scale or (not digit and (scale > 10 or section)):
            return None
        section, digit, previous_scale = section + (digit or 1) * scale, 0, scale
    number = str(total + section + digit)
    return Decimal(f"{number}.{''.join(str(_DIGITS[sign]) for sign in fraction)}" if fraction else number)


def english_value(text: str) -> Decimal:
    """The number that English number words say.

    >>> english_value("forty-three point five"), english_value("one hundred and twenty")
    (Decimal('43.5'), Decimal('120'))
    """
    whole, _, fraction = text.lower().partition(" point ")
    total = current = 0
    for word in re.findall(r"[a-z]+", whole):
        if word == "hundred":
            current = (current or 1) * 100
        elif word == "thousand":
            total, current = total + (current or 1) * 1000, 0
        elif word != "and":
            current += _ENGLISH_VALUES[word]
    digits = "".join(str(_ENGLISH_VALUES[word]) for word in fraction.split())
    return Decimal(f"{total + current}.{digits}" if digits else str(total + current))
