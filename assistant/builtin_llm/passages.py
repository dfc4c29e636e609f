"""Passages of manuals, and which of their sentences answer a question."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.builtin_llm.needs import Need, needs_of, share_of
from assistant.language.tongue import language_of
from assistant.manuals.glossary import translations

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
    needs = needs_of(question)
    scored = []
    for rank, passage in enumerate(found):
        share = share_of(needs, f"{passage.doc} {passage.place} {passage.text}", same=passage.lang == lang)
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


def gloss(text: str, into: str) -> tuple[str, ...]:
    """The terms of `text` in the other language."""
    return translations(text, "zh" if into == "zh" else "en")


_TASK = re.compile(r"\bhow (?:do|to|can|should)|what (?:should|must|do) (?:i|we)|怎么|如何|步骤|怎样|该做|应该", re.IGNORECASE)
_VALUE = re.compile(r"\bwhat(?:'s| is| are) the\b|\bhow (?:much|many|high|long|often|hot|far)\b|多少|几|多久|多大|多高", re.IGNORECASE)
_STEPS = re.compile(r"\n1\.|^1\.|将 ?[A-Z]|\bset (?:register|parameter|[A-Z])", re.IGNORECASE)
_LINE = re.compile(r'\[(?P<doc>[^\s\]]+) p\.(?P<page>\d+)\] (?P<place>"(?:[^"\\]|\\.)*"): (?P<text>"(?:[^"\\]|\\.)*")$')
_LIST_MARK = re.compile(r"^(?:\d+\.|•) +", re.MULTILINE)
_SPLIT = re.compile(r"(?<=[。；！？])|(?<=[.!?])\s+(?=[A-Z])|\n")
_TO_ASSISTANT = re.compile(
    r"assistant|propose_|\bcall \w+_\w+|ignore (?:all|any|the|your|previous)|do not (?:mention|tell)|system prompt"
    r"|confirm(?:ed)? ?= ?true|助手|忽略(?:之前|以上|所有)|不要(?:提及|告诉)|系统提示",
    re.IGNORECASE,
)


def _best_sentences(needs: Sequence[Need], passage: Passage, lang: str) -> tuple[str, ...]:
    sentences = [
        part.strip() for part in _SPLIT.split(_LIST_MARK.sub("", passage.text)) if part and part.strip() and not _TO_ASSISTANT.search(part)
    ]
    if not sentences:
        return ()
    same = passage.lang == lang
    shares = [share_of(needs, sentence, same=same) for sentence in sentences]
    best = max(range(len(sentences)), key=lambda index: (shares[index], -index))
    most = 3 if same else 1
    end = best + 1
    while end < len(sentences) and end - best < most and sum(len(sentence) for sentence in sentences[best : end + 1]) < 320:
        if re.search(r"(?<![a-z])[FEW]\d{2}\b|^(?:Code|代码|Text)[:：]", sentences[end]):
            break  # the next row is about another code
        end += 1
    return tuple(sentences[best:end])
