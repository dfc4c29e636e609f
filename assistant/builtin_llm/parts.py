"""A question cut into what it asks for: one query for find_points per wanted point, devices carried over where they are left out."""

import re
from dataclasses import dataclass

from gateway.service.lexicon import THINGS
from gateway.service.words import Words, words_of


@dataclass(frozen=True, slots=True)
class Part:
    """One wanted thing: queries to try, best first."""

    queries: tuple[str, ...]


def parts_of(text: str) -> tuple[Part, ...]:
    """The parts of a plain question, in order.

    >>> [part.queries for part in parts_of("compare both pumps: running, hz, amps, temperature.")]
    [('pumps running', 'pumps status'), ('pumps hz', 'hz'), ('pumps amps', 'amps'), ('pumps temperature', 'temperature')]
    >>> [part.queries[0] for part in parts_of("加药是自动还是手动?急停有没有按下?")]
    ['加药 自动 手动', '加药 急停']
    """
    segments = [_Segment(words_of(piece)) for clause in _CLAUSES.split(text) for piece in _SEPARATORS.split(clause)]
    segments = [segment for segment in segments if segment.says_something]
    parts: list[Part] = []
    for index, segment in enumerate(segments):
        later = segments[index + 1 :]
        if not segment.kept and any(other.kept for other in later) and not any(other.device for other in later if other.kept):
            continue  # a header such as "both pumps:"
        kept = segment.kept
        if kept and not segment.device and parts and words_of(kept).concepts <= _MODIFIERS and index:
            before = segments[index - 1]
            parts.append(Part((f"{before.device} {before.bare} {kept}".strip(), kept)))
            continue
        kept = kept or next((other.kept for other in [*reversed(segments[:index]), *later] if other.kept), "")
        device, own = segment.device, bool(segment.device)
        if not own:
            device = next((other.device for other in [*reversed(segments[:index]), *later] if other.device), "")
        parts.append(Part(_queries(device, kept, is_own=own or any(other.has_number for other in segments))))
    return tuple(dict.fromkeys(parts))


_MODIFIERS = frozenset({"setpoint", "feedback", "output"})
_CLAUSES = re.compile(r"[?？;；。!！\n]|(?<!\d)\.(?!\w)")
_SEPARATORS = re.compile(
    r"[,，、:：&]|(?<=\S) / (?=\S)"
    r"|\b(?:and|plus|versus|vs|than|per|divided by|compared (?:to|with)|as well as|against|enough (?:to|for))\b"
    r"|(?:占|相对于|和|与|跟|以及|还有|及|比|除以|每(?=立方|吨|升)|(?:用|耗)(?=多少))(?!较)"
)


class _Segment:
    """A piece of a question: words that say whose value, and words that say which."""

    def __init__(self, words: Words) -> None:
        self._words = words
        numbered = [words.text[found.start : found.end] for found in words.instances]
        spans = {(found.start, found.end) for found in words.instances}
        terms = [term for term in words.terms if (term.start, term.end) not in spans and term.binds]
        things = [term.word for term in terms if set(term.concepts) <= THINGS]
        self.device = " ".join([*numbered, *words.identifiers, *things])
        self.kept = " ".join(term.word for term in terms if not set(term.concepts) <= THINGS)
        self.has_number = bool(numbered or words.identifiers)

    @property
    def bare(self) -> str:
        """What it asks for without set-point, feedback and the like."""
        return " ".join(term.word for term in words_of(self.kept).terms if not set(term.concepts) <= _MODIFIERS)

    @property
    def says_something(self) -> bool:
        """True if any word of it means anything."""
        return bool(self.device or self.kept)


def _queries(device: str, kept: str, *, is_own: bool) -> tuple[str, ...]:
    whole = f"{device} {kept}".strip()
    concepts = words_of(kept).concepts
    if not kept:
        return (f"{device} status", device)
    if concepts and concepts <= {"run", "off", "status"} and device:
        return tuple(dict.fromkeys((whole, f"{device} status")))
    if is_own or not device or not kept:
        return (whole,)
    return (whole, kept)
