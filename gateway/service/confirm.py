"""A person's yes: checked again, claimed once, executed by the gate, told to everybody."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial

from gateway.clock import Clock
from gateway.errors import GatewayError, StoreError, UnknownTagError, WriteRefusedError
from gateway.model.point import Role, Text
from gateway.model.redact import redact
from gateway.model.sample import Tag
from gateway.service.base import Actor, Proposal, WriteOutcome
from gateway.service.card import Card
from gateway.service.card_text import dump_outcomes, load, load_outcomes
from gateway.service.decide import confirm_record, order_of, outcomes_of
from gateway.service.recheck import DeadProposalError, People, Recheck
from gateway.service.rules import PlantPoints, Rules, audit_down, refusal
from gateway.service.seen import proposal_of
from gateway.store.base import AuditSink, Lockout, ProposalRow
from gateway.store.claims import Claims
from gateway.store.proposals import Proposals
from gateway.write.gate import Gate
from gateway.write.order import Ended

log = logging.getLogger(__name__)

Spawn = Callable[[Coroutine[object, object, None]], object]
"""Starts a task that outlives the caller, such as `TaskGroup.create_task` of the application's group."""


class AlreadyTakenError(GatewayError):
    """Somebody was faster; `proposal` says who, and how it ended or stands."""

    code = "TAKEN"

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(f"{proposal.id} was already decided by {proposal.finished_by or 'somebody'} ({proposal.state})")
        self.message_zh = f"{proposal.id} 已由 {proposal.finished_by or '他人'} 处理（{proposal.state}）"
        self.proposal = proposal


