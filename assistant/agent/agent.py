"""A question to an answer: the configured model first, the built-in planner where there is none or it is of no use."""

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from assistant.agent.answer import Answer, Event, OnEvent
from assistant.agent.react import drive
from assistant.agent.run import Ending, Limits, OfNoUseError, Run, usage
from assistant.agent.toolbox import Toolbox
from assistant.agent.wording import observations_answer, out_of_time, proposal_answer
from assistant.errors import ModelUnavailableError
from assistant.grounding.check import cited
from assistant.llm.model import Model, ModelSource
from assistant.session import Exchange, TurnMemory
from assistant.steps.schema import describe
from assistant.tools.base import Citation, ToolSpec, Turn

MAX_CITATIONS = 5
_PROMPTS = Path(__file__).parent.parent / "prompts"


def nobody(event: Event) -> None:
    """An `on_event` for callers that only want the answer."""
    del event


class Agent:
    """Answers questions with tools. `model` is the configured model, `builtin` the planner that needs none."""

    def __init__(
        self, *, builtin: Model, tools: Sequence[ToolSpec], model: ModelSource | None = None, limits: Limits | None = None
    ) -> None:
        self._builtin = builtin
        self._tools = tuple(tools)
        self._model = model
        self._limits = limits or Limits()

    async def ask(self, turn: Turn, history: Sequence[Exchange] = (), on_event: OnEvent = nobody) -> Answer:
        """One turn. Always gives an answer within the deadline; only cancelling ends it without one."""
        started = turn.clock.monotonic()
        turn.earlier = tuple(exchange.question for exchange in history)
        runs: list[Run] = []
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                ending, name = await self._ending(turn, history, on_event, runs)
        except TimeoutError:
            text = observations_answer(turn.observations, turn.lang) if turn.observations else out_of_time(turn.lang)
            ending, name = Ending(text=text, is_grounded=False), self._builtin.name
        if turn.proposals:
            ending = Ending(text=proposal_answer(turn.proposals, turn.lang))
        for piece in ending.text.splitlines(keepends=True):
            on_event(Event(kind="token", data={"text": piece}))
        return Answer(
            text=ending.text,
            grounded=ending.is_grounded,
            citations=_citations(ending.text, turn.citations),
            calls=tuple(call for run in runs for call in run.toolbox.calls),
            refused=tuple(call for run in runs for call in run.toolbox.refused),
            observations=tuple(turn.observations),
            proposals=tuple(turn.proposals),
            llm=name,
            seconds=turn.clock.monotonic() - started,
            **usage(runs),
        )

    async def _ending(self, turn: Turn, history: Sequence[Exchange], on_event: OnEvent, runs: list[Run]) -> tuple[Ending, str]:
        """The ending and the name of the model that found it."""
        reason = ""
        if self._model is not None:
            found = await self._with_model(self._model, turn, history, on_event, runs)
            if not isinstance(found, str):
                return found
            reason = f" ({found})"
        if turn.proposals:
            return Ending(text=""), f"{self._builtin.name}{reason}"
        return await self._run(self._builtin, turn, history, on_event, runs), f"{self._builtin.name}{reason}"

    async def _with_model(
        self, source: ModelSource, turn: Turn, history: Sequence[Exchange], on_event: OnEvent, runs: list[Run]
    ) -> tuple[Ending, str] | str:
        """The ending and the name of the configured model, or in words why it is of no use; some time is kept for the planner."""
        model: Model | None = None
        try:
            async with asyncio.timeout(self._limits.deadline_s - self._limits.reserve_s):
                model = await source.ready()
                if model is None:
                    return "not available"
                return await self._run(model, turn, history, on_event, runs), model.name
        except TimeoutError:
            reason = f"{model.name if model else 'the model server'} took too long"
            if not runs or not runs[-1].has_answered:
                source.failed(reason)
            return reason
        except OfNoUseError as exc:
            return str(exc)
        except ModelUnavailableError as exc:
            source.failed(str(exc))
            return str(exc)

    async def _run(self, model: Model, turn: Turn, history: Sequence[Exchange], on_event: OnEvent, runs: list[Run]) -> Ending:
        run = Run(turn=turn, toolbox=Toolbox(self._tools, turn, on_event), model=model, limits=self._limits, on_event=on_event)
        runs.append(run)
        await drive(
            run,
            model,
            system_text(run.toolbox.offered, turn.lang, as_json=model.json_steps),
            TurnMemory.of(history),
            turn.question,
            self._limits,
        )
        if run.failure is not None:
            if model is self._builtin:
                return Ending(text=observations_answer(turn.observations, turn.lang), is_grounded=False)
            raise run.failure
        return run.ending or Ending(text=observations_answer(turn.observations, turn.lang))


def system_text(tools: Sequence[ToolSpec], lang: str, *, as_json: bool) -> str:
    """The prompt with tools and examples; the same bytes for the same tools and language. Who may not write is not told of writing."""
    form = "json" if as_json else "react"
    text = _prompt(f"{form}.md").replace("{examples}", _prompt(f"{form}.examples.{'zh' if lang == 'zh' else 'en'}.md"))
    other = "{read}" if any(tool.ends_turn for tool in tools) else "{write}"
    lines = [line for line in text.splitlines() if not line.startswith(other)]
    return "\n".join(line.removeprefix("{read}").removeprefix("{write}") for line in lines).replace("{tools}", describe(tools)).strip()


@cache
def _prompt(name: str) -> str:
    return (_PROMPTS / name).read_text(encoding="utf-8")


def _citations(text: str, candidates: Sequence[Citation]) -> tuple[Citation, ...]:
    """The retrieved pages that the answer names, or the best of those it was written from."""
    unique = {(page.doc, page.page): page for page in reversed(candidates)}
    named = cited(text, unique)
    chosen = [page for page in dict.fromkeys(candidates) if not named or (page.doc, page.page) in named]
    return tuple({(page.doc, page.page): page for page in reversed(chosen)}.values())[::-1][:MAX_CITATIONS]
