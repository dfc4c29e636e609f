"""Work in a child process."""

import asyncio
import subprocess
import sys

import pytest

from assistant.manuals.child import run_child
from gateway.clock import settle


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
    made: list[subprocess.Popen[bytes]] = []

    class Endless(subprocess.Popen[bytes]):
        def __init__(self, _: object, *, stdin: int, stdout: int, stderr: int) -> None:
            super().__init__([sys.executable, "-c", "import signal; signal.pause()"], stdin=stdin, stdout=stdout, stderr=stderr)
            made.append(self)

    monkeypatch.setattr(subprocess, "Popen", Endless)
    working = asyncio.ensure_future(run_child("any", timeout_s=60, most_bytes=1))
    while not made:
        await settle()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert made[0].returncode is not None


def test_the_loop_of_long_runs_starts_one_while_vectors_are_computed() -> None:
    """In a process of its own: when it goes wrong, it hangs."""
    done = subprocess.run([sys.executable, "-c", BUSY], timeout=60, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "well\n" * 3)


BUSY = """
import os, threading
import numpy as np
from assistant.manuals.child import run_child
from gateway.app.loop import run_long

matrix = np.random.default_rng(1).random((1200, 1200))

def compute():
    while True:
        matrix @ matrix

async def main():
    for _ in range(2):
        threading.Thread(target=compute, daemon=True).start()
    for _ in range(3):
        print((await run_child("this", timeout_s=20, most_bytes=10_000)).ended, flush=True)

run_long(main())
os._exit(0)
"""
