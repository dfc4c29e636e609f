"""One run of the benchmark, as the command asks for it."""

from collections.abc import Callable
from pathlib import Path

from assistant.eval.questions import DATA, load_plant_facts, load_questions
from assistant.eval.record import Record
from assistant.eval.report import report, results
from assistant.eval.run import BUILTIN, MakeModel, run
from assistant.eval.scripted import hostile, perfect
from assistant.llm.server import ModelServer
from assistant.settings import read_settings
from gateway.clock import SystemClock
from gateway.errors import ConfigError, Finding
from gateway.settings import load_settings

LLMS = ("builtin", "config", "scripted:perfect", "scripted:hostile")
"""Who may be asked."""


async def evaluated(
    questions: Path | None, plant: Path | None, llm: str, config: Path | None, tell: Callable[[Record], None]
) -> dict[str, object]:
    """The report of a run; `tell` hears of each record as it is made."""
    asked = load_questions(questions or DATA / "questions.jsonl")
    facts = load_plant_facts(plant or DATA / "plant.json")
    make_model, server = _model(llm, config)
    try:
        records = await run(asked, facts, make_model, tell)
    finally:
        if server is not None:
            await server.close()
    name = BUILTIN if llm == "builtin" else llm
    return report(results(asked, records), name, is_liar=llm == "scripted:hostile")


def _model(llm: str, config: Path | None) -> tuple[MakeModel, ModelServer | None]:
    if llm == "scripted:perfect":
        return perfect, None
    if llm == "scripted:hostile":
        return hostile, None
    if llm == "builtin" or config is None:
        return lambda question, turn: None, None  # noqa: ARG005 - every question is the planner's
    settings = load_settings(config)
    block = read_settings(settings.assistant, settings.file)
    if block.llm is None:
        finding = Finding(code="no_llm", message="the configuration names no model server", fix="add assistant: {llm: {api_base: ...}}")
        raise ConfigError([finding])
    server = ModelServer(block.llm, SystemClock())
    return lambda question, turn: server, server  # noqa: ARG005 - every question is its own turn of the same server
