"""What kind of question it is, as far as its words tell."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.builtin_llm import cues
from assistant.language.amounts import Amount, amounts_in, plain
from assistant.language.context import standalone, wish_in_context
from assistant.language.period import period_in, without_period
from assistant.language.tongue import language_of
from assistant.language.wish import Wish
from gateway.service.words import Words, words_of


class Topic(StrEnum):
    """What a question is about."""

    CHANGE = "change"
    HIDDEN = "hidden"
    TALK = "talk"
    REFUSED = "refused"
    LATER = "later"
    AUDIT = "audit"
    ALARMS = "alarms"
    HISTORY = "history"
    MANUAL = "manual"
    COMBINED = "combined"
    HEALTH = "health"
    DEVICES = "devices"
    LIMITS = "limits"
    VALUES = "values"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question understood as far as words go. `text` is plain and completed from earlier questions."""

    question: str
    text: str
    lang: str
    topic: Topic
    words: Words
    wish: Wish | None
    period: str | None
    amounts: tuple[Amount, ...]

    def says(self, pattern: re.Pattern[str]) -> bool:
        """True if the completed question matches."""
        return pattern.search(self.text) is not None

    def pick(self, english: str, chinese: str) -> str:
        """The words in the language of the question."""
        return chinese if self.lang == "zh" else english


def understand(question: str, earlier: Sequence[str]) -> Asked:
    """The question with its topic."""
    wish = wish_in_context(question, earlier)
    whole = question if wish is not None else standalone(question, earlier)
    text = plain(whole) if wish is not None else cues.SET_TO.sub(" setpoint ", plain(whole))
    words = words_of(text)
    period = period_in(question) or period_in(whole)
    amounts = amounts_in(text)
    topic = Topic.CHANGE if wish is not None else _topic(text, words, period, has_amount=bool(amounts))
    return Asked(
        question=question, text=text, lang=language_of(question), topic=topic, words=words, wish=wish, period=period, amounts=amounts
    )


def without_cues(text: str) -> str:
    """The question without the words that say how it is asked (period, manual, comparison): what is left names points."""
    return without_period(cues.CUES.sub(" ", text))


def _topic(text: str, words: Words, period: str | None, *, has_amount: bool) -> Topic:
    for topic, cue in _AT_ONCE:
        if cue.search(text):
            return topic
    if cues.SHELVE.search(text) and not cues.ASKS.search(text):
        return Topic.REFUSED
    if cues.AUDIT.search(text) and not (cues.ALARM.search(text) and cues.ALARM_ACT.search(text)):
        return Topic.AUDIT
    about_points = bool(words.instances) or any(not concept.startswith("=") for concept in words.concepts)
    if not about_points and cues.PLAIN_TALK.search(text):
        return Topic.NOTHING
    if not words.terms and not words.instances and not words.identifiers:
        return next((topic for topic, cue in _WITHOUT_WORDS if cue.search(text)), Topic.NOTHING)
    if cues.REACHES.search(text) and has_amount:
        return Topic.HISTORY
    manual = cues.MANUAL.search(text) is not None and not (cues.CALC.search(text) and cues.RATED.search(text))
    if cues.HEALTH.search(text) and not manual:
        return Topic.HEALTH
    for topic, cue in _WITHOUT_WORDS[:1] + _LIMITS:
        if cue.search(text):
            return topic
    if cues.ALARM.search(text) and not cues.ALARM_POINT.search(text) and not manual:
        return Topic.ALARMS
    if not manual and _is_history(text, period, has_amount=has_amount):
        return Topic.HISTORY
    if _asks_fault(text, words, manual=manual):
        return Topic.COMBINED
    if manual:
        return Topic.COMBINED if about_points and _is_live(text, period) else Topic.MANUAL
    if cues.IN_RANGE.search(text) and cues.A_RANGE.search(text):
        return Topic.COMBINED
    return Topic.VALUES


_AT_ONCE = ((Topic.TALK, cues.TALK), (Topic.HIDDEN, cues.HIDDEN), (Topic.LATER, cues.LATER), (Topic.ALARMS, cues.OVERVIEW))
_WITHOUT_WORDS = ((Topic.DEVICES, cues.DEVICES), (Topic.MANUAL, cues.MANUAL))
_LIMITS = ((Topic.LIMITS, cues.LIMITS),)


def _asks_fault(text: str, words: Words, *, manual: bool) -> bool:
    """True for the cause or the cure of a fault that a device has now."""
    wants = manual or cues.CAUSE.search(text) or cues.RESET.search(text) or cues.ADVICE.search(text)
    if "fault" not in words.concepts or not wants:
        return False
    return bool(words.instances) or (bool(words.identifiers) and not _only_code(text))


def _is_live(text: str, period: str | None) -> bool:
    """True if a question about a manual is one about the plant, too."""
    live = cues.LIVE.search(text) or cues.IN_RANGE.search(text) or period
    return bool(live) and not _only_code(text) and not cues.WHENEVER.search(text)


def _only_code(text: str) -> bool:
    """True for "what does F16 mean": nothing of the plant has to be read for it."""
    return cues.CODE.search(text) is not None and not cues.NOW.search(text)


def _is_history(text: str, period: str | None, *, has_amount: bool) -> bool:
    if cues.REACHES.search(text) and (has_amount or re.search(r"empty|full|空|满", text)):
        return True
    if cues.TREND.search(text):
        return True
    if period is None:
        return False
    if period == "today":
        return (
            any(pattern.search(text) for _, pattern in cues.EXTREMES)
            or cues.USED.search(text) is not None
            or (cues.EXCEEDED.search(text) is not None and has_amount)
            or cues.PAST.search(text) is not None
        )
    return True
