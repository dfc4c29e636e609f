"""The tables of the transcript and the steps that make them."""

from collections.abc import Callable

from sqlalchemy import Boolean, Column, Connection, Float, ForeignKey, Integer, MetaData, String, Table, Text

OWNER = "transcript"
"""The name under which these migrations are counted."""

metadata = MetaData()
conversations = Table(
    "chat_conversations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False, index=True),
    Column("title", String(200), nullable=False),
    Column("updated_at", String(40), nullable=False),
)
turns = Table(
    "chat_turns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("conversation", String(32), ForeignKey("chat_conversations.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("at", String(40), nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("is_grounded", Boolean, nullable=False),
    Column("llm", String(300), nullable=False),
    Column("seconds", Float, nullable=False),
)
items = Table(
    "chat_items",
    metadata,
    Column("turn", Integer, ForeignKey("chat_turns.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("name", String(200), nullable=False),
    Column("code", String(40), nullable=False),
    Column("detail", Text, nullable=False),
    Column("text", Text, nullable=False),
)


def _first(connection: Connection) -> None:
    metadata.create_all(connection)


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first,)
