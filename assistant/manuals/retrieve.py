"""One search over a snapshot: words and meaning fused, codes first, a few passages of each page and manual.

Deterministic: the same snapshot, question and vector give the same answer; ties go to the earlier passage.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.manuals.glossary import all_translations
from assistant.manuals.passage import FoundPassage, Lang
from assistant.manuals.plaintext import language
from assistant.manuals.snapshot import Floats, Snapshot
from assistant.manuals.tokens import codes, tokens

KEYWORD_WEIGHT = 0.3
CODE_BONUS = 4.0
SAME_LANGUAGE_BONUS = 0.8
WHOLE_TABLE_MALUS = 0.6
LEAST_SCORE = 0.25
"""Below this nothing is said to be found."""
MOST_OF_A_PAGE = 2
MOST_OF_A_MANUAL = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question made ready: its words in each language, and its vector (None: search by words alone)."""

    text: str
    models: frozenset[str] = frozenset()
    vector: Floats | None = None
    parts: tuple[int, ...] = ()


def rank(snapshot: Snapshot, query: Query, k: int) -> tuple[FoundPassage, ...]:
    """At most `k` passages, best first, none below LEAST_SCORE."""
    allowed = _allowed(snapshot, query.models)
    if not snapshot.entries or not allowed.any():
        return ()
    words = _words(query.text)
    scores = KEYWORD_WEIGHT * _keywords(snapshot, words) + _meaning(snapshot, query)
    scores += _bonuses(snapshot, query.text, words)
    scores[~allowed] = -np.inf
    relevance = _Relevance(snapshot, words)
    found: list[FoundPassage] = []
    of_page: Counter[tuple[str, int]] = Counter()
    of_manual: Counter[str] = Counter()
    for place in np.argsort(-scores, kind="stable")[: 10 * k + 20]:
        entry = snapshot.entries[place]
        if not allowed[place] or of_page[entry.doc, entry.page] >= MOST_OF_A_PAGE or of_manual[entry.doc] >= MOST_OF_A_MANUAL:
            continue
        score = relevance.of(int(place))
        if score < LEAST_SCORE:
            continue
        of_page[entry.doc, entry.page] += 1
        of_manual[entry.doc] += 1
        info = snapshot.infos[entry.doc]
        found.append(
            FoundPassage(
                doc=entry.doc,
                title=info.title,
                revision=info.revision,
                page=entry.page,
                section=entry.section,
                text=entry.text,
                score=round(score, 3),
                lang=entry.lang,
                models=entry.models,
            )
        )
        if len(found) == k:
            break
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The words of a question. `units` are what a good passage speaks of: each a set of words that say the same."""

    lang: Lang
    units: dict[Lang, tuple[frozenset[str], ...]]

    def flat(self, lang: Lang) -> frozenset[str]:
        return frozenset(word for unit in self.units[lang] for word in unit)


def _words(text: str) -> _Words:
    lang: Lang = "zh" if language(text) == "zh" else "en"
    other: Lang = "en" if lang == "zh" else "zh"
    own = tuple(frozenset([word]) for word in dict.fromkeys(tokens(text)))
    phrases = all_translations(text, other)
    covered = {word for phrase, _ in phrases for word in tokens(phrase)}
    translated = tuple(frozenset(word for form in forms for word in tokens(form)) for _, forms in phrases)
    kept = tuple(unit for unit in own if not unit & covered)
    return _Words(lang=lang, units={lang: own, other: translated + kept})


def _allowed(snapshot: Snapshot, models: frozenset[str]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Passages of manuals for one of `models`, and of manuals that name no model."""
    if not models:
        return np.ones(len(snapshot.entries), dtype=np.bool_)
    return np.array(
        [not entry.models or bool(models & {model.casefold() for model in entry.models}) for entry in snapshot.entries], dtype=np.bool_
    )


def _keywords(snapshot: Snapshot, words: _Words) -> Floats:
    english = snapshot.keyword_scores(words.flat("en"))
    chinese = snapshot.keyword_scores(words.flat("zh"))
    return np.asarray(np.where(snapshot.is_chinese, chinese, english), dtype=np.float32)


def _meaning(snapshot: Snapshot, query: Query) -> Floats:
    """Sum over the parts of the similarity, standardised within each language (a model prefers passages of the question's language)."""
    total = np.zeros(len(snapshot.entries), dtype=np.float32)
    places, matrix = snapshot.vectors.places, snapshot.vectors.matrix
    if query.vector is None or not len(places):
        return total
    for start, stop in _spans(query.parts):
        similarity = matrix[:, start:stop] @ query.vector[start:stop]
        for chinese in (False, True):
            of_language = snapshot.is_chinese[places] == chinese
            if of_language.sum() > 1:
                values = similarity[of_language]
                total[places[of_language]] += (values - values.mean()) / max(float(values.std()), 1e-6)
    return total


def _spans(parts: Sequence[int]) -> list[tuple[int, int]]:
    ends = np.cumsum(parts).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _bonuses(snapshot: Snapshot, text: str, words: _Words) -> Floats:
    bonus = np.zeros(len(snapshot.entries), dtype=np.float32)
    bonus[snapshot.is_chinese == (words.lang == "zh")] += SAME_LANGUAGE_BONUS
    bonus[[entry.kind == "table" for entry in snapshot.entries]] -= WHOLE_TABLE_MALUS
    asked = [code for code in sorted(codes(text)) if code in snapshot.code_places]
    for code in asked:
        bonus[sorted(snapshot.code_places[code])] += CODE_BONUS / len(asked)
    return bonus


class _Relevance:
    """How much of the question a passage speaks of, 0 to 1: the threshold that lets a search say "nothing found"."""

    def __init__(self, snapshot: Snapshot, words: _Words) -> None:
        self._snapshot = snapshot
        self._units = words.units

    def of(self, place: int) -> float:
        """Share of the question's weight (rare words weigh more) that the passage and its header hold."""
        entry = self._snapshot.entries[place]
        held = frozenset(tokens(f"{entry.text} {entry.header}"))
        total = got = 0.0
        for unit in self._units[entry.lang]:
            weight = max((self._snapshot.idf(word) for word in unit), default=0.0)
            total += weight
            got += weight * (len(unit & held) > 0)
        return got / total if total else 0.0
