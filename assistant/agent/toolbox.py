"""The tools of one turn: offered by role, checked at every call, observations kept, repetitions noticed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.agent.answer import Event, OnEvent, RefusedCall, ToolCall
from assistant.errors import ToolFailedError, ToolInputError
from assistant.steps.jsontext import Json
from assistant.tools.base import ToolSpec, Turn, check_args
from gateway.errors import GatewayError, WriteRefusedError

MAX_OBSERVATION = 4000
"""Characters of an observation that a model is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a call brought. `is_refused`: it was not let through."""

    text: str
    is_refused: bool = False


class Toolbox:
    """Runs calls for one turn and remembers them."""

    def __init__(self, specs: Sequence[ToolSpec], turn: Turn, on_event: OnEvent) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._turn = turn
        self._on_event = on_event
        self._seen: dict[str, list[Observation]] = {}
        self.calls: list[ToolCall] = []
        self.refused: list[RefusedCall] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names that may be called; a call of another role's tool is refused with ROLE, not as unknown."""
        return tuple(self._specs)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All tools, those of other roles too."""
        return tuple(self._specs.values())

    @property
    def offered(self) -> tuple[ToolSpec, ...]:
        """The tools that this role is told of."""
        return tuple(spec for spec in self._specs.values() if self._turn.actor.role.includes(spec.least_role))

    def times(self, name: str, args: dict[str, Json]) -> int:
        """How often exactly this call was made in this turn."""
        return len(self._seen.get(_key(name, args), ()))

    def refuse_unknown(self, name: str, message: str) -> None:
        """Record a call of a tool that does not exist."""
        self.refused.append(RefusedCall(name=name, args={}, code="UNKNOWN_TOOL", observation=message))

    async def call(self, name: str, args: dict[str, Json]) -> Observation:
        """Run one call, or answer it from what this turn already has."""
        seen = self._seen.setdefault(_key(name, args), [])
        if seen:
            observation = Observation(text=f"You already have this. {seen[0].text}", is_refused=seen[0].is_refused)
        else:
            proposed = len(self._turn.proposals)
            observation = await self._run(self._specs[name], args)
            self._turn.observations.append(observation.text)
            self._on_event(Event(kind="tool", data={"name": name, "args": args, "observation": observation.text}))
            for proposal in self._turn.proposals[proposed:]:
                self._on_event(Event(kind="proposal", data={"id": proposal.id}, proposal=proposal))
        seen.append(observation)
        return observation

    async def _run(self, spec: ToolSpec, args: dict[str, Json]) -> Observation:
        role = self._turn.actor.role
        if not role.includes(spec.least_role):
            words = (
                f"ROLE: the role {role} may not use {spec.name}; it needs {spec.least_role}. "
                f"权限不足：{role} 不能使用 {spec.name}，需要 {spec.least_role}。"
            )
            return self._refuse(spec, args, "ROLE", words)
        try:
            text = await spec.run(check_args(spec, args), self._turn)
        except ToolInputError as exc:
            return self._refuse(spec, args, exc.code or "ARGUMENTS", str(exc))
        except WriteRefusedError as exc:
            return self._refuse(spec, args, exc.refusal, f"{exc.refusal}: {exc} {exc.message_zh}")
        except (ToolFailedError, GatewayError) as exc:
            code = exc.code if isinstance(exc, ToolFailedError) else ""
            if code:
                return self._refuse(spec, args, code, str(exc))
            return self._keep(spec, args, f"{spec.name} failed: {exc}")
        return self._keep(spec, args, text)

    def _keep(self, spec: ToolSpec, args: dict[str, Json], text: str) -> Observation:
        text = _shortened(text)
        self.calls.append(ToolCall(name=spec.name, args=args, observation=text))
        return Observation(text=text)

    def _refuse(self, spec: ToolSpec, args: dict[str, Json], code: str, text: str) -> Observation:
        text = _shortened(text)
        self.refused.append(RefusedCall(name=spec.name, args=args, code=code, observation=text))
        return Observation(text=text, is_refused=True)


def _key(name: str, args: dict[str, Json]) -> str:
    return f"{name} {json.dumps(args, sort_keys=True)}"


def _shortened(text: str) -> str:
    if len(text) <= MAX_OBSERVATION:
        return text
    kept = text[:MAX_OBSERVATION].rpartition("\n")[0] or text[:MAX_OBSERVATION]
    return f"{kept}\n(more was found than is shown)"
