"""Work on a file that a stranger made, in a child process that limits itself: a crash or an endless loop costs the gateway nothing."""

import asyncio
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from typing import Literal

MEMORY_BYTES = 1_000_000_000
CPU_S = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the child wrote on standard output; `ended` tells whether that is all and right."""

    output: bytes
    ended: Literal["well", "badly", "late", "too_long"]


def limit_myself() -> None:
    """To be called first in the child: little memory, little processor time, no file written."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


async def run_child(module: str, *arguments: str, timeout_s: float, most_bytes: int) -> Answer:
    """Run `python -m module arguments` to its end; it is killed when late, when it says too much, and when this is cancelled.

    `subprocess` starts it, not the event loop: uvloop forks, and a fork may wait for ever for the threads that compute vectors.
    """
    command = [sys.executable, "-m", module, *arguments]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet) as child:  # noqa: S603, ASYNC220 - ours; returns at once
        reading = asyncio.ensure_future(asyncio.to_thread(_read, child, most_bytes))
        try:
            async with asyncio.timeout(timeout_s):
                output = await asyncio.shield(reading)
                if len(output) > most_bytes:
                    return Answer(output=b"", ended="too_long")
                status = await asyncio.to_thread(child.wait)
        except TimeoutError:
            return Answer(output=b"", ended="late")
        finally:
            child.kill()
            await asyncio.wait([reading])
    return Answer(output=output, ended="well" if status == 0 else "badly")


def _read(child: subprocess.Popen[bytes], most_bytes: int) -> bytes:
    """What the child says, until it ends or has said more than `most_bytes`."""
    pieces: list[bytes] = []
    size = 0
    while size <= most_bytes and child.stdout is not None and (piece := os.read(child.stdout.fileno(), 1 << 16)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)
