"""Words of the trade in both languages, by which an English question finds a Chinese manual and the reverse."""

import re
from functools import cache
from pathlib import Path

from assistant.manuals.passage import Lang

_FILE = Path(__file__).with_name("glossary.tsv")


def translations(text: str, into: Lang) -> tuple[str, ...]:
    """The words in `into` for each phrase of the trade that `text` uses, longest phrase first, the first form of each."""
    return tuple(forms[0] for _, forms in _found(text, into))


def all_translations(text: str, into: Lang) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each phrase of the trade in `text` with all its forms in `into`."""
    return _found(text, into)


def _found(text: str, into: Lang) -> tuple[tuple[str, tuple[str, ...]], ...]:
    rest = text.lower()
    found: list[tuple[str, tuple[str, ...]]] = []
    for phrase, pattern, forms in _phrases(into):
        if pattern.search(rest):
            rest = pattern.sub(" ", rest)
            found.append((phrase, forms))
    return tuple(found)


@cache
def _phrases(into: Lang) -> tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]:
    """Phrases of the other language, longest first, each with how it is found and its forms in `into`."""
    phrases = []
    for line in _FILE.read_text("utf-8").splitlines():
        english, chinese = (tuple(cell.split("|")) for cell in line.split("\t"))
        known, forms = (english, chinese) if into == "zh" else (chinese, english)
        for phrase in known:
            edge = r"\b" if phrase[0].isascii() else ""
            plural = "s?" if edge else ""
            phrases.append((phrase, re.compile(f"{edge}{re.escape(phrase.lower())}{plural}{edge}"), forms))
    return tuple(sorted(phrases, key=lambda entry: (-len(entry[0]), entry[0])))
