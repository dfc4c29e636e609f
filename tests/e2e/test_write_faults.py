"""A device that clamps, ignores, delays, refuses or dies at each step of a write: card, answer and audit tell the same truth."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import httpx
import pytest
import pytest_asyncio

from gateway.model.point import Role
from simulators.simulated_plant import SimulatedPlant
from tests.running_plant import PASSWORD, RunningPlant, kept_plant

API = "/api/v1"

pytestmark = pytest.mark.asyncio(loop_scope="module")

Play = Callable[[SimulatedPlant], object]


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the device does from the moment the card is up, and how the write then ends."""

    play: Play
    outcome: str
    code: str = ""
    frames: int = 1
    """How many write requests reach the device."""
    holds: float | None = None
    """What the device holds in the end."""
    trouble: str = ""
    read_back: float | None = None


def fault(text: str) -> Play:
    return lambda plant: plant.fault_from(text)


def after_write(tag: str, text: str) -> Play:
    """The fault begins the moment the device has taken the write."""

    def play(plant: SimulatedPlant) -> None:
        bank, wanted = plant.find(tag)
        before = bank.on_write

        def on_write(point: str, value: Any) -> None:
            before(point, value)
            if point == wanted:
                bank.on_write = before
                plant.fault_from(text)

        bank.on_write = on_write

    return play


SP: dict[str, Case] = {
    "W01-takes-it": Case(play=lambda _: None, outcome="verified", holds=46, read_back=46),
    "W15-clamps": Case(play=fault("clamp=tc1.alarm_hi_sp,high=45.5"), outcome="differs", holds=45.5, read_back=45.5),
    "T30-ignores": Case(play=fault("ignore_write,device=tc1"), outcome="differs", holds=45, read_back=45),
    "T30-delays": Case(play=fault("delay_write=2,device=tc1"), outcome="differs", holds=46, read_back=45),
    "refuses-value": Case(
        play=fault("exception=3,device=tc1,function=6"), outcome="refused", code="DEVICE", holds=45, trouble="exception_3"
    ),
    "refuses-busy": Case(
        play=fault("exception=6,device=tc1,function=6"), outcome="refused", code="DEVICE", holds=45, trouble="exception_6"
    ),
    "T30-exception-5": Case(
        play=fault("exception=5,device=tc1,function=6"), outcome="unknown", holds=45, trouble="exception_5", read_back=45
    ),
    "T30-exception-11": Case(
        play=fault("exception=11,device=tc1,function=6"), outcome="unknown", holds=45, trouble="exception_11", read_back=45
    ),
    "T30-dies-before-the-fresh-read": Case(
        play=fault("mute,device=tc1"), outcome="refused", code="OFFLINE", frames=0, holds=45, trouble="timeout"
    ),
    "T30-dies-before-the-write": Case(
        play=fault("mute,device=tc1,function=6"), outcome="unknown", holds=45, trouble="timeout", read_back=45
    ),
    "T30-dies-after-the-write": Case(play=fault("die_after_write,device=tc1"), outcome="unknown", holds=46, trouble="timeout"),
    "T30-dies-before-the-read-back": Case(
        play=after_write("tc1.alarm_hi_sp", "mute,device=tc1,function=3"), outcome="unknown", holds=46, trouble="timeout"
    ),
    "W16-does-it-and-says-nothing": Case(
        play=fault("drop,device=tc1,function=6"), outcome="verified", holds=46, trouble="timeout", read_back=46
    ),
    "W13-echoes-another-value": Case(
        play=fault("wrong_echo,device=tc1,function=6"), outcome="verified", holds=46, trouble="echo_mismatch", read_back=46
    ),
    "T26-changed-before": Case(
        play=lambda plant: plant.set("tc1.alarm_hi_sp", 44), outcome="changed_before", code="CHANGED", frames=0, holds=44
    ),
}


