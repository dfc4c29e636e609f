"""One search over a snapshot: the best passages, a few of each page and manual, none that is not about the question.

Deterministic: the same snapshot, question and vector give the same answer; ties go to the earlier passage.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from assistant.manuals.passage import FoundPassage
from assistant.manuals.query import units
from assistant.manuals.score import WEIGHTS, Mask, Weights, score
from assistant.manuals.snapshot import Floats, Snapshot

LEAST_SCORE = 0.38
"""Below this a passage is not about the question; if all are, nothing is found."""
MOST_OF_A_PAGE = 2
MOST_OF_A_MANUAL = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question: its words, the models to stay within (none: all), its vector (None: search by words alone)."""

    text: str
    models: frozenset[str] = frozenset()
    vector: Floats | None = None
    parts: tuple[int, ...] = ()


def rank(snapshot: Snapshot, query: Query, k: int, weights: Weights = WEIGHTS, least: float = LEAST_SCORE) -> tuple[FoundPassage, ...]:
    """At most `k` passages, best first, none nearer than `least`."""
    if not snapshot.entries:
        return ()
    scores, near = score(snapshot, query.text, units(query.text), query.vector, query.parts, weights)
    allowed = _allowed(snapshot, query.models) & (near >= least)
    found: list[FoundPassage] = []
    of_page: Counter[tuple[str, int]] = Counter()
    of_manual: Counter[str] = Counter()
    for place in np.argsort(-scores, kind="stable"):
        entry = snapshot.entries[place]
        if not allowed[place] or of_page[entry.doc, entry.page] >= MOST_OF_A_PAGE or of_manual[entry.doc] >= MOST_OF_A_MANUAL:
            continue
        of_page[entry.doc, entry.page] += 1
        of_manual[entry.doc] += 1
        found.append(_found(snapshot, int(place), float(near[place])))
        if len(found) == k:
            break
    return tuple(found)


def _found(snapshot: Snapshot, place: int, near: float) -> FoundPassage:
    entry = snapshot.entries[place]
    info = snapshot.infos[entry.doc]
    return FoundPassage(
        doc=entry.doc,
        title=info.title,
        revision=info.revision,
        page=entry.page,
        section=entry.section,
        text=entry.text,
        score=round(near, 3),
        lang=entry.lang,
        models=entry.models,
    )


def _allowed(snapshot: Snapshot, models: frozenset[str]) -> Mask:
    """Passages of manuals for one of `models` (in lower case), and of manuals that name no model."""
    if not models:
        return np.ones(len(snapshot.entries), dtype=np.bool_)
    fits = {doc: not info.models or bool(models & {model.casefold() for model in info.models}) for doc, info in snapshot.infos.items()}
    return np.array([fits[entry.doc] for entry in snapshot.entries], dtype=np.bool_)
