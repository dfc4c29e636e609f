"""What a short message means after what was asked before: follow-ups and replies, completed from the operator's own words."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.language.amounts import amounts_in, plain
from assistant.language.period import without_period
from assistant.language.wish import Wish, wish_of
from gateway.service.find import QUANTITIES
from gateway.service.lexicon import THINGS
from gateway.service.words import Words, words_of

LOOK_BACK = 4
"""How many earlier questions may complete a new one."""


def standalone(question: str, earlier: Sequence[str]) -> str:
    """The question with the device or the quantity it takes from earlier ones (oldest first); itself if it needs none.

    >>> standalone("And pump 2?", ["What's the motor temperature of pump 1?"])
    "what's the motor temperature of pump 2?"
    >>> standalone("And now?", ["What's the tank level?"]), standalone("How fast is pump 2?", ["Tank level?"])
    ("What's the tank level?", 'How fast is pump 2?')
    """
    if not earlier:
        return question
    before = standalone(earlier[-1], earlier[:-1][-LOOK_BACK:])
    words, old = words_of(without_period(plain(question))), words_of(plain(before))
    if _says_nothing(words) and len(words.text) < 40 and not _NEW_TOPIC.search(words.text):
        return before if not words.text or _NOW.search(words.text) else f"{before} {question}"
    if not _LEANS.search(words.text):
        return question
    if _names_device(words) and not _quantities(words):
        return _with_device(old, _device_words(words))
    if _quantities(words) and not _names_device(words):
        return f"{_device_words(old)} {plain(question)}".strip()
    return question


def wish_in_context(message: str, earlier: Sequence[str]) -> Wish | None:
    """The change that the message asks for; what it leaves out is taken from the operator's earlier messages (oldest first).

    >>> wish_in_context("再高两赫兹。", ["1号泵频率设定是多少？"]).subject
    '1号泵 频率 设定'
    >>> wish_in_context("Pump 2.", ["Set the speed to 40."]).subject
    'speed pump 2'
    >>> wish_in_context("Pump 2 temperature", ["Set the speed to 40."]) is None
    True
    """
    wish = wish_of(message)
    if wish is None:
        return _reply(message, earlier)
    words = words_of(wish.subject)
    if wish.kind in ("ack", "undo") or _names_device(words) or not earlier:
        return wish
    for question in reversed(earlier[-LOOK_BACK:]):
        old = words_of(plain(question))
        if not _names_device(old):
            continue
        device = _device_words(old)
        quantity = wish.subject if _quantities(words) or _says_something_else(words) else " ".join([wish.subject, *_quantity_words(old)])
        return replace(wish, subject=re.sub(r"\s+", " ", f"{device} {quantity}").strip())
    return wish


_NOW = re.compile(
    r"^\W*(?:and )?(?:what about |how about )?(?:now|again|once more|and|current(?:ly)?|update|refresh|现在|此刻|目前|再看看?"
    r"|再查一?下?|再来一次"
    r"|刷新)(?: now)?(?:呢|的?值?呢?|一下)?\W*$"
)
_LEANS = re.compile(
    r"^\W*(?:and|also|what about|how about|same|then|ok(?:ay)?,? and|or)\b|\b(?:it|its|that one|them|they|their|same|too|as well)\b"
    r"|^(?:那|还有|同样|再看|另外|以及)|呢\W*$|它|其|也"
)
_NEW_TOPIC = re.compile(r"who|thank|谢谢|你好|hello|help|alarm|报警|how do|why|为什么|story|joke|weather")
_ASKS = re.compile(r"[?？]|吗|多少|什么|怎么|哪|^(?:what|how|is|are|which|when|why|who|show|list)\b")


def _reply(message: str, earlier: Sequence[str]) -> Wish | None:
    """A reply to "which pump?" or "how much?": it gives just what the wish before it lacked."""
    text = plain(message)
    if not earlier or _ASKS.search(text) or len(text) > 40:
        return None
    wish = wish_in_context(earlier[-1], earlier[:-1])
    if wish is None or wish.kind in ("ack", "undo"):
        return None
    words, old = words_of(text), words_of(wish.subject)
    amounts = amounts_in(text)
    gives_device = _names_device(words) and not (old.instances or old.identifiers)
    gives_amount = bool(amounts) and wish.amount is None and wish.kind in ("set", "more", "less")
    if not (gives_device or gives_amount) or _quantities(words) - _quantities(old) - {
        concept for found in amounts for concept in _measured(found.unit)
    }:
        return None
    return replace(
        wish,
        subject=f"{wish.subject} {_device_words(words)}".strip() if gives_device else wish.subject,
        amount=amounts[-1] if gives_amount else wish.amount,
    )


def _measured(unit: str) -> set[str]:
    return {concept for term in words_of(f"1 {unit}").terms for concept in term.concepts}


def _says_nothing(words: Words) -> bool:
    return not words.terms and not words.instances and not words.identifiers


def _says_something_else(words: Words) -> bool:
    return any(concept.startswith("=") for concept in words.concepts)


def _names_device(words: Words) -> bool:
    return bool(words.instances or words.identifiers or words.concepts & THINGS)


def _quantities(words: Words) -> frozenset[str]:
    return words.concepts & (QUANTITIES - {"setpoint", "feedback", "rate"})


def _device_spans(words: Words) -> list[tuple[int, int]]:
    if words.instances:
        return [(found.start, found.end) for found in words.instances]
    if words.identifiers:
        return [(match.start(), match.end()) for name in words.identifiers for match in re.finditer(re.escape(name), words.text)]
    return [(term.start, term.end) for term in words.terms if set(term.concepts) & THINGS and not set(term.concepts) & QUANTITIES]


def _device_words(words: Words) -> str:
    return " ".join(words.text[start:end] for start, end in sorted(set(_device_spans(words))))


def _with_device(words: Words, device: str) -> str:
    """The text with `device` in place of the first device it names."""
    spans = sorted(set(_device_spans(words)))
    text = words.text
    for start, end in reversed(spans):
        text = text[:start] + (device if (start, end) == spans[0] else "") + text[end:]
    return text if spans else f"{text} {device}"


def _quantity_words(words: Words) -> list[str]:
    return [
        term.word
        for term in words.terms
        if set(term.concepts) & (QUANTITIES | {"setpoint", "feedback"}) and not term.concepts[0].startswith("u:")
    ]
