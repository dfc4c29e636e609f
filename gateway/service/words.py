"""A text taken apart: meaningful words with their concepts, numbered things, identifiers, units."""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from gateway.service.lexicon import COMPOUNDS, CONCEPTS, STOP_EN, STOP_ZH, THINGS, UNITS


@dataclass(frozen=True, slots=True)
class Term:
    """One meaningful word of a text: its concepts (or itself as `=word`), and where it stood.

    `binds`: an unknown word that stands where it tells which thing is meant ("gearbox temperature"), not where a verb stands.
    """

    word: str
    concepts: tuple[str, ...]
    start: int
    end: int
    binds: bool = True

    @property
    def is_unknown(self) -> bool:
        """True for a word that the lexicon does not hold."""
        return self.concepts[0].startswith("=")


@dataclass(frozen=True, slots=True)
class Instance:
    """A numbered thing: pump 1, 2号泵, P-101 has number 101; `noun` is its concept or empty."""

    noun: str
    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Words:
    """A text taken apart: meaningful words, numbered things, identifiers such as p-101 or f07."""

    text: str
    terms: tuple[Term, ...]
    instances: tuple[Instance, ...]
    identifiers: tuple[str, ...]
    skipped: int = 0
    """How many English words were left out."""

    @property
    def concepts(self) -> frozenset[str]:
        """All concepts of the terms."""
        return frozenset(concept for term in self.terms for concept in term.concepts)


def fold(text: str) -> str:
    """NFKC, lower case, one kind of blank: the form in which texts are compared.

    >>> fold("１号泵　４３．５Ｈｚ")
    '1号泵 43.5hz'
    """
    return re.sub(r"\s+", " ", re.sub(r"° ?c\b|℃", " degc", unicodedata.normalize("NFKC", text).lower())).strip()


@lru_cache(maxsize=16384)
def words_of(text: str) -> Words:
    """Take a text apart; words that say nothing are left out, unknown words stay as `=word`."""
    folded = fold(text)
    instances = instances_of(folded)
    masked = _blank(folded, [(found.start, found.end) for found in instances])
    units = _units(masked)
    masked = _blank(masked, [(term.start, term.end) for term in units])
    identifiers = tuple(found.group() for found in _IDENTIFIER.finditer(masked) if found.group() not in _WORDS)
    masked = _blank(masked, [found.span() for found in _IDENTIFIER.finditer(masked) if found.group() not in _WORDS])
    terms = [Term(found.noun, (found.noun,), found.start, found.end) for found in instances if found.noun]
    terms += units + _latin(masked) + _chinese(masked)
    told = sum(" " not in term.word for term in terms if term.word.isascii()) + sum(
        len(term.word.split()) for term in terms if " " in term.word
    )
    skipped = max(0, len(_LATIN_WORD.findall(masked)) - told)
    return Words(folded, _bound(folded, sorted(terms, key=lambda term: term.start)), tuple(instances), identifiers, skipped)


def _bound(text: str, terms: list[Term]) -> tuple[Term, ...]:
    """The terms, unknown ones with whether they bind: all do where nothing measured is named, for then they may be what is asked."""
    if not any(not term.is_unknown and not set(term.concepts) <= THINGS for term in terms):
        return tuple(terms)
    done: list[Term] = []
    following: Term | None = None
    for term in reversed(terms):
        if term.is_unknown:
            touches = following is not None and following.binds and text[term.end : following.start].strip("-' ") == ""
            term = replace(term, binds=touches or _OBJECT.search(text[: term.start]) is not None)
        done.append(term)
        following = term
    return tuple(reversed(done))


_OBJECT = re.compile(r"\b(?:of|for|in|inside|at|on) (?:the |a |an |our |its )?$")


def instances_of(text: str) -> list[Instance]:
    """The numbered things of a folded text."""
    found = []
    for match in _INSTANCE.finditer(text):
        group = match.groupdict()
        number = next(group[key] for key in ("n1", "n2", "n3", "n4", "n5") if group[key])
        noun = next((group[key] for key in ("en", "en2", "en3", "zh", "zh2") if group[key]), "")
        value = _ORDINAL.get(number) or int(number)
        concept = "" if noun in ("", "unit", "units", "机组", "机") else _WORDS.get(noun, (f"={noun.rstrip('s')}",))[-1]
        found.append(Instance(concept, value, *match.span()))
    return found


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for concept, (english, chinese) in CONCEPTS.items():
        for word in f"{english},{chinese}".split(","):
            table.setdefault(word, (concept,))
    for unit, (concept, english, chinese) in UNITS.items():
        for word in f"{english},{chinese}".split(","):
            if len(word) > 1 or _CJK.search(word):
                table.setdefault(word, (f"u:{unit}", concept) if concept else (f"u:{unit}",))
    return table | COMPOUNDS


