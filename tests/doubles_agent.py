"""A little plant and little tools to run the agent on: real ToolSpecs over a dictionary of values."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar, cast

from pydantic import Field

from assistant.agent.agent import Agent
from assistant.agent.answer import Event
from assistant.agent.run import Limits
from assistant.errors import ToolFailedError, ToolInputError
from assistant.llm.model import Model, ModelSource
from assistant.testing import Script, ScriptedLLM
from assistant.tools.base import Args, Citation, ManualSearch, ToolSpec, Turn
from gateway.clock import ManualClock
from gateway.model.point import Access, Role, Text
from gateway.model.sample import Tag
from gateway.service.base import Actor, PointInfo, Proposal, ProposalService, ProposedWrite, ReadService

NOON = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)


@dataclass
class LittlePlant:
    """Values by tag, lines as the tools print them; `wire_reads` counts the reads."""

    values: dict[str, str] = field(default_factory=lambda: {"vfd1.speed_fb": "44.87 Hz GOOD 1 s", "vfd1.speed_sp": "45 Hz GOOD 1 s"})
    passages: dict[str, tuple[Citation, str]] = field(default_factory=dict)
    wire_reads: int = 0

    def points(self, device: str | None = None) -> Sequence[PointInfo]:
        return [
            PointInfo(
                tag=Tag(tag),
                device=tag.split(".")[0],
                device_title=Text(),
                title=Text("Speed", "转速"),
                description=Text(),
                aliases=(),
                unit="Hz",
                decimals=1,
                type="uint16",
                access=Access.RW,
            )
            for tag in self.values
        ]


def proposal(tag: str, old: float, new: float, *, approvals: int = 1, notes: tuple[Text, ...] = ()) -> Proposal:
    write = ProposedWrite(
        tag=Tag(tag), title=Text("Speed set-point", "频率设定"), unit="Hz", old=old, new=new, old_label=None, new_label=None, words=(4300,)
    )
    return Proposal(
        id="pr1",
        nonce="secret-nonce",
        state="PENDING",
        kind="write",
        writes=(write,),
        alarm="",
        reason="asked",
        proposer="op1",
        via="chat",
        role=Role.OPERATOR,
        confirm="user",
        approvals_needed=approvals,
        approved_by=(),
        created_at=NOON,
        expires_s=120.0,
        notes=notes,
    )


class FindPoints:
    class Query(Args):
        query: str = Field(description="words", max_length=80)

    name: ClassVar[str] = "find_points"
    description: ClassVar[str] = "tags by words"
    args: ClassVar[type[Args]] = Query
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: Query, turn: Turn) -> str:
        return "\n".join(f"= {point.tag} | Hz | writable 0 to 50 | {point.title.in_(turn.lang)}" for point in turn.read.points())


class ReadPoints:
    class Points(Args):
        points: list[str] = Field(min_length=1, max_length=20)

    name: ClassVar[str] = "read_points"
    description: ClassVar[str] = "values now"
    args: ClassVar[type[Args]] = Points
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: Points, turn: Turn) -> str:
        plant = cast("LittlePlant", turn.read)
        plant.wire_reads += 1
        unknown = [tag for tag in args.points if tag not in plant.values]
        if unknown:
            raise ToolInputError(f"no point is called {unknown[0]}; near: vfd1.speed_fb")
        return "\n".join(f"{tag} {plant.values[tag]}" for tag in args.points)


class SearchManuals:
    class Query(Args):
        query: str
        device: str | None = None

    name: ClassVar[str] = "search_manuals"
    description: ClassVar[str] = "passages of the manuals"
    args: ClassVar[type[Args]] = Query
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: Query, turn: Turn) -> str:
        plant = cast("LittlePlant", turn.read)
        turn.citations.extend(cited for cited, _ in plant.passages.values())
        return "\n".join(f'[{cited.doc} p.{cited.page}] "{text}"' for cited, text in plant.passages.values()) or "nothing found"


class ProposeWrite:
    class Write(Args):
        point: str
        value: float | int
        reason: str = Field(max_length=200)

    name: ClassVar[str] = "propose_write"
    description: ClassVar[str] = "a card for a person to confirm"
    args: ClassVar[type[Args]] = Write
    least_role: ClassVar[Role] = Role.OPERATOR
    ends_turn: ClassVar[bool] = True

    async def run(self, args: Write, turn: Turn) -> str:
        if args.value > 50:
            raise ToolInputError(f"LIMIT_MAX: {args.value} is above the limit of 50 Hz", code="LIMIT_MAX")
        turn.proposals.append(proposal(args.point, 45.0, float(args.value)))
        return f"proposed {args.point} 45 -> {args.value} Hz"


class Broken:
    class Nothing(Args):
        pass

    name: ClassVar[str] = "device_health"
    description: ClassVar[str] = "always fails"
    args: ClassVar[type[Args]] = Nothing
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: Nothing, turn: Turn) -> str:
        raise ToolFailedError("the store is away")


class Endless:
    class Nothing(Args):
        pass

    name: ClassVar[str] = "get_audit"
    description: ClassVar[str] = "never comes back"
    args: ClassVar[type[Args]] = Nothing
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    def __init__(self) -> None:
        self.cancelled = asyncio.Event()
        self.entered = asyncio.Event()

    async def run(self, args: Nothing, turn: Turn) -> str:
        self.entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return ""


@dataclass
class FixedSource:
    """A ModelSource with one model, or none; keeps what it was told."""

    model: Model | None
    failures: list[str] = field(default_factory=list)

    async def ready(self) -> Model | None:
        return self.model

    def failed(self, reason: str) -> None:
        self.failures.append(reason)


def tools() -> list[ToolSpec]:
    return [FindPoints(), ReadPoints(), SearchManuals(), ProposeWrite(), Broken()]


def model(script: Script, **known: object) -> Model:
    return Model(llm=ScriptedLLM(script), name="scripted", **known)  # type: ignore[arg-type]  # fields of a test


def turn(question: str, *, lang: str = "en", role: Role = Role.OPERATOR, plant: LittlePlant | None = None) -> Turn:
    return Turn(
        question=question,
        lang=lang,
        actor=Actor(user="op1", role=role, via="chat", session="s"),
        read=cast("ReadService", plant or LittlePlant()),
        propose=cast("ProposalService", None),
        manuals=cast("ManualSearch", None),
        clock=ManualClock(NOON),
        timezone=UTC,
    )


@dataclass
class Asked:
    """An agent with scripted models and what came of it."""

    agent: Agent
    main: ScriptedLLM | None
    planner: ScriptedLLM
    source: FixedSource | None
    events: list[Event] = field(default_factory=list)


def agent(
    script: Script | None,
    *,
    planner: Script = ("Thought: none\nAnswer: The planner has nothing to add.",),
    specs: Sequence[ToolSpec] | None = None,
    limits: Limits | None = None,
    known: Mapping[str, object] | None = None,
) -> Asked:
    main = model(script, **(known or {})) if script is not None else None
    builtin = Model(llm=ScriptedLLM(planner), name="builtin", looks_first=False)
    source = FixedSource(main) if main else None
    return Asked(
        agent=Agent(builtin=builtin, tools=specs or tools(), model=cast("ModelSource", source) if source else None, limits=limits),
        main=cast("ScriptedLLM", main.llm) if main else None,
        planner=cast("ScriptedLLM", builtin.llm),
        source=source,
    )


def call(name: str, args: str = "{}", thought: str = "I look.") -> str:
    return f"Thought: {thought}\nAction: {name}\nAction Input: {args}"


def final(text: str) -> str:
    return f"Thought: I know.\nAnswer: {text}"
