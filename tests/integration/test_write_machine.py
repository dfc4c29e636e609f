"""Proposals, confirmations from two processes, restarts, faults, clock jumps in any order: no write without a yes, none twice."""

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from gateway.clock import ManualClock
from gateway.errors import GatewayError, LinkDownError, LinkTimeoutError
from gateway.link.base import Read, Request, WriteRegisters
from gateway.model.point import Procedure, Role, Step, Text
from gateway.service.base import Proposal
from gateway.store.base import AuditRecord
from tests.write_rig import PUMP, START, Field, Rig, actor, fill, make_map, running

TAGS = ("pump.trim", "panel.lamp", "pump.speed_sp")
USERS = ("olga", "otto", "enid")
USER = st.sampled_from(USERS)
CARD = st.integers(0, 5)

ACT = st.tuples(st.just("act"), st.sampled_from(TAGS), USER, st.lists(USER, min_size=1, max_size=4))
"""A proposal that is confirmed at once, by several people."""

OPERATIONS = st.one_of(
    ACT,
    ACT,
    ACT,
    st.tuples(st.just("run"), USER, st.lists(USER, min_size=1, max_size=4)),
    st.tuples(st.just("propose"), st.sampled_from(TAGS), USER),
    st.tuples(st.just("confirm"), CARD, st.lists(USER, min_size=1, max_size=4)),
    st.tuples(st.just("reject"), CARD, USER),
    st.tuples(st.just("advance"), st.sampled_from([1.0, 11.0, 130.0])),
    st.tuples(st.just("jump"), st.sampled_from([-7200.0, 7200.0])),
    st.tuples(st.just("fault"), st.sampled_from(["none", "mute", "lost", "refused"])),
    st.tuples(st.just("lock"), st.booleans()),
    st.tuples(st.just("restart")),
)


