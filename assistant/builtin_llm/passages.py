"""Passages of manuals: which sentences answer a question, and what limits they state."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from assistant.language.amounts import amounts_in, plain
from assistant.language.tongue import language_of
from assistant.manuals.glossary import phrases_in, translations
from gateway.service.lexicon import THINGS
from gateway.service.words import words_of

ENOUGH = 0.5
"""The share of a question's words that a passage must bear to be an answer to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A quote of a manual."""

    doc: str
    page: int
    place: str
    text: str

    @property
    def lang(self) -> str:
        """The language it is written in."""
        return language_of(f"{self.place} {self.text}")

    @property
    def cite(self) -> str:
        """How an answer names it."""
        return f"[{self.doc} p.{self.page}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The sentences of a passage that answer the question."""

    passage: Passage
    sentences: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A limit that a sentence states: `about` are its words for the quantity."""

    kind: Literal["at_least", "at_most", "when_below", "when_above", "range", "interval"]
    about: str
    low: Decimal
    high: Decimal
    shown: str


def passages(observation: str) -> tuple[Passage, ...]:
    """The passages of a search_manuals observation, best first."""
    found = []
    for line in observation.splitlines():
        match = _LINE.match(line)
        if match is not None:
            found.append(
                Passage(doc=match["doc"], page=int(match["page"]), place=json.loads(match["place"]), text=json.loads(match["text"]))
            )
    return tuple(found)


def quotes(question: str, found: Sequence[Passage], *, most: int = 1) -> tuple[Quote, ...]:
    """The best answering sentences, best passage first, in the question's language where both have it; none if nothing answers."""
    lang = language_of(question)
    needs = _needs(question)
    scored = []
    for rank, passage in enumerate(found):
        share = _share(needs, f"{passage.doc} {passage.place} {passage.text}", same=passage.lang == lang)
        if share >= ENOUGH:
            merit = share + (0.1 if passage.lang == lang else 0.0) - 0.06 * rank
            if _TASK.search(question) and _STEPS.search(passage.text):
                merit += 0.2
            if _VALUE.search(question) and re.search(r"(?<![A-Za-z\d-])\d", passage.text):
                merit += 0.15
            scored.append((merit, rank, share, passage))
    scored.sort(key=lambda item: (-item[0], item[1]))
    chosen: list[Quote] = []
    for _, _, share, passage in scored:
        if any(quote.passage.page == passage.page and quote.passage.doc == passage.doc for quote in chosen):
            continue
        sentences = _best_sentences(needs, passage, lang)
        if sentences:
            chosen.append(Quote(passage=passage, sentences=sentences, share=share))
        if len(chosen) == most:
            break
    return tuple(chosen)


def conditions(sentences: Sequence[str]) -> tuple[Condition, ...]:
    """The limits that sentences state."""
    found = []
    for sentence in sentences:
        text = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", plain(sentence))
        for pattern, kind in _CONDITIONS:
            for match in pattern.finditer(text):
                low = Decimal(match["low"])
                high = Decimal(match["high"]) if "high" in pattern.groupindex else low
                found.append(Condition(kind=kind, about=match["about"].strip(), low=low, high=high, shown=match["limit"].strip()))
    return tuple(dict.fromkeys(found))


def search_words(question: str) -> str:
    """The words of a question worth searching for: codes, terms of the trade, what else is not filler."""
    lang = language_of(question)
    question_text = plain(question)
    text = _CUE_ZH.sub(" ", question_text)
    found = [
        (match.start(), match.group())
        for phrase in phrases_in(text, "zh" if lang == "zh" else "en")
        for match in phrase.pattern.finditer(text)
    ]
    for _, phrase in found:
        text = text.replace(phrase, " " * len(phrase), 1) if phrase not in _CUE else text
    words = words_of(text)
    found += [(text.find(name), name) for name in words.identifiers]
    found += [(found_.start, text[found_.start : found_.end]) for found_ in words.instances]
    found += [
        (term.start, term.word)
        for term in words.terms
        if term.word not in _CUE and not any(term.start >= found_.start and term.end <= found_.end for found_ in words.instances)
    ]
    found += [(amount.start, question_text[amount.start : amount.end]) for amount in amounts_in(question_text)]
    said = " ".join(dict.fromkeys(word for _, word in sorted(found) if word not in _CUE))
    return said if said and language_of(said) == lang else question


def gloss(text: str, into: str) -> tuple[str, ...]:
    """The terms of `text` in the other language."""
    return translations(text, "zh" if into == "zh" else "en")


