"""Words of the trade in both languages, by which an English question finds a Chinese manual and the reverse.

`glossary.tsv`: a line for each thing, its English names (parted by `|`), a tab, its Chinese names.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assistant.manuals.passage import Lang

_FILE = Path(__file__).with_name("glossary.tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A name that a text uses, how it was found, and all names of the same thing."""

    name: str
    pattern: re.Pattern[str]
    english: tuple[str, ...]
    chinese: tuple[str, ...]


def phrases_in(text: str, lang: Lang) -> tuple[Phrase, ...]:
    """The things that `text`, written in `lang`, names; a longer name hides the shorter ones inside it."""
    rest = text.lower()
    found: list[Phrase] = []
    for phrase in _phrases(lang):
        if phrase.pattern.search(rest):
            rest = phrase.pattern.sub(" ", rest)
            found.append(phrase)
    return tuple(found)


def translations(text: str, into: Lang) -> tuple[str, ...]:
    """The first name in `into` of each thing that `text`, written in the other language, names."""
    other: Lang = "en" if into == "zh" else "zh"
    return tuple((phrase.chinese if into == "zh" else phrase.english)[0] for phrase in phrases_in(text, other))


@cache
def _phrases(lang: Lang) -> tuple[Phrase, ...]:
    """All names in `lang`, longest first."""
    phrases = []
    for line in _FILE.read_text("utf-8").splitlines():
        english, chinese = (tuple(cell.split("|")) for cell in line.split("\t"))
        for name in english if lang == "en" else chinese:
            pattern = rf"\b{re.escape(name.lower())}s?\b" if lang == "en" else re.escape(name.lower())
            phrases.append(Phrase(name=name, pattern=re.compile(pattern), english=english, chinese=chinese))
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase.name), phrase.name)))
