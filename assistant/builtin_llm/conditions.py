"""Limits that sentences of a manual state, to be held against values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from assistant.language.amounts import plain

Kind = Literal["at_least", "at_most", "when_below", "when_above", "range", "interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A limit that a sentence states: `about` are its words for the quantity."""

    kind: Kind
    about: str
    low: Decimal
    high: Decimal
    shown: str


def conditions(sentences: Sequence[str]) -> tuple[Condition, ...]:
    """The limits that sentences state."""
    found = []
    for sentence in sentences:
        text = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", plain(sentence))
        for pattern, kind in _CONDITIONS:
            for match in pattern.finditer(text):
                low = Decimal(match["low"])
                high = Decimal(match["high"]) if "high" in pattern.groupindex else low
                found.append(Condition(kind=kind, about=match["about"].strip(), low=low, high=high, shown=match["limit"].strip()))
    return tuple(dict.fromkeys(found))


_NUMBER = r"\d+(?:\.\d+)?"
_UNIT = r"(?: ?(?:%|degc|mg/l|ml/min|hz|kw|bar|m3/h|minutes?|min|hours?|小时|分钟|h|s|v|a|m)\b|%|小时|分钟)?"
_ONE = rf"[ ]?(?P<limit>(?P<low>{_NUMBER}){_UNIT})"
_TWO = rf"[ ]?(?P<limit>(?P<low>{_NUMBER}) ?(?:~|-|to|至|到|\.\.) ?(?P<high>{_NUMBER}){_UNIT})"
_HOURS = rf"[ ]?(?P<limit>(?P<low>{_NUMBER}) ?(?:h\b|hours?|小时))"
_WORDS: dict[Kind, tuple[str, str, str]] = {
    "range": (r"\brange(?: of)?", r"范围[为:是]*", _TWO),
    "at_least": (r"at least|not (?:be )?(?:below|less than|under)", r"不(?:得)?低于|不(?:得)?小于|至少为?", _ONE),
    "at_most": (r"at most|not (?:be )?(?:above|more than|exceed|over)", r"不(?:得)?(?:高于|超过|大于)", _ONE),
    "when_below": (r"(?:is|are|falls|drops) (?:below|under|less than)", r"(?<!不)(?<!不得)(?:低于|小于)", _ONE),
    "when_above": (r"above|over|higher than|exceeds?", r"(?<!不)(?<!不得)(?:高于|超过|大于)", _ONE),
    "interval": (r"\bevery|\bafter", r"每(?:运行|工作)?", _HOURS),
}
"""Kind -> how English and how Chinese says it, and the numbers that follow."""

_CONDITIONS = [
    (re.compile(rf"(?P<about>[^,;.。]{{0,40}}?)(?:{english}|{chinese}){numbers}"), kind)
    for kind, (english, chinese, numbers) in _WORDS.items()
]
