"""What the planner may do next: call a tool or answer, and how that is written as a step."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ArgValue = str | int | float | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Call:
    """The next tool call."""

    tool: str
    args: Mapping[str, ArgValue]
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of the turn."""

    text: str


Move = Call | Answer


def written(move: Move) -> str:
    """The move in the form of a step."""
    if isinstance(move, Answer):
        return f"Thought: I can answer.\nAnswer: {move.text}"
    args = {name: value for name, value in move.args.items() if value is not None}
    return f"Thought: {move.thought or 'I need this.'}\nAction: {move.tool}\nAction Input: {json.dumps(args, ensure_ascii=False)}"
