"""The names that interlock conditions and waits speak of (MAPS 1b: `NAME op number or 'label'`)."""

import re

_CONDITION = re.compile(r"\s*([A-Za-z][\w.-]*)\s*(==|!=|<=|>=|<|>)\s*('[^']*'|-?\d+(?:\.\d+)?)\s*")


def parse(text: str) -> tuple[str, str, str] | None:
    """Name, operator and value of a condition, or None if it is none; a label keeps its quotes.

    >>> parse("lt1.level >= 15"), parse("level is high")
    (('lt1.level', '>=', '15'), None)
    """
    match = _CONDITION.fullmatch(text)
    return (match[1], match[2], match[3]) if match else None