_CJK = re.compile(r"[\u4e00-\u9fff]+")
_WORDS = _table()
_UNIT = re.compile(
    r"(?P<sign>%)|(?P<form>m3/hr?|mg/l|ml/min)(?![a-z0-9])|(?<=\d) ?(?P<letter>[avmhs])(?![a-z0-9])"
    r"|(?<=\bin )(?P<asked>[avmhs])(?![a-z0-9])"
)
_UNIT_OF = {form: unit for unit, (_, english, _) in UNITS.items() for form in english.split(",")}
_LATIN_PHRASE = re.compile(
    "|".join(
        rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])"
        for word in sorted(_WORDS, key=len, reverse=True)
        if re.search("[a-z]", word) and re.search(r"[ -]", word)
    )
)
_LATIN_WORD = re.compile(r"[a-z][a-z0-9_'-]*[a-z0-9]|[a-z]")
_IDENTIFIER = re.compile(r"(?<![a-z0-9])[a-z]{1,8}[-_]?\d[a-z0-9_-]*(?![a-z0-9])")
_STOP_ZH = sorted(STOP_ZH, key=len, reverse=True)
_CJK_WORDS = sorted((word for word in _WORDS if _CJK.search(word)), key=len, reverse=True)
_NOUNS_EN = (
    "pumps?|drives?|vfds?|inverters?|motors?|tanks?|heaters?|meters?|units?|transmitters?|fans?"
    "|valves?|compressors?|blowers?|mixers?|boilers?"
)
_NOUNS_ZH = "水泵|泵|变频器|电机|马达|水箱|箱|罐|加热器|温控器|电表|电能表|机组|阀门|阀|风机|压缩机|机"
_ORDINAL = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "first": 1,
    "second": 2,
    "third": 3,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
}
_INSTANCE = re.compile(
    rf"(?<![a-z])(?P<en>{_NOUNS_EN}) ?(?:no\.? ?|number |nr\.? ?|# ?)?(?P<n1>\d(?![\d]|\.\d)"
    rf"|\d{{2,4}}(?![\d.]*\d? ?(?:hz|%|degc|kw|bar)\b)|one|two|three|four)"
    r"(?![a-z0-9])"
    rf"|(?:no\.? ?|number |# ?)(?P<n2>\d{{1,3}}) (?P<en2>{_NOUNS_EN})(?![a-z])"
    rf"|(?P<n3>first|second|third) (?P<en3>{_NOUNS_EN})(?![a-z])"
    rf"|(?P<n4>\d{{1,3}}|[一二两三四五六])(?:号|#) ?(?P<zh>{_NOUNS_ZH})?"
    rf"|(?P<zh2>水泵|泵|变频器|电机) ?(?P<n5>\d{{1,3}})(?![\d.]|赫|度|号)"
)


def _units(text: str) -> list[Term]:
    terms = []
    for match in _UNIT.finditer(text):
        unit = _UNIT_OF[next(form for form in match.groups() if form)]
        concept = UNITS[unit][0]
        terms.append(Term(match.group().strip(), (f"u:{unit}", concept) if concept else (f"u:{unit}",), *match.span()))
    return terms


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _latin(text: str) -> list[Term]:
    terms = [Term(match.group(), _WORDS[match.group()], *match.span()) for match in _LATIN_PHRASE.finditer(text)]
    text = _blank(text, [(term.start, term.end) for term in terms])
    found = list(_LATIN_WORD.finditer(text))
    for index, match in enumerate(found):
        word = match.group().removesuffix("'s")
        following = found[index + 1].group() if index + 1 < len(found) else ""
        if word == "current" and set(_WORDS.get(following, ())) - {"l1", "l2", "l3", "phase", "feedback", "high", "low", "alarm"}:
            continue  # "the current level": an adjective
        if word in _WORDS:
            terms.append(Term(word, _WORDS[word], match.start(), match.end()))
        elif word not in STOP_EN and len(word) > 1 and not word.endswith("ly"):
            terms.append(Term(word, (f"={word}",), match.start(), match.end()))
    return terms


def _chinese(text: str) -> list[Term]:
    terms = []
    for run in re.finditer(r"[\u4e00-\u9fffabcl123]*[\u4e00-\u9fff][\u4e00-\u9fffabcl123]*", text):
        rest, base = run.group(), run.start()
        position = 0
        unknown = -1
        while position < len(rest):
            known = next((word for word in _CJK_WORDS if rest.startswith(word, position)), "")
            stop = next((word for word in _STOP_ZH if rest.startswith(word, position)), "")
            if (known or stop) and unknown >= 0:
                terms += _leftover(rest[unknown:position], base + unknown)
                unknown = -1
            if known and len(known) >= len(stop):
                terms.append(Term(known, _WORDS[known], base + position, base + position + len(known)))
                position += len(known)
            elif stop:
                position += len(stop)
            else:
                unknown = position if unknown < 0 else unknown
                position += 1
        if unknown >= 0:
            terms += _leftover(rest[unknown:], base + unknown)
    return terms


def _leftover(text: str, start: int) -> list[Term]:
    chunk = "".join(_CJK.findall(text))
    return [Term(chunk, (f"={chunk}",), start, start + len(text))] if len(chunk) > 1 else []
