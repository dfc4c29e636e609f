"""Is every number, unit, time, page and claim of an answer found in what this turn observed?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.grounding.claims import false_claims
from assistant.grounding.matching import is_said_back, matches
from assistant.grounding.owners import misplaced
from assistant.grounding.quantities import Quantity
from assistant.grounding.statement import Statement, read, read_source
from assistant.grounding.states import unseen_states


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

    kind: Literal["number", "owner", "time", "date", "code", "name", "page", "claim", "state"]
    text: str


def problems(answer: str, evidence: Evidence) -> tuple[Problem, ...]:
    """What `answer` says that the evidence does not support; empty if it is grounded.

    >>> evidence = Evidence(observations=["vfd1.speed_fb 44.87 Hz GOOD 1 s"], question="how fast is pump 1?")
    >>> problems("Pump 1 runs at 44.9 Hz.", evidence), problems("It runs at 50 Hz.", evidence)
    ((), (Problem(kind='number', text='50 Hz'),))
    """
    said = read(answer)
    lines = [line for text in evidence.observations for line in text.splitlines()]
    observed = [read_source(line) for line in lines]
    asked = read(evidence.question, is_source=True)
    known = [*observed, asked]
    found = [Problem(kind="number", text=q.text) for q in said.quantities if not _is_grounded(q, observed, asked, answer)]
    found += [Problem(kind="owner", text=text) for text in misplaced(answer, lines, asked)]
    found += [
        Problem(kind="time", text=f"{h:02}:{m:02}") for h, m in sorted(said.times) if not any((h, m) in source.times for source in known)
    ]
    found += [Problem(kind="date", text=f"{m:02}-{d:02}") for y, m, d in sorted(said.dates, key=str) if not _has_date(known, y, m, d)]
    found += [Problem(kind="code", text=code) for code in sorted(said.codes) if not any(code in source.codes for source in known)]
    found += [Problem(kind="name", text=digit) for digit in sorted(said.named - _device_digits(known))]
    found += [
        Problem(kind="page", text=f"{doc} p.{page}".strip()) for doc, page in sorted(said.pages) if not _has_page(evidence.pages, doc, page)
    ]
    found += [Problem(kind="state", text=text) for text in unseen_states(answer, lines)]
    claims = false_claims(answer, "\n".join(evidence.observations), evidence.question, has_proposal=evidence.has_proposal)
    return (*found, *(Problem(kind="claim", text=text) for text in claims))


def correction(found: Iterable[Problem]) -> str:
    """What a model is told about its ungrounded answer, in one line."""
    words = {
        "number": "the number {} is not in the observations",
        "owner": "the number {} was not observed of the device that you name with it",
        "time": "the time {} is not in the observations",
        "date": "the date {} is not in the observations",
        "code": "the code {} is not in the observations",
        "name": "no device number {} is in the observations",
        "page": "the page {} was not retrieved",
        "state": '"{}" is a state that no observation shows',
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
    is_observed = any(matches(said, source, answer) for statement in observed for source in statement.quantities)
    return is_observed or is_said_back(said, asked.quantities, answer)
