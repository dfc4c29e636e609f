"""A file to pages, or to the words that say why it cannot be read."""

import asyncio
from pathlib import Path

from pydantic import ValidationError

from assistant.manuals.blocks import ParsedFile
from assistant.manuals.child import run_child

VERSION = "1"
MAX_FILE_BYTES = 100_000_000
MAX_TEXT_BYTES = 60_000_000
TIMEOUT_S = 300.0
_ENDED = "reading was ended: the file needs too much memory or time, or is broken"


async def read_pages(file: Path) -> ParsedFile:
    """The pages of a PDF, Markdown or text file, or the `problem` that kept it from being read. Takes seconds."""
    size = (await asyncio.to_thread(file.stat)).st_size
    if size > MAX_FILE_BYTES:
        return ParsedFile(problem=f"{size // 1_000_000} MB, at most {MAX_FILE_BYTES // 1_000_000} MB are read")
    answer = await run_child("assistant.manuals.parse", str(file), timeout_s=TIMEOUT_S, most_bytes=MAX_TEXT_BYTES)
    match answer.ended:
        case "well":
            return await asyncio.to_thread(_parsed, answer.output)
        case "late":
            return ParsedFile(problem=f"reading took more than {TIMEOUT_S:.0f} s")
        case "too_long":
            return ParsedFile(problem=f"more than {MAX_TEXT_BYTES // 1_000_000} MB of text")
        case "badly":
            return ParsedFile(problem=_ENDED)


def _parsed(answer: bytes) -> ParsedFile:
    try:
        return ParsedFile.model_validate_json(answer)
    except ValidationError:
        return ParsedFile(problem=_ENDED)
