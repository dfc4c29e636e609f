"""What a turn gives back, and what happens on the way."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from assistant.steps.jsontext import Json
from assistant.tools.base import Citation
from gateway.service.base import Proposal

EventKind = Literal["step", "tool", "token", "proposal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something an open page shows at once. `proposal` is set on events of that kind."""

    kind: EventKind
    data: Mapping[str, Json]
    proposal: Proposal | None = None


OnEvent = Callable[[Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that was let through, with what it brought."""

    name: str
    args: Mapping[str, Json]
    observation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCall:
    """A call that was not let through. `code`: a refusal code, ARGUMENTS or UNKNOWN_TOOL."""

    name: str
    args: Mapping[str, Json]
    code: str
    observation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The end of a turn. `text` holds no number, page or claim that this turn's observations do not support.

    `grounded` is False only where the observations themselves had to stand in for an answer. `llm` says which model answered, and why
    the built-in planner did where another is configured.
    """

    text: str
    grounded: bool
    citations: tuple[Citation, ...]
    calls: tuple[ToolCall, ...]
    refused: tuple[RefusedCall, ...]
    observations: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    llm: str
    seconds: float
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def answer_json(answer: Answer) -> dict[str, object]:
    """The answer as `busmate ask --json` prints it. No nonce: a card is confirmed where a person is signed in."""
    return {
        "answer": answer.text,
        "grounded": answer.grounded,
        "citations": [{"doc": cited.doc, "page": cited.page} for cited in answer.citations],
        "calls": [{"name": call.name, "args": dict(call.args)} for call in answer.calls],
        "proposals": [
            {
                "id": proposal.id,
                "kind": proposal.kind,
                "state": proposal.state,
                "alarm": proposal.alarm,
                "writes": [{"tag": w.tag, "old": w.old, "new": w.new, "unit": w.unit} for w in proposal.writes],
            }
            for proposal in answer.proposals
        ],
        "llm": answer.llm,
        "seconds": round(answer.seconds, 3),
    }
