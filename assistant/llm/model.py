"""A model ready for use, and one exchange with it: messages in, one text out, every foreign failure turned into ours."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM

from assistant.errors import ModelUnavailableError
from assistant.steps.parse import STOP

MAX_CHARS = 16_000
"""A step is short; a server that sends more than this is cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A language model and what is known of it.

    `json_steps`: its server enforces a JSON schema, so steps are asked for as JSON objects. `looks_first`: it must call a tool before it
    may answer. `failures`: the foreign exceptions that mean that it cannot be used now.
    """

    llm: LLM
    name: str
    context_tokens: int = 8192
    json_steps: bool = False
    looks_first: bool = True
    failures: tuple[type[Exception], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What the model wrote; `is_cut` if it ran into its limit of tokens."""

    text: str
    is_cut: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ModelSource(Protocol):
    """Where the agent gets its model from, and tells how it fared."""

    async def ready(self) -> Model | None:
        """The model, or None while there is none to be had."""
        ...

    def failed(self, reason: str) -> None:
        """The model did not answer or answered nonsense."""
        ...


async def complete(model: Model, messages: Sequence[ChatMessage], *, schema: dict[str, Any] | None = None) -> Completion:
    """One answer of the model, ended at an observation that it invents; raises ModelUnavailableError."""
    options: dict[str, Any] = {"response_format": _response_format(schema)} if schema else {}
    last: ChatResponse | None = None
    usage: dict[str, int] = {}
    is_cut = False
    try:
        async with aclosing(await model.llm.astream_chat(list(messages), **options)) as stream:
            async for last in stream:
                usage |= {name: count for name, count in last.additional_kwargs.items() if isinstance(count, int)}
                is_cut = is_cut or _finish_reason(last) == "length"
                text = last.message.content or ""
                if len(text) > MAX_CHARS:
                    raise ModelUnavailableError(f"{model.name} sent more than {MAX_CHARS} characters in one step")
                if not model.json_steps and any(mark in text for mark in STOP):
                    break
    except model.failures as exc:
        raise ModelUnavailableError(f"{model.name} does not answer: {type(exc).__name__}") from exc
    if last is None:
        raise ModelUnavailableError(f"{model.name} sent no completion")
    text = last.message.content or ""
    if not model.json_steps:
        text = min((text.partition(mark)[0] for mark in STOP), key=len)
    return Completion(
        text=text, is_cut=is_cut, prompt_tokens=usage.get("prompt_tokens", 0), completion_tokens=usage.get("completion_tokens", 0)
    )


def _response_format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "step", "strict": True, "schema": schema}}


def _finish_reason(response: ChatResponse) -> str | None:
    choices = getattr(response.raw, "choices", None) or [None]
    reason = getattr(choices[0], "finish_reason", None)
    return reason if isinstance(reason, str) else None
