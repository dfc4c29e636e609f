"""One model at one question: asks for steps, mends faulty ones, refuses ungrounded answers, and knows when to end."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from assistant.agent.answer import Event, OnEvent
from assistant.agent.toolbox import Toolbox
from assistant.agent.wording import clean
from assistant.errors import ModelUnavailableError
from assistant.grounding.check import Evidence, Problem, correction, problems
from assistant.llm.model import Completion, Model, complete
from assistant.steps.parse import Call, Final, StepFaultError, parse
from assistant.steps.schema import step_schema
from assistant.tools.base import Turn

MAX_SHOWN_FAULT = 600
MAX_SHOWN_THOUGHT = 300
_FOUND = re.compile(r"^==? ", re.MULTILINE)
_TAG = re.compile(r"[A-Za-z][\w-]*\.[A-Za-z_]\w*", re.ASCII)
_SMALL_TALK = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you|good (?:morning|evening|afternoon)|bye|who are you|what can you do|help"
    r"|你好|您好|谢谢|再见|你是谁|你能做什么|帮助)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far a turn may go. `deadline_s` is for all of it, `reserve_s` of that is kept for the built-in planner."""

    steps: int = 6
    retries: int = 2
    same_call: int = 2
    deadline_s: float = 120.0
    reserve_s: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the turn ended. `is_grounded` is False where observations stand in for an answer."""

    text: str
    is_grounded: bool = True


class OfNoUseError(ModelUnavailableError):
    """The server works, but its model does not bring this question to a supported answer."""


class Run:
    """The state of one run, and its next step. Raises ModelUnavailableError where the model is of no use."""

    def __init__(self, *, turn: Turn, toolbox: Toolbox, model: Model, limits: Limits, on_event: OnEvent) -> None:
        self._turn = turn
        self._model = model
        self._limits = limits
        self._on_event = on_event
        self._steps = 0
        self._rewrites = 0
        self.toolbox = toolbox
        self.ending: Ending | None = None
        self.failure: ModelUnavailableError | None = None
        self.llm_calls = 0
        self.has_answered = False
        self.prompt_tokens = 0
        self.completion_tokens = 0

    async def next_call(self, messages: Sequence[ChatMessage]) -> Call | None:
        """The call that the model wants next, or None when `ending` is there; raises ModelUnavailableError."""
        if self._steps >= self._limits.steps:
            raise OfNoUseError(f"{self._model.name} had no answer after {self._steps} steps")
        self._steps += 1
        self._on_event(Event(kind="step", data={"n": self._steps}))
        corrections: list[ChatMessage] = []
        for _ in range(self._limits.retries + 1):
            completion = await self._complete([*messages, *corrections])
            try:
                step = await self._checked(completion)
            except StepFaultError as fault:
                if fault.tool:
                    self.toolbox.refuse_unknown(fault.tool, str(fault))
                corrections = _corrections(completion.text, str(fault))
                continue
            return await self._taken(step)
        raise OfNoUseError(f"{self._model.name} wrote {self._limits.retries + 1} faulty steps in a row")

    async def _complete(self, messages: Sequence[ChatMessage]) -> Completion:
        schema = None
        if self._model.json_steps:
            schema = step_schema(self.toolbox.offered, may_answer=self._may_answer, tags=self._tags())
        self.llm_calls += 1
        completion = await complete(self._model, messages, schema=schema)
        self.has_answered = True
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        return completion

    async def _checked(self, completion: Completion) -> Call | Final:
        if completion.is_cut:
            raise StepFaultError("The step was too long and was cut off. Write it again, shorter.")
        step = parse(completion.text, self.toolbox.names)
        if isinstance(step, Call):
            return step
        if not self._may_answer:
            raise StepFaultError(f"You have not looked yet. Call a tool first: {', '.join(spec.name for spec in self.toolbox.offered)}.")
        text = clean(step.text)
        fault = await self._fault(text)
        if fault and self._rewrites:
            raise OfNoUseError(f"{self._model.name} answered without support")
        if fault:
            self._rewrites = 1
            raise StepFaultError(fault)
        return Final(text=text, thought=step.thought)

    async def _fault(self, text: str) -> str:
        """What keeps an answer from being shown, in words for the model; empty if nothing does."""
        if self._model.looks_first and self._has_names_only and not text.rstrip().endswith(("?", "？")):
            return "So far you only looked up names. Read the value with read_points, or ask which point is meant."
        found = await self._problems(text)
        if not found:
            return ""
        return f"The answer cannot be shown: {correction(found)}. Read what is missing with a tool, or answer with what was observed only."

    async def _taken(self, step: Call | Final) -> Call | None:
        if isinstance(step, Final):
            self.ending = Ending(text=step.text)
            return None
        if self.toolbox.times(step.tool, step.args) >= self._limits.same_call:
            raise OfNoUseError(f"{self._model.name} repeated one call")
        thought = clean(step.thought)[:MAX_SHOWN_THOUGHT]
        if thought and not await self._problems(thought):
            self._on_event(Event(kind="step", data={"n": self._steps, "thought": thought}))
        return step

    @property
    def writes_json(self) -> bool:
        """True if the model writes its steps as JSON objects."""
        return self._model.json_steps

    @property
    def _may_answer(self) -> bool:
        return not self._model.looks_first or bool(self._turn.observations) or bool(_SMALL_TALK.match(self._turn.question))

    @property
    def _has_names_only(self) -> bool:
        """True if points were found and nothing was read of them: their names and limits are no answer about the plant."""
        return bool(self.toolbox.calls) and all(
            call.name == "find_points" and _FOUND.search(call.observation) for call in self.toolbox.calls
        )

    async def _problems(self, text: str) -> tuple[Problem, ...]:
        """On a thread: the loop also polls devices."""
        evidence = Evidence(
            observations=tuple(self._turn.observations),
            question=self._turn.question,
            pages=frozenset((cited.doc, cited.page) for cited in self._turn.citations),
            has_proposal=bool(self._turn.proposals),
        )
        return await asyncio.to_thread(problems, text, evidence)

    def _tags(self) -> list[str]:
        named = {word for text in self._turn.observations for word in _TAG.findall(text)}
        return sorted(named & self._known_tags)

    @cached_property
    def _known_tags(self) -> frozenset[str]:
        return frozenset(str(point.tag) for point in self._turn.read.points())


def _corrections(output: str, fault: str) -> list[ChatMessage]:
    """What the model wrote and what is wrong with it, last in the prompt; only the newest fault is shown."""
    return [
        ChatMessage(role=MessageRole.ASSISTANT, content=output[:MAX_SHOWN_FAULT] or "(nothing)"),
        ChatMessage(role=MessageRole.USER, content=f"Correction: {fault}"),
    ]


def usage(runs: Sequence[Run]) -> Mapping[str, int]:
    """Calls and tokens of all runs of a turn."""
    return {
        "llm_calls": sum(run.llm_calls for run in runs),
        "prompt_tokens": sum(run.prompt_tokens for run in runs),
        "completion_tokens": sum(run.completion_tokens for run in runs),
    }
