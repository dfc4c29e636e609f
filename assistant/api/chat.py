"""Chat over server-sent events: one running turn a person, each conversation its owner's alone."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

import simplejson
from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assistant.agent.agent import Agent
from assistant.agent.answer import Answer, Event
from assistant.language.tongue import language_of
from assistant.session import Exchange
from assistant.tools.base import Turn
from assistant.transcript.redact import redact
from assistant.transcript.store import Item, StoredTurn, Transcript
from gateway.api.auth import current_user
from gateway.clock import Clock
from gateway.errors import StoreError
from gateway.service.base import Actor, Proposal

MAX_TURNS = 8
"""Turns that run at once, of all people."""
_EVENTS = 500
"""Events of a turn that wait for a slow page; more are dropped, the answer never is."""

MakeTurn = Callable[[str, str, Actor], Turn]
"""(question, language, who asks) to a fresh turn."""


class Shown(Protocol):
    """How the page is shown records: the same JSON as everywhere else in the API."""

    def proposal(self, proposal: Proposal) -> Mapping[str, object]:
        """A card."""
        ...

    def values(self, tags: Sequence[str]) -> Sequence[Mapping[str, object]]:
        """Samples with quality and age; unknown tags are left out."""
        ...


class Question(BaseModel):
    """What is asked, and in which conversation; none begins a new one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str = Field(min_length=1, max_length=2000)
    conversation: str | None = Field(default=None, max_length=32)


@dataclass(slots=True)
class _Running:
    conversation: str
    task: asyncio.Task[None] | None = None


class Chat:
    """The running turns and what they need."""

    def __init__(self, *, agent: Agent, transcript: Transcript, make_turn: MakeTurn, shown: Shown, clock: Clock) -> None:
        self.agent = agent
        self.transcript = transcript
        self.make_turn = make_turn
        self.shown = shown
        self.clock = clock
        self.running: dict[str, _Running] = {}

    def stop(self, user: str, conversation: str) -> bool:
        """End a person's running turn in that conversation; False if there is none."""
        running = self.running.get(user)
        if running is None or running.conversation != conversation or running.task is None:
            return False
        return running.task.cancel()


def chat_routes(chat: Chat) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["chat"])

    @routes.post("/chat")
    async def ask(body: Question, actor: Actor = Depends(current_user)) -> Response:
        """Ask; the answer comes as events step, tool, token, proposal, answer, error, done."""
        if actor.user in chat.running:
            return _problem(429, "BUSY", "your last question is still being answered", "您的上一个问题仍在处理中")
        if len(chat.running) >= MAX_TURNS:
            return _problem(429, "TOO_MANY", "too many questions are being answered; try again soon", "正在处理的问题过多，请稍后再试")
        if body.conversation is not None and not await chat.transcript.owns(body.conversation, actor.user):
            return _unknown()
        return _TurnStream(chat, body, actor)

    @routes.get("/chats")
    async def conversations(actor: Actor = Depends(current_user)) -> Response:
        """Your conversations, the newest first."""
        found = await chat.transcript.conversations(actor.user)
        return _json([{"id": one.id, "title": one.title, "updated_at": one.updated_at.isoformat()} for one in found])

    @routes.get("/chats/{conversation}")
    async def conversation(conversation: str, actor: Actor = Depends(current_user)) -> Response:
        """The turns of one of your conversations, oldest first."""
        if not await chat.transcript.owns(conversation, actor.user):
            return _unknown()
        return _json([_turn_json(turn) for turn in await chat.transcript.turns(conversation, actor.user)])

    @routes.delete("/chats/{conversation}")
    async def delete(conversation: str, actor: Actor = Depends(current_user)) -> Response:
        """Forget one of your conversations."""
        return Response(status_code=204) if await chat.transcript.delete(conversation, actor.user) else _unknown()

    @routes.post("/chats/{conversation}/stop")
    async def stop(conversation: str, actor: Actor = Depends(current_user)) -> Response:
        """End your running turn. A write that somebody confirmed is not touched by this."""
        return _json({"stopped": chat.stop(actor.user, conversation)})

    return routes


