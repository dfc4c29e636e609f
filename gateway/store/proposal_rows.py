"""A proposal between its rows and its dataclass."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, select
from sqlalchemy import insert as insert_into

from gateway.store.base import ProposalRow, ProposalState, from_us, to_us
from gateway.store.tables import approvals, proposals

_STATES: dict[str, ProposalState] = {
    "PENDING": "PENDING",
    "CONFIRMED": "CONFIRMED",
    "EXECUTED": "EXECUTED",
    "REJECTED": "REJECTED",
    "EXPIRED": "EXPIRED",
}


def is_alive(row: ProposalRow, mono: float) -> bool:
    """True if an open proposal has not expired; one from before a reboot has."""
    return row.created_mono <= mono < row.expires_mono


def one(connection: Connection, proposal: str) -> ProposalRow | None:
    """The proposal of this id, with those who approved it."""
    found = find(connection, proposals.c.id == proposal)
    return found[0] if found else None


def by_key(connection: Connection, proposer: str, key: str) -> ProposalRow | None:
    """The proposal that this proposer sent under this idempotency key."""
    found = find(connection, proposals.c.proposer == proposer, proposals.c.idempotency_key == key)
    return found[0] if found else None


def find(
    connection: Connection, *conditions: ColumnElement[bool], limit: int | None = None, newest_first: bool = False
) -> list[ProposalRow]:
    """The proposals that meet all conditions, oldest first unless told."""
    order = proposals.c.created_at.desc() if newest_first else proposals.c.created_at
    found = connection.execute(select(proposals).where(*conditions).order_by(order, proposals.c.id).limit(limit)).all()
    approved = _approved(connection, [row.id for row in found])
    return [
        ProposalRow(
            id=row.id,
            nonce=row.nonce,
            digest=row.digest,
            same=row.same,
            state=_STATES[row.state],
            proposer=row.proposer,
            session=row.session,
            idempotency_key=row.idempotency_key or "",
            created_at=from_us(row.created_at),
            created_mono=row.created_mono,
            expires_mono=row.expires_mono,
            approvals_needed=row.approvals_needed,
            body=row.body,
            approved_by=tuple(approved.get(row.id, ())),
            outcomes=row.outcomes,
            finished_by=row.finished_by,
            why=row.why,
        )
        for row in found
    ]


def insert(connection: Connection, row: ProposalRow) -> None:
    """Put a new proposal away."""
    values = {
        "id": row.id,
        "nonce": row.nonce,
        "digest": row.digest,
        "same": row.same,
        "state": row.state,
        "proposer": row.proposer,
        "session": row.session,
        "idempotency_key": row.idempotency_key or None,
        "created_at": to_us(row.created_at),
        "created_mono": row.created_mono,
        "expires_mono": row.expires_mono,
        "approvals_needed": row.approvals_needed,
        "body": row.body,
        "outcomes": row.outcomes,
        "finished_by": row.finished_by,
        "why": row.why,
    }
    connection.execute(insert_into(proposals), values)


def _approved(connection: Connection, ids: Sequence[str]) -> dict[str, list[str]]:
    given: dict[str, list[str]] = {}
    query = select(approvals.c.proposal, approvals.c.user).where(approvals.c.proposal.in_(ids))
    for proposal, user in connection.execute(query.order_by(approvals.c.number)):
        given.setdefault(proposal, []).append(user)
    return given
