"""What reading gives: the samples of one block, and one sample as people see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NewType

from gateway.model.plan import ReadBlock
from gateway.model.point import Text
from gateway.model.quality import Quality, quality_of

Tag = NewType("Tag", str)

Scalar = bool | int | float | Decimal | str
"""A value in its engineering unit: exact int or Decimal, a float as its double, text, or a coil's bool."""

Label = str | list[str] | dict[str, object] | None
"""Words for a value: an enum's label, the flags that are set, or the fields of a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSamples:
    """All values of one exchange: tuples in the order of `block.points`, one time for all.

    `reasons[i]` is None for GOOD; where it makes the quality BAD, `values[i]` is None.
    """

    block: ReadBlock
    values: tuple[Scalar | None, ...]
    reasons: tuple[str | None, ...]
    words: Sequence[int]
    read_at: datetime
    read_mono: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One tag's value as it is handed to people and programs; age is that of the moment it was asked for."""

    tag: Tag
    value: Scalar | None
    label: Label = None
    label_text: Text = Text()
    """The label in words for people, in both languages; empty where there is none."""
    unit: str = ""
    decimals: int | None = None
    reason: str | None = None
    read_at: datetime | None = None
    age_s: float | None = None
    words: tuple[int, ...] = ()

    @property
    def quality(self) -> Quality:
        """GOOD, UNCERTAIN or BAD, as the reason says."""
        return quality_of(self.reason)
