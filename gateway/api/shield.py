"""What every request passes first: host and origin, size and depth of the body; and the headers every answer carries."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from gateway.api.problems import problem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY = 1_000_000
_MAX_DEPTH = 32
_CSP = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


class Shield:
    """Wraps the application. `hosts` are the names under which this gateway is known (without port)."""

    def __init__(
        self, app: App, hosts: Iterable[str], *, max_upload: int = 64_000_000, body_s: float = 15.0, upload_s: float = 300.0
    ) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}
        self._max_upload = max_upload
        self._body_s = body_s
        self._upload_s = upload_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what is foreign, too large or too deep; pass the rest on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._foreign(scope["method"], headers)
        if refusal:
            await problem(403, "HOST", {"en": refusal, "zh": "不允许的主机或来源"})(scope, receive, send)
            return
        if "\0" in scope["path"] or b"%00" in scope.get("query_string", b""):
            await problem(422, "INVALID", {"en": "an address holds no NUL", "zh": "地址中不能有空字符"})(scope, receive, send)
            return
        upload = headers.get("content-type", "").startswith(("multipart/", "application/octet-stream", "application/pdf"))
        try:
            async with asyncio.timeout(self._upload_s if upload else self._body_s):
                body = await _body(receive, headers, self._max_upload if upload else MAX_BODY)
        except TimeoutError:
            await problem(408, "TOO_SLOW", {"en": "the body came too slowly", "zh": "请求体传输过慢"})(scope, receive, send)
            return
        if body is None:
            await problem(413, "TOO_LARGE", {"en": "the body is too large", "zh": "请求过大"})(scope, receive, send)
            return
        if not upload and _too_deep(body):
            await problem(422, "TOO_DEEP", {"en": f"JSON nested deeper than {_MAX_DEPTH}", "zh": "JSON 嵌套过深"})(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), _with_headers(send))

    def _foreign(self, method: str, headers: dict[str, str]) -> str:
        host = headers.get("host", "")
        if _name(host) not in self._hosts:
            return f"this gateway is not called {_name(host) or '(no host)'}; list the name under web.hosts"
        origin = headers.get("origin")
        if origin and origin != "null" and urlsplit(origin).netloc.lower() != host.lower():
            return "the request comes from a page of another origin"
        if method not in ("GET", "HEAD") and (origin == "null" or headers.get("sec-fetch-site") in ("cross-site", "same-site")):
            return "the request comes from a page of another origin"
        return ""


def _name(host: str) -> str:
    """The host without its port: `[::1]:80` gives `::1`."""
    return (urlsplit(f"//{host}").hostname or "").lower()


async def _body(receive: Receive, headers: dict[str, str], limit: int) -> bytes | None:
    """The whole body, or None if it is longer than `limit`."""
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > limit:
        return None
    if length == "0" and "transfer-encoding" not in headers:
        return b""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_deep(body: bytes) -> bool:
    if body.count(b"[") + body.count(b"{") <= _MAX_DEPTH:
        return False
    depth = 0
    for byte in body:
        if byte in b"[{":
            depth += 1
            if depth > _MAX_DEPTH:
                return True
        elif byte in b"]}":
            depth -= 1
    return False


def _replay(body: bytes, receive: Receive) -> Receive:
    """Hand the body on as one message, then whatever the server still says (a closed connection)."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send) -> Send:
    async def start(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            extra = [pair for pair in _HEADERS if pair[0] not in present]
            if b"cache-control" not in present:
                extra.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return start
