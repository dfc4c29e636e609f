"""A write or a procedure in a process of its own that is killed at a chosen moment: `python -m tests.crash_child FOLDER WHAT STEP`.

WHAT is `write` or `procedure`. STEP is `commit:N` (just before the N-th commit of the writer), `wire:before:N` or `wire:after:N`
(around the N-th write's frame), or `none`.
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
from gateway.model.address import Table
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
        self._count = 0

    def serve(self, request: Request) -> Sequence[int]:
        if isinstance(request, Read):
            return super().serve(request)
        self._count += 1
        if self._step == f"wire:before:{self._count}":
            die()
        os.write(self._wire, b"write\n")
        if self._step == f"wire:after:{self._count}":
            die()
        reply = super().serve(request)
        self.put(1, Table.HOLDING, 19, self.get(1, Table.HOLDING, 18, 1))
        return reply


async def main(folder: Path, what: str, step: str) -> None:
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
        await rig.confirm(await (rig.propose("pump.trim", 24) if what == "write" else rig.run("pump.enable")))
    print("survived", -left)  # noqa: T201 - read by the test


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
