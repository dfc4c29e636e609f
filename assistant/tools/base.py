"""What a tool is: strict arguments, one verb, short lines back, and errors the model can read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.errors import ToolInputError
from assistant.manuals.passage import FoundPassage as FoundPassage
from gateway.clock import Clock
from gateway.model.point import Role
from gateway.service.base import Actor, Proposal, ProposalService, ReadService


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A page of a manual that an answer rests on; `page` is the printed page number."""

    doc: str
    page: int
    revision: str = ""
    section: str = ""


class ManualSearch(Protocol):
    """What `search_manuals` needs of the manual index."""

    async def search(self, query: str, *, device: str | None = None, k: int = 5) -> Sequence[FoundPassage]:
        """The passages nearest to the query, best first."""
        ...


@dataclass(kw_only=True)
class Turn:
    """What one question may use and what it has seen so far; made anew for each question."""

    question: str
    lang: str
    actor: Actor
    read: ReadService
    propose: ProposalService
    manuals: ManualSearch
    clock: Clock
    timezone: tzinfo
    earlier: tuple[str, ...] = ()
    """The operator's own earlier messages of this conversation, oldest first; they complete a short one such as "and pump 2?"."""
    proposals: list[Proposal] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)


class Args(BaseModel):
    """Base of all tool arguments: nothing extra, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ToolSpec(Protocol):
    """One tool: found by folder scan, one a file, named `tool` in its module."""

    name: ClassVar[str]
    description: ClassVar[str]
    args: ClassVar[type[Args]]
    least_role: ClassVar[Role]
    ends_turn: ClassVar[bool]
    """True if the run ends after this tool succeeded (a proposal waits for a person)."""

    async def run(self, args: Any, turn: Turn) -> str:
        """Do it; the text is the observation. Raises ToolInputError or ToolFailedError."""
        ...


def check_args(spec: ToolSpec, given: dict[str, Any]) -> Args:
    """Validate `given` strictly; ToolInputError names each fault in one line the model can mend."""
    try:
        return spec.args.model_validate(given)
    except ValidationError as exc:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in exc.errors())
        raise ToolInputError(f"{spec.name}: {faults}. Arguments: {', '.join(spec.args.model_fields)}") from exc
