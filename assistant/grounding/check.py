"""Is every number, unit, time, page and claim of an answer found in what this turn observed?"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from assistant.grounding.claims import false_claims
from assistant.grounding.quantities import Quantity, seconds_per
from assistant.grounding.statement import Statement, read

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an answer may rest on: this turn's observations, the operator's own words, and the manual pages retrieved."""

    observations: Sequence[str]
    question: str
    pages: frozenset[tuple[str, int]] = frozenset()
    has_proposal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something the answer says without support; `text` as it stands there."""

    kind: Literal["number", "time", "date", "code", "name", "page", "claim"]
    text: str


def problems(answer: str, evidence: Evidence) -> tuple[Problem, ...]:
    """What `answer` says that the evidence does not support; empty if it is grounded.

    >>> evidence = Evidence(observations=["vfd1.speed_fb 44.87 Hz GOOD 1 s"], question="how fast is pump 1?")
    >>> problems("Pump 1 runs at 44.9 Hz.", evidence), problems("It runs at 50 Hz.", evidence)
    ((), (Problem(kind='number', text='50 Hz'),))
    """
    said = read(answer)
    observed = [read(text) for text in evidence.observations]
    asked = read(evidence.question)
    known = [*observed, asked]
    found = [Problem(kind="number", text=q.text) for q in said.quantities if not _is_grounded(q, observed, asked, answer)]
    found += [
        Problem(kind="time", text=f"{h:02}:{m:02}") for h, m in sorted(said.times) if not any((h, m) in source.times for source in known)
    ]
    found += [Problem(kind="date", text=f"{m:02}-{d:02}") for y, m, d in sorted(said.dates, key=str) if not _has_date(known, y, m, d)]
    found += [Problem(kind="code", text=code) for code in sorted(said.codes) if not any(code in source.codes for source in known)]
    found += [Problem(kind="name", text=digit) for digit in sorted(said.named - _device_digits(known))]
    found += [
        Problem(kind="page", text=f"{doc} p.{page}".strip()) for doc, page in sorted(said.pages) if not _has_page(evidence.pages, doc, page)
    ]
    claims = false_claims(answer, "\n".join(evidence.observations), evidence.question, has_proposal=evidence.has_proposal)
    return (*found, *(Problem(kind="claim", text=text) for text in claims))


def correction(found: Iterable[Problem]) -> str:
    """What a model is told about its ungrounded answer, in one line."""
    words = {
        "number": "the number {} is not in the observations",
        "time": "the time {} is not in the observations",
        "date": "the date {} is not in the observations",
        "code": "the code {} is not in the observations",
        "name": "no device number {} is in the observations",
        "page": "the page {} was not retrieved",
        "claim": '"{}" claims something that did not happen; you cannot change anything, only propose',
    }
    return "; ".join(dict.fromkeys(words[problem.kind].format(problem.text) for problem in found))


def cited(answer: str, pages: Iterable[tuple[str, int]]) -> frozenset[tuple[str, int]]:
    """Those of `pages` that the answer names."""
    said = read(answer).pages
    return frozenset((doc, page) for doc, page in pages if (doc.lower(), page) in said or ("", page) in said)


def _device_digits(known: Sequence[Statement]) -> set[str]:
    inside = {digits for source in known for digits in source.name_digits}
    return inside | {digits[-1] for digits in inside} | {digit for source in known for digit in source.named}


def _has_date(known: Sequence[Statement], year: int | None, month: int, day: int) -> bool:
    return any((m, d) == (month, day) and (year is None or y in (None, year)) for source in known for y, m, d in source.dates)


def _has_page(pages: frozenset[tuple[str, int]], doc: str, page: int) -> bool:
    return any(number == page and (not doc or name.lower() == doc) for name, number in pages)


def _is_grounded(said: Quantity, observed: Sequence[Statement], asked: Statement, answer: str) -> bool:
    """Observed, or the operator's own number said back, but not as if it had been read."""
    if any(_matches(said, source, answer) for statement in observed for source in statement.quantities):
        return True
    return not _STATES_A_READING.search(said.lead) and any(_matches(said, source, answer) for source in asked.quantities)


def _matches(said: Quantity, source: Quantity, answer: str) -> bool:
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
