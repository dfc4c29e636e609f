"""HTTP to the one configured model server and nowhere else: no redirects, no proxies of the environment, capped answers."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import httpx

MAX_BYTES = 8_000_000
CONNECT_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Where a model server is. `model` "auto" takes the server's first; `context_tokens` None asks the server.

    `first_token_s` bounds the wait for the first byte and between two bytes of an answer.
    """

    api_base: str
    model: str = "auto"
    api_key: str = ""
    context_tokens: int | None = None
    first_token_s: float = 60.0
    max_tokens: int = 500

    @property
    def key(self) -> str:
        """The key, or a word for servers that want none: a missing one would be looked up in the environment."""
        return self.api_key or "none"


def async_http(options: ServerOptions) -> httpx.AsyncClient:
    """A client that reaches the host of `options` only."""
    transport = _AsyncOneHost(options, httpx.AsyncHTTPTransport(trust_env=False, retries=0))
    return httpx.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, timeout=_timeout(options))


def http(options: ServerOptions) -> httpx.Client:
    """The same for callers on a thread."""
    transport = _OneHost(options, httpx.HTTPTransport(trust_env=False, retries=0))
    return httpx.Client(transport=transport, trust_env=False, follow_redirects=False, timeout=_timeout(options))


class _AsyncOneHost(httpx.AsyncBaseTransport):
    def __init__(self, options: ServerOptions, inner: httpx.AsyncHTTPTransport) -> None:
        self._options = options
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        _admit(request, self._options)
        response = await self._inner.handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - what an async transport gives
        return httpx.Response(
            response.status_code, headers=response.headers, stream=_AsyncCapped(response.stream), extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _OneHost(httpx.BaseTransport):
    def __init__(self, options: ServerOptions, inner: httpx.HTTPTransport) -> None:
        self._options = options
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        _admit(request, self._options)
        response = self._inner.handle_request(request)
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - what a transport gives
        return httpx.Response(
            response.status_code, headers=response.headers, stream=_Capped(response.stream), extensions=response.extensions
        )

    def close(self) -> None:
        self._inner.close()


class _AsyncCapped(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        got = 0
        async for piece in self._inner:
            got = _counted(got, piece)
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Capped(httpx.SyncByteStream):
    def __init__(self, inner: httpx.SyncByteStream) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        got = 0
        for piece in self._inner:
            got = _counted(got, piece)
            yield piece

    def close(self) -> None:
        self._inner.close()


def _admit(request: httpx.Request, options: ServerOptions) -> None:
    """Refuse other hosts, and put our own time limits in: the OpenAI client overwrites those of the HTTP client."""
    allowed = httpx.URL(options.api_base)
    if (request.url.scheme, request.url.host, request.url.port) != (allowed.scheme, allowed.host, allowed.port):
        raise httpx.ConnectError(f"{request.url.host} is not the configured model server", request=request)
    request.extensions = {**request.extensions, "timeout": _timeout(options).as_dict()}


def _timeout(options: ServerOptions) -> httpx.Timeout:
    return httpx.Timeout(options.first_token_s, connect=CONNECT_S)


def _counted(got: int, piece: bytes) -> int:
    got += len(piece)
    if got > MAX_BYTES:
        raise httpx.ReadError(f"the answer is longer than {MAX_BYTES} bytes")
    return got
