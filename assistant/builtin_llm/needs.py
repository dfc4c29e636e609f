"""What a question names, and how much of it a text bears, in either language."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.language.amounts import amounts_in, plain
from assistant.language.tongue import language_of
from assistant.manuals.glossary import phrases_in
from gateway.service.lexicon import THINGS, blanks
from gateway.service.words import Term, words_of


@dataclass(frozen=True, slots=True)
class Need:
    """Something the question names: any of `forms` in a text bears it."""

    forms: tuple[str, ...]
    concepts: frozenset[str]
    weight: float
    is_translatable: bool


def needs_of(question: str) -> tuple[Need, ...]:
    """What the question names: codes, terms of the trade, other words, each with its weight."""
    text = plain(question)
    lang = language_of(question)
    needs: list[Need] = []
    for phrase in phrases_in(text, "zh" if lang == "zh" else "en"):
        concepts = words_of(phrase.name).concepts
        if (phrase.name in _FILLER and phrase.name not in _SHOWN) or (concepts and concepts <= {"fault"}):
            continue
        forms = tuple(form.lower() for form in (*phrase.english, *phrase.chinese))
        weight = 0.4 if phrase.name in _SHOWN else 0.1 if concepts and concepts <= THINGS else 1.0
        needs.append(Need(forms, frozenset(), weight, is_translatable=True))
        text = phrase.pattern.sub(" ", text)
    words = words_of(_FILLER_ZH.sub(" ", text))
    needs += [Need((str(amount.value),), frozenset(), 0.7, is_translatable=True) for amount in amounts_in(plain(question))]
    needs += [Need((name,), frozenset(), 0.3 if _is_model(name) else 2.0, is_translatable=True) for name in words.identifiers]
    for term in words.terms:
        concepts = frozenset(concept for concept in term.concepts if not concept.startswith(("=", "u:")))
        if term.word in _FILLER or (concepts and concepts <= {"fault", "status", "run", "name", "off"}):
            continue
        weight = 0.1 if concepts and concepts <= THINGS else 0.7
        needs.append(Need((term.word,), concepts, weight, is_translatable=bool(concepts)))
    return tuple(needs)


def _is_model(name: str) -> bool:
    """True for device names and models, which a manual need not repeat; codes such as f07 or p1-07 are what is looked for."""
    return re.fullmatch(r"f\d{1,3}|e\d{1,3}|w\d{1,3}|p\d+-\d+|0x[0-9a-f]+|al-?\d+", name) is None


def share_of(needs: Sequence[Need], text: str, *, same: bool) -> float:
    """The share of the needs that a text bears, 0..1; `same` if it is in the question's language."""
    folded = plain(text)
    concepts = words_of(folded[:2000]).concepts
    counted = [need for need in needs if same or need.is_translatable]
    total = sum(need.weight for need in counted)
    if not total:
        return 1.0
    return sum(need.weight for need in counted if _bears(need, folded, concepts)) / total


def _bears(need: Need, folded: str, concepts: frozenset[str]) -> bool:
    if need.concepts and need.concepts <= concepts:
        return True
    return any((re.search(rf"(?<![a-z0-9]){re.escape(_stem(form))}", folded) if form.isascii() else form in folded) for form in need.forms)


def _stem(word: str) -> str:
    """An English word without its ending, so that "replaced" finds "replace"."""
    return re.sub(r"(?:ing|ed|es|e|s)$", "", word) if len(word) > 5 else word


_IDLE = frozenset({"run", "off", "status", "time"})
"""Concepts that say nothing about what to look for."""


def search_words(question: str) -> str:
    """The words of a question worth searching for: codes, terms of the trade, what else is not filler."""
    lang = language_of(question)
    question_text = plain(question)
    text = _FILLER_ZH.sub(" ", question_text)
    found = [
        (match.start(), match.group())
        for phrase in phrases_in(text, "zh" if lang == "zh" else "en")
        for match in phrase.pattern.finditer(text)
    ]
    for _, phrase in found:
        text = text.replace(phrase, " " * len(phrase), 1) if phrase not in _FILLER else text
    words = words_of(text)
    found += [(text.find(name), name) for name in words.identifiers]
    found += [(found_.start, text[found_.start : found_.end]) for found_ in words.instances]
    numbered = [(one.start, one.end) for one in words.instances]
    found += [(term.start, term.word) for term in words.terms if _is_worth_it(term) and (term.start, term.end) not in numbered]
    said = " ".join(dict.fromkeys(word for _, word in sorted(found) if word not in _FILLER))
    return said if said and language_of(said) == lang else question


_SHOWN = ("display", "shown", "show", "显示")


def _is_worth_it(term: Term) -> bool:
    return term.word not in _FILLER and not _IDLE & set(term.concepts) and not term.concepts[0].startswith("u:")


_FILLER = frozenset(
    blanks(
        """
acceptable according allowed can cause check correct describe display displays documentation does explain fault guide handbook happen
happens have instruction instructions long manual manuals mean meaning means must need note notes often permissible permitted please
procedure recommended require required requirement requires rule rules say says should show shows sop specified summarise summarize
summary tell use used uses why 原因
"""
    )
) | {"how long"}
_FILLER_ZH = re.compile(
    r"满足|之前|需不需要|总结|概括|归纳|说明|正常|多少|允许的?|意思|含义|要求|规定|规程|手册|说明书|应该|怎么|办|处理|检查|注意|事项|做|报|怎样"
    r"|会|显示"
)