class _TurnStream(Response):
    """Runs one turn as a child of its own request, and sends what happens as it happens."""

    media_type = "text/event-stream"

    def __init__(self, chat: Chat, body: Question, actor: Actor) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._chat = chat
        self._body = body
        self._actor = actor
        self._events: asyncio.Queue[str | None] = asyncio.Queue()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user = self._actor.user
        if user in self._chat.running:
            await _problem(429, "BUSY", "your last question is still being answered", "您的上一个问题仍在处理中")(scope, receive, send)
            return
        running = self._chat.running[user] = _Running(conversation=self._body.conversation or "")
        try:
            running.conversation = running.conversation or await self._chat.transcript.begin(user, self._body.text, self._chat.clock.utc())
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with asyncio.TaskGroup() as group:
                running.task = group.create_task(self._turn(running.conversation))
                while (event := await self._events.get()) is not None:
                    await send({"type": "http.response.body", "body": event.encode(), "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            del self._chat.running[user]

    async def _turn(self, conversation: str) -> None:
        trouble: tuple[str, str, str] | None = (
            "BROKEN",
            "the program failed on this question; the log says more",
            "程序处理此问题时出错，详见日志",
        )
        try:
            self._put("step", {"conversation": conversation})
            await self._answer(conversation)
            trouble = None
        except asyncio.CancelledError:
            trouble = ("STOPPED", "stopped; nothing was changed by this question", "已停止；此问题没有更改任何内容")
            raise
        except StoreError as exc:
            trouble = ("STORE", f"the database does not answer: {exc}", f"数据库不可用：{exc}")
        finally:
            if trouble is not None:
                code, en, zh = trouble
                self._put("error", {"code": code, "message": en, "words": {"en": en, "zh": zh}})
            self._put("done", {"conversation": conversation})
            self._events.put_nowait(None)

    async def _answer(self, conversation: str) -> None:
        chat = self._chat
        earlier = await chat.transcript.turns(conversation, self._actor.user, last=6)
        history = [Exchange(question=turn.question, answer=turn.answer) for turn in earlier]
        actor = replace(self._actor, via="chat", conversation=conversation)
        turn = chat.make_turn(self._body.text, language_of(self._body.text), actor)
        at = chat.clock.utc()
        answer = await chat.agent.ask(turn, history, self._on_event)
        self._put("answer", {"conversation": conversation, **_answer_json(answer, chat.shown)})
        await chat.transcript.keep(conversation, _stored(self._body.text, answer, turn, at))

    def _on_event(self, event: Event) -> None:
        if self._events.qsize() < _EVENTS:
            self._put(event.kind, event.data if event.proposal is None else self._chat.shown.proposal(event.proposal))

    def _put(self, name: str, data: Mapping[str, object]) -> None:
        text = simplejson.dumps(data, use_decimal=True, ensure_ascii=False, allow_nan=False)
        self._events.put_nowait(f"event: {name}\ndata: {text}\n\n")


def _answer_json(answer: Answer, shown: Shown) -> dict[str, object]:
    read = [str(tag) for call in answer.calls if call.name == "read_points" for tag in _listed(call.args.get("points"))]
    return {
        "text": redact(answer.text),
        "grounded": answer.grounded,
        "citations": [
            {"doc": page.doc, "page": page.page, "revision": page.revision, "section": page.section} for page in answer.citations
        ],
        "values": list(shown.values(list(dict.fromkeys(read)))),
        "calls": [{"name": call.name, "args": call.args} for call in answer.calls],
        "proposals": [proposal.id for proposal in answer.proposals],
        "llm": answer.llm,
        "seconds": round(answer.seconds, 3),
    }


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _stored(question: str, answer: Answer, turn: Turn, at: datetime) -> StoredTurn:
    return StoredTurn(
        at=at,
        question=question,
        answer=answer.text,
        is_grounded=answer.grounded,
        llm=answer.llm,
        seconds=answer.seconds,
        items=(
            *(Item(kind="call", name=call.name, detail=call.args, text=call.observation) for call in answer.calls),
            *(Item(kind="refused", name=call.name, code=call.code, detail=call.args, text=call.observation) for call in answer.refused),
            *(Item(kind="page", name=page.doc, detail={"page": page.page, "revision": page.revision}) for page in turn.citations),
            *(Item(kind="proposal", name=proposal.id) for proposal in answer.proposals),
        ),
    )


def _turn_json(turn: StoredTurn) -> dict[str, object]:
    return {
        "at": turn.at.isoformat(),
        "question": turn.question,
        "text": turn.answer,
        "grounded": turn.is_grounded,
        "llm": turn.llm,
        "tools": [
            {"name": item.name, "args": item.detail, "code": item.code, "observation": item.text}
            for item in turn.items
            if item.kind in ("call", "refused")
        ],
        "citations": [{"doc": item.name, **(item.detail or {})} for item in turn.items if item.kind == "page"],
    }


def _json(document: object) -> Response:
    return Response(simplejson.dumps(document, use_decimal=True, ensure_ascii=False, allow_nan=False), media_type="application/json")


def _unknown() -> Response:
    return _problem(404, "UNKNOWN_CHAT", "you have no such conversation", "没有这个对话")


def _problem(status: int, code: str, en: str, zh: str) -> Response:
    body = {"type": "about:blank", "title": en, "status": status, "code": code, "detail": en, "words": {"en": en, "zh": zh}}
    return Response(simplejson.dumps(body, ensure_ascii=False), status_code=status, media_type="application/problem+json")
