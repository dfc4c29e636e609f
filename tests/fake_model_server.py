"""An OpenAI-compatible server on loopback that behaves as told: well, badly, or not at all."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

Mode = Literal["ok", "500", "hang", "html", "endless", "invalid_utf8", "closed", "length", "redirect", "empty_stream", "not_json", "mute"]
Steps = Sequence[str] | Callable[[dict[str, object]], str]


@dataclass
class FakeModelServer:
    """`steps` are the texts of its completions in order; the two questions of the self-test are answered apart."""

    steps: Steps = ()
    mode: Mode = "ok"
    enforces_schema: bool = False
    honours_stop: bool = True
    context: int | None = 8192
    requests: list[dict[str, object]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    sent_bytes: int = 0
    port: int = 0
    _asked: int = 0

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["FakeModelServer"]:
        self._release = asyncio.Event()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            self._release.set()
            server.close()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next((int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length")), 0)
            body = json.loads(await reader.readexactly(length)) if length else {}
            self.headers.append(head)
            await self._answer(head.split(" ")[1], body, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, path: str, body: dict[str, object], writer: asyncio.StreamWriter) -> None:
        if self.mode == "mute":
            await self._release.wait()
        elif path.endswith("/models"):
            await self._json(writer, {"object": "list", "data": [{"id": "little", "object": "model"}]})
        elif path.endswith("/props"):
            if self.context is None:
                await self._reply(writer, "404 Not Found", "text/plain", b"no")
            else:
                await self._json(writer, {"default_generation_settings": {"n_ctx": self.context}})
        elif not body.get("stream"):
            await self._self_test(body, writer)
        else:
            self.requests.append(body)
            await self._completion(body, writer)

    async def _self_test(self, body: dict[str, object], writer: asyncio.StreamWriter) -> None:
        if "response_format" in body:
            text = '{"word": "pear"}' if self.enforces_schema else "apple"
        else:
            text = "one " if self.honours_stop else "one two three"
        await self._json(
            writer, {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}
        )

    async def _completion(self, body: dict[str, object], writer: asyncio.StreamWriter) -> None:
        match self.mode:
            case "500":
                await self._reply(writer, "500 Internal Server Error", "text/plain", b"Traceback (most recent call last): secret path")
            case "hang":
                await self._release.wait()
            case "html":
                await self._reply(writer, "200 OK", "text/html", b"<html><form>Please log in</form></html>")
            case "not_json":
                await self._reply(writer, "200 OK", "text/event-stream", b"data: {oops\n\n")
            case "invalid_utf8":
                await self._reply(writer, "200 OK", "text/event-stream", b"data: \xff\xfe\xfa\n\n")
            case "redirect":
                await self._reply(writer, "302 Found", "text/plain", b"", "Location: http://169.254.169.254/latest\r\n")
            case "closed":
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n" + self._chunk("Thought: I")
                )
                await writer.drain()
            case "empty_stream":
                await self._reply(writer, "200 OK", "text/event-stream", b"data: [DONE]\n\n")
            case "endless":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                piece = self._chunk(" word" * 20_000)
                while True:
                    writer.write(piece)
                    self.sent_bytes += len(piece)
                    await writer.drain()
            case "ok" | "length":
                await self._stream(self._text(body), writer)

    def _text(self, body: dict[str, object]) -> str:
        self._asked += 1
        return self.steps(body) if callable(self.steps) else self.steps[self._asked - 1]

    async def _stream(self, text: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        for at in range(0, len(text), 7):
            writer.write(self._chunk(text[at : at + 7]))
        writer.write(self._chunk("", finish="length" if self.mode == "length" else "stop"))
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        last = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "little", "choices": [], "usage": usage}
        writer.write(f"data: {json.dumps(last)}\n\ndata: [DONE]\n\n".encode())
        await writer.drain()

    def _chunk(self, text: str, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": finish}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "little", "choices": [choice]}
        return f"data: {json.dumps(chunk)}\n\n".encode()

    async def _json(self, writer: asyncio.StreamWriter, document: object) -> None:
        await self._reply(writer, "200 OK", "application/json", json.dumps(document).encode())

    async def _reply(self, writer: asyncio.StreamWriter, status: str, kind: str, body: bytes, more: str = "") -> None:
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{more}\r\n".encode() + body
        )
        await writer.drain()