@dataclass
class Bench:
    """One plant for all cases; each begins with the device as it was, and with the next person (RATE counts by person)."""

    plant: RunningPlant
    people: Iterator[httpx.AsyncClient]
    engineer: httpx.AsyncClient
    marks: dict[str, int] = field(default_factory=dict)
    client: httpx.AsyncClient = field(init=False)

    async def card(self, body: Mapping[str, object], tags: Mapping[str, float]) -> dict[str, Any]:
        """A card on a plant without faults: asked for again until what the last case left is over (a block, a demoted unit)."""
        simulated = self.plant.simulated
        self.client = next(self.people)
        simulated.clear_faults()
        for tag, value in tags.items():
            simulated.set(tag, value)
            await self.engineer.post(f"{API}/lockouts/release", json={"scope": tag, "reason": "next case"})
        async with asyncio.timeout(60):
            while True:
                answer = await self.client.post(f"{API}/proposals", json=body)
                if answer.status_code == 200:
                    self.marks = {"line1": len(simulated.requests("line1")), "lan2": len(simulated.requests("lan2"))}
                    made: dict[str, Any] = answer.json()
                    return made
                await self.plant.gateway.clock.sleep(0.5)

    def frames(self, link: str, unit: int, functions: tuple[int, ...]) -> int:
        """Write requests of the case that reached the link, answered or not."""
        seen = self.plant.simulated.requests(link)[self.marks[link] :]
        return sum(one.unit_id == unit and one.pdu[0] in functions for one in seen)

    async def confirm(self, card: Mapping[str, Any]) -> dict[str, Any]:
        answer = await self.client.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})
        assert answer.status_code == 200, answer.text
        done: dict[str, Any] = answer.json()
        return done

    async def until_it_holds(self, tag: str, value: float | None) -> None:
        async with asyncio.timeout(20):
            while self.plant.simulated.get(tag) != value:
                await self.plant.gateway.clock.sleep(0.1)

    async def audited(self, card: Mapping[str, Any]) -> list[Mapping[str, object]]:
        """The ends of the card's steps in the audit, oldest first."""
        records = await self.plant.gateway.audit.entries(["outcome", "waited"])
        return [record.body for record in reversed(records) if record.body["proposal"] == card["id"]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bench(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    async with kept_plant(tmp_path_factory.mktemp("plant")) as plant:
        names = ["engineer", "admin", "engineer2", "engineer3"]
        for name in names[2:]:
            await plant.gateway.users.add(name, PASSWORD, Role.ENGINEER, by="test")
        people = [await plant.signed_in(name) for name in names]
        yield Bench(plant, cycle(people), people[0])


@pytest.mark.parametrize("case", SP.values(), ids=SP)
async def test_a_write_ends_the_same_on_card_answer_and_audit(bench: Bench, case: Case) -> None:
    card = await bench.card({"writes": [{"tag": "tc1.alarm_hi_sp", "value": 46}], "reason": "matrix"}, {"tc1.alarm_hi_sp": 45})
    case.play(bench.plant.simulated)
    done = await bench.confirm(card)
    assert bench.frames("line1", 4, (6, 16)) == case.frames
    await bench.until_it_holds("tc1.alarm_hi_sp", case.holds)
    (told,) = done["proposal"]["outcomes"]
    assert (done["outcome"], done["code"], done["read_back"]) == (case.outcome, case.code, case.read_back)
    assert (told["outcome"], told["code"], told["read_back"]) == (case.outcome, case.code, case.read_back)
    for language in ("en", "zh"):
        assert told["message"][language]
    assert ("check at the device" in told["message"]["en"]) is (case.outcome in ("unknown", "differs"))
    kept = (await bench.client.get(f"{API}/proposals/{card['id']}")).json()
    assert (kept["state"], kept["outcomes"]) == ("EXECUTED", done["proposal"]["outcomes"])
    (record,) = await bench.audited(card)
    assert (record["outcome"], record["code"], record["read_back"]) == (case.outcome, case.code, case.read_back)
    assert record["trouble"] == case.trouble
    (entry, *_) = (await bench.client.get(f"{API}/audit", params={"tag": "tc1.alarm_hi_sp"})).json()
    assert (entry["proposal"], entry["outcome"], entry["code"]) == (card["id"], case.outcome, case.code)
    again = await bench.client.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})
    assert (again.status_code, bench.frames("line1", 4, (6, 16))) == (409, case.frames)


