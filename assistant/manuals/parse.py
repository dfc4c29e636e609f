"""Run as a child process: a file on the command line in, its pages as JSON on standard output."""

import sys
from pathlib import Path

from assistant.manuals.blocks import ParsedFile
from assistant.manuals.child import limit_myself
from assistant.manuals.parse_text import parse_text


def main(argv: list[str]) -> int:
    """Parse `argv[1]`; the exit status is 0 also for a file with a problem, which the JSON names."""
    limit_myself()
    sys.stdout.write(parse(Path(argv[1])).model_dump_json())
    return 0


def parse(path: Path) -> ParsedFile:
    """The pages of a PDF, Markdown or text file; what kind it is is told by its content, not by its name."""
    content = path.read_bytes()
    if content[:1024].lstrip().startswith(b"%PDF-"):
        from assistant.manuals.parse_pdf import parse_pdf

        return parse_pdf(content)
    try:
        return parse_text(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return ParsedFile(problem="neither a PDF nor UTF-8 text")


if __name__ == "__main__":
    sys.exit(main(sys.argv))
