"""Work on a file that a stranger made, in a child process that limits itself: a crash or an endless loop costs the gateway nothing."""

import asyncio
import resource
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
    """Run `python -m module arguments` to its end; it is killed when late, when it says too much, and when this is cancelled."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(timeout_s):
            output = await _read(child, most_bytes)
            if len(output) > most_bytes:
                return Answer(output=b"", ended="too_long")
            status = await child.wait()
    except TimeoutError:
        return Answer(output=b"", ended="late")
    finally:
        await _end(child)
    return Answer(output=output, ended="well" if status == 0 else "badly")


async def _read(child: asyncio.subprocess.Process, most_bytes: int) -> bytes:
    """What the child says, until it ends or has said more than `most_bytes`."""
    pieces: list[bytes] = []
    size = 0
    while size <= most_bytes and child.stdout is not None and (piece := await child.stdout.read(1 << 16)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


async def _end(child: asyncio.subprocess.Process) -> None:
    if child.returncode is None:
        child.kill()
        await child.wait()
