"""A question taken apart: what it speaks of, in both languages, with the words of the trade that say the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.manuals.glossary import phrases_in
from assistant.manuals.passage import Lang
from assistant.manuals.plaintext import language
from assistant.manuals.tokens import STOP_WORDS, is_chinese, tokens

_FILLERS = re.compile("|".join(sorted((word for word in STOP_WORDS if is_chinese(word)), key=len, reverse=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One thing a question speaks of; a passage speaks of it if it holds all words of one of the `ways` to say it."""

    ways: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """What a question speaks of, for passages in its own language and in the other."""

    lang: Lang
    english: tuple[Unit, ...]
    chinese: tuple[Unit, ...]

    def of(self, lang: Lang) -> tuple[Unit, ...]:
        """The units to look for in passages in `lang`."""
        return self.chinese if lang == "zh" else self.english


def units(text: str) -> Units:
    """Take `text` apart. Words outside the glossary are looked for as they stand, also in the other language (codes, names)."""
    lang: Lang = "zh" if language(text) == "zh" else "en"
    phrases = phrases_in(text, lang)
    rest = text.lower()
    for phrase in phrases:
        rest = phrase.pattern.sub(" ", rest)
    rest = _FILLERS.sub(" ", rest)
    plain = tuple(Unit(ways=(frozenset([word]),)) for word in dict.fromkeys(tokens(rest)))
    english = (*(Unit(ways=tuple(_ways(phrase.english))) for phrase in phrases), *plain)
    chinese = (*(Unit(ways=tuple(_ways(phrase.chinese))) for phrase in phrases), *plain)
    return Units(lang=lang, english=_without_empty(english), chinese=_without_empty(chinese))


def _ways(forms: tuple[str, ...]) -> Iterator[frozenset[str]]:
    for form in forms:
        if words := frozenset(tokens(form)):
            yield words


def _without_empty(units_: tuple[Unit, ...]) -> tuple[Unit, ...]:
    return tuple(unit for unit in units_ if unit.ways)
