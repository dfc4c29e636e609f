"""kill -9 between any two steps of a write: the audit tells the truth, and nothing is sent twice."""

import asyncio
import signal
import sys
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
    "wire:before": ("EXECUTED", "unknown", 0),
    "wire:after": ("EXECUTED", "unknown", 1),
    "commit:4": ("EXECUTED", "unknown", 1),
    "commit:5": ("EXECUTED", "verified", 1),
    "none": ("EXECUTED", "verified", 1),
}


async def run_child(folder: Path, step: str) -> int:
    child = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.crash_child", str(folder), step, cwd=ROOT)
    async with asyncio.timeout(60):
        return await child.wait()


def frames(folder: Path) -> int:
    wire = folder / "wire"
    return len(wire.read_text().splitlines()) if wire.exists() else 0


@pytest.mark.parametrize(("step", "expected"), STEPS.items(), ids=STEPS)
async def test_crash_truth(tmp_path: Path, step: str, expected: tuple[str, str, int] | None) -> None:
    assert await run_child(tmp_path, step) == (0 if step == "none" else -signal.SIGKILL)
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


async def test_there_is_no_step_between_that_was_not_tried(tmp_path: Path) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.crash_child", str(tmp_path), "none", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        out, _ = await child.communicate()
    commits = int(out.split()[-1])
    assert commits == sum(step.startswith("commit:") for step in STEPS)
