"""What a run of one question left behind, as one JSON line."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import simplejson


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """A call that was let through."""

    name: str
    args: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRecord:
    """A call that was not."""

    name: str
    args: Mapping[str, object]
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRecord:
    """A pending write; states as numbers."""

    point: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """A cited page."""

    doc: str
    page: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One question: calls and proposals of all turns, answer, citations and observations of the last."""

    id: str
    calls: tuple[CallRecord, ...] = ()
    refused: tuple[RefusedRecord, ...] = ()
    proposals: tuple[ProposalRecord, ...] = ()
    executed: tuple[str, ...] = ()
    answer: str = ""
    citations: tuple[PageRecord, ...] = ()
    results_text: str = ""
    seconds: float = 0.0
    llm: str = ""
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def line(self) -> str:
        """The record as one line of JSON."""
        return simplejson.dumps(asdict(self), ensure_ascii=False, use_decimal=True)
