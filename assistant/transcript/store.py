"""Conversations in the database: each belongs to one person, who alone may read, continue or delete it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Protocol, TypeVar
from uuid import uuid4

from sqlalchemy import Connection, Row, delete, insert, select, update

from assistant.transcript.redact import redact
from assistant.transcript.tables import conversations, items, turns

_TITLE = 80

T = TypeVar("T")


class Database(Protocol):
    """Runs functions on a connection, off the event loop, each in one transaction."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """On the one writer."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """On a reader."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation in a person's list."""

    id: str
    title: str
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing of a turn, in order: a call that ran, one that was refused, a page that was found, a proposal that was made."""

    kind: Literal["call", "refused", "page", "proposal"]
    name: str
    code: str = ""
    detail: Mapping[str, object] | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn with all that led to its answer."""

    at: datetime
    question: str
    answer: str
    is_grounded: bool
    llm: str
    seconds: float
    items: tuple[Item, ...] = ()


class Transcript:
    """Reads and writes conversations. What belongs to somebody else does not exist: False or empty.

    `most` conversations are kept for each person; the oldest go first.
    """

    def __init__(self, database: Database, *, most: int = 200) -> None:
        self._database = database
        self._most = most

    async def begin(self, owner: str, question: str, at: datetime) -> str:
        """A new conversation, named by its first question; its id."""
        conversation = uuid4().hex
        title = redact(question)[:_TITLE]
        await self._database.write(lambda connection: _begin(connection, conversation, owner, title, at, self._most))
        return conversation

    async def owns(self, conversation: str, owner: str) -> bool:
        """True if the conversation exists and is theirs."""
        return await self._database.read(lambda connection: _owns(connection, conversation, owner))

    async def keep(self, conversation: str, turn: StoredTurn) -> None:
        """Add one turn, secrets taken out."""
        await self._database.write(lambda connection: _keep(connection, conversation, turn))

    async def turns(self, conversation: str, owner: str, last: int = 50) -> tuple[StoredTurn, ...]:
        """The last turns, oldest first."""
        return await self._database.read(lambda connection: _turns(connection, conversation, owner, last))

    async def conversations(self, owner: str) -> tuple[Conversation, ...]:
        """A person's conversations, the newest first."""
        return await self._database.read(lambda connection: _conversations(connection, owner))

    async def delete(self, conversation: str, owner: str) -> bool:
        """Forget a conversation; False if it is not theirs."""
        return await self._database.write(
            lambda connection: _owns(connection, conversation, owner) and _delete(connection, (conversation,))
        )


def _begin(connection: Connection, conversation: str, owner: str, title: str, at: datetime, most: int) -> None:
    kept = select(conversations.c.id).where(conversations.c.owner == owner).order_by(conversations.c.updated_at.desc())
    old = connection.execute(kept.offset(most - 1)).scalars().all()
    _delete(connection, tuple(old))
    connection.execute(insert(conversations).values(id=conversation, owner=owner, title=title, updated_at=_text(at)))


def _owns(connection: Connection, conversation: str, owner: str) -> bool:
    found = select(conversations.c.id).where(conversations.c.id == conversation, conversations.c.owner == owner)
    return connection.execute(found).first() is not None


def _keep(connection: Connection, conversation: str, turn: StoredTurn) -> None:
    added = connection.execute(
        insert(turns).values(
            conversation=conversation,
            at=_text(turn.at),
            question=redact(turn.question),
            answer=redact(turn.answer),
            is_grounded=turn.is_grounded,
            llm=turn.llm,
            seconds=turn.seconds,
        )
    )
    number = added.inserted_primary_key[0] if added.inserted_primary_key else None
    rows = [
        {
            "turn": number,
            "position": position,
            "kind": item.kind,
            "name": item.name,
            "code": item.code,
            "detail": redact(json.dumps(item.detail or {}, ensure_ascii=False, default=str)),
            "text": redact(item.text),
        }
        for position, item in enumerate(turn.items)
    ]
    if rows:
        connection.execute(insert(items), rows)
    connection.execute(update(conversations).where(conversations.c.id == conversation).values(updated_at=_text(turn.at)))


def _turns(connection: Connection, conversation: str, owner: str, last: int) -> tuple[StoredTurn, ...]:
    if not _owns(connection, conversation, owner):
        return ()
    found = select(turns).where(turns.c.conversation == conversation).order_by(turns.c.id.desc()).limit(last)
    rows = connection.execute(found).all()[::-1]
    parts = connection.execute(
        select(items).where(items.c.turn.in_([row.id for row in rows])).order_by(items.c.turn, items.c.position)
    ).all()
    return tuple(_turn(row, [part for part in parts if part.turn == row.id]) for row in rows)


def _turn(row: Row[tuple[object, ...]], parts: list[Row[tuple[object, ...]]]) -> StoredTurn:
    return StoredTurn(
        at=datetime.fromisoformat(row.at),
        question=row.question,
        answer=row.answer,
        is_grounded=row.is_grounded,
        llm=row.llm,
        seconds=row.seconds,
        items=tuple(Item(kind=part.kind, name=part.name, code=part.code, detail=json.loads(part.detail), text=part.text) for part in parts),
    )


def _conversations(connection: Connection, owner: str) -> tuple[Conversation, ...]:
    found = select(conversations).where(conversations.c.owner == owner).order_by(conversations.c.updated_at.desc())
    return tuple(
        Conversation(id=row.id, title=row.title, updated_at=datetime.fromisoformat(row.updated_at)) for row in connection.execute(found)
    )


def _delete(connection: Connection, doomed: tuple[str, ...]) -> bool:
    numbers = select(turns.c.id).where(turns.c.conversation.in_(doomed))
    connection.execute(delete(items).where(items.c.turn.in_(numbers)))
    connection.execute(delete(turns).where(turns.c.conversation.in_(doomed)))
    connection.execute(delete(conversations).where(conversations.c.id.in_(doomed)))
    return True


def _text(at: datetime) -> str:
    """UTC in a form that sorts as text."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