@dataclass
class World:
    """One plant, a gateway on it, and a second process that confirms beside it."""

    folder: Path
    line: Field = field(default_factory=Field)
    lan: Field = field(default_factory=Field)
    clock: ManualClock = field(default_factory=lambda: ManualClock(START))
    cards: list[Proposal] = field(default_factory=list)
    serial: int = 100

    async def run(self, operations: Sequence[tuple[object, ...]]) -> None:
        fill(self.line, self.lan)
        rest = list(operations)
        while True:
            async with AsyncExitStack() as stack:
                rigs = [
                    await stack.enter_async_context(running(self.folder, clock=self.clock, line=self.line, lan=self.lan)) for _ in range(2)
                ]
                await rigs[0].confirmer.recover()
                while rest:
                    operation = rest.pop(0)
                    if operation[0] == "restart":
                        break
                    await self.step(rigs, operation)
                else:
                    await self.judge(rigs[0])
                    return

    async def step(self, rigs: Sequence[Rig], operation: tuple[object, ...]) -> None:
        rig = rigs[0]
        match operation:
            case ("propose", str(tag), str(user)):
                await self.propose(rig, tag, user)
            case ("act", str(tag), str(user), [*users]):
                if await self.propose(rig, tag, user):
                    await self.confirm(rigs, self.cards[-1], users)
            case ("run", str(user), [*users]):
                if await self.propose_two(rigs, user):
                    await self.confirm(rigs, self.cards[-1], users)
            case ("confirm", int(number), [*users]) if self.cards:
                await self.confirm(rigs, self.cards[number % len(self.cards)], users)
            case ("reject", int(number), str(user)) if self.cards:
                await self.quietly(rig.confirmer.reject(self.cards[number % len(self.cards)].id, actor(user), "no"))
            case ("advance", float(seconds)):
                await self.clock.advance(seconds)
                await rig.confirmer.expire_due()
            case ("jump", float(seconds)):
                self.clock.jump(seconds)
            case ("fault", str(kind)):
                self.line.fault = FAULTS[kind]
            case ("lock", bool(on)):
                engineer = actor("enid", Role.ENGINEER)
                await self.quietly(rig.confirmer.lock_out("pump", "x", engineer) if on else rig.confirmer.release("pump", "x", engineer))

    async def propose(self, rig: Rig, tag: str, user: str) -> bool:
        self.serial += 1
        value = 43 + Decimal(self.serial) / 100 if tag == "pump.speed_sp" else Decimal(self.serial)
        made = await self.quietly(rig.propose(tag, value, user, rig.people.roles[user]))
        if isinstance(made, Proposal):
            self.cards.append(made)
        return isinstance(made, Proposal)

    async def propose_two(self, rigs: Sequence[Rig], user: str) -> bool:
        """A procedure of two writes to one point, with values that no other write has."""
        self.serial += 2
        steps = Step(write="trim", value=self.serial - 1), Step(write="trim", value=self.serial)
        two = Procedure(name="two", title=Text("Two"), confirm="user", steps=steps)
        for rig in rigs:
            rig.plant.devices["pump"].map = make_map("pump", PUMP, procedures={"two": two})
        made = await self.quietly(rigs[0].run("pump.two", user, rigs[0].people.roles[user]))
        if isinstance(made, Proposal):
            self.cards.append(made)
        return isinstance(made, Proposal)

    async def confirm(self, rigs: Sequence[Rig], card: Proposal, users: Sequence[object]) -> None:
        """All at once, through both processes by turns."""
        confirmers = [(rigs[place % 2], str(user)) for place, user in enumerate(users)]
        await asyncio.gather(
            *(self.quietly(rig.confirmer.confirm(card.id, card.nonce, actor(user, rig.people.roles[user]))) for rig, user in confirmers)
        )

    async def quietly(self, doing: object) -> object:
        try:
            return await doing  # type: ignore[misc]  # any awaitable
        except GatewayError as exc:
            return exc

    async def judge(self, rig: Rig) -> None:
        records = [record async for record in rig.audit.walk()]
        check = await rig.audit.verify()
        assert (check.ok, check.records) == (True, len(records))
        sent = [record for record in records if record.kind == "sending"]
        assert all(_was_confirmed(record, records) for record in sent)
        assert len({_step(record) for record in sent}) == len(sent)
        wire = [words_of(request) for request in self.line.writes]
        announced = [record.body["words"] for record in sent]
        assert sorted(wire) == sorted(words for words in announced if words in wire), "a frame without its audit record"
        assert len(wire) <= len(announced)
        for record in records:
            if (
                record.kind == "outcome"
                and record.body["outcome"] in ("not_sent", "refused", "changed_before")
                and record.body["code"] != "DEVICE"
            ):
                assert not any(_step(one) == _step(record) and one.body["words"] in wire for one in sent)
        for card in self.cards:
            if card.procedure:
                self.judge_steps(card, records)
        for card in self.cards:
            now = await rig.proposer.get(card.id)
            assert now.state != "CONFIRMED"
            assert (now.state == "EXECUTED") == any(one.kind == "confirmed" and one.subject == card.id for one in records)
        event(f"frames: {len(wire)}")

    def judge_steps(self, card: Proposal, records: Sequence[AuditRecord]) -> None:
        """No step after one that was not done, and one end for each that was confirmed."""
        ends = [record.body for record in records if record.kind == "outcome" and record.body["proposal"] == card.id]
        outcomes = [str(end["outcome"]) for end in sorted(ends, key=lambda end: int(str(end["step"])))]
        assert len(outcomes) in (0, 2)
        assert outcomes[1:] == ["not_sent"] or outcomes[:1] == ["verified"] or outcomes == []


def _step(record: AuditRecord) -> tuple[object, object]:
    return record.body["proposal"], record.body.get("step", 1)


def words_of(request: Request) -> list[int]:
    assert isinstance(request, WriteRegisters)
    return list(request.words)


def _was_confirmed(sending: AuditRecord, records: Sequence[AuditRecord]) -> bool:
    proposal = sending.body["proposal"]
    return any(record.kind == "confirmed" and record.subject == proposal and record.seq < sending.seq for record in records)


FAULTS = {
    "none": lambda _: None,
    "mute": lambda _: LinkTimeoutError("mute"),
    "lost": lambda request: None if isinstance(request, Read) else LinkDownError("reset", sent=True),
    "refused": lambda request: None if isinstance(request, Read) else LinkDownError("refused", sent=False),
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(OPERATIONS, min_size=5, max_size=25))
def test_no_write_without_a_yes_and_none_twice(operations: list[tuple[object, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(World(Path(folder)).run(operations))