class ConfirmService:
    """Decides proposals. `on_change` hears of every step of every proposal."""

    def __init__(
        self,
        plant: PlantPoints,
        shelf: Proposals,
        claims: Claims,
        gate: Gate,
        audit: AuditSink,
        people: People,
        clock: Clock,
        *,
        acknowledge: Callable[[str, Actor], Awaitable[object]],
        spawn: Spawn,
        on_change: Callable[[Proposal], None],
    ) -> None:
        self._plant = plant
        self._shelf = shelf
        self._claims = claims
        self._gate = gate
        self._audit = audit
        self._clock = clock
        self._acknowledge = acknowledge
        self._spawn = spawn
        self._on_change = on_change
        self._recheck = Recheck(plant, people, Rules(plant, shelf, clock))
        self._running: set[asyncio.Future[Proposal]] = set()
        self._is_closing = False

    async def confirm(self, proposal: str, nonce: str, actor: Actor, *, repeat: str | None = None) -> Proposal:
        """A yes: the proposal as it ended, or still PENDING if a second person has to follow.

        Once the write is claimed it goes on whatever happens to the caller. Raises WriteRefusedError and AlreadyTakenError.
        """
        row = await self._open_row(proposal)
        card = load(row.body)
        try:
            if self._is_closing:
                raise refusal("NOT_ALLOWED", "the gateway is stopping", "网关正在停止")
            await self._recheck.check(row, card, nonce, actor, repeat)
        except DeadProposalError as exc:
            await self._end(proposal, exc.why)
            raise await self._noted(exc, row, actor) from None
        except WriteRefusedError as exc:
            raise await self._noted(exc, row, actor) from None
        try:
            claimed, now = await self._claims.approve(proposal, actor.user, confirm_record(row, card, actor))
        except StoreError as exc:
            raise audit_down(exc) from exc
        match claimed:
            case "claimed":
                self._tell(now)
                return await asyncio.shield(self._start(now, card, actor))
            case "approved":
                return self._tell(now)
            case "same_person":
                raise await self._noted(refusal("SECOND_PERSON", *_SECOND), row, actor)
            case "expired":
                await self._end(proposal, "time")
                raise refusal("EXPIRED", *_EXPIRED)
            case "taken":
                raise AlreadyTakenError(self._seen(now))

    async def reject(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """A person's no. Raises WriteRefusedError and AlreadyTakenError."""
        row = await self._open_row(proposal)
        role = await self._recheck.role(actor.user)
        if actor.user != row.proposer and not role.includes(Role.OPERATOR):
            raise refusal("ROLE", "rejecting needs role operator and above", "拒绝写入建议需要操作员及以上权限")
        record = {"proposal": proposal, "user": actor.user, "via": actor.via, "meaning": "rejected", "reason": reason}
        try:
            done = await self._claims.reject(proposal, actor.user, redact(reason), record)
        except StoreError as exc:
            raise audit_down(exc) from exc
        if done is None:
            raise AlreadyTakenError(self._seen(await self._row(proposal)))
        return self._tell(done)

    async def stop(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """No further step of a running procedure is begun, its wait ends; the step on the wire comes to its end.

        Raises WriteRefusedError (ROLE, NOT_ALLOWED if it does not run) and UnknownTagError. It does not wait for the audit.
        """
        row = await self._row(proposal)
        if not (await self._recheck.role(actor.user)).includes(Role.OPERATOR):
            raise refusal("ROLE", "stopping needs role operator and above", "停止操作流程需要操作员及以上权限")
        why = f": {redact(reason)}" if reason.strip() else ""
        if not self._gate.halt(proposal, Text(f"stopped by {actor.user}{why}", f"已由 {actor.user} 停止{why}")):
            raise refusal("NOT_ALLOWED", f"{proposal} is not a procedure that runs now", f"{proposal} 不是正在执行的操作流程")
        record = {"proposal": proposal, "user": actor.user, "via": actor.via, "meaning": "stopped", "reason": reason}
        try:
            await self._audit.record("stopped", proposal, record)
        except StoreError as exc:
            log.error("stop of %s by %s cannot be recorded: %s", proposal, actor.user, exc)  # noqa: TRY400 - one line
        return self._seen(row)

    async def lock_out(self, scope: str, reason: str, actor: Actor) -> None:
        """Lock writes out of a tag, a device or all (`*`); role engineer, with a reason. Raises WriteRefusedError, UnknownTagError."""
        await self._check_locker(actor, reason)
        if scope != "*" and not self._gate.has_device(scope):
            self._plant.point(scope)
        try:
            await self._claims.lock_out(Lockout(scope=scope, reason=reason, by=actor.user, at=self._clock.utc()))
        except StoreError as exc:
            raise audit_down(exc) from exc

    async def release(self, scope: str, reason: str, actor: Actor) -> bool:
        """End a lockout, or unblock a tag that cannot be read; role engineer, with a reason. Raises WriteRefusedError."""
        await self._check_locker(actor, reason)
        try:
            return await self._claims.release(scope, actor.user, reason)
        except StoreError as exc:
            raise audit_down(exc) from exc

    async def lockouts(self) -> Sequence[Lockout]:
        """What is locked out now."""
        return await self._shelf.lockouts()

    async def expire_due(self) -> None:
        """End the pending proposals whose time is over; called now and then."""
        for row in await self._claims.expire("time"):
            self._tell(row)

    async def forget_user(self, user: str) -> None:
        """A role was changed or an account disabled: the open cards of that person die."""
        for row in await self._claims.expire("user", lambda row: user in (row.proposer, *row.approved_by)):
            self._tell(row)

    async def recover(self) -> None:
        """After a start: pending proposals die, and those cut off during execution are closed with what is known."""
        for row in await self._claims.expire("restart", lambda _: True):
            self._tell(row)
        for row, executions in await self._shelf.confirmed():
            ended = await self._gate.close_cut_off(order_of(row, load(row.body)), {one.step: one.outcome for one in executions})
            log.warning("proposal %s was cut off: %s", row.id, ", ".join(f"{one.tag} {one.outcome}" for one in ended))
            told = {one.step: one for one in load_outcomes(row.outcomes)}
            outcomes = [told.get(one.step, one) for one in outcomes_of(ended)]
            self._tell(await self._claims.finish(row.id, dump_outcomes(outcomes)))

    def close(self) -> None:
        """Take no more confirmations and begin no more steps; a wait of a procedure ends soon after."""
        self._is_closing = True
        self._gate.stop()

    async def drain(self) -> None:
        """Close, and return when every write under way has ended; called before the links stop."""
        self.close()
        while self._running:
            await asyncio.wait(set(self._running))

    def _start(self, row: ProposalRow, card: Card, actor: Actor) -> "asyncio.Future[Proposal]":
        """Execute in a task of its own, which nobody who waits for it can cancel."""
        ended: asyncio.Future[Proposal] = asyncio.get_running_loop().create_future()
        self._running.add(ended)
        self._spawn(self._execute(row, card, actor, ended))
        return ended

    async def _execute(self, row: ProposalRow, card: Card, actor: Actor, ended: "asyncio.Future[Proposal]") -> None:
        try:
            outcomes = await self._act(row, card, actor)
            text = dump_outcomes(outcomes)
            try:
                done = await self._claims.finish(row.id, text)
            except StoreError as exc:
                log.error("proposal %s ended but cannot be stored: %s: %s", row.id, text, exc)  # noqa: TRY400 - one line
                done = replace(row, state="EXECUTED", outcomes=text)
            ended.set_result(self._tell(done))
        finally:
            self._running.discard(ended)
            if not ended.done():
                ended.set_exception(GatewayError(f"execution of {row.id} broke off", fix="see the log; check at the device"))

    async def _act(self, row: ProposalRow, card: Card, actor: Actor) -> Sequence[WriteOutcome]:
        if card.kind != "ack":
            return outcomes_of(await self._gate.execute(order_of(row, card), partial(self._tell_steps, row)))
        tag = Tag(card.alarm)
        try:
            await self._acknowledge(card.alarm, actor)
        except WriteRefusedError as exc:
            return [WriteOutcome(tag=tag, outcome="refused", code=exc.refusal, message=Text(exc.message, exc.message_zh))]
        return [WriteOutcome(tag=tag, outcome="acknowledged", message=Text(f"{tag} is acknowledged", f"{tag} 已确认"))]

    async def _tell_steps(self, row: ProposalRow, ended: Sequence[Ended]) -> None:
        """A step of a procedure ended: pages and the database show it while the rest goes on."""
        text = dump_outcomes(outcomes_of(ended))
        try:
            now = await self._claims.progress(row.id, text)
        except StoreError as exc:
            log.error("proposal %s goes on, its steps cannot be stored: %s: %s", row.id, text, exc)  # noqa: TRY400 - one line
            now = replace(row, outcomes=text)
        self._tell(now)

    async def _open_row(self, proposal: str) -> ProposalRow:
        """The proposal, if a person may still decide it."""
        row = await self._row(proposal)
        if row.state == "PENDING" and not row.created_mono <= self._clock.monotonic() < row.expires_mono:
            await self._end(proposal, "time")
            raise refusal("EXPIRED", *_EXPIRED)
        if row.state == "EXPIRED":
            raise refusal("EXPIRED", *_EXPIRED)
        if row.state != "PENDING":
            raise AlreadyTakenError(self._seen(row))
        return row

    async def _row(self, proposal: str) -> ProposalRow:
        row = await self._shelf.get(proposal)
        if row is None:
            raise UnknownTagError(proposal)
        return row

    async def _check_locker(self, actor: Actor, reason: str) -> None:
        if not (await self._recheck.role(actor.user)).includes(Role.ENGINEER):
            raise refusal("ROLE", "locking out and releasing needs role engineer and above", "锁定与解除需要工程师及以上权限")
        if not reason.strip():
            raise refusal("NOT_ALLOWED", "say why", "请填写原因")

    async def _end(self, proposal: str, why: str) -> None:
        """End a proposal that can never be confirmed any more."""
        with contextlib.suppress(StoreError):
            for row in await self._claims.expire(why, lambda row: row.id == proposal):
                self._tell(row)

    async def _noted(self, exc: WriteRefusedError, row: ProposalRow, actor: Actor) -> WriteRefusedError:
        """The refusal, written to the audit."""
        body = {"proposal": row.id, "user": actor.user, "role": str(actor.role), "via": actor.via, "codes": list(exc.codes)}
        try:
            await self._audit.record("refused", row.id, body)
        except StoreError as down:
            return audit_down(down, exc)
        return exc

    def _seen(self, row: ProposalRow) -> Proposal:
        return proposal_of(row, self._clock.monotonic())

    def _tell(self, row: ProposalRow) -> Proposal:
        proposal = self._seen(row)
        self._on_change(proposal)
        return proposal


_SECOND = ("a second person has to confirm this, not the same again", "需由另一人再次确认")
_EXPIRED = ("the proposal has expired, propose it again", "写入建议已过期，请重新提出")
