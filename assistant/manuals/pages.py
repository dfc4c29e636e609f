"""A file to pages, read in a child process that limits itself: a hostile or broken file costs the gateway nothing."""

import subprocess
import sys
from pathlib import Path

from pydantic import ValidationError

from assistant.errors import ToolFailedError
from assistant.manuals.blocks import ParsedFile

VERSION = "1"
MAX_FILE_BYTES = 100_000_000
MAX_TEXT_BYTES = 60_000_000
TIMEOUT_S = 300


def read_pages(file: Path) -> ParsedFile:
    """The pages of a PDF, Markdown or text file, or the `problem` that kept it from being read. Blocks for seconds."""
    size = file.stat().st_size
    if size > MAX_FILE_BYTES:
        return ParsedFile(problem=f"{size // 1_000_000} MB, at most {MAX_FILE_BYTES // 1_000_000} MB are read")
    command = [sys.executable, "-m", "assistant.manuals.parse", str(file.resolve())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)  # noqa: S603 the file is an argument, no shell
    except subprocess.TimeoutExpired:
        return ParsedFile(problem=f"reading took more than {TIMEOUT_S} s")
    if done.returncode != 0:
        return ParsedFile(problem="reading was ended: the file needs too much memory or time, or is broken")
    if len(done.stdout) > MAX_TEXT_BYTES:
        return ParsedFile(problem=f"more than {MAX_TEXT_BYTES // 1_000_000} MB of text")
    try:
        return ParsedFile.model_validate_json(done.stdout)
    except ValidationError as exc:
        raise ToolFailedError(f"the parser's answer about {file.name} is not readable") from exc
