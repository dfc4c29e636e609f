"""The planner as a language model for the agent: the same messages in, the same steps out, no model behind it."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.llms import CustomLLM

from assistant.builtin_llm.dialogue import read_dialogue
from assistant.builtin_llm.moves import written
from assistant.builtin_llm.planner import next_move


class BuiltinLLM(CustomLLM):
    """Deterministic and bilingual; knows no plant, only what the tools tell it in this turn."""

    @property
    def metadata(self) -> LLMMetadata:
        """What the agent has to know of it."""
        return LLMMetadata(model_name="builtin", is_chat_model=True, context_window=1_000_000, num_output=4096)

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The next step."""
        del kwargs
        dialogue = read_dialogue([(str(message.role.value), message.content or "") for message in messages])
        return ChatResponse(message=ChatMessage(role="assistant", content=written(next_move(dialogue))))

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The next step; it takes no time worth a thread."""
        return self.chat(messages, **kwargs)

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        """The next step in one piece."""

        def pieces() -> ChatResponseGen:
            whole = self.chat(messages, **kwargs)
            yield ChatResponse(message=whole.message, delta=whole.message.content)

        return pieces()

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """The next step in one piece."""

        async def pieces() -> ChatResponseAsyncGen:
            whole = self.chat(messages, **kwargs)
            yield ChatResponse(message=whole.message, delta=whole.message.content)

        return pieces()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """A prompt is taken as a question without history."""
        del formatted
        return CompletionResponse(text=self.chat([ChatMessage(role="user", content=prompt)], **kwargs).message.content or "")

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """As `complete`, in one piece."""

        def pieces() -> CompletionResponseGen:
            whole = self.complete(prompt, formatted, **kwargs)
            yield CompletionResponse(text=whole.text, delta=whole.text)

        return pieces()
