"""What a model server really does: its model, its context, whether it enforces a JSON schema and honours stop words."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from assistant.errors import ModelUnavailableError
from assistant.llm.client import ServerOptions

DEFAULT_CONTEXT = 4096
LISTING_S = 5.0
"""A server that does not even list its models in this time hangs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """Found by asking, not by believing."""

    model: str
    context_tokens: int
    enforces_schema: bool
    honours_stop: bool


async def probe(client: httpx.AsyncClient, options: ServerOptions) -> ServerFacts:
    """Ask the server for its facts and try it twice; raises ModelUnavailableError."""
    try:
        listed = _first(await _get(client, options, f"{options.api_base.rstrip('/')}/models"))
        model = options.model if options.model != "auto" else str(listed.get("id", ""))
        if not model:
            raise ModelUnavailableError("the model server names no model; set `model` in the configuration")
        return ServerFacts(
            model=model,
            context_tokens=options.context_tokens or await _context(client, options, listed),
            enforces_schema=await _enforces_schema(client, options, model),
            honours_stop=await _honours_stop(client, options, model),
        )
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TimeoutError) as exc:
        raise ModelUnavailableError(f"the model server does not answer as one: {type(exc).__name__}") from exc


def first_model(client: httpx.Client, options: ServerOptions) -> str:
    """The name of the server's first model; raises ModelUnavailableError."""
    try:
        response = client.get(f"{options.api_base.rstrip('/')}/models", headers={"Authorization": f"Bearer {options.key}"})
        response.raise_for_status()
        name = _first(json.loads(response.text)).get("id")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as exc:
        raise ModelUnavailableError(f"the model server does not answer as one: {type(exc).__name__}") from exc
    if not isinstance(name, str) or not name:
        raise ModelUnavailableError("the model server names no model; set `model` in the configuration")
    return name


async def _get(client: httpx.AsyncClient, options: ServerOptions, url: str) -> object:
    async with asyncio.timeout(LISTING_S):
        response = await client.get(url, headers={"Authorization": f"Bearer {options.key}"})
    response.raise_for_status()
    if response.is_redirect:
        raise ModelUnavailableError("the model server redirects elsewhere, which is not followed")
    return json.loads(response.text)


def _first(listing: object) -> Mapping[str, object]:
    data = listing.get("data") if isinstance(listing, dict) else None
    first = data[0] if isinstance(data, list) and data else {}
    return first if isinstance(first, dict) else {}


async def _context(client: httpx.AsyncClient, options: ServerOptions, listed: Mapping[str, object]) -> int:
    """From llama-server's /props, vLLM's listing, or the default."""
    root = options.api_base.rstrip("/").removesuffix("/v1")
    try:
        props = await _get(client, options, f"{root}/props")
    except (httpx.HTTPStatusError, ValueError):
        props = {}
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    found = (settings.get("n_ctx") if isinstance(settings, dict) else None) or listed.get("max_model_len")
    return found if isinstance(found, int) and found > 0 else DEFAULT_CONTEXT


async def _enforces_schema(client: httpx.AsyncClient, options: ServerOptions, model: str) -> bool:
    """Asked for one word under a schema that allows only another."""
    pear = {"type": "object", "properties": {"word": {"const": "pear"}}, "required": ["word"], "additionalProperties": False}
    schema = {"anyOf": [pear]}
    text = await _say(
        client,
        options,
        {
            "model": model,
            "messages": [{"role": "user", "content": "Answer with the single word apple and nothing else."}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "word", "strict": True, "schema": schema}},
        },
    )
    try:
        return bool(json.loads(text) == {"word": "pear"})
    except ValueError:
        return False


async def _honours_stop(client: httpx.AsyncClient, options: ServerOptions, model: str) -> bool:
    text = await _say(
        client, options, {"model": model, "messages": [{"role": "user", "content": "Write exactly: one two three"}], "stop": ["two"]}
    )
    return "two" not in text


async def _say(client: httpx.AsyncClient, options: ServerOptions, body: dict[str, object]) -> str:
    """The text of one short completion; empty where the server refuses the request, or trips over a schema (some answer 500)."""
    response = await client.post(
        f"{options.api_base.rstrip('/')}/chat/completions",
        headers={"Authorization": f"Bearer {options.key}"},
        json={"temperature": 0, "max_tokens": 24, **body},
    )
    if response.status_code in (400, 422, 501) or (response.is_error and "response_format" in body):
        return ""
    response.raise_for_status()
    reply = json.loads(response.text)
    try:
        return str(reply["choices"][0]["message"]["content"] or "")
    except (LookupError, TypeError) as exc:
        raise ValueError("no completion in the reply") from exc
