"""The messages of a chat as the planner reads them: the question, what was asked before, this turn's steps."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_ACTION = re.compile(r"Action:\s*(?P<tool>\w+)\s*\nAction Input:\s*(?P<args>\{.*\})\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Step:
    """A call of this turn and what it brought."""

    tool: str
    args: dict[str, object]
    observation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """One turn so far; `earlier` are the operator's own messages, oldest first."""

    question: str
    earlier: tuple[str, ...] = ()
    steps: tuple[Step, ...] = field(default=())
    is_corrected: bool = False

    def of(self, tool: str) -> list[Step]:
        """The steps that called `tool`."""
        return [step for step in self.steps if step.tool == tool]


def read_dialogue(messages: Sequence[tuple[str, str]]) -> Dialogue:
    """The dialogue in (role, content) messages as the agent writes them."""
    asked = [
        index
        for index, (role, content) in enumerate(messages)
        if role == "user" and not content.startswith(("Observation:", "Correction:"))
    ]
    if not asked:
        return Dialogue(question="")
    steps: list[Step] = []
    call: re.Match[str] | None = None
    for role, content in messages[asked[-1] + 1 :]:
        if role == "assistant":
            call = _ACTION.search(content)
        elif content.startswith("Observation:") and call is not None:
            steps.append(Step(call["tool"], json.loads(call["args"]), content.removeprefix("Observation:").strip()))
            call = None
    return Dialogue(
        question=messages[asked[-1]][1],
        earlier=tuple(messages[index][1] for index in asked[:-1]),
        steps=tuple(steps),
        is_corrected=messages[-1][1].startswith("Correction:"),
    )
