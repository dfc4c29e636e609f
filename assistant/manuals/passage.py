"""What the manual index holds and hands out: passages, and what is known of a manual as a whole."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Lang = Literal["en", "zh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A piece of a manual with where it stands; `page` counts the pages of the file from 1, `score` is 0 to 1."""

    doc: str
    title: str
    revision: str
    page: int
    section: str
    text: str
    score: float
    lang: str
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a manual before it is stored.

    `header` holds what the piece is about in both languages (device, section, table) and is searched, not shown.
    `kind` tells a table row, which answers alone, from the whole table and from running text.
    """

    id: str
    page: int
    section: str
    kind: Literal["text", "row", "table"]
    text: str
    header: str
    lang: Lang


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualInfo:
    """One manual of the index. `embedded` tells whether the search by meaning knows it yet, `problem` why it holds nothing."""

    doc: str
    title: str
    revision: str
    models: tuple[str, ...]
    lang: Lang
    pages: int
    passages: int
    sha256: str
    file: str
    added_at: datetime
    embedded: bool
    problem: str = ""
