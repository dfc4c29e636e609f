"""Adds agent, manuals and chat to a running gateway. Importing this loads the language libraries: do it off the loop."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from fastapi import APIRouter

from assistant import tools
from assistant.agent.agent import Agent
from assistant.agent.answer import Answer
from assistant.api.chat import Chat, chat_routes
from assistant.api.manuals import manual_routes
from assistant.builtin_llm.llm import BuiltinLLM
from assistant.language.tongue import language_of
from assistant.llm.model import Model
from assistant.llm.server import ModelServer, embedding
from assistant.manuals.embed import Embedder, default_embedder
from assistant.manuals.embed_server import ServerEmbedder
from assistant.manuals.index import ManualIndex
from assistant.manuals.library import ManualLibrary
from assistant.session import Exchange
from assistant.settings import AssistantSettings
from assistant.tools.base import Turn
from assistant.transcript.store import Transcript
from assistant.transcript.tables import MIGRATIONS
from gateway.api import cards, schemas
from gateway.app import Gateway
from gateway.app.groups import single_error
from gateway.errors import UnknownTagError
from gateway.service.base import Actor, Proposal
from gateway.store.migrations import migrate

BUILTIN = "built-in planner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """What was built on one gateway."""

    gateway: Gateway
    agent: Agent
    library: ManualLibrary
    transcript: Transcript

    def turn(self, question: str, lang: str, actor: Actor) -> Turn:
        """A fresh turn; it reaches the gateway's reading and proposing sides, and nothing else of it."""
        gateway = self.gateway
        return Turn(
            question=question,
            lang=lang,
            actor=actor,
            read=gateway.read,
            propose=gateway.propose,
            manuals=self.library,
            clock=gateway.clock,
            timezone=gateway.settings.site.timezone,
        )

    async def ask(self, question: str, actor: Actor, history: Sequence[Exchange] = ()) -> Answer:
        """One question, one answer."""
        return await self.agent.ask(self.turn(question, language_of(question), actor), history)

    def routers(self) -> tuple[APIRouter, ...]:
        """The routes of chat and manuals."""
        chat = Chat(agent=self.agent, transcript=self.transcript, make_turn=self.turn, shown=_Shown(self.gateway), clock=self.gateway.clock)
        return chat_routes(chat), manual_routes(self.library, self.gateway.audit)


@asynccontextmanager
async def assisting(gateway: Gateway, settings: AssistantSettings) -> AsyncIterator[Assistant]:
    """An assistant on a running gateway until the context ends; manuals are read and embedded behind it."""
    await asyncio.to_thread(migrate, gateway.store.engine, "transcript", MIGRATIONS)
    server = ModelServer(settings.llm, gateway.clock) if settings.llm is not None else None
    builtin = Model(llm=BuiltinLLM(), name=BUILTIN, looks_first=False)
    library = ManualLibrary(
        ManualIndex(gateway.store.engine),
        gateway.settings.data_dir / "manuals",
        models={name: info.model for info in gateway.plant.devices for name in (info.id, *info.aliases)},
        clock=gateway.clock,
        load_embedder=partial(_embedder, settings),
    )
    await library.open()
    with single_error():
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(library.run(settings.manuals))
            try:
                yield Assistant(
                    gateway=gateway,
                    agent=Agent(builtin=builtin, tools=tools.discover(), model=server),
                    library=library,
                    transcript=Transcript(gateway.store),
                )
            finally:
                reading.cancel()
                if server is not None:
                    await server.close()


def _embedder(settings: AssistantSettings) -> Embedder:
    return default_embedder() if settings.embeddings is None else ServerEmbedder(embedding(settings.embeddings))


class _Shown:
    """Records as the rest of the API shows them; no nonce: the page asks for the card in the person's own session."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def proposal(self, proposal: Proposal) -> Mapping[str, object]:
        """A card."""
        points = {info.tag: info for info in self._gateway.read.points()} if proposal.writes else {}
        return cards.proposal(proposal, points, with_nonce=False)

    def values(self, tags: Sequence[str]) -> Sequence[Mapping[str, object]]:
        """Samples with the titles of their points; unknown tags are left out."""
        shown = []
        for tag in tags:
            try:
                info = self._gateway.read.point(tag)
            except UnknownTagError:
                continue
            title = {"en": f"{info.device_title.en}: {info.title.en}", "zh": f"{info.device_title.zh}{info.title.zh}"}
            shown.append({**schemas.sample(self._gateway.read.latest([tag])[0]), "title": title})
        return shown
