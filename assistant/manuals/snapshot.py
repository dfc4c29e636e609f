"""All passages in memory with a keyword index (BM25) and their vectors: what one search reads, never changed once made."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assistant.manuals.passage import Lang, ManualInfo
from assistant.manuals.tokens import is_code, tokens

Floats = NDArray[np.float32]
_K1 = 1.2
_B = 0.5
_HEADER_WEIGHT = 0.5
"""A word of the header counts half: it is shared by all passages of a section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One passage with what a search needs of its manual."""

    doc: str
    page: int
    section: str
    kind: Literal["text", "row", "table"]
    lang: Lang
    text: str
    header: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """Vectors of the passages at `places`, one row each; a manual that is not embedded yet has none."""

    places: NDArray[np.int64]
    matrix: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The index as it stood at one moment."""

    entries: tuple[Entry, ...]
    infos: Mapping[str, ManualInfo]
    vectors: Vectors
    postings: Mapping[str, tuple[NDArray[np.int64], Floats]]
    """Token -> places and the BM25 weight there, idf left out."""
    text_postings: Mapping[str, frozenset[int]]
    """Token -> places whose text (not only the header) holds it."""
    is_chinese: NDArray[np.bool_]
    code_places: Mapping[str, frozenset[int]]

    @classmethod
    def build(cls, entries: Sequence[Entry], infos: Mapping[str, ManualInfo], vectors: Vectors) -> "Snapshot":
        """Index `entries` by their words."""
        bodies = [Counter(tokens(entry.text)) for entry in entries]
        heads = [frozenset(tokens(entry.header)) for entry in entries]
        lengths = [sum(body.values()) for body in bodies]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        found: dict[str, tuple[list[int], list[float]]] = {}
        in_text: dict[str, set[int]] = {}
        for place, (body, head, length) in enumerate(zip(bodies, heads, lengths, strict=True)):
            norm = _K1 * (1 - _B + _B * length / mean)
            for token in sorted(body.keys() | head):
                count = body[token] + (_HEADER_WEIGHT if token in head else 0.0)
                places, weights = found.setdefault(token, ([], []))
                places.append(place)
                weights.append(count * (_K1 + 1) / (count + norm))
            for token in body:
                in_text.setdefault(token, set()).add(place)
        return cls(
            entries=tuple(entries),
            infos=infos,
            vectors=vectors,
            postings={
                token: (np.array(places, dtype=np.int64), np.array(weights, dtype=np.float32)) for token, (places, weights) in found.items()
            },
            text_postings={token: frozenset(places) for token, places in in_text.items()},
            is_chinese=np.array([entry.lang == "zh" for entry in entries], dtype=np.bool_),
            code_places={token: frozenset(places) for token, places in in_text.items() if is_code(token)},
        )

    def idf(self, token: str) -> float:
        """How much a word tells: high for rare ones, highest for one that no passage holds."""
        holds = len(self.postings[token][0]) if token in self.postings else 0
        return math.log(1 + (len(self.entries) - holds + 0.5) / (holds + 0.5))

    def keyword_scores(self, words: Iterable[str]) -> Floats:
        """BM25 of each passage for the distinct `words`."""
        scores = np.zeros(len(self.entries), dtype=np.float32)
        for word in sorted(set(words)):
            if word in self.postings:
                places, weights = self.postings[word]
                scores[places] += self.idf(word) * weights
        return scores