PROCEDURE = ("vfd2.run_cmd", "vfd2.speed_fb", "vfd2.fault_reset", "vfd2.fault_code")
"""Of the steps of `vfd2.reset_fault`: stop, wait until it stands, reset, wait until the fault is gone."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What the drive does, and how each step then ends."""

    play: Play
    outcomes: tuple[str, str, str, str]
    frames: int
    ending: tuple[str, str]


def resets(plant: SimulatedPlant) -> None:
    """The drive clears its fault when it is told to."""
    bank, _ = plant.find("vfd2.fault_reset")
    before = bank.on_write

    def on_write(point: str, value: Any) -> None:
        before(point, value)
        if point == "fault_reset" and value:
            plant.set("vfd2.fault_code", 0)
            bank.on_write = before

    bank.on_write = on_write


def both(*plays: Play) -> Play:
    return lambda plant: [play(plant) for play in plays]


RUNS: dict[str, Run] = {
    "takes-it": Run(play=resets, outcomes=("verified", "met", "acknowledged", "met"), frames=2, ending=("verified", "")),
    "fault-stays": Run(play=lambda _: None, outcomes=("verified", "met", "acknowledged", "not_met"), frames=2, ending=("not_met", "")),
    "T30-dies-at-the-first-step": Run(
        play=fault("mute,device=vfd2,function=6"),
        outcomes=("unknown", "not_sent", "not_sent", "not_sent"),
        frames=1,
        ending=("unknown", ""),
    ),
    "T30-off-before-the-first-step": Run(
        play=fault("mute,device=vfd2"), outcomes=("refused", "not_sent", "not_sent", "not_sent"), frames=0, ending=("refused", "OFFLINE")
    ),
    "T30-dies-at-the-third-step": Run(
        play=after_write("vfd2.run_cmd", "mute,device=vfd2,function=6"),
        outcomes=("verified", "met", "unknown", "not_sent"),
        frames=2,
        ending=("unknown", ""),
    ),
    "refuses-the-third-step": Run(
        play=after_write("vfd2.run_cmd", "exception=4,device=vfd2,function=6"),
        outcomes=("verified", "met", "refused", "not_sent"),
        frames=2,
        ending=("refused", "DEVICE"),
    ),
    "T30-dies-after-the-third-step": Run(
        play=both(resets, after_write("vfd2.fault_reset", "mute,device=vfd2,function=3")),
        outcomes=("verified", "met", "acknowledged", "not_met"),
        frames=2,
        ending=("not_met", ""),
    ),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=[f"procedure-{name}" for name in RUNS])
async def test_a_procedure_ends_the_same_on_card_answer_and_audit(bench: Bench, run: Run) -> None:
    held = {"vfd2.run_cmd": 1, "vfd2.fault_reset": 0, "vfd2.fault_code": 7}
    card = await bench.card({"procedure": "vfd2.reset_fault", "reason": "matrix"}, held)
    run.play(bench.plant.simulated)
    done = await bench.confirm(card)
    assert bench.frames("line1", 2, (6, 16)) == run.frames
    told = done["proposal"]["outcomes"]
    assert [one["outcome"] for one in told] == list(run.outcomes)
    assert [(one["step"], one["tag"]) for one in told] == list(enumerate(PROCEDURE))
    assert all(one["message"]["en"] and one["message"]["zh"] for one in told)
    assert (done["outcome"], done["code"]) == run.ending
    kept = (await bench.client.get(f"{API}/proposals/{card['id']}")).json()
    assert (kept["state"], kept["outcomes"]) == ("EXECUTED", told)
    audited = await bench.audited(card)
    assert [(one["step"], one["outcome"]) for one in audited] == list(enumerate(run.outcomes, 1))
    assert {one["procedure"] for one in audited} == {"vfd2.reset_fault"}
