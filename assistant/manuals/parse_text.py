"""Markdown and plain text to pages: a form feed begins a page, `#` a heading, `|` a table row."""

import re

from assistant.manuals.blocks import Block, Page, ParsedFile
from assistant.manuals.plaintext import one_line, visible

_RULE = re.compile(r"^\|[\s:|-]+\|?$")


def parse_text(text: str) -> ParsedFile:
    """The pages of a text; `problem` says so if there is none."""
    if "\0" in text:
        return ParsedFile(problem="neither a PDF nor UTF-8 text")
    pages = tuple(Page(number=number, blocks=_blocks(part)) for number, part in enumerate(text.split("\f"), start=1))
    if not any(page.blocks for page in pages):
        return ParsedFile(problem="no text found")
    title = next((block.text for page in pages for block in page.blocks if block.kind == "heading"), "")
    return ParsedFile(pages=pages, title=title)


def _blocks(text: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    lines: list[str] = []
    rows: list[tuple[str, ...]] = []
    for raw in [*text.splitlines(), ""]:
        line = visible(raw).strip()
        if rows and not line.startswith("|"):
            blocks.append(Block(kind="table", rows=_even(rows)))
            rows = []
        if lines and (not line or line[0] in "#|"):
            blocks.append(Block(kind="text", text=one_line(" ".join(lines))))
            lines = []
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            blocks.append(Block(kind="heading", level=level, text=one_line(line.lstrip("#"))))
        elif line.startswith("|"):
            if not _RULE.match(line):
                rows.append(tuple(one_line(cell) for cell in line.strip("|").split("|")))
        elif line:
            lines.append(line)
    return tuple(block for block in blocks if block.text or block.rows)


def _even(rows: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    width = max(map(len, rows))
    return tuple(row + ("",) * (width - len(row)) for row in rows)
