"""The source text of a manual as pages of blocks.

A source is a head of `key: value` lines, then pages that begin with `%% NUMBER`; page n of the source is page n of the PDF.
Blocks: `# chapter`, `## section`, `- bullet`, `1. step`, `! warning`, `| table | row |` (the first row is the header),
`{{macro arguments}}`, and paragraphs. Lines of one paragraph join; an empty line ends it.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["chapter", "section", "text", "bullet", "step", "warning", "table", "macro"]

_PAGE = re.compile(r"^%% (\d+)$")
_STEP = re.compile(r"^(\d+)\. ")


class MarkupError(Exception):
    """A source text breaks the rules above; names the file and the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block; `rows` are the rows of a table, header first."""

    kind: Kind
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """A manual before typesetting; `head` holds doc, title, model, document, revision, date, lang and map."""

    head: dict[str, str]
    pages: tuple[tuple[Block, ...], ...]


def read_manual(path: Path) -> Manual:
    """The manual in `path`; raises MarkupError if pages are not numbered 1, 2, 3 or a table is ragged."""
    head: dict[str, str] = {"doc": path.stem}
    pages: list[list[Block]] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        stripped = line.strip()
        if found := _PAGE.match(stripped):
            if int(found[1]) != len(pages) + 1:
                raise MarkupError(f"{path.name}:{number}: page {found[1]} follows page {len(pages)}")
            pages.append([])
        elif not pages:
            key, _, value = stripped.partition(": ")
            head[key] = value
        else:
            try:
                _add_line(pages[-1], stripped)
            except ValueError as exc:
                raise MarkupError(f"{path.name}:{number}: {exc}") from exc
    return Manual(head=head, pages=tuple(tuple(block for block in page if block.text or block.rows) for page in pages))


def _add_line(page: list[Block], line: str) -> None:
    last = page[-1] if page else None
    if line.startswith("| "):
        row = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if last and last.kind == "table":
            if len(row) != len(last.rows[0]):
                raise ValueError(f"{len(row)} cells under a header of {len(last.rows[0])}")
            page[-1] = Block(kind="table", rows=(*last.rows, row))
        else:
            page.append(Block(kind="table", rows=(row,)))
    elif line.startswith("## "):
        page.append(Block(kind="section", text=line[3:]))
    elif line.startswith("# "):
        page.append(Block(kind="chapter", text=line[2:]))
    elif line.startswith("- "):
        page.append(Block(kind="bullet", text=line[2:]))
    elif line.startswith("! "):
        page.append(Block(kind="warning", text=line[2:]))
    elif line.startswith("{{"):
        page.append(Block(kind="macro", text=line.removeprefix("{{").removesuffix("}}")))
    elif _STEP.match(line):
        page.append(Block(kind="step", text=line))
    elif last and last.kind in {"text", "bullet", "step", "warning"} and last.text and line:
        space = " " if last.text[-1].isascii() and line[0].isascii() else ""
        page[-1] = Block(kind=last.kind, text=f"{last.text}{space}{line}")
    else:
        page.append(Block(kind="text", text=line))
