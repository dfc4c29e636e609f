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
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, delete, insert, select, update

from gateway.clock import Clock
from gateway.errors import StoreError, WriteRefusedError
from gateway.store import execution_rows, proposal_rows
from gateway.store.audit import Append, Audit
from gateway.store.base import Body, Claimed, ExecutionRow, Lockout, ProposalRow, to_us
from gateway.store.tables import approvals, executions, lockouts, proposals


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A write about to be sent; `change` is how far it moves the value, `cooldown_s` the least time since any other of the tag."""

    step: int
    tag: str
    device: str
    change: Decimal | None
    cooldown_s: float
    record: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A write that ended, sent or not."""

    step: int
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

        Raises WriteRefusedError if a lockout was set meanwhile or another write of the tag came first, StoreError if it cannot
        be written or was written before.
        """
        mono, now = self._clock.monotonic(), self._clock.utc()

        def work(connection: Connection, append: Append) -> None:
            if not _move(connection, proposal, "CONFIRMED", "CONFIRMED"):
                raise StoreError(f"proposal {proposal} is not confirmed")
            for start in starts:
                locked = connection.execute(select(lockouts.c.reason).where(lockouts.c.scope.in_(("*", start.device, start.tag)))).scalar()
                if locked is not None:
                    raise WriteRefusedError(["LOCKED_OUT"], f"writes were locked out meanwhile: {locked}", f"写入已被锁定：{locked}")
                others = [row for row in execution_rows.of_tag(connection, start.tag) if row.proposal != proposal]
                _refuse_after(start, others, now, mono)
                begun = ExecutionRow(
                    proposal=proposal, step=start.step, tag=start.tag, at=now, mono=mono, change=start.change, outcome="", is_cleared=False
                )
                execution_rows.insert(connection, begun)
                append("sending", start.tag, start.record)

        await self._audit.transact(work)

    async def end(self, proposal: str, ends: Sequence[End]) -> None:
        """Audit record 3: how the writes ended. Raises StoreError."""
        mono, now = self._clock.monotonic(), self._clock.utc()

        def work(connection: Connection, append: Append) -> None:
            for end in ends:
                of_write = executions.c.proposal == proposal, executions.c.step == end.step
                connection.execute(update(executions).where(*of_write).values(outcome=end.outcome, at=to_us(now), mono=mono))
                append("outcome", end.tag, end.record)

        await self._audit.transact(work)

    async def waited(self, proposal: str, end: End) -> None:
        """A wait between two writes ended: `met` or `not_met`. Raises StoreError."""
        mono, now = self._clock.monotonic(), self._clock.utc()
        row = ExecutionRow(
            proposal=proposal, step=end.step, tag=end.tag, at=now, mono=mono, change=None, outcome=end.outcome, is_cleared=False
        )

        def work(connection: Connection, append: Append) -> None:
            execution_rows.insert(connection, row)
            append("waited", end.tag, end.record)

        await self._audit.transact(work)

    async def progress(self, proposal: str, outcomes: str) -> ProposalRow:
        """What has ended so far of a proposal under way. Raises StoreError."""

        def work(connection: Connection, _: Append) -> ProposalRow:
            _move(connection, proposal, "CONFIRMED", "CONFIRMED", outcomes=outcomes)
            return _row(connection, proposal)

        return await self._audit.transact(work)

    async def finish(self, proposal: str, outcomes: str) -> ProposalRow:
        """All writes have ended; only the process that claimed it may say so. Raises StoreError."""

        def work(connection: Connection, _: Append) -> ProposalRow:
            done = update(proposals).where(proposals.c.id == proposal, proposals.c.state.in_(("CONFIRMED", "EXECUTED")))
            connection.execute(done.values(state="EXECUTED", outcomes=outcomes))
            return _row(connection, proposal)

        return await self._audit.transact(work)

    async def reject(self, proposal: str, user: str, why: str, record: Body) -> ProposalRow | None:
        """A person's no; None if it was not pending any more."""

        def work(connection: Connection, append: Append) -> ProposalRow | None:
            if not _move(connection, proposal, "PENDING", "REJECTED", finished_by=user, why=why):
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


def _refuse_after(start: Start, others: Sequence[ExecutionRow], now: datetime, mono: float) -> None:
    """Between the yes and the first byte another write of the tag may have been faster; raises WriteRefusedError."""
    if any(row.blocks for row in others):
        words = f"how another write of {start.tag} ended is unknown", f"{start.tag} 的另一次写入结果未知"
        raise WriteRefusedError(["BLOCKED"], *words)
    since_s = min((row.age_s(now, mono) for row in others if row.may_be_done), default=start.cooldown_s)
    if since_s < start.cooldown_s:
        words = f"{start.tag} was written {since_s:.0f} s ago by another proposal", f"{start.tag} 在 {since_s:.0f} 秒前被另一建议写过"
        raise WriteRefusedError(["COOLDOWN"], *words)


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
    if not _move(connection, row.id, "PENDING", "EXPIRED", why=why):
        return None
    append("expired", row.id, {"proposal": row.id, "why": why, "user": row.proposer})
    return proposal_rows.one(connection, row.id)