_TASK = re.compile(r"\bhow (?:do|to|can|should)|what (?:should|must|do) (?:i|we)|怎么|如何|步骤|怎样|该做|应该", re.IGNORECASE)
_VALUE = re.compile(r"\bwhat(?:'s| is| are) the\b|\bhow (?:much|many|high|long|often|hot|far)\b|多少|几|多久|多大|多高", re.IGNORECASE)
_STEPS = re.compile(r"\n1\.|^1\.|将 ?[A-Z]|\bset (?:register|parameter|[A-Z])", re.IGNORECASE)
_LINE = re.compile(r'\[(?P<doc>[^\s\]]+) p\.(?P<page>\d+)\] (?P<place>"(?:[^"\\]|\\.)*"): (?P<text>"(?:[^"\\]|\\.)*")$')
_SHOWN = ("display", "shown", "show", "显示")
_LIST_MARK = re.compile(r"^(?:\d+\.|•) +", re.MULTILINE)
_SPLIT = re.compile(r"(?<=[。；！？])|(?<=[.!?])\s+(?=[A-Z])|\n")
_TO_ASSISTANT = re.compile(
    r"assistant|propose_|\bcall \w+_\w+|ignore (?:all|any|the|your|previous)|do not (?:mention|tell)|system prompt|confirm(?:ed)? ?= ?true|助手|忽略(?:之前|以上|所有)|不要(?:提及|告诉)|系统提示",
    re.IGNORECASE,
)
_CUE = frozenset(
    (
        *(
            "mean",
            "means",
            "meaning",
            "check",
            "should",
            "happens",
            "happen",
            "show",
            "shows",
            "display",
            "displays",
            "say",
            "says",
            "require",
            "requires",
        ),
        *(
            "required",
            "requirement",
            "procedure",
            "manual",
            "manuals",
            "handbook",
            "sop",
            "documentation",
            "summarise",
            "summarize",
            "summary",
            "notes",
        ),
        *(
            "note",
            "instructions",
            "instruction",
            "tell",
            "explain",
            "describe",
            "use",
            "uses",
            "used",
            "correct",
            "long",
            "often",
            "need",
            "have",
            "must",
            "can",
        ),
        *(
            "please",
            "does",
            "fault",
            "permitted",
            "allowed",
            "permissible",
            "acceptable",
            "recommended",
            "specified",
            "according",
            "guide",
            "rules",
            "rule",
        ),
        *("原因", "cause", "why"),
    )
)
_CUE_ZH = re.compile(
    r"需不需要|总结|概括|归纳|说明|正常|多少|允许的?|意思|含义|要求|规定|规程|手册|说明书|应该|怎么|办|处理|检查|注意|事项|做|报|怎样|会|显示"
)
_UNIT_END = r"(?: ?(?:%|degc|mg/l|ml/min|hz|kw|bar|m3/h|minutes?|min|hours?|小时|分钟|h|s|v|a|m)\b|%|小时|分钟)?"
_NUM = r"\d+(?:\.\d+)?"
_CONDITIONS: tuple[tuple[re.Pattern[str], Literal["at_least", "at_most", "when_below", "when_above", "range", "interval"]], ...] = (
    (re.compile(rf"(?P<about>[^,;.。]{{2,30}}?)(?:范围|range)[ 为:是]*(?:of )?(?P<limit>(?P<low>{_NUM}) ?(?:~|-|to|至|到|\.\.) ?(?P<high>{_NUM}){_UNIT_END})"), "range"),
    (re.compile(rf"(?P<about>[^,;.。]{{2,30}}?)(?:不(?:得)?低于|不(?:得)?小于|至少(?:为)?|(?:is|are|of)? ?(?:at least|not (?:be )?(?:below|less than|under)))[ ]?(?P<limit>(?P<low>{_NUM}){_UNIT_END})"), "at_least"),
    (re.compile(rf"(?P<about>[^,;.。]{{2,30}}?)(?:不(?:得)?(?:高于|超过|大于)|(?:is|are)? ?(?:at most|not (?:be )?(?:above|more than|exceed|over)))[ ]?(?P<limit>(?P<low>{_NUM}){_UNIT_END})"), "at_most"),
    (re.compile(rf"(?P<about>[^,;.。]{{2,30}}?)(?<!不)(?<!不得)(?:低于|小于|(?:is|are|falls|drops) (?:below|under|less than))[ ]?(?P<limit>(?P<low>{_NUM}){_UNIT_END})"), "when_below"),
    (re.compile(rf"(?P<about>[^,;.。]{{2,30}}?)(?<!不)(?<!不得)(?:高于|超过|大于|(?:is|are|rises|goes)? ?(?:above|over|higher than|exceeds?))[ ]?(?P<limit>(?P<low>{_NUM}){_UNIT_END})"), "when_above"),
    (re.compile(rf"(?P<about>[^,;.。]{{0,40}}?)(?:\bevery|\bafter|每(?:运行|工作)?)[ ]?(?P<limit>(?P<low>{_NUM}) ?(?:h\b|hours?|小时))"), "interval"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Need:
    """Something the question names: any of `forms` in a text bears it."""

    forms: tuple[str, ...]
    concepts: frozenset[str]
    weight: float
    is_translatable: bool


def _needs(question: str) -> tuple[_Need, ...]:
    text = plain(question)
    lang = language_of(question)
    needs: list[_Need] = []
    for phrase in phrases_in(text, "zh" if lang == "zh" else "en"):
        concepts = words_of(phrase.name).concepts
        if (phrase.name in _CUE and phrase.name not in _SHOWN) or (concepts and concepts <= {"fault"}):
            continue
        forms = tuple(form.lower() for form in (*phrase.english, *phrase.chinese))
        weight = 0.4 if phrase.name in _SHOWN else 0.1 if concepts and concepts <= THINGS else 1.0
        needs.append(_Need(forms, frozenset(), weight, is_translatable=True))
        text = phrase.pattern.sub(" ", text)
    words = words_of(_CUE_ZH.sub(" ", text))
    needs += [_Need((str(amount.value),), frozenset(), 0.7, is_translatable=True) for amount in amounts_in(plain(question))]
    needs += [_Need((name,), frozenset(), 0.3 if _is_model(name) else 2.0, is_translatable=True) for name in words.identifiers]
    for term in words.terms:
        concepts = frozenset(concept for concept in term.concepts if not concept.startswith(("=", "u:")))
        if term.word in _CUE or (concepts and concepts <= {"fault", "status", "run", "name", "off"}):
            continue
        weight = 0.1 if concepts and concepts <= THINGS else 0.7
        needs.append(_Need((term.word,), concepts, weight, is_translatable=bool(concepts)))
    return tuple(needs)


def _is_model(name: str) -> bool:
    """True for device names and models, which a manual need not repeat; codes such as f07 or p1-07 are what is looked for."""
    return re.fullmatch(r"f\d{1,3}|e\d{1,3}|w\d{1,3}|p\d+-\d+|0x[0-9a-f]+|al-?\d+", name) is None


def _share(needs: Sequence[_Need], text: str, *, same: bool) -> float:
    folded = plain(text)
    concepts = words_of(folded[:2000]).concepts
    counted = [need for need in needs if same or need.is_translatable]
    total = sum(need.weight for need in counted)
    if not total:
        return 1.0
    return sum(need.weight for need in counted if _bears(need, folded, concepts)) / total


def _bears(need: _Need, folded: str, concepts: frozenset[str]) -> bool:
    if need.concepts and need.concepts <= concepts:
        return True
    return any((re.search(rf"(?<![a-z0-9]){re.escape(_stem(form))}", folded) if form.isascii() else form in folded) for form in need.forms)


def _stem(word: str) -> str:
    """An English word without its ending, so that "replaced" finds "replace"."""
    return re.sub(r"(?:ing|ed|es|e|s)$", "", word) if len(word) > 5 else word


def _best_sentences(needs: Sequence[_Need], passage: Passage, lang: str) -> tuple[str, ...]:
    sentences = [
        part.strip() for part in _SPLIT.split(_LIST_MARK.sub("", passage.text)) if part and part.strip() and not _TO_ASSISTANT.search(part)
    ]
    if not sentences:
        return ()
    same = passage.lang == lang
    shares = [_share(needs, sentence, same=same) for sentence in sentences]
    best = max(range(len(sentences)), key=lambda index: (shares[index], -index))
    most = 3 if same else 1
    end = best + 1
    while end < len(sentences) and end - best < most and sum(len(sentence) for sentence in sentences[best : end + 1]) < 320:
        if re.search(r"(?<![a-z])[FEW]\d{2}\b|^(?:Code|代码|Text)[:：]", sentences[end]):
            break  # the next row is about another code
        end += 1
    return tuple(sentences[best:end])
