"""The configured model server: probed when first needed, left alone for a while after it failed. Its libraries load on first use."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import httpx

from assistant.errors import ModelUnavailableError
from assistant.llm.client import ServerOptions, async_http, http
from assistant.llm.model import Model
from assistant.llm.probe import ServerFacts, first_model, probe
from assistant.steps.parse import STOP
from gateway.clock import Clock

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

REST_S = 30.0
"""How long a server that failed is not asked again."""

_log = logging.getLogger(__name__)


class ModelServer:
    """A ModelSource over an OpenAI-compatible server."""

    def __init__(self, options: ServerOptions, clock: Clock) -> None:
        self._options = options
        self._clock = clock
        self._client = async_http(options)
        self._model: Model | None = None
        self._rests_until = 0.0
        self._lock = asyncio.Lock()
        self.facts: ServerFacts | None = None
        self.trouble = ""
        """Why the server is not used now; empty while it is."""

    async def ready(self) -> Model | None:
        """The model, probed if need be; None while the server rests."""
        async with self._lock:
            if self._clock.monotonic() < self._rests_until:
                return None
            if self._model is None:
                try:
                    self.facts = await probe(self._client, self._options)
                    self._model = await asyncio.to_thread(self._make, self.facts)
                except ModelUnavailableError as exc:
                    self.failed(str(exc))
            return self._model

    def failed(self, reason: str) -> None:
        """Leave the server alone for REST_S, then probe it anew."""
        if not self.trouble:
            _log.warning("model server is not used for now: %s", reason, extra={"api_base": self._options.api_base})
        self.trouble = reason
        self._model = None
        self._rests_until = self._clock.monotonic() + REST_S

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _make(self, facts: ServerFacts) -> Model:
        from llama_index.llms.openai_like import OpenAILike
        from openai import OpenAIError

        more: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if not facts.enforces_schema:
            more["stop"] = list(STOP)
        if "qwen3" in facts.model.lower():
            more["extra_body"] = {"chat_template_kwargs": {"enable_thinking": False}}
        llm = OpenAILike(
            model=facts.model,
            api_base=self._options.api_base,
            api_key=self._options.key,
            context_window=facts.context_tokens,
            is_chat_model=True,
            is_function_calling_model=False,
            temperature=0.0,
            max_tokens=self._options.max_tokens,
            max_retries=0,
            timeout=self._options.first_token_s,
            async_http_client=self._client,
            additional_kwargs=more,
        )
        self.trouble = ""
        _log.info("model server is used", extra={"model": facts.model, "schema": facts.enforces_schema, "context": facts.context_tokens})
        return Model(
            llm=llm,
            name=facts.model,
            context_tokens=facts.context_tokens,
            json_steps=facts.enforces_schema,
            failures=(OpenAIError, httpx.HTTPError, httpx.StreamError, OSError, ValueError, TypeError, AttributeError, LookupError),
        )


def embedding(options: ServerOptions) -> "BaseEmbedding":
    """Embeddings of an OpenAI-compatible server, under the same rules as its language models; to be called on a thread.

    Raises ModelUnavailableError if the model is "auto" and the server does not name one.
    """
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding

    client = http(options)
    made: BaseEmbedding = OpenAILikeEmbedding(
        model_name=options.model if options.model != "auto" else first_model(client, options),
        api_base=options.api_base,
        api_key=options.key,
        max_retries=0,
        timeout=options.first_token_s,
        http_client=client,
        async_http_client=async_http(options),
        embed_batch_size=32,
    )
    return made
