"""What went to the wire, between its rows and its dataclass."""

from collections.abc import Mapping
from decimal import Decimal

from sqlalchemy import ColumnElement, Connection, select
from sqlalchemy import insert as insert_into

from gateway.store.base import ExecutionRow, from_us, to_us
from gateway.store.tables import executions

_LATEST = 50


def find(connection: Connection, condition: ColumnElement[bool], limit: int | None = None) -> list[ExecutionRow]:
    """The newest executions that meet the condition, oldest first."""
    newest = select(executions).where(condition).order_by(executions.c.at.desc(), executions.c.step.desc()).limit(limit)
    rows = [
        ExecutionRow(
            proposal=row.proposal,
            step=row.step,
            tag=row.tag,
            at=from_us(row.at),
            mono=row.mono,
            change=None if row.change is None else Decimal(row.change),
            outcome=row.outcome,
            is_cleared=row.is_cleared,
        )
        for row in connection.execute(newest)
    ]
    return rows[::-1]


def of_tag(connection: Connection, tag: str) -> list[ExecutionRow]:
    """The newest writes of a tag, and before them those that block it, however old."""
    newest = find(connection, executions.c.tag == tag, limit=_LATEST)
    blocking = (executions.c.outcome == "") | ((executions.c.outcome == "unknown") & executions.c.is_cleared.is_(False))
    known = {(row.proposal, row.step) for row in newest}
    return [row for row in find(connection, (executions.c.tag == tag) & blocking) if (row.proposal, row.step) not in known] + newest


def insert(connection: Connection, row: ExecutionRow) -> None:
    """Note one step of a proposal."""
    values: Mapping[str, object] = {
        "proposal": row.proposal,
        "step": row.step,
        "tag": row.tag,
        "at": to_us(row.at),
        "mono": row.mono,
        "change": None if row.change is None else str(row.change),
        "outcome": row.outcome,
        "is_cleared": row.is_cleared,
    }
    connection.execute(insert_into(executions), values)
