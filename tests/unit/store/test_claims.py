"""One proposal, one execution: whoever asks, however often, from however many processes (THREATS T24, T25)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.errors import StoreError, WriteRefusedError
from gateway.store import claims
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles, Lockout, ProposalRow
from gateway.store.claims import Claims, End, Start
from gateway.store.engine import Store
from gateway.store.proposals import Proposals

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
LIMITS = {"max_open": 3, "max_per_minute": 10}


class Desk:
    """The tables of one process."""

    def __init__(self, store: Store, audit: Audit, clock: ManualClock) -> None:
        self.audit = audit
        self.shelf = Proposals(store, audit, clock)
        self.claims = Claims(audit, clock)

    async def put(self, row: ProposalRow) -> ProposalRow:
        stored, kept = await self.shelf.insert(row, {"proposal": row.id}, **LIMITS)
        assert stored == "stored"
        return kept

    async def kinds(self) -> list[str]:
        return [record.kind async for record in self.audit.walk()]


@asynccontextmanager
async def process(folder: Path, clock: ManualClock) -> AsyncIterator[Desk]:
    async with await Store.open(f"sqlite:///{folder}/a.db") as store:
        audit = await Audit.open(store, AuditFiles(key=folder / "audit.key", anchor=folder / "audit.anchor"), clock)
        yield Desk(store, audit, clock)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


@pytest.fixture
async def desk(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Desk]:
    async with process(tmp_path, clock) as made:
        yield made


def row(
    name: str = "P-1", *, mono: float = 0.0, same: str = "", proposer: str = "olga", key: str = "", approvals: int = 1, at: datetime = T0
) -> ProposalRow:
    return ProposalRow(
        id=name,
        nonce="n",
        digest="d",
        same=same or name,
        state="PENDING",
        proposer=proposer,
        session="s",
        idempotency_key=key,
        created_at=at,
        created_mono=mono,
        expires_mono=mono + 120,
        approvals_needed=approvals,
        body="{}",
    )


def start(tag: str = "a.b", *, step: int = 0, cooldown_s: float = 0.0) -> Start:
    return Start(step=step, tag=tag, device="a", change=Decimal(2), cooldown_s=cooldown_s, record={"tag": tag})


def end(outcome: str, tag: str = "a.b", *, step: int = 0) -> End:
    return End(step=step, tag=tag, outcome=outcome, record={"tag": tag, "outcome": outcome})


async def test_t24_only_one_yes_counts(desk: Desk) -> None:
    await desk.put(row())
    results = await asyncio.gather(*(desk.claims.approve("P-1", f"user{n}", {}) for n in range(10)))
    assert sorted(claimed for claimed, _ in results) == ["claimed"] + ["taken"] * 9
    assert {found.finished_by for _, found in results if found.state == "CONFIRMED"} == {
        found.finished_by for claimed, found in results if claimed == "claimed"
    }


async def test_t25_two_processes_one_wins(tmp_path: Path, clock: ManualClock) -> None:
    async with AsyncExitStack() as stack:
        desks = [await stack.enter_async_context(process(tmp_path, clock)) for _ in range(3)]
        for number in range(5):
            await desks[0].put(row(f"P-{number}", proposer=f"user{number}"))
            results = await asyncio.gather(*(desk.claims.approve(f"P-{number}", f"u{n}", {}) for n, desk in enumerate(desks * 2)))
            assert [claimed for claimed, _ in results].count("claimed") == 1
        assert (await desks[0].audit.verify()).ok
        assert (await desks[0].kinds()).count("confirmed") == 5


async def test_expired_or_older_than_the_clock_is_not_claimed(desk: Desk, clock: ManualClock) -> None:
    await desk.put(row())
    await clock.advance(120)
    assert (await desk.claims.approve("P-1", "otto", {}))[0] == "expired"
    await desk.put(row("P-2", mono=500.0))
    assert (await desk.claims.approve("P-2", "otto", {}))[0] == "expired"
    assert await desk.shelf.pending() == []


async def test_t36_wall_clock_does_not_matter(desk: Desk, clock: ManualClock) -> None:
    await desk.put(row())
    await clock.advance(121)
    clock.jump(-86400)
    assert (await desk.claims.approve("P-1", "otto", {}))[0] == "expired"


async def test_t29_two_approvals_need_two_persons(desk: Desk) -> None:
    await desk.put(row(approvals=2))
    assert (await desk.claims.approve("P-1", "olga", {}))[0] == "approved"
    assert (await desk.claims.approve("P-1", "olga", {}))[0] == "same_person"
    claimed, found = await desk.claims.approve("P-1", "otto", {})
    assert (claimed, found.approved_by, found.finished_by) == ("claimed", ("olga", "otto"), "otto")
    assert await desk.kinds() == ["proposed", "approved", "confirmed"]


async def test_begin_needs_a_confirmed_proposal_and_happens_once(desk: Desk) -> None:
    await desk.put(row())
    with pytest.raises(StoreError, match="not confirmed"):
        await desk.claims.begin("P-1", [start()])
    await desk.claims.approve("P-1", "otto", {})
    await desk.claims.begin("P-1", [start()])
    with pytest.raises(StoreError):
        await desk.claims.begin("P-1", [start()])
    assert await desk.kinds() == ["proposed", "confirmed", "sending"]


async def test_t33_lockout_between_yes_and_wire_stops_it(desk: Desk) -> None:
    await desk.put(row())
    await desk.claims.approve("P-1", "otto", {})
    await desk.claims.lock_out(Lockout(scope="a", reason="men at work", by="enid", at=T0))
    with pytest.raises(WriteRefusedError, match="men at work") as refused:
        await desk.claims.begin("P-1", [start()])
    assert refused.value.codes == ("LOCKED_OUT",)
    assert await desk.shelf.executions(["a.b"]) == []


async def test_execution_blocks_until_it_is_known_and_read(desk: Desk) -> None:
    await desk.put(row())
    await desk.claims.approve("P-1", "otto", {})
    await desk.claims.begin("P-1", [start()])
    assert [one.blocks for one in await desk.shelf.executions(["a.b"])] == [True]
    await desk.claims.end("P-1", [end("unknown")])
    (known,) = await desk.shelf.executions(["a.b"])
    assert (known.blocks, known.change, known.outcome) == (True, Decimal(2), "unknown")
    await desk.shelf.clear_blocks(["a.b"])
    assert [one.blocks for one in await desk.shelf.executions(["a.b"])] == [False]


async def test_block_is_seen_behind_many_later_writes(desk: Desk) -> None:
    for number in range(60):
        name = f"P-{number}"
        await desk.put(row(name, proposer=name, at=T0 + timedelta(minutes=number)))
        await desk.claims.approve(name, "otto", {})
        await desk.claims.begin(name, [start()])
        await desk.claims.end(name, [end("unknown" if number == 0 else "verified")])
        await desk.shelf.clear_blocks(["a.b"])
    await desk.audit.transact(lambda connection, _: connection.exec_driver_sql("update executions set is_cleared = 0"))
    found = await desk.shelf.executions(["a.b"])
    assert [one.proposal for one in found if one.blocks] == ["P-0"]


async def test_t30_another_write_that_is_unknown_stops_this_one_before_the_wire(desk: Desk) -> None:
    for name in ("P-1", "P-2"):
        await desk.put(row(name))
        await desk.claims.approve(name, "otto", {})
    await desk.claims.begin("P-1", [start()])
    for outcome in ("", "unknown"):
        if outcome:
            await desk.claims.end("P-1", [end(outcome)])
        with pytest.raises(WriteRefusedError) as refused:
            await desk.claims.begin("P-2", [start()])
        assert refused.value.codes == ("BLOCKED",)
    await desk.claims.begin("P-2", [start("a.c")])
    assert await desk.kinds() == ["proposed", "confirmed", "proposed", "confirmed", "sending", "outcome", "sending"]


async def test_t21_cooldown_is_held_against_the_write_that_was_faster(desk: Desk, clock: ManualClock) -> None:
    for name in ("P-1", "P-2"):
        await desk.put(row(name))
        await desk.claims.approve(name, "otto", {})
    await desk.claims.begin("P-1", [start(cooldown_s=10)])
    await desk.claims.end("P-1", [end("acknowledged")])
    await clock.advance(9)
    with pytest.raises(WriteRefusedError) as refused:
        await desk.claims.begin("P-2", [start(cooldown_s=10)])
    assert refused.value.codes == ("COOLDOWN",)
    await clock.advance(1)
    await desk.claims.begin("P-2", [start(cooldown_s=10)])


async def test_one_proposal_may_write_a_tag_in_several_steps(desk: Desk) -> None:
    await desk.put(row())
    await desk.claims.approve("P-1", "otto", {})
    await desk.claims.begin("P-1", [start(step=0, cooldown_s=10)])
    await desk.claims.end("P-1", [end("verified", step=0)])
    await desk.claims.waited("P-1", end("met", "a.c", step=1))
    await desk.claims.begin("P-1", [start(step=2, cooldown_s=10)])
    with pytest.raises(StoreError):
        await desk.claims.begin("P-1", [start(step=2)])
    ((_, executions),) = await desk.shelf.confirmed()
    assert [(one.step, one.tag, one.outcome) for one in executions] == [(0, "a.b", "verified"), (1, "a.c", "met"), (2, "a.b", "")]
    assert not any(one.blocks or one.may_be_done for one in executions if one.tag == "a.c")
    assert (await desk.kinds())[2:] == ["sending", "outcome", "waited", "sending"]


async def test_progress_is_kept_while_a_proposal_is_under_way(desk: Desk) -> None:
    await desk.put(row())
    assert (await desk.claims.progress("P-1", "[1]")).outcomes == "[]"
    await desk.claims.approve("P-1", "otto", {})
    assert ((await desk.claims.progress("P-1", "[1]")).state, (await desk.claims.progress("P-1", "[2]")).outcomes) == ("CONFIRMED", "[2]")


async def test_why_it_ended_is_kept(desk: Desk) -> None:
    await desk.put(row("P-1"))
    await desk.put(row("P-2", at=T0 + timedelta(seconds=1)))
    await desk.claims.reject("P-1", "otto", "not now", {})
    await desk.claims.expire("restart", lambda _: True)
    assert [(one.state, one.why) for one in await desk.shelf.recent()] == [("EXPIRED", "restart"), ("REJECTED", "not now")]


async def test_lockouts_are_set_replaced_and_released(desk: Desk) -> None:
    await desk.claims.lock_out(Lockout(scope="*", reason="one", by="enid", at=T0))
    await desk.claims.lock_out(Lockout(scope="*", reason="two", by="emil", at=T0))
    assert [(one.reason, one.by) for one in await desk.shelf.lockouts()] == [("two", "emil")]
    assert await desk.claims.release("*", "enid", "done")
    assert not await desk.claims.release("*", "enid", "done")
    assert await desk.kinds() == ["locked_out", "locked_out", "released"]


async def test_release_ends_a_block_too(desk: Desk) -> None:
    await desk.put(row())
    await desk.claims.approve("P-1", "otto", {})
    await desk.claims.begin("P-1", [start()])
    await desk.claims.end("P-1", [end("unknown")])
    assert await desk.claims.release("a.b", "enid", "looked at it")
    assert [one.blocks for one in await desk.shelf.executions(["a.b"])] == [False]


async def test_only_confirmed_ones_finish(desk: Desk) -> None:
    await desk.put(row())
    assert (await desk.claims.finish("P-1", "[]")).state == "PENDING"
    with pytest.raises(StoreError, match="is gone"):
        await desk.claims.finish("P-9", "[]")
    with pytest.raises(StoreError, match="is gone"):
        await desk.claims.approve("P-9", "otto", {})
    await desk.claims.approve("P-1", "otto", {})
    done = await desk.claims.finish("P-1", '[{"tag": "a.b"}]')
    assert (done.state, done.outcomes) == ("EXECUTED", '[{"tag": "a.b"}]')


async def test_reject_and_expire_end_pending_ones_only(desk: Desk, clock: ManualClock) -> None:
    for number in range(3):
        await desk.put(row(f"P-{number}"))
    rejected = await desk.claims.reject("P-0", "otto", "", {})
    assert rejected is not None
    assert (rejected.state, rejected.finished_by) == ("REJECTED", "otto")
    assert await desk.claims.reject("P-0", "otto", "", {}) is None
    assert await desk.claims.expire("time") == []
    assert [one.id for one in await desk.claims.expire("user", lambda found: found.id == "P-1")] == ["P-1"]
    await clock.advance(121)
    assert [(one.id, one.state) for one in await desk.claims.expire("time")] == [("P-2", "EXPIRED")]
    assert await desk.kinds() == ["proposed"] * 3 + ["rejected", "expired", "expired"]


async def test_confirmed_ones_are_found_with_what_was_sent(desk: Desk) -> None:
    await desk.put(row())
    await desk.claims.approve("P-1", "otto", {})
    await desk.claims.begin("P-1", [start(), start("a.c", step=1)])
    await desk.claims.end("P-1", [end("verified")])
    ((found, executions),) = await desk.shelf.confirmed()
    assert found.id == "P-1"
    assert {one.tag: one.outcome for one in executions} == {"a.b": "verified", "a.c": ""}


async def test_same_key_same_proposal(desk: Desk) -> None:
    await desk.put(row("P-1", key="k"))
    assert await desk.shelf.insert(row("P-2", key="k", same="other"), {}, **LIMITS) == ("repeated", await desk.shelf.get("P-1"))
    assert (await desk.shelf.insert(row("P-3", key="k", proposer="otto"), {}, **LIMITS))[0] == "stored"


async def test_identical_open_ones_merge(desk: Desk, clock: ManualClock) -> None:
    await desk.put(row("P-1", same="x"))
    stored, kept = await desk.shelf.insert(row("P-2", same="x"), {}, **LIMITS)
    assert (stored, kept.id) == ("merged", "P-1")
    await clock.advance(121)
    assert (await desk.shelf.insert(row("P-3", same="x", mono=121.0), {}, **LIMITS))[0] == "stored"


async def test_t09_open_ones_and_those_of_a_minute_are_limited(desk: Desk, clock: ManualClock) -> None:
    for number in range(3):
        await desk.put(row(f"P-{number}"))
    assert (await desk.shelf.insert(row("P-3"), {}, **LIMITS))[0] == "rate"
    assert (await desk.shelf.insert(row("P-4", proposer="otto"), {}, **LIMITS))[0] == "stored"
    for number in range(3):
        await desk.claims.reject(f"P-{number}", "olga", "", {})
    assert (await desk.shelf.insert(row("P-5"), {}, max_open=3, max_per_minute=3))[0] == "rate"
    await clock.advance(61)
    assert (await desk.shelf.insert(row("P-6", mono=61.0), {}, max_open=3, max_per_minute=3))[0] == "stored"
    assert await desk.shelf.counts("olga", 61.0) == (1, 1)


async def test_recent_shows_all_states_newest_first(desk: Desk) -> None:
    await desk.put(row("P-1"))
    await desk.put(row("P-2", at=T0.replace(hour=7)))
    await desk.claims.reject("P-2", "otto", "", {})
    assert [(one.id, one.state) for one in await desk.shelf.recent()] == [("P-2", "REJECTED"), ("P-1", "PENDING")]


async def test_proposal_confirmed_meanwhile_does_not_expire(desk: Desk) -> None:
    before = await desk.put(row())
    await desk.claims.approve("P-1", "otto", {})
    assert await desk.audit.transact(lambda connection, append: claims._expire(connection, append, before, "time")) is None
    found = await desk.shelf.get("P-1")
    assert found is not None
    assert found.state == "CONFIRMED"
