"""Proposals put away and looked up. What leads from one to the wire is in `claims`."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, select, update

from gateway.clock import Clock
from gateway.store import execution_rows, proposal_rows
from gateway.store.audit import Append, Audit
from gateway.store.base import Body, ExecutionRow, Lockout, ProposalRow, Stored, from_us
from gateway.store.engine import Store
from gateway.store.tables import executions, lockouts, proposals

_MINUTE_S = 60.0
_LATEST = 50


class Proposals:
    """The proposals of one store; implements `ProposalShelf`."""

    def __init__(self, store: Store, audit: Audit, clock: Clock) -> None:
        self._store = store
        self._audit = audit
        self._clock = clock

    async def insert(self, row: ProposalRow, record: Body, *, max_open: int, max_per_minute: int) -> tuple[Stored, ProposalRow]:
        """Store `row` with audit record 1, unless it repeats or merges into another or the proposer has too many."""

        def work(connection: Connection, append: Append) -> tuple[Stored, ProposalRow]:
            if row.idempotency_key and (earlier := proposal_rows.by_key(connection, row.proposer, row.idempotency_key)):
                return "repeated", earlier
            alike = _open(connection, row.created_mono, row.proposer)
            if merged := [found for found in alike if found.same == row.same]:
                return "merged", merged[0]
            if len(alike) >= max_open or _last_minute(connection, row.proposer, row.created_mono) >= max_per_minute:
                return "rate", row
            proposal_rows.insert(connection, row)
            append("proposed", row.id, record)
            return "stored", row

        return await self._audit.transact(work)

    async def get(self, proposal: str) -> ProposalRow | None:
        """One proposal."""
        return await self._store.read(lambda connection: proposal_rows.one(connection, proposal))

    async def by_key(self, proposer: str, key: str) -> ProposalRow | None:
        """The proposal that this proposer sent under this idempotency key."""
        return await self._store.read(lambda connection: proposal_rows.by_key(connection, proposer, key))

    async def pending(self) -> Sequence[ProposalRow]:
        """Those that wait for a person, oldest first."""
        mono = self._clock.monotonic()
        return await self._store.read(lambda connection: _open(connection, mono))

    async def confirmed(self) -> Sequence[tuple[ProposalRow, Sequence[ExecutionRow]]]:
        """Those that were confirmed and have not ended, with what was sent of them."""

        def work(connection: Connection) -> list[tuple[ProposalRow, Sequence[ExecutionRow]]]:
            found = proposal_rows.find(connection, proposals.c.state == "CONFIRMED")
            return [(row, execution_rows.find(connection, executions.c.proposal == row.id)) for row in found]

        return await self._store.read(work)

    async def recent(self, limit: int = _LATEST) -> Sequence[ProposalRow]:
        """The newest proposals in any state, newest first."""
        return await self._store.read(lambda connection: proposal_rows.find(connection, newest_first=True, limit=limit))

    async def counts(self, proposer: str, mono: float) -> tuple[int, int]:
        """(open proposals, proposals of the last minute) of a person."""
        return await self._store.read(lambda connection: (len(_open(connection, mono, proposer)), _last_minute(connection, proposer, mono)))

    async def executions(self, tags: Sequence[str]) -> Sequence[ExecutionRow]:
        """The newest writes of these tags, oldest first."""
        return await self._store.read(lambda connection: [row for tag in tags for row in execution_rows.of_tag(connection, tag)])

    async def lockouts(self) -> Sequence[Lockout]:
        """What is locked out now."""

        def work(connection: Connection) -> list[Lockout]:
            found = connection.execute(select(lockouts).order_by(lockouts.c.at))
            return [Lockout(scope=row.scope, reason=row.reason, by=row.by, at=from_us(row.at)) for row in found]

        return await self._store.read(work)

    async def clear_blocks(self, tags: Sequence[str]) -> None:
        """A later read of these tags succeeded: earlier `unknown` writes block them no more."""
        unknown = executions.c.tag.in_(tags), executions.c.outcome == "unknown"
        await self._store.write(lambda connection: connection.execute(update(executions).where(*unknown).values(is_cleared=True)))


def _open(connection: Connection, mono: float, proposer: str | None = None) -> list[ProposalRow]:
    conditions = [proposals.c.state == "PENDING"]
    if proposer is not None:
        conditions.append(proposals.c.proposer == proposer)
    return [row for row in proposal_rows.find(connection, *conditions) if proposal_rows.is_alive(row, mono)]


def _last_minute(connection: Connection, proposer: str, mono: float) -> int:
    recent = proposals.c.created_mono > mono - _MINUTE_S, proposals.c.created_mono <= mono
    return connection.execute(select(func.count()).where(proposals.c.proposer == proposer, *recent)).scalar_one()
