"""What a conversation remembers: questions and final answers, never observations, thoughts or calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory
from pydantic import Field

MAX_EXCHANGES = 6
MAX_CHARS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An earlier question and the answer that was shown."""

    question: str
    answer: str


class TurnMemory(BaseMemory):
    """A memory for one run: the conversation so far, newest exchanges first to be kept, then the question."""

    messages: list[ChatMessage] = Field(default_factory=list)

    @classmethod
    def of(cls, history: Sequence[Exchange]) -> Self:
        """The last exchanges that fit, oldest first."""
        kept: list[Exchange] = []
        room = MAX_CHARS
        for exchange in reversed(history[-MAX_EXCHANGES:]):
            room -= len(exchange.question) + len(exchange.answer)
            if room < 0:
                break
            kept.append(exchange)
        messages = [
            ChatMessage(role=role, content=text)
            for exchange in reversed(kept)
            for role, text in ((MessageRole.USER, exchange.question), (MessageRole.ASSISTANT, exchange.answer))
        ]
        return cls(messages=messages)

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> Self:
        """An empty memory."""
        return cls(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: ARG002 of the interface
        """All of it: it is short by construction."""
        return list(self.messages)

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: ARG002 of the interface
        """All of it, without a thread."""
        return list(self.messages)

    def get_all(self) -> list[ChatMessage]:
        """All of it."""
        return list(self.messages)

    def put(self, message: ChatMessage) -> None:
        """Add one message."""
        self.messages.append(message)

    async def aput(self, message: ChatMessage) -> None:
        """Add one message, without a thread."""
        self.messages.append(message)

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace all messages."""
        self.messages = list(messages)

    def reset(self) -> None:
        """Forget all messages."""
        self.messages = []
