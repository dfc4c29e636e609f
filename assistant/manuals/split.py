"""Pages to passages: a table row is one passage and is never cut, text keeps to its page and section."""

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assistant.manuals.blocks import Block, Page
from assistant.manuals.glossary import translations
from assistant.manuals.passage import Lang, Passage
from assistant.manuals.plaintext import language

VERSION = "1"
MAX_SIGNS = 700
"""Longest text passage; a single row or sentence may be longer."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])")
_NAMESPACE = uuid.UUID("6f1d4f0e-6f43-4a0c-9b62-1d8f3f0b6a11")
_CONTENTS = ("contents", "目录", "table of contents")


@dataclass(slots=True, kw_only=True)
class _Place:
    """Where the reader stands: the headings in force, and the last table, which may go on over the page."""

    chapter: str = ""
    section: str = ""
    head: tuple[str, ...] = ()
    table_open: bool = False
    passages: list[Passage] = field(default_factory=list)

    @property
    def path(self) -> str:
        return " > ".join(part for part in (self.chapter, self.section) if part)


def split(pages: Sequence[Page], *, doc: str, title: str, models: Sequence[str]) -> tuple[Passage, ...]:
    """The passages of a manual in reading order; ids are the same each time for the same text."""
    place = _Place()
    about = " ".join((*models, title))
    for page in pages:
        if _is_contents(page):
            continue
        texts: list[str] = []
        for block in page.blocks:
            match block.kind:
                case "heading":
                    _flush(place, texts, page.number, doc, about)
                    _enter(place, block)
                case "text":
                    place.table_open = False
                    texts.append(block.text)
                case "table":
                    _flush(place, texts, page.number, doc, about)
                    _add_table(place, block, page.number, doc, about)
        _flush(place, texts, page.number, doc, about)
    return tuple(place.passages)


def _enter(place: _Place, block: Block) -> None:
    place.table_open = False
    if block.level <= 1:
        place.chapter, place.section = block.text, ""
    else:
        place.section = block.text


def _is_contents(page: Page) -> bool:
    head = next((block.text for block in page.blocks if block.kind == "heading"), "")
    return head.lower().startswith(_CONTENTS) and not any(block.kind == "table" and len(block.rows[0]) > 2 for block in page.blocks)


def _flush(place: _Place, texts: list[str], page: int, doc: str, about: str) -> None:
    """Write out the texts of one section on one page, in pieces of at most MAX_SIGNS."""
    for text in _pieces(texts):
        _add(place, page, doc, about, kind="text", text=text)
    texts.clear()


def _pieces(texts: Sequence[str]) -> Iterator[str]:
    piece = ""
    for sentence in (part for text in texts for part in _cut(text)):
        if piece and len(piece) + len(sentence) > MAX_SIGNS:
            yield piece
            piece = ""
        piece = f"{piece}\n{sentence}" if piece else sentence
    if piece:
        yield piece


def _cut(text: str) -> Sequence[str]:
    return (text,) if len(text) <= MAX_SIGNS else tuple(part for part in _SENTENCE.split(text) if part)


def _add_table(place: _Place, block: Block, page: int, doc: str, about: str) -> None:
    rows = block.rows
    goes_on = place.table_open and len(rows[0]) == len(place.head) and (not block.has_head or rows[0] == place.head)
    if goes_on and rows[0] != place.head:
        body = rows
    elif block.has_head:
        place.head, body = rows[0], rows[1:]
    else:
        place.head, body = ("",) * len(rows[0]), rows
    lines = [_row_text(place.head, row) for row in body]
    about = f"{about} {' '.join(place.head)}"
    for line in lines:
        _add(place, page, doc, about, kind="row", text=line)
    whole = "\n".join(lines)
    if len(lines) > 1 and len(whole) <= 3 * MAX_SIGNS:
        _add(place, page, doc, about, kind="table", text=whole)
    place.table_open = True


def _row_text(head: Sequence[str], row: Sequence[str]) -> str:
    cells = (f"{name}: {cell}" if name else cell for name, cell in zip(head, row, strict=True) if cell)
    return "; ".join(cells)


def _add(place: _Place, page: int, doc: str, about: str, *, kind: str, text: str) -> None:
    """Append a passage, whose header says in both languages what it is about."""
    lang: Lang = "zh" if language(f"{place.section} {text}") == "zh" else "en"
    headline = f"{about} {place.path}"
    header = " ".join((headline, *translations(headline, "en" if lang == "zh" else "zh")))
    identity = uuid.uuid5(_NAMESPACE, f"{doc}\n{page}\n{len(place.passages)}\n{text}")
    passage = Passage(
        id=str(identity),
        page=page,
        section=place.path,
        kind="row" if kind == "row" else "table" if kind == "table" else "text",
        text=text,
        header=header,
        lang=lang,
    )
    place.passages.append(passage)
