"""A person's yes: checked again, claimed once, executed by the gate, told to everybody."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from hmac import compare_digest
from typing import Protocol

from gateway.clock import Clock
from gateway.errors import GatewayError, StoreError, UnknownTagError, WriteRefusedError
from gateway.model.point import Point, Role, Text
from gateway.model.proposal import limit_refusals, rate_refusals, standing_refusals, step_refusals, value_refusals
from gateway.model.redact import redact
from gateway.model.refusal import Refusal
from gateway.model.sample import Tag
from gateway.service.base import Actor, Proposal, WriteOutcome
from gateway.service.card import Card, CardWait, CardWrite
from gateway.service.card_text import dump_outcomes, load, load_outcomes
from gateway.service.decide import check_repeat, confirm_record, order_of, outcomes_of
from gateway.service.digest import digest_of
from gateway.service.rules import PlantPoints, Rules, audit_down, refusal, refused
from gateway.service.seen import proposal_of
from gateway.store.base import AuditSink, Lockout, ProposalRow
from gateway.store.claims import Claims
from gateway.store.proposals import Proposals
from gateway.write.gate import Gate
from gateway.write.order import Ended, change

log = logging.getLogger(__name__)

Spawn = Callable[[Coroutine[object, object, None]], object]
"""Starts a task that outlives the caller, such as `TaskGroup.create_task` of the application's group."""


class People(Protocol):
    """The role an account has at this moment."""

    async def role_of(self, user: str) -> Role | None:
        """None if there is no such account, or it is disabled."""
        ...


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
        self._people = people
        self._clock = clock
        self._acknowledge = acknowledge
        self._spawn = spawn
        self._on_change = on_change
        self._rules = Rules(plant, shelf, clock)
        self._running: set[asyncio.Future[Proposal]] = set()
        self._is_closing = False

    async def confirm(self, proposal: str, nonce: str, actor: Actor, *, repeat: str | None = None) -> Proposal:
        """A yes: the proposal as it ended, or still PENDING if a second person has to follow.

        Once the write is claimed it goes on whatever happens to the caller. Raises WriteRefusedError and AlreadyTakenError.
        """
        row = await self._open_row(proposal)
        card = load(row.body)
        try:
            await self._check(row, card, nonce, actor, repeat)
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
                raise await self._died(proposal, "time", "EXPIRED", *_EXPIRED)
            case "taken":
                raise AlreadyTakenError(self._seen(now))

    async def reject(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """A person's no. Raises WriteRefusedError and AlreadyTakenError."""
        row = await self._open_row(proposal)
        role = await self._role(actor.user)
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
            raise await self._died(proposal, "time", "EXPIRED", *_EXPIRED)
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

    async def _check(self, row: ProposalRow, card: Card, nonce: str, actor: Actor, repeat: str | None) -> None:
        """Everything that was tested when the card was made and can be tested without the wire, once more."""
        if self._is_closing:
            raise refusal("NOT_ALLOWED", "the gateway is stopping", "网关正在停止")
        if actor.via not in ("page", "api", "cli") or (actor.via != "cli" and not actor.session):
            raise refusal(
                "NOT_ALLOWED", "only a signed-in person confirms, on the page or at the terminal", "只能由已登录的人员在页面或终端确认"
            )
        if not compare_digest(nonce.encode(errors="replace"), row.nonce.encode()) or row.digest != digest_of(
            row.body, row.nonce, row.proposer, row.session
        ):
            raise refusal("NOT_ALLOWED", "this is not the card that was shown", "与显示的写入建议不符")
        role = await self._role(actor.user)
        if not role.includes(card.role):
            raise refusal("ROLE", f"confirming this needs role {card.role} and above", f"确认此操作需要 {card.role} 及以上权限")
        proposer = await self._people.role_of(row.proposer)
        if proposer is None or not proposer.includes(card.role):
            raise await self._died(row.id, "user", "ROLE", "the proposer may not write this any more", "提出人已无此权限")
        if any(not self._is_same_map(step) for step in card.steps):
            raise await self._died(row.id, "map", "MAP_CHANGED", "the map was changed since the card was made", "点表已变更，请重新提出")
        await self._check_rules(card, actor.user, role)
        check_repeat(card, repeat, {write.shown.tag: self._plant.point(write.shown.tag).point.enum for write in card.writes})

    async def _check_rules(self, card: Card, user: str, role: Role) -> None:
        standings = await self._rules.standings(list(dict.fromkeys(write.shown.tag for write in card.writes)), user, role)
        refusals: list[Refusal] = []
        moved: dict[Tag, Decimal] = {}
        for write in card.writes:
            shown, point = write.shown, self._plant.point(write.shown.tag).point
            so_far = standings[shown.tag].moved + moved.get(shown.tag, Decimal(0))
            standing = replace(standings[shown.tag], open_count=0, minute_count=0, moved=so_far)
            refusals += standing_refusals(shown.tag, point, standing, is_step=bool(card.procedure))
            refusals += _value_refusals(write, point)
            refusals += step_refusals(shown.tag, point, shown.old, shown.new, standing)
            refusals += rate_refusals(shown.tag, point, standing)
            moved[shown.tag] = moved.get(shown.tag, Decimal(0)) + (change(shown.old, shown.new) or Decimal(0))
        if refusals:
            raise refused(refusals)

    def _is_same_map(self, step: CardWrite | CardWait) -> bool:
        try:
            return self._plant.point(step.shown.tag).map_version == step.map_version
        except UnknownTagError:
            return False

    async def _role(self, user: str) -> Role:
        """The role the account has now, whatever its session says."""
        role = await self._people.role_of(user)
        if role is None:
            raise refusal("ROLE", f"{user} has no account here", f"{user} 没有有效账户")
        return role

    async def _check_locker(self, actor: Actor, reason: str) -> None:
        if not (await self._role(actor.user)).includes(Role.ENGINEER):
            raise refusal("ROLE", "locking out and releasing needs role engineer and above", "锁定与解除需要工程师及以上权限")
        if not reason.strip():
            raise refusal("NOT_ALLOWED", "say why", "请填写原因")

    async def _died(self, proposal: str, why: str, code: str, en: str, zh: str) -> WriteRefusedError:
        """End a proposal that can never be confirmed any more; the refusal that says so."""
        with contextlib.suppress(StoreError):
            for row in await self._claims.expire(why, lambda row: row.id == proposal):
                self._tell(row)
        return refusal(code, en, zh)

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


def _value_refusals(write: CardWrite, point: Point) -> Sequence[Refusal]:
    """What the point's rules say to the value now; where a scale is read from the device, the write itself looks at the words."""
    if point.held_by is not None:
        return list(limit_refusals(write.shown.tag, point, write.wanted))
    return value_refusals(write.shown.tag, point, write.wanted, None)[1]


_SECOND = ("a second person has to confirm this, not the same again", "需由另一人再次确认")
_EXPIRED = ("the proposal has expired, propose it again", "写入建议已过期，请重新提出")
