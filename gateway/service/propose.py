"""Wanted writes and acknowledgements become pending proposals, or are refused. Nothing here can execute one."""

import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from gateway.clock import Clock
from gateway.errors import StoreError, UnknownTagError, WriteRefusedError
from gateway.model.alarm import AlarmInfo
from gateway.model.point import Role, Text
from gateway.model.proposal import MAX_OPEN, MAX_PER_MINUTE, rate_refusal
from gateway.model.redact import redact
from gateway.model.sample import Scalar
from gateway.service.base import Actor, ProcedureInfo, Proposal, WantedWrite
from gateway.service.card import Card
from gateway.service.card_text import dump, load
from gateway.service.check import Checked, Checker
from gateway.service.check_steps import StepChecker
from gateway.service.compose import ack_card, first_record, procedure_card, write_card
from gateway.service.digest import digest_of, digest_of_request, sameness
from gateway.service.procedures import procedure_info
from gateway.service.rules import LocatedProcedure, PlantPoints, Rules, audit_down, refusal, refused
from gateway.service.seen import proposal_of
from gateway.service.undo import undo_of
from gateway.store.base import AuditSink, ProposalRow, ProposalShelf

EXPIRY_S = 120.0
TWO_STEP_EXPIRY_S = 60.0

_MAX_ATTEMPTS = 30
_MINUTE_S = 60.0
_MAX_CHARS = 500

Asked = Sequence[tuple[str, Scalar]]
"""What was asked for, in the words of the request: (tag or procedure, value)."""


