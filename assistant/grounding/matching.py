"""Is a number that was said the one that was observed?"""

import re
from collections.abc import Sequence
from decimal import Decimal

from assistant.grounding.quantities import Quantity, seconds_per

MOST_RELATIVE = Decimal("0.01")
"""A rounded number may be off by this part of the observed one ..."""
SMALL_ABSOLUTE = Decimal("0.06")
MOST_RELATIVE_SMALL = Decimal("0.05")
"""... or, where it is off by no more than SMALL_ABSOLUTE, by this part: 0.62 may be told as 0.6, never 12.4 as 12 or 0.87 as 1."""

_DOWNWARD = re.compile(
    r"\b(?:below|under|lower|less|fall\w*|fell|drop\w*|decreas\w*|down|declin\w*|short|colder|slower)\b|低|降|少|跌|慢|减", re.IGNORECASE
)

_STATES_A_READING = re.compile(
    r"(?:\b(?:is|are|it's|runs|running|reads|reading|stands|shows|now|currently)(?:\s+(?:now|currently|already|set|running))*(?:\s+(?:at|to))?[\s:=]*"
    r"|(?:现在|目前|当前|现为|运行在|读数|显示|已)[是为：:\s]*|[是为])$",
    re.IGNORECASE,
)
"""Words in front of a number that make it a reading of now."""


def matches(said: Quantity, source: Quantity, answer: str) -> bool:
    """True if `source` is `said`, to the digits that were said, in a unit that fits; a sign may be told in words of `answer`."""
    value = source.value
    if said.units and source.units and not said.units & source.units:
        mine, theirs = seconds_per(said.units), seconds_per(source.units)
        if mine is None or theirs is None:
            return False
        value = value * theirs / mine
    if value < 0 <= said.value and _DOWNWARD.search(answer):
        value = -value
    off = abs(value - said.value)
    if off == 0:
        return True
    relative = off / abs(value) if value else Decimal(1)
    is_near = relative <= MOST_RELATIVE or (off <= SMALL_ABSOLUTE and relative <= MOST_RELATIVE_SMALL)
    return is_near and off <= Decimal(5).scaleb(-said.decimals - 1)


def is_said_back(said: Quantity, asked: Sequence[Quantity], answer: str) -> bool:
    """True if the number is one of the operator's own, not told as if it had been read."""
    return not _STATES_A_READING.search(said.lead) and any(matches(said, source, answer) for source in asked)
