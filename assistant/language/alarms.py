"""Which alarm an operator's words mean."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.service.words import words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAlarm:
    """An alarm and all words by which it may be called; `is_open` while it waits to be acknowledged."""

    id: str
    words: str
    is_open: bool


def meant_alarms(said: str, alarms: Sequence[NamedAlarm]) -> tuple[NamedAlarm, ...]:
    """The alarms that the words mean, all equally; by id, by their words, or the only open one if no words are said.

    >>> named = [NamedAlarm(id=f"AL-{n}", words=words, is_open=True) for n, words in ((1, "P-101 motor temperature"), (2, "chlorine"))]
    >>> [alarm.id for alarm in meant_alarms("motor temperature alarm", named)], len(meant_alarms("the alarm", named))
    (['AL-1'], 2)
    """
    by_id = [alarm for alarm in alarms if re.search(rf"(?<![a-z0-9]){re.escape(alarm.id.lower())}(?![0-9])", said.lower())]
    if by_id:
        return tuple(by_id)
    wanted = words_of(said)
    concepts = wanted.concepts - {"alarm", "high", "low", "fault"}
    scored = [(_score(alarm, concepts, wanted.identifiers, {found.number for found in wanted.instances}), alarm) for alarm in alarms]
    most = max((score for score, _ in scored), default=0)
    if not most:
        nothing_said = not concepts and not wanted.identifiers and not wanted.instances
        return tuple(alarm for alarm in alarms if alarm.is_open) if nothing_said else ()
    best = [alarm for score, alarm in scored if score == most]
    return tuple([alarm for alarm in best if alarm.is_open] or best)


def _score(alarm: NamedAlarm, concepts: frozenset[str], identifiers: Sequence[str], numbers: set[int]) -> int:
    words = words_of(alarm.words)
    known = {found.number for found in words.instances}
    if numbers and not numbers <= known:
        return 0
    if any(name not in words.identifiers for name in identifiers):
        return 0
    unknown = concepts - words.concepts - {"pump", "drive", "motor"}
    return 0 if unknown else len(concepts & words.concepts) + len(identifiers) + len(numbers)
