"""Which points a few words mean: a pure ranking over titles, aliases, units and labels, in English and Chinese."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gateway.model.point import Text
from gateway.service.base import DeviceInfo, PointInfo
from gateway.service.lexicon import CONCEPTS, STOP_EN, THINGS, UNITS
from gateway.service.words import Term, Words, fold, words_of

TIE = 0.02
"""Scores closer than this are equally good."""

EXACT = 0.97
"""From this score on the words name the point and nothing else."""

_PUMP_SET = frozenset({"pump", "drive", "motor"})
"""One set of pump, motor and drive goes by each of the three names."""

_SOFT = frozenset(
    {
        "total",
        "code",
        "command",
        "name",
        "time",
        "station",
        "feedback",
        "imported",
        "controller",
        "status",
        "mode",
        "u:min",
        "u:h",
        "u:s",
        "u:%",
    }
)
"""Concepts a point may leave uncovered and still be meant."""

_IMPLIED = {"tank": "level", "emergency_stop": "emergency_stop"}
"""What is asked about a thing when no quantity is named."""

QUANTITIES = frozenset(list(CONCEPTS)[: list(CONCEPTS).index("chemical")])
"""The concepts that are measured or set, as against things and states."""


def find(
    points: Sequence[PointInfo], devices: Sequence[DeviceInfo], query: str, device: str | None = None, limit: int = 10
) -> tuple[PointInfo, ...]:
    """The points that `query` names, best first, with scores in 0..1; none where not even one word of a point is named."""
    by_id = {info.id: info for info in devices}
    exact = [replace(point, score=1.0) for point in points if fold(point.tag) in fold(query).split()]
    if exact:
        return tuple(exact[:limit])
    wanted = _wanted(query, points)
    elsewhere = frozenset(
        name for info in devices for text in (info.id, *info.aliases, info.title.en) for name in words_of(text).identifiers
    )
    scored = []
    for point in points:
        if device is not None and point.device != device:
            continue
        score = _score(wanted, _faces(point, by_id.get(point.device)), elsewhere)
        if score > 0:
            scored.append(replace(point, score=round(score, 4)))
    scored.sort(key=lambda point: (-point.score, point.tag))
    if scored and not (wanted.instances or wanted.identifiers or {concept for term in wanted.terms for concept in term.concepts} & THINGS):
        scored = _tied(scored, wanted, devices)
    return tuple(scored[:limit])


def missing(point: PointInfo, devices: Sequence[DeviceInfo], query: str) -> tuple[str, ...]:
    """The words of `query` that neither the point nor its device bears: with any of them the point is not what was meant."""
    if fold(point.tag) in fold(query).split():
        return ()
    wanted = _wanted(query, (point,))
    faces = _faces(point, {info.id: info for info in devices}.get(point.device))
    words = [term.word for term in wanted.terms if not _covers(faces, term) and not set(term.concepts) & _SOFT]
    words += [name for name in wanted.identifiers if name not in faces.identifiers and name not in faces.label_identifiers]
    numbers = faces.numbers
    words += [f"{found.noun.lstrip('=')} {found.number}".strip() for found in wanted.instances if found.number not in numbers]
    return tuple(dict.fromkeys(words))


def _tied(scored: Sequence[PointInfo], wanted: Words, devices: Sequence[DeviceInfo]) -> list[PointInfo]:
    """No device was named: the best point of each device that bears all words is as good as the best of all.

    A measured quantity has one unit: the share of a title that its words fill says nothing of which device is meant.
    """
    first = scored[0]
    measured = {concept for term in wanted.terms for concept in term.concepts} & (
        QUANTITIES - {"setpoint", "feedback", "fault", "status", "mode", "run"}
    )
    best: dict[str, float] = {}
    for point in scored:
        best.setdefault(point.device, point.score)
    raised = [
        replace(point, score=first.score)
        if point.score >= best[point.device] - TIE
        and (not measured or point.unit == first.unit)
        and not missing(point, devices, wanted.text)
        else point
        for point in scored
    ]
    return sorted(raised, key=lambda point: (-point.score, point.tag))


@dataclass(frozen=True, slots=True)
class _Faces:
    """All by which a point may be called."""

    variants: tuple[Words, ...]
    own: frozenset[str]
    measured: frozenset[str]
    device: frozenset[str]
    labels: frozenset[str]
    identifiers: frozenset[str]
    label_identifiers: frozenset[str]
    numbers: frozenset[int]
    device_id: str


def _wanted(query: str, points: Sequence[PointInfo]) -> Words:
    words = words_of(query)
    own = {word.word for point in points for text in _texts(point) for word in words_of(text).terms}
    words = replace(words, terms=tuple(term for term in words.terms if (term.binds or term.word in own) and not _misspelt_filler(term)))
    unknown = [term for term in words.terms if term.is_unknown and term.word.isascii() and len(term.word) >= 5]
    terms = list(words.terms)
    if unknown:
        for term in unknown:
            meant = _spelling(term.word, frozenset(own))
            if meant is not None:
                terms[terms.index(term)] = Term(term.word, meant, term.start, term.end)
    concepts = {concept for term in terms for concept in term.concepts}
    if not concepts & (QUANTITIES - {"setpoint"}) and not any(concept.startswith("=") for concept in concepts):
        terms += [Term(implied, (implied,), -1, -1) for thing, implied in _IMPLIED.items() if thing in concepts]
    return Words(words.text, tuple(terms), words.instances, words.identifiers)


@lru_cache(maxsize=4096)
def _spelling(word: str, own: frozenset[str]) -> tuple[str, ...] | None:
    """Concepts of the word that a misspelt one stands for, if one is near enough."""
    if word in own:
        return None
    known = {name: (concept,) for concept, (english, _) in CONCEPTS.items() for name in english.split(",") if len(name) >= 5}
    swapped = [name for name in known if sorted(name) == sorted(word)]
    if swapped:
        return known[swapped[0]]
    near = difflib.get_close_matches(word, [*known, *(name for name in own if name.isascii() and len(name) >= 5)], n=1, cutoff=0.82)
    if not near or near[0][0] != word[0]:
        return None
    return known.get(near[0], (f"={near[0]}",))


def _misspelt_filler(term: Term) -> bool:
    """True for a word that says nothing, with two letters swapped: waht."""
    return term.concepts[0].startswith("=") and "".join(sorted(term.word)) in _FILLER_LETTERS


_FILLER_LETTERS = frozenset("".join(sorted(word)) for word in STOP_EN if len(word) >= 4)


def _texts(point: PointInfo) -> tuple[str, ...]:
    name = point.tag.partition(".")[2].replace("_", " ")
    return tuple(text for text in (point.title.en, point.title.zh, name, *point.aliases) if text)


def _label_texts(labels: Mapping[int, Text]) -> list[str]:
    return [text for label in labels.values() for text in (label.en, label.zh) if text]


def _faces(point: PointInfo, device: DeviceInfo | None) -> _Faces:
    variants = tuple(words_of(text) for text in _texts(point))
    labels = [words_of(text.replace("_", " ")) for text in _label_texts(point.enum) + _label_texts(point.flags)]
    own = frozenset(concept for words in variants for concept in words.concepts)
    measured = UNITS[point.unit][0] if point.unit in UNITS else ""
    weak = frozenset({measured} if measured else ())
    own |= {f"u:{point.unit}"} if point.unit else set()
    own |= {"run"} if "run_hours" in own else set()
    names = [point.device_title.en, point.device_title.zh, point.device]
    if device is not None:
        names += [*device.aliases, device.area, device.model, device.title.en, device.title.zh, device.id]
    about = [words_of(name) for name in names if name]
    things = frozenset(concept for words in about for concept in words.concepts)
    everything = [*variants, *about]
    identifiers = frozenset(name for words in everything for name in words.identifiers)
    numbers = {found.number for words in everything for found in words.instances}
    numbers |= {int(name.rsplit("-", 1)[-1]) for name in identifiers if name.rsplit("-", 1)[-1].isdecimal()}
    return _Faces(
        variants,
        own,
        weak,
        things | (_PUMP_SET if things & _PUMP_SET else frozenset()),
        frozenset(concept for words in labels for concept in words.concepts),
        identifiers,
        frozenset(name for words in labels for name in words.identifiers),
        frozenset(numbers),
        point.device,
    )


def _covers(faces: _Faces, term: Term) -> float:
    if term.concepts[0].startswith("u:"):
        return 1.0 if any(concept in faces.own for concept in term.concepts) else 0.0
    if set(term.concepts) & faces.measured and not set(term.concepts) & faces.own:
        return 0.7
    if all(concept in faces.own or concept in faces.device or concept in _SOFT for concept in term.concepts):
        if set(term.concepts) & faces.own:
            return 1.0
        if set(term.concepts) & faces.device:
            return 0.8
    return 0.5 if any(concept in faces.labels for concept in term.concepts) else 0.0


def _score(wanted: Words, faces: _Faces, elsewhere: frozenset[str]) -> float:
    """0..1: how much of what is wanted the faces cover; a number or name of another device rules the point out."""
    total, got, own = 0.0, 0.0, False
    strict = 0
    for found in wanted.instances:
        if found.number not in faces.numbers:
            return 0.0
        total, got = total + 1, got + 1
    for name in wanted.identifiers:
        total += 1
        if name in faces.identifiers:
            got += 1
        elif name in faces.label_identifiers:
            got, own = got + 0.5, True
        elif name in elsewhere:
            return 0.0
        else:
            strict += 1
    for term in wanted.terms:
        covered = _covers(faces, term)
        weight = 0.3 if not covered and set(term.concepts) & _SOFT else 1.0
        total, got = total + weight, got + covered
        own = own or covered in (1.0, 0.7, 0.5)
        strict += covered == 0.0 and not set(term.concepts) & _SOFT
    if not total or not own:
        return 0.0
    named = {concept for term in wanted.terms for concept in term.concepts}
    precision = max((_share(words, named) for words in faces.variants), default=0.0)
    return got / total * (0.75 + 0.25 * precision) * 0.5**strict


def _share(variant: Words, named: set[str]) -> float:
    if not variant.terms:
        return 0.0
    concepts = [concept for term in variant.terms for concept in term.concepts]
    return sum(concept in named for concept in concepts) / (len(concepts) + 0.3 * variant.skipped)
