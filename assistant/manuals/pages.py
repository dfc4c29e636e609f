"""A file to pages, read in a child process that limits itself: a hostile or broken file costs the gateway nothing."""

import asyncio
import sys
from pathlib import Path

from pydantic import ValidationError

from assistant.manuals.blocks import ParsedFile

VERSION = "1"
MAX_FILE_BYTES = 100_000_000
MAX_TEXT_BYTES = 60_000_000
TIMEOUT_S = 300
_ENDED = "reading was ended: the file needs too much memory or time, or is broken"


async def read_pages(file: Path) -> ParsedFile:
    """The pages of a PDF, Markdown or text file, or the `problem` that kept it from being read. Takes seconds; ends when cancelled."""
    size = (await asyncio.to_thread(file.stat)).st_size
    if size > MAX_FILE_BYTES:
        return ParsedFile(problem=f"{size // 1_000_000} MB, at most {MAX_FILE_BYTES // 1_000_000} MB are read")
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "assistant.manuals.parse",
        str(file),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            answer = await _read_most(child)
            status = await child.wait()
    except TimeoutError:
        return ParsedFile(problem=f"reading took more than {TIMEOUT_S} s")
    finally:
        await _end(child)
    if answer is None:
        return ParsedFile(problem=f"more than {MAX_TEXT_BYTES // 1_000_000} MB of text")
    return await asyncio.to_thread(_parsed, answer) if status == 0 else ParsedFile(problem=_ENDED)


async def _read_most(child: asyncio.subprocess.Process) -> bytes | None:
    """What the child says, or None once it is more than MAX_TEXT_BYTES."""
    pieces: list[bytes] = []
    size = 0
    while child.stdout is not None and (piece := await child.stdout.read(1 << 16)):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_TEXT_BYTES:
            child.kill()
            return None
    return b"".join(pieces)


async def _end(child: asyncio.subprocess.Process) -> None:
    if child.returncode is None:
        child.kill()
        await child.wait()


def _parsed(answer: bytes) -> ParsedFile:
    try:
        return ParsedFile.model_validate_json(answer)
    except ValidationError:
        return ParsedFile(problem=_ENDED)