class Proposer:
    """ProposalService over one plant. `on_change` hears of every proposal that is put up."""

    def __init__(
        self,
        plant: PlantPoints,
        shelf: ProposalShelf,
        audit: AuditSink,
        clock: Clock,
        *,
        alarm: Callable[[str], AlarmInfo],
        on_change: Callable[[Proposal], None],
        token: Callable[[], str] = lambda: secrets.token_urlsafe(18),
    ) -> None:
        self._plant = plant
        self._shelf = shelf
        self._audit = audit
        self._clock = clock
        self._alarm = alarm
        self._on_change = on_change
        self._token = token
        rules = Rules(plant, shelf, clock)
        self._checker = Checker(plant, rules)
        self._step_checker = StepChecker(plant, rules)
        self._attempts: dict[str, deque[float]] = {}

    async def propose(self, writes: Sequence[WantedWrite], reason: str, actor: Actor, *, idempotency_key: str = "") -> Proposal:
        """Check the rules against fresh values and store one pending proposal for all writes; raises WriteRefusedError."""
        return await self._propose_writes(writes, reason, actor, key=idempotency_key)

    async def _propose_writes(
        self, writes: Sequence[WantedWrite], reason: str, actor: Actor, *, key: str = "", notes: Sequence[Text] = ()
    ) -> Proposal:
        asked: Asked = [(write.tag, write.value) for write in writes]

        async def make() -> tuple[Card, int]:
            checked = await self._checker.check(writes, actor)
            card = write_card(checked, digest_of_request(asked), redact(reason[:_MAX_CHARS]), actor)
            card = replace(card, notes=(*notes, *card.notes))
            return card, max(one.rule.approvals for one in checked)

        return await self._propose(make, asked, reason, actor, key)

    async def propose_procedure(self, name: str, reason: str, actor: Actor, *, idempotency_key: str = "") -> Proposal:
        """The same for a procedure, `DEVICE.name`: one pending proposal of all its steps; raises also UnknownTagError."""
        there = self._procedure(name)

        async def make() -> tuple[Card, int]:
            checked = await self._step_checker.check(there, actor)
            approvals = max((one.rule.approvals for one in checked if isinstance(one, Checked)), default=1)
            return procedure_card(there, checked, redact(reason[:_MAX_CHARS]), actor), approvals

        return await self._propose(make, [(name, "procedure")], reason, actor, idempotency_key)

    async def undo(self, proposal: str, actor: Actor, reason: str = "") -> Proposal:
        """A new proposal that writes back what an executed one replaced, under all rules; raises WriteRefusedError.

        A point that has moved since is said on the card. Refused if what it replaced is not known (NOT_ALLOWED).
        """
        row = await self._row(proposal)
        self._count_attempt(actor)
        try:
            wanted, moved = await undo_of(row, self._plant)
        except WriteRefusedError as exc:
            asked = [(write.shown.tag, "undo") for write in load(row.body).writes]
            raise await self._noted(exc, asked, reason, actor) from None
        return await self._propose_writes(wanted, reason or f"undo of {proposal}", actor, notes=moved)

    def procedures(self) -> Sequence[ProcedureInfo]:
        """What may be run as one proposal, device by device."""
        return [procedure_info(one, self._plant) for one in self._plant.procedures()]

    async def propose_ack(self, alarm: str, actor: Actor) -> Proposal:
        """A pending acknowledgement of one alarm; raises WriteRefusedError (NOT_ALLOWED, ROLE)."""
        self._count_attempt(actor)
        if not actor.role.includes(Role.OPERATOR):
            raise refusal("ROLE", "an alarm may be acknowledged by role operator and above", "确认报警需要操作员及以上权限")
        info = self._alarm(alarm)
        if info.state not in ("UNACK_ACTIVE", "RTN_UNACK"):
            raise refusal("NOT_ALLOWED", f"alarm {alarm} needs no acknowledgement", f"报警 {alarm} 无需确认")
        return await self._put_up(ack_card(info, actor), actor, "", 1)

    async def get(self, proposal: str) -> Proposal:
        """One proposal as it stands now; raises UnknownTagError."""
        return proposal_of(await self._row(proposal), self._clock.monotonic())

    async def open(self) -> Sequence[Proposal]:
        """The pending proposals, oldest first."""
        return [proposal_of(row, self._clock.monotonic()) for row in await self._shelf.pending()]

    async def recent(self, limit: int) -> Sequence[Proposal]:
        """The newest proposals in any state, newest first."""
        return [proposal_of(row, self._clock.monotonic()) for row in await self._shelf.recent(limit)]

    async def _row(self, proposal: str) -> ProposalRow:
        row = await self._shelf.get(proposal)
        if row is None:
            raise UnknownTagError(proposal)
        return row

    def _procedure(self, name: str) -> LocatedProcedure:
        found = {one.name: one for one in self._plant.procedures()}
        if name not in found:
            raise UnknownTagError(name, near=get_close_matches(name, found, n=3, cutoff=0.5))
        return found[name]

    async def _propose(
        self, make: Callable[[], Awaitable[tuple[Card, int]]], asked: Asked, reason: str, actor: Actor, key: str
    ) -> Proposal:
        """Put up the card that `make` gives, with how many approvals it needs; a refusal goes to the audit."""
        if key and (earlier := await self._shelf.by_key(actor.user, key)) is not None:
            return self._repeated(earlier, digest_of_request(asked))
        self._count_attempt(actor)
        try:
            card, approvals = await make()
        except WriteRefusedError as exc:
            raise await self._noted(exc, asked, reason, actor) from None
        return await self._put_up(card, actor, key, approvals)

    async def _put_up(self, card: Card, actor: Actor, key: str, approvals: int) -> Proposal:
        now, mono = self._clock.utc(), self._clock.monotonic()
        body, nonce = dump(card), self._token()
        row = ProposalRow(
            id=f"P-{self._token()[:12]}",
            nonce=nonce,
            digest=digest_of(body, nonce, actor.user, actor.session),
            same=sameness(actor.user, card),
            state="PENDING",
            proposer=actor.user,
            session=actor.session,
            idempotency_key=key,
            created_at=now,
            created_mono=mono,
            expires_mono=mono + (TWO_STEP_EXPIRY_S if card.confirm == "two_step" else EXPIRY_S),
            approvals_needed=approvals,
            body=body,
        )
        try:
            stored, kept = await self._shelf.insert(row, first_record(row, card), max_open=MAX_OPEN, max_per_minute=MAX_PER_MINUTE)
        except StoreError as exc:
            raise audit_down(exc) from exc
        if stored == "rate":
            raise refused([rate_refusal("too many proposals of yours", "您的写入建议太多")])
        if stored == "repeated":
            return self._repeated(kept, card.asked)
        made = proposal_of(kept, self._clock.monotonic())
        if stored == "stored":
            self._on_change(made)
        return made

    def _repeated(self, earlier: ProposalRow, asked: str) -> Proposal:
        """What an idempotency key stands for; it stands for one request only."""
        if load(earlier.body).asked != asked:
            raise refusal("NOT_ALLOWED", "this Idempotency-Key belongs to another request", "该 Idempotency-Key 已用于其他请求")
        return proposal_of(earlier, self._clock.monotonic())

    async def _noted(self, exc: WriteRefusedError, asked: Asked, reason: str, actor: Actor) -> WriteRefusedError:
        """The refusal, written to the audit; without the audit it stays refused and says so, too."""
        body = {
            "user": actor.user,
            "role": str(actor.role),
            "via": actor.via,
            "conversation": actor.conversation,
            "model": actor.model,
            "writes": [{"tag": tag, "value": str(value)[:_MAX_CHARS]} for tag, value in asked],
            "reason": reason[:_MAX_CHARS],
            "codes": list(exc.codes),
        }
        try:
            await self._audit.record("refused", asked[0][0] if asked else "", body)
        except StoreError as down:
            return audit_down(down, exc)
        return exc

    def _count_attempt(self, actor: Actor) -> None:
        """A flood ends here, before it costs the bus or the audit anything."""
        mono = self._clock.monotonic()
        attempts = self._attempts.setdefault(actor.user, deque(maxlen=_MAX_ATTEMPTS))
        if len(attempts) == _MAX_ATTEMPTS and mono - attempts[0] < _MINUTE_S:
            raise refused([rate_refusal(f"{_MAX_ATTEMPTS} attempts in one minute", f"一分钟内尝试了 {_MAX_ATTEMPTS} 次")])
        attempts.append(mono)
