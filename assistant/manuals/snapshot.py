"""All passages in memory with a keyword index (BM25) and their vectors: what one search reads, never changed once made."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assistant.manuals.passage import Lang, ManualInfo
from assistant.manuals.tokens import is_code, tokens

Floats = NDArray[np.float32]
Places = NDArray[np.int64]
_K1 = 1.2
_B = 0.5
_HEADER_WEIGHT = 0.5
"""A word of the header counts half: it is shared by all passages of a section."""
_STEPS = re.compile(r"(?:^|\n)2\. ")


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

    places: Places
    matrix: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """Where a token stands, in text or header, and its BM25 weight there, idf left out."""

    places: Places
    weights: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The index as it stood at one moment (`generation`); `Places` and masks count along `entries`.

    `code_places` are the passages whose text holds a code, `code_keys` those that are about it: the row or paragraph begins with it.
    """

    entries: tuple[Entry, ...]
    infos: Mapping[str, ManualInfo]
    vectors: Vectors
    postings: Mapping[str, Posting]
    code_places: Mapping[str, Places]
    code_keys: Mapping[str, Places]
    model_places: Mapping[str, Places]
    is_chinese: NDArray[np.bool_]
    is_table: NDArray[np.bool_]
    has_steps: NDArray[np.bool_]
    generation: str

    @classmethod
    def build(cls, entries: Sequence[Entry], infos: Mapping[str, ManualInfo], vectors: Vectors, generation: str = "") -> "Snapshot":
        """Index `entries` by their words."""
        words = [tokens(entry.text) for entry in entries]
        models = [tuple(model.casefold() for model in entry.models) for entry in entries]
        return cls(
            entries=tuple(entries),
            infos=infos,
            vectors=vectors,
            postings=_postings([Counter(body) for body in words], [frozenset(tokens(entry.header)) for entry in entries]),
            code_places=_places_of(filter(is_code, body) for body in words),
            code_keys=_places_of(filter(is_code, tokens(_key(entry))[:1]) for entry in entries),
            model_places=_places_of(models),
            is_chinese=np.array([entry.lang == "zh" for entry in entries], dtype=np.bool_),
            is_table=np.array([entry.kind == "table" for entry in entries], dtype=np.bool_),
            has_steps=np.array([bool(_STEPS.search(entry.text)) for entry in entries], dtype=np.bool_),
            generation=generation,
        )

    def idf(self, token: str) -> float:
        """How much a word tells: high for rare ones, highest for one that no passage holds."""
        holds = len(self.postings[token].places) if token in self.postings else 0
        return math.log(1 + (len(self.entries) - holds + 0.5) / (holds + 0.5))

    def keyword_scores(self, words: Iterable[str]) -> Floats:
        """BM25 of each passage for the distinct `words`."""
        scores = np.zeros(len(self.entries), dtype=np.float32)
        for word in sorted(set(words)):
            if posting := self.postings.get(word):
                scores[posting.places] += self.idf(word) * posting.weights
        return scores


def _key(entry: Entry) -> str:
    """The first cell of a row, the beginning of a text."""
    if entry.kind == "table":
        return ""
    first = entry.text.split("; ", 1)[0] if entry.kind == "row" else entry.text
    return first.split(": ", 1)[-1] if entry.kind == "row" else first


def _postings(bodies: Sequence[Counter[str]], headers: Sequence[frozenset[str]]) -> dict[str, Posting]:
    lengths = [sum(body.values()) for body in bodies]
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    found: dict[str, tuple[list[int], list[float]]] = {}
    for place, (body, header, length) in enumerate(zip(bodies, headers, lengths, strict=True)):
        norm = _K1 * (1 - _B + _B * length / mean)
        for token in sorted(body.keys() | header):
            count = body[token] + (_HEADER_WEIGHT if token in header else 0.0)
            places, weights = found.setdefault(token, ([], []))
            places.append(place)
            weights.append(count * (_K1 + 1) / (count + norm))
    return {
        token: Posting(places=np.array(places, dtype=np.int64), weights=np.array(weights, dtype=np.float32))
        for token, (places, weights) in found.items()
    }


def _places_of(words: Iterable[Iterable[str]]) -> dict[str, Places]:
    found: dict[str, list[int]] = {}
    for place, several in enumerate(words):
        for word in sorted(set(several)):
            found.setdefault(word, []).append(place)
    return {word: np.array(places, dtype=np.int64) for word, places in found.items()}
