"""kill -9 between any two steps of a write: the audit tells the truth, and nothing is sent twice."""

import asyncio
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from gateway.errors import WriteRefusedError
from gateway.service.base import Proposal
from gateway.service.confirm import AlreadyTakenError
from tests.write_rig import Field, fill, running

ROOT = Path(__file__).parents[2]

# What is known after the crash: (state, outcome, frames on the wire); None: the proposal was never stored.
STEPS: dict[str, tuple[str, str, int] | None] = {
    "commit:1": None,
    "commit:2": ("EXPIRED", "", 0),
    "commit:3": ("EXECUTED", "not_sent", 0),
    "wire:before:1": ("EXECUTED", "unknown", 0),
    "wire:after:1": ("EXECUTED", "unknown", 1),
    "commit:4": ("EXECUTED", "unknown", 1),
    "commit:5": ("EXECUTED", "verified", 1),
    "none": ("EXECUTED", "verified", 1),
}


PROCEDURE: dict[str, tuple[list[str], int] | None] = {
    "commit:1": None,
    "commit:2": ([], 0),
    "commit:3": (["not_sent", "not_sent", "not_sent", "not_sent"], 0),
    "wire:before:1": (["unknown", "not_sent", "not_sent", "not_sent"], 0),
    "wire:after:1": (["unknown", "not_sent", "not_sent", "not_sent"], 1),
    "commit:4": (["unknown", "not_sent", "not_sent", "not_sent"], 1),
    "commit:5": (["verified", "not_met", "not_sent", "not_sent"], 1),
    "commit:6": (["verified", "not_met", "not_sent", "not_sent"], 1),
    "commit:7": (["verified", "met", "not_sent", "not_sent"], 1),
    "commit:8": (["verified", "met", "not_sent", "not_sent"], 1),
    "wire:before:2": (["verified", "met", "unknown", "not_sent"], 1),
    "wire:after:2": (["verified", "met", "unknown", "not_sent"], 2),
    "commit:9": (["verified", "met", "unknown", "not_sent"], 2),
    "commit:10": (["verified", "met", "verified", "not_met"], 2),
    "commit:11": (["verified", "met", "verified", "not_met"], 2),
    "commit:12": (["verified", "met", "verified", "met"], 2),
    "commit:13": (["verified", "met", "verified", "met"], 2),
    "none": (["verified", "met", "verified", "met"], 2),
}


async def run_child(folder: Path, what: str, step: str) -> int:
    child = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.crash_child", str(folder), what, step, cwd=ROOT)
    async with asyncio.timeout(60):
        return await child.wait()


def frames(folder: Path) -> int:
    wire = folder / "wire"
    return len(wire.read_text().splitlines()) if wire.exists() else 0


@pytest.mark.parametrize(("step", "expected"), STEPS.items(), ids=STEPS)
async def test_crash_truth(tmp_path: Path, step: str, expected: tuple[str, str, int] | None) -> None:
    assert await run_child(tmp_path, "write", step) == (0 if step == "none" else -signal.SIGKILL)
    line, lan = Field(), Field()
    fill(line, lan)
    async with running(tmp_path, line=line, lan=lan) as rig:
        await rig.confirmer.recover()
        found = await rig.shelf.recent()
        if expected is None:
            assert found == []
            return
        told: list[Proposal] = [await rig.proposer.get(one.id) for one in found]
        state, outcome, sent = expected
        assert [(one.state, "".join(each.outcome for each in one.outcomes)) for one in told] == [(state, outcome)]
        assert frames(tmp_path) == sent
        kinds = await rig.kinds()
        if outcome:
            assert kinds.count("outcome") == 1
            (record,) = await rig.audit.entries(["outcome"])
            assert record.body["outcome"] == outcome
        assert kinds.count("sending") == (outcome in ("unknown", "verified"))
        assert (await rig.audit.verify()).ok
        with pytest.raises((AlreadyTakenError, WriteRefusedError)):
            await rig.confirm(told[0])
        if outcome == "unknown":
            with pytest.raises(WriteRefusedError, match="unknown"):
                await rig.propose("pump.trim", 26)
        before = len(await rig.kinds())
        await rig.confirmer.recover()
        assert len(await rig.kinds()) == before
        assert line.writes == []


@pytest.mark.parametrize(("step", "expected"), PROCEDURE.items(), ids=[f"procedure-{step}" for step in PROCEDURE])
async def test_crash_of_a_procedure_truth(tmp_path: Path, step: str, expected: tuple[list[str], int] | None) -> None:
    """Each step has one outcome, in the audit and on the card; the rest was not sent, and nothing is sent by the restart."""
    assert await run_child(tmp_path, "procedure", step) == (0 if step == "none" else -signal.SIGKILL)
    line, lan = Field(), Field()
    fill(line, lan)
    async with running(tmp_path, line=line, lan=lan) as rig:
        await rig.confirmer.recover()
        found = await rig.shelf.recent()
        if expected is None:
            assert found == []
            return
        (told,) = [await rig.proposer.get(one.id) for one in found]
        outcomes, sent = expected
        assert [one.outcome for one in told.outcomes] == outcomes
        assert [one.step for one in told.outcomes] == list(range(len(outcomes)))
        assert told.state == ("EXECUTED" if outcomes else "EXPIRED")
        assert frames(tmp_path) == sent
        ends = sorted((int(str(one.body["step"])), one.body["outcome"]) for one in await rig.audit.entries(["outcome", "waited"]))
        assert ends == list(enumerate(outcomes, 1))
        assert (await rig.audit.verify()).ok
        if "unknown" in outcomes:
            with pytest.raises(WriteRefusedError, match="unknown"):
                await rig.run("pump.enable")
        before = len(await rig.kinds())
        await rig.confirmer.recover()
        assert (len(await rig.kinds()), line.writes) == (before, [])


@pytest.mark.parametrize(("what", "steps"), [("write", STEPS), ("procedure", PROCEDURE)], ids=["write", "procedure"])
async def test_there_is_no_step_between_that_was_not_tried(tmp_path: Path, what: str, steps: Mapping[str, object]) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.crash_child", str(tmp_path), what, "none", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        out, _ = await child.communicate()
    commits = int(out.split()[-1])
    assert commits == sum(step.startswith("commit:") for step in steps)
