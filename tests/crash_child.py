"""One write in a process of its own that is killed at a chosen step: `python -m tests.crash_child FOLDER STEP`.

STEP is `commit:N` (just before the N-th commit of the writer), `wire:before` or `wire:after` (around the write's frame), or `none`.
Frames go to FOLDER/wire, written through before they act, so that they outlive the process.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, event

from gateway.link.base import Read, Request
from tests.write_rig import Field, fill, running


def die() -> None:
    """As by `kill -9`: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


class LoggedField(Field):
    """A field whose wire is a file."""

    def __init__(self, wire: Path, step: str) -> None:
        super().__init__()
        self._wire = os.open(wire, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._step = step

    def serve(self, request: Request) -> Sequence[int]:
        if isinstance(request, Read):
            return super().serve(request)
        if self._step == "wire:before":
            die()
        os.write(self._wire, b"write\n")
        if self._step == "wire:after":
            die()
        return super().serve(request)


async def main(folder: Path, step: str) -> None:
    line, lan = LoggedField(folder / "wire", step), Field()
    fill(line, lan)
    left = int(step.removeprefix("commit:")) if step.startswith("commit:") else 0

    def on_commit(connection: Connection) -> None:
        nonlocal left
        if connection.get_execution_options().get("immediate"):
            left -= 1
            if left == 0:
                die()

    async with running(folder, line=line, lan=lan) as rig:
        event.listen(rig.store.engine, "commit", on_commit)
        await rig.confirm(await rig.propose("pump.trim", 24))
    print("survived", -left)  # noqa: T201 - read by the test


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
