"""A write as the device is asked for it, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gateway.model.encode import Encoded
from gateway.model.point import Point
from gateway.model.sample import Scalar

Outcome = Literal["verified", "differs", "acknowledged", "changed_before", "refused", "not_sent", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One wanted write. `old` is the value that was shown to the person who confirmed; None: there was none to show."""

    point: Point
    encoded: Encoded
    old: Scalar | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How one write ended (INTERFACES: outcomes).

    `code` is the refusal code or empty, `exception` the device's exception code, `reason` what went wrong on the wire.
    `old` is what was read just before, `read_back` and `words_read` what was read after.
    """

    point: Point
    outcome: Outcome
    code: str = ""
    reason: str = ""
    exception: int | None = None
    old: Scalar | None = None
    read_back: Scalar | None = None
    words_read: tuple[int, ...] = ()


def shows(encoded: Encoded, words: Sequence[int]) -> bool:
    """True if `words`, read back, hold what was to be written, whatever the bits of the neighbours are."""
    if encoded.coil is not None:
        return len(words) == 1 and bool(words[0]) == encoded.coil
    if len(words) != len(encoded.words):
        return False
    keep = encoded.keep or (0,) * len(words)
    return all(word & ~mask == wanted for word, mask, wanted in zip(words, keep, encoded.words, strict=True))
