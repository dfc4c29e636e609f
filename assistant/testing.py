"""Shipped doubles: a language model that follows a script, embeddings without a model, a guard against real ones."""

import hashlib
import math
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import isawaitable
from typing import Any
from unittest.mock import patch

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ChatResponseAsyncGen, CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from pydantic import PrivateAttr

Output = str | ChatResponse
Script = Sequence[Output] | Callable[[list[ChatMessage]], Output | Awaitable[Output]]
"""The outputs in order, or a function of the messages."""


class ScriptExhaustedError(AssertionError):
    """The model was asked more often than its script has outputs."""


class ScriptedLLM(CustomLLM):
    """Answers what its script says and keeps all messages and options that it was sent."""

    _script: Script = PrivateAttr()
    _asked: list[list[ChatMessage]] = PrivateAttr(default_factory=list)
    _options: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    def __init__(self, script: Script, **fields: Any) -> None:
        super().__init__(**fields)
        self._script = script

    @property
    def asked(self) -> list[list[ChatMessage]]:
        """The messages of each call so far."""
        return self._asked

    @property
    def options(self) -> list[dict[str, Any]]:
        """The options of each call so far."""
        return self._options

    @property
    def metadata(self) -> LLMMetadata:
        """A chat model of 8192 tokens."""
        return LLMMetadata(model_name="scripted", is_chat_model=True, context_window=8192)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """The next output in one piece."""
        self._asked.append(list(messages))
        self._options.append(kwargs)
        output = self._next(list(messages))
        given = await output if isawaitable(output) else output
        response = (
            given if isinstance(given, ChatResponse) else ChatResponse(message=ChatMessage(role="assistant", content=given), delta=given)
        )

        async def stream() -> ChatResponseAsyncGen:
            yield response

        return stream()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Not offered: the agent chats."""
        raise NotImplementedError

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        """Not offered: the agent chats."""
        raise NotImplementedError

    def _next(self, messages: list[ChatMessage]) -> Output | Awaitable[Output]:
        if callable(self._script):
            return self._script(messages)
        if len(self._asked) > len(self._script):
            raise ScriptExhaustedError(f"call {len(self._asked)} of a script of {len(self._script)}")
        return self._script[len(self._asked) - 1]


class HashEmbedding(BaseEmbedding):
    """Vectors from the hashes of a text's character pairs: alike texts lie near, without any model."""

    size: int = 64

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * self.size
        for first, second in zip(text.lower(), text.lower()[1:], strict=False):
            digest = hashlib.blake2b((first + second).encode(), digest_size=4).digest()
            vector[int.from_bytes(digest, "big") % self.size] += 1.0
        length = math.sqrt(sum(part * part for part in vector)) or 1.0
        return [part / length for part in vector]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


@contextmanager
def no_network() -> Iterator[None]:
    """Any connection to a host that is not this machine raises: no test may reach a real model."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if not str(host).startswith("127.") and host not in ("localhost", "::1"):
            raise AssertionError(f"a test wants to reach {host}")
        connect(self, address)

    with patch.object(socket.socket, "connect", guarded):
        yield
