"""The gateway's tables. Times are microseconds UTC; `mono` is the machine's monotonic clock in seconds."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

series = Table(
    "series",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tag", String(200), nullable=False, unique=True),
)

samples = Table(
    "samples",
    metadata,
    Column("series", Integer, ForeignKey("series.id"), primary_key=True),
    Column("at", BigInteger, primary_key=True),
    Column("kind", String(4), nullable=False),
    Column("number", Double),
    Column("text", Text),
    Column("reason", String(40)),
    sqlite_with_rowid=False,
)

audit = Table(
    "audit",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("mono", Double, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("body", Text, nullable=False),
    Column("mac", String(64), nullable=False),
    Index("audit_kind_subject", "kind", "subject"),
)

proposals = Table(
    "proposals",
    metadata,
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
    Column("why", Text, nullable=False, server_default=""),
    UniqueConstraint("proposer", "idempotency_key"),
    Index("proposals_state", "state"),
)

approvals = Table(
    "approvals",
    metadata,
    Column("proposal", String(40), ForeignKey("proposals.id"), primary_key=True),
    Column("user", String(100), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
)

executions = Table(
    "executions",
    metadata,
    Column("proposal", String(40), ForeignKey("proposals.id"), primary_key=True),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("tag", String(200), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("mono", Double, nullable=False),
    Column("change", String(80)),
    Column("outcome", String(16), nullable=False),
    Column("is_cleared", Boolean, nullable=False),
    Index("executions_tag", "tag", "at"),
)

lockouts = Table(
    "lockouts",
    metadata,
    Column("scope", String(200), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("by", String(100), nullable=False),
    Column("at", BigInteger, nullable=False),
)

users = Table(
    "users",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("role", String(12), nullable=False),
    Column("hash", Text, nullable=False),
    Column("is_disabled", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

login_failures = Table(
    "login_failures",
    metadata,
    Column("kind", String(8), primary_key=True),
    Column("key", String(100), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("mono", Double, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user", String(100), ForeignKey("users.name"), nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("started_mono", Double, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("seen_mono", Double, nullable=False),
    Column("proved_mono", Double, nullable=False),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("name", String(50), primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("scope", String(8), nullable=False),
    Column("role", String(12), nullable=False),
    Column("by", String(100), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    Column("ended_by", String(100), nullable=False),
)

first_codes = Table(
    "first_codes",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("mono", Double, nullable=False),
)

map_changes = Table(
    "map_changes",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("map", String(100), nullable=False),
    Column("by", String(100), nullable=False),
    Column("reason", Text, nullable=False),
    Column("base", String(64), nullable=False),
    Column("text", Text),
    Column("digest", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
)

alarms = Table(
    "alarms",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("key", String(220), nullable=False),
    Column("tag", String(200), nullable=False),
    Column("text_en", Text, nullable=False),
    Column("text_zh", Text, nullable=False),
    Column("priority", String(8), nullable=False),
    Column("state", String(16), nullable=False),
    Column("raised_at", BigInteger, nullable=False),
    Column("cleared_at", BigInteger),
    Column("acked_at", BigInteger),
    Column("acked_by", String(100), nullable=False),
    Column("shelved_until", BigInteger),
    Column("shelved_by", String(100), nullable=False),
    Index("alarms_raised", "raised_at"),
)

alarm_changes = Table(
    "alarm_changes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("alarm", String(80), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    Column("by", String(100), nullable=False),
)
