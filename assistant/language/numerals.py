"""Numbers in words, Chinese and English, written with digits."""

import re
from decimal import Decimal

_DIGIT = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SCALE = {"十": 10, "百": 100, "千": 1000}
_MEASURES = (
    "赫兹|赫|摄氏度|度|百分点|分钟|个?小时|秒|毫升|升|毫克|千瓦|伏|安|巴|米|立方|方|%|hz|kw|kwh|bar|ml|mg|°|deg|h\\b|a\\b|v\\b|s\\b|m\\b"
)
_NUMERAL = re.compile(
    rf"百分之(?P<percent>[零〇一二两三四五六七八九十百]+(?:点[零〇一二三四五六七八九]+)?)"
    rf"|(?P<clock>[零一二三四五六七八九十]{{1,3}})点(?P<minute>半|[零一二三四五六七八九十]{{1,3}}分)"
    rf"|(?P<number>[零〇一二两三四五六七八九十百千]*[零〇一二两三四五六七八九十]点[零〇一二三四五六七八九]+"
    rf"|(?:[一二两三四五六七八九]+[十百千]|十(?!分(?!钟)))[零〇一二三四五六七八九十百]*)(?!号)"
    rf"|(?P<single>[零一二两三四五六七八九])(?= ?(?:{_MEASURES})|(?<=[上下中]午.)点|(?<=[早晚]上.)点"
    rf"|(?<![高低大小快慢多少一有])(?<=[^一])点(?=整|钟|$|[到至的?？]))"
    r"|(?P<half>半)(?=个?小时)"
)
_ONES = [
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
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_ENGLISH = (
    {word: value for value, word in enumerate(_ONES, 1)}
    | {word: value for value, word in zip(range(20, 100, 10), _TENS, strict=True)}
    | {"zero": 0}
)
_WORD = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_SPELT = re.compile(
    rf"\b(?P<whole>(?:(?:{_WORD})[ -]?(?:hundred)?(?: and)?[ -]?)+)(?P<point>point (?P<decimals>(?:(?:{_WORD}) ?)+))?"
    r"(?=\s*(?:hz|hertz|degrees?|deg|percent|%|amps?|volts?|bar|kw|kwh|ml|millilit|seconds?|minutes?|hours?|m3|metres?|meters?)|[ .?!,]*$)"
)


def with_digits(text: str) -> str:
    """`text` (folded) with spelt numbers as digits; ordinals and idioms such as 一下, 两台 and "one of" stay.

    >>> with_digits("1号泵四十三点五赫兹"), with_digits("再高两赫兹"), with_digits("设成三十八度"), with_digits("调低一点")
    ('1号泵43.5赫兹', '再高2赫兹', '设成38度', '调低一点')
    >>> with_digits("set pump 1 to forty-three point five hz"), with_digits("百分之十五"), with_digits("九点半")
    ('set pump 1 to 43.5 hz', '15%', '9:30')
    """
    return _SPELT.sub(_english, _NUMERAL.sub(_chinese, text))


def _chinese(match: re.Match[str]) -> str:
    group = match.groupdict()
    if group["percent"]:
        return f"{_value(group['percent'])}%"
    if group["clock"]:
        minute = "30" if group["minute"] == "半" else f"{int(_value(group['minute'][:-1])):02d}"
        return f"{_value(group['clock'])}:{minute}"
    if group["half"]:
        return "0.5"
    return str(_value(group["number"] or group["single"]))


def _value(numeral: str) -> Decimal:
    whole, _, decimals = numeral.partition("点")
    total, digit = 0, 0
    if not any(sign in _SCALE for sign in whole):
        total = int("".join(str(_DIGIT[sign]) for sign in whole) or 0)
    else:
        for sign in whole:
            if sign in _SCALE:
                total += (digit or 1) * _SCALE[sign]
                digit = 0
            else:
                digit = _DIGIT[sign]
        total += digit
    fraction = "".join(str(_DIGIT[sign]) for sign in decimals)
    return Decimal(f"{total}.{fraction}" if fraction else total)


def _english(match: re.Match[str]) -> str:
    total = 0
    for word in re.findall(rf"{_WORD}|hundred", match["whole"]):
        total = total * 100 if word == "hundred" else total + _ENGLISH[word]
    decimals = "".join(str(_ENGLISH[word]) for word in re.findall(_WORD, match["decimals"] or ""))
    tail = " " if match[0].endswith(" ") else ""
    return f"{total}{'.' + decimals if decimals else ''}{tail}"
