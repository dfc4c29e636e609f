"""What speaks for each passage of a snapshot: its words, its meaning, the codes it holds, how much of the question it covers.

All arrays run over `snapshot.entries`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.manuals.query import Unit, Units
from assistant.manuals.snapshot import Floats, Snapshot
from assistant.manuals.tokens import codes, is_chinese

Mask = NDArray[np.bool_]

_HOW_TO = re.compile(r"\bhow (?:do|can|to|should)\b|\bsteps?\b|\bprocedure\b|怎么|如何|步骤|怎样", re.IGNORECASE)
_CODE_SHARE = 0.6
"""A passage that holds all codes asked for is this near at least, whatever else was asked."""

_UNHEARD = 2.5
"""What no manual speaks of weighs more: it is what the question is about, and it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How the votes count against each other; found by trying them on the questions of the tests."""

    keyword: float = 0.3
    coverage: float = 3.0
    code: float = 4.0
    code_key: float = 4.0
    model: float = 2.0
    same_language: float = 2.0
    steps: float = 0.8
    whole_table: float = -0.6


WEIGHTS = Weights()


def score(
    snapshot: Snapshot, text: str, asked: Units, vector: Floats | None, parts: Sequence[int], weights: Weights
) -> tuple[Floats, Floats]:
    """The rank score of each passage, and how near it is to the question, 0 to 1."""
    coverage = _coverage(snapshot, asked)
    total = weights.keyword * _keywords(snapshot, asked) + weights.coverage * coverage + _meaning(snapshot, vector, parts)
    total[snapshot.is_chinese == (asked.lang == "zh")] += weights.same_language
    total[snapshot.is_table] += weights.whole_table
    if _HOW_TO.search(text):
        total[snapshot.has_steps] += weights.steps
    models = codes(text) & snapshot.model_places.keys()
    for model in sorted(models):
        total[snapshot.model_places[model]] += weights.model
    wanted = sorted(codes(text) - models)
    holds_all = np.full(len(total), bool(wanted), dtype=np.bool_)
    for code in wanted:
        holds = _places(snapshot, snapshot.code_places.get(code, ()))
        total[holds] += weights.code / len(wanted)
        total[_places(snapshot, snapshot.code_keys.get(code, ()))] += weights.code_key / len(wanted)
        holds_all &= holds
    return total, np.where(holds_all, np.maximum(coverage, _CODE_SHARE), coverage).astype(np.float32)


def _keywords(snapshot: Snapshot, asked: Units) -> Floats:
    """BM25: of each unit the best way to say it, in the language of the passage."""
    return _by_language(snapshot, *(_summed(snapshot, [_best_way(snapshot, unit) for unit in asked.of(lang)]) for lang in ("en", "zh")))


def _best_way(snapshot: Snapshot, unit: Unit) -> Floats:
    return np.asarray(np.max([snapshot.keyword_scores(way) for way in unit.ways], axis=0), dtype=np.float32)


def _coverage(snapshot: Snapshot, asked: Units) -> Floats:
    """Share of the question's weight (rare words weigh more) that each passage and its header speak of."""
    return _by_language(snapshot, *(_covered(snapshot, asked.of(lang)) for lang in ("en", "zh")))


def _covered(snapshot: Snapshot, asked: Sequence[Unit]) -> Floats:
    weighed = list(_weighed(snapshot, asked))
    total = sum(weight for _, weight in weighed) or 1.0
    return _summed(snapshot, [weight / total * _speaks_of(snapshot, unit) for unit, weight in weighed])


def _weighed(snapshot: Snapshot, asked: Sequence[Unit]) -> Iterator[tuple[Unit, float]]:
    """Each unit with its weight. Pairs of Chinese characters that straddle two words, and lone characters, weigh nothing."""
    pairs = [word for unit in asked for way in unit.ways for word in way if is_chinese(word)]
    known = {sign for word in pairs if word in snapshot.postings for sign in word}
    for unit in asked:
        words = {word for way in unit.ways for word in way}
        straddles = len(unit.ways) == 1 and all(is_chinese(word) and (len(word) == 1 or set(word) & known) for word in words)
        if not straddles or words <= snapshot.postings.keys():
            unheard = not any(way <= snapshot.postings.keys() for way in unit.ways)
            yield unit, min(max(snapshot.idf(word) for word in way) for way in unit.ways) * (_UNHEARD if unheard else 1.0)


def _speaks_of(snapshot: Snapshot, unit: Unit) -> Floats:
    found = np.zeros(len(snapshot.entries), dtype=np.bool_)
    for way in unit.ways:
        holds = np.ones(len(snapshot.entries), dtype=np.bool_)
        for word in way:
            holds &= _places(snapshot, snapshot.postings[word].places if word in snapshot.postings else ())
        found |= holds
    return found.astype(np.float32)


def _meaning(snapshot: Snapshot, vector: Floats | None, parts: Sequence[int]) -> Floats:
    """Sum over the parts of the similarity, standardised within each language (a model prefers the question's own language)."""
    total = np.zeros(len(snapshot.entries), dtype=np.float32)
    places, matrix = snapshot.vectors.places, snapshot.vectors.matrix
    if vector is None or not len(places):
        return total
    for start, stop in _spans(parts):
        similarity = matrix[:, start:stop] @ vector[start:stop]
        for chinese in (False, True):
            of_language = snapshot.is_chinese[places] == chinese
            if of_language.sum() > 1:
                values = similarity[of_language]
                total[places[of_language]] += (values - values.mean()) / max(float(values.std()), 1e-6)
    return total


def _spans(parts: Sequence[int]) -> list[tuple[int, int]]:
    ends = np.cumsum(parts).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _by_language(snapshot: Snapshot, english: Floats, chinese: Floats) -> Floats:
    return np.where(snapshot.is_chinese, chinese, english).astype(np.float32)


def _summed(snapshot: Snapshot, arrays: Sequence[Floats]) -> Floats:
    return np.sum(arrays, axis=0, dtype=np.float32) if arrays else np.zeros(len(snapshot.entries), dtype=np.float32)


def _places(snapshot: Snapshot, places: "NDArray[np.int64] | Sequence[int]") -> Mask:
    mask = np.zeros(len(snapshot.entries), dtype=np.bool_)
    mask[np.asarray(places, dtype=np.int64)] = True
    return mask
