"""From a pending proposal to its outcome: every step once, each in one transaction with its audit record.

```
PENDING --approve--> CONFIRMED --begin, end (per write)--> --finish--> EXECUTED
   |--reject--> REJECTED
   |--expire--> EXPIRED
```
The database decides who wins, so this holds between processes, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Connection, delete, insert, select, update

from gateway.clock import Clock
from gateway.errors import StoreError, WriteRefusedError
from gateway.store import proposal_rows
from gateway.store.audit import Append, Audit
from gateway.store.base import Body, Claimed, Lockout, ProposalRow, to_us
from gateway.store.tables import approvals, executions, lockouts, proposals


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A write about to be sent; `change` is how far it moves the value."""

    tag: str
    device: str
    change: Decimal | None
    record: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A write that ended, sent or not."""

    tag: str
    outcome: str
    record: Body


class Claims:
    """The one way on from a pending proposal."""

    def __init__(self, audit: Audit, clock: Clock) -> None:
        self._audit = audit
        self._clock = clock

    async def approve(self, proposal: str, user: str, record: Body) -> tuple[Claimed, ProposalRow]:
        """Count `user`'s yes; `claimed` goes to exactly one caller, the one whose yes completes the approvals."""
        mono, now = self._clock.monotonic(), self._clock.utc()

        def work(connection: Connection, append: Append) -> tuple[Claimed, ProposalRow]:
            is_open = _move(connection, proposal, "PENDING", "PENDING")
            row = _row(connection, proposal)
            if not is_open:
                return "taken", row
            if not proposal_rows.is_alive(row, mono):
                return "expired", row
            if user in row.approved_by:
                return "same_person", row
            number = len(row.approved_by) + 1
            connection.execute(insert(approvals).values(proposal=proposal, user=user, number=number, at=to_us(now)))
            is_complete = number >= row.approvals_needed
            append("confirmed" if is_complete else "approved", proposal, record)
            if is_complete:
                _move(connection, proposal, "PENDING", "CONFIRMED", finished_by=user)
            return ("claimed" if is_complete else "approved"), _row(connection, proposal)

        return await self._audit.transact(work)

    async def begin(self, proposal: str, starts: Sequence[Start]) -> None:
        """Audit record 2 of writes that go together, committed immediately before the first byte.

        Raises WriteRefusedError if a lockout was set meanwhile, StoreError if it cannot be written or was written before.
        """
        mono, now = self._clock.monotonic(), self._clock.utc()

        def work(connection: Connection, append: Append) -> None:
            if not _move(connection, proposal, "CONFIRMED", "CONFIRMED"):
                raise StoreError(f"proposal {proposal} is not confirmed")
            for start in starts:
                locked = connection.execute(select(lockouts.c.reason).where(lockouts.c.scope.in_(("*", start.device, start.tag)))).scalar()
                if locked is not None:
                    raise WriteRefusedError(["LOCKED_OUT"], f"writes were locked out meanwhile: {locked}", f"写入已被锁定：{locked}")
                row = {"proposal": proposal, "tag": start.tag, "at": to_us(now), "mono": mono, "outcome": "", "is_cleared": False}
                connection.execute(insert(executions).values(change=None if start.change is None else str(start.change), **row))
                append("sending", start.tag, start.record)

        await self._audit.transact(work)

    async def end(self, proposal: str, ends: Sequence[End]) -> None:
        """Audit record 3: how the writes ended. Raises StoreError."""
        mono, now = self._clock.monotonic(), self._clock.utc()

        def work(connection: Connection, append: Append) -> None:
            for end in ends:
                of_write = executions.c.proposal == proposal, executions.c.tag == end.tag
                connection.execute(update(executions).where(*of_write).values(outcome=end.outcome, at=to_us(now), mono=mono))
                append("outcome", end.tag, end.record)

        await self._audit.transact(work)

    async def finish(self, proposal: str, outcomes: str) -> ProposalRow:
        """All writes have ended; only the process that claimed it may say so. Raises StoreError."""

        def work(connection: Connection, _: Append) -> ProposalRow:
            done = update(proposals).where(proposals.c.id == proposal, proposals.c.state.in_(("CONFIRMED", "EXECUTED")))
            connection.execute(done.values(state="EXECUTED", outcomes=outcomes))
            return _row(connection, proposal)

        return await self._audit.transact(work)

    async def reject(self, proposal: str, user: str, record: Body) -> ProposalRow | None:
        """A person's no; None if it was not pending any more."""

        def work(connection: Connection, append: Append) -> ProposalRow | None:
            if not _move(connection, proposal, "PENDING", "REJECTED", finished_by=user):
                return None
            append("rejected", proposal, record)
            return proposal_rows.one(connection, proposal)

        return await self._audit.transact(work)

    async def expire(self, why: str, is_due: Callable[[ProposalRow], bool] | None = None) -> Sequence[ProposalRow]:
        """End the pending proposals that `is_due` picks (not given: those past their time)."""
        mono = self._clock.monotonic()
        picks = is_due or (lambda row: not proposal_rows.is_alive(row, mono))

        def work(connection: Connection, append: Append) -> list[ProposalRow]:
            due = [row for row in proposal_rows.find(connection, proposals.c.state == "PENDING") if picks(row)]
            return [ended for row in due if (ended := _expire(connection, append, row, why)) is not None]

        return await self._audit.transact(work)

    async def lock_out(self, lockout: Lockout) -> None:
        """Lock writes out of a scope (replacing an earlier lockout of it)."""
        record = {"scope": lockout.scope, "user": lockout.by, "reason": lockout.reason}

        def work(connection: Connection, append: Append) -> None:
            connection.execute(delete(lockouts).where(lockouts.c.scope == lockout.scope))
            connection.execute(insert(lockouts).values(scope=lockout.scope, reason=lockout.reason, by=lockout.by, at=to_us(lockout.at)))
            append("locked_out", lockout.scope, record)

        await self._audit.transact(work)

    async def release(self, scope: str, user: str, reason: str) -> bool:
        """End a lockout, and with it what blocks a tag that cannot be read; False if there was nothing to end."""

        def work(connection: Connection, append: Append) -> bool:
            ended = connection.execute(delete(lockouts).where(lockouts.c.scope == scope)).rowcount
            blocked = executions.c.tag == scope, executions.c.outcome == "unknown", executions.c.is_cleared.is_(False)
            ended += connection.execute(update(executions).where(*blocked).values(is_cleared=True)).rowcount
            if ended:
                append("released", scope, {"scope": scope, "user": user, "reason": reason})
            return ended > 0

        return await self._audit.transact(work)


def _move(connection: Connection, proposal: str, before: str, after: str, **columns: str) -> bool:
    """The atomic step: True for the one caller who found the proposal in state `before`."""
    step = update(proposals).where(proposals.c.id == proposal, proposals.c.state == before).values(state=after, **columns)
    return connection.execute(step).rowcount == 1


def _row(connection: Connection, proposal: str) -> ProposalRow:
    row = proposal_rows.one(connection, proposal)
    if row is None:
        raise StoreError(f"proposal {proposal} is gone")
    return row


def _expire(connection: Connection, append: Append, row: ProposalRow, why: str) -> ProposalRow | None:
    if not _move(connection, row.id, "PENDING", "EXPIRED"):
        return None
    append("expired", row.id, {"proposal": row.id, "why": why, "user": row.proposer})
    return proposal_rows.one(connection, row.id)
