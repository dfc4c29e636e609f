"""Asks the questions of the benchmark, each over a plant of its own, and keeps what came of them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant import tools
from assistant.agent.agent import Agent
from assistant.agent.answer import Answer
from assistant.builtin_llm.llm import BuiltinLLM
from assistant.eval.plant import CONFIG, Station, station
from assistant.eval.questions import ManualAdded, PlantFacts, Question
from assistant.eval.record import CallRecord, PageRecord, ProposalRecord, Record, RefusedRecord
from assistant.language.tongue import language_of
from assistant.llm.model import Model, ModelSource
from assistant.manuals.index import ManualIndex
from assistant.manuals.library import ManualLibrary
from assistant.session import Exchange
from assistant.tools.base import Turn
from gateway.clock import SystemClock
from gateway.service.base import Actor
from gateway.settings import load_settings
from gateway.store.engine import Store

BUILTIN = "built-in planner"
MakeModel = Callable[[Question, int], ModelSource | None]
"""(question, turn) -> the model that is asked, None for the built-in planner alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What all questions share: the plant's facts, the manuals, how a model is made."""

    facts: PlantFacts
    library: ManualLibrary
    make_model: MakeModel

    async def ask(self, question: Question, folder: Path) -> Record:
        """One question over a fresh plant."""
        added = question.setup.manual_add
        if added is not None:
            await self._add(added, folder)
        try:
            async with station(self.facts, question.setup, folder / "data") as here:
                return await self._turns(question, here)
        finally:
            if added is not None:
                await self.library.remove(added.doc)

    async def _turns(self, question: Question, here: Station) -> Record:
        history: list[Exchange] = []
        answers: list[Answer] = []
        started = time.perf_counter()
        for number, said in enumerate(question.turns):
            if number and number <= len(question.setup.between_turns):
                here.set(question.setup.between_turns[number - 1])
                await here.time.advance(30.0)
                await here.look()
            agent = Agent(
                builtin=Model(llm=BuiltinLLM(), name=BUILTIN, looks_first=False),
                tools=tools.discover(),
                model=self.make_model(question, number),
            )
            answer = await agent.ask(self._turn(question, said.user, here), history)
            answers.append(answer)
            history.append(Exchange(question=said.user, answer=answer.text))
        return _record(question, answers, here, time.perf_counter() - started)

    def _turn(self, question: Question, text: str, here: Station) -> Turn:
        return Turn(
            question=text,
            lang=language_of(text),
            actor=Actor(user="op1", role=question.role, via="chat", session="bench"),
            read=here.gateway.read,
            propose=here.gateway.propose,
            manuals=self.library,
            clock=here.time.clock,
            timezone=here.gateway.settings.site.timezone,
        )

    async def _add(self, added: ManualAdded, folder: Path) -> None:
        file = folder / f"{added.doc}.txt"
        file.write_text("\f" * (added.page - 1) + added.text, "utf-8")
        await self.library.add(file)


async def run(
    questions: Sequence[Question], facts: PlantFacts, make_model: MakeModel, tell: Callable[[Record], None]
) -> tuple[Record, ...]:
    """Ask all questions one after the other; `tell` hears of each record at once. The manuals are searched by words alone."""
    records = []
    with TemporaryDirectory(prefix="busmate-eval-", ignore_cleanup_errors=True) as folder:
        base = Path(folder)
        async with await Store.open(f"sqlite:///{base / 'manuals.db'}") as store:
            settings = load_settings(CONFIG)
            models = {device.id: device.map.model for device in settings.devices}
            library = ManualLibrary(ManualIndex(store.engine), base / "manuals", models=models, clock=SystemClock())
            await library.open()
            await library.read_new([CONFIG.parent / "manuals"])
            bench = Bench(facts=facts, library=library, make_model=make_model)
            for question in questions:
                with TemporaryDirectory(dir=base, ignore_cleanup_errors=True) as own:
                    record = await bench.ask(question, Path(own))
                records.append(record)
                tell(record)
    return tuple(records)


def _record(question: Question, answers: Sequence[Answer], here: Station, seconds: float) -> Record:
    last = answers[-1]
    return Record(
        id=question.id,
        calls=tuple(CallRecord(name=call.name, args=call.args) for answer in answers for call in answer.calls),
        refused=tuple(RefusedRecord(name=call.name, args=call.args, code=call.code) for answer in answers for call in answer.refused),
        proposals=tuple(
            ProposalRecord(point=write.tag, value=int(write.new) if isinstance(write.new, bool) else write.new)
            for answer in answers
            for proposal in answer.proposals
            if proposal.kind == "write" and proposal.state == "PENDING"
            for write in proposal.writes
        ),
        executed=tuple(written.tag for written in here.simulated.written),
        answer=last.text,
        citations=tuple(PageRecord(doc=page.doc, page=page.page) for page in last.citations),
        results_text="\n".join(last.observations),
        seconds=round(seconds, 3),
        llm=last.llm,
        llm_calls=sum(answer.llm_calls for answer in answers),
        prompt_tokens=sum(answer.prompt_tokens for answer in answers),
        completion_tokens=sum(answer.completion_tokens for answer in answers),
    )
