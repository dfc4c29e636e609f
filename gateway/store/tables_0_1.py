"""Tables as release 0.1 made them, where a later release changed them."""

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Index, Integer, MetaData, String, Table, Text, UniqueConstraint


def frozen() -> MetaData:
    """The tables that changed since, in their old shape."""
    old = MetaData()
    Table(
        "proposals",
        old,
        Column("id", String(40), primary_key=True),
        Column("nonce", String(64), nullable=False),
        Column("digest", String(64), nullable=False),
        Column("same", String(64), nullable=False),
        Column("state", String(12), nullable=False),
        Column("proposer", String(100), nullable=False),
        Column("session", String(100), nullable=False),
        Column("idempotency_key", String(200)),
        Column("created_at", BigInteger, nullable=False),
        Column("created_mono", Double, nullable=False),
        Column("expires_mono", Double, nullable=False),
        Column("approvals_needed", Integer, nullable=False),
        Column("body", Text, nullable=False),
        Column("outcomes", Text, nullable=False),
        Column("finished_by", String(100), nullable=False),
        UniqueConstraint("proposer", "idempotency_key"),
        Index("proposals_state", "state"),
    )
    Table(
        "executions",
        old,
        Column("proposal", String(40), ForeignKey("proposals.id"), primary_key=True),
        Column("tag", String(200), primary_key=True),
        Column("at", BigInteger, nullable=False),
        Column("mono", Double, nullable=False),
        Column("change", String(80)),
        Column("outcome", String(16), nullable=False),
        Column("is_cleared", Boolean, nullable=False),
        Index("executions_tag", "tag", "at"),
    )
    return old
