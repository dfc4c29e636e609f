"""Work in a child process."""

import asyncio
import sys

import pytest

from assistant.manuals.child import Answer, run_child


async def test_child_answers() -> None:
    answer = await run_child("json.tool", "--help", timeout_s=60, most_bytes=100_000)
    assert (answer.ended, answer.output.startswith(b"usage")) == ("well", True)


@pytest.mark.parametrize(
    ("module", "timeout_s", "most_bytes", "ended"),
    [
        pytest.param("no_such_module", 60, 1000, "badly", id="fails"),
        pytest.param("this", 60, 10, "too_long", id="says-too-much"),
        pytest.param("this", 0, 10_000, "late", id="late"),
    ],
)
async def test_child_that_misbehaves_gives_no_answer(module: str, timeout_s: float, most_bytes: int, ended: str) -> None:
    answer = await run_child(module, timeout_s=timeout_s, most_bytes=most_bytes)
    assert (answer.ended, answer.output) == (ended, b"")


async def test_cancelled_work_leaves_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    started: asyncio.Future[asyncio.subprocess.Process] = asyncio.get_running_loop().create_future()
    spawn = asyncio.create_subprocess_exec

    async def endless(*command: str, stdin: int, stdout: int, stderr: int) -> asyncio.subprocess.Process:
        made = await spawn(sys.executable, "-c", "import signal; signal.pause()", stdin=stdin, stdout=stdout, stderr=stderr)
        started.set_result(made)
        return made

    monkeypatch.setattr(asyncio, "create_subprocess_exec", endless)
    working: asyncio.Task[Answer]
    async with asyncio.TaskGroup() as group:
        working = group.create_task(run_child("any", timeout_s=60, most_bytes=1))
        made = await started
        working.cancel()
    assert made.returncode is not None
