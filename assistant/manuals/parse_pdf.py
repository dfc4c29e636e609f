"""A PDF to pages of blocks: ruled tables cell by cell, aligned columns as tables, headings by their type, text by paragraph."""

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfplumber.utils.exceptions import PdfminerException

from assistant.manuals.blocks import Block, Page, ParsedFile
from assistant.manuals.plaintext import one_line

MAX_PAGES = 3000
_LEAST_SIGNS_A_PAGE = 20
_MARGIN = 0.1
_GAP = 2.2
"""A gap between words wider than this many type sizes divides columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of type: its cells (parted by wide gaps) with where each begins."""

    text: str
    cells: tuple[str, ...]
    starts: tuple[float, ...]
    size: float
    bold: bool
    left: float
    top: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    """A page before headings are known: lines and ruled tables from top to bottom."""

    items: tuple["_Line | _RawTable", ...]
    height: float

    @property
    def edges(self) -> tuple["_Line", ...]:
        """The lines in the upper and lower margin, where running heads and feet stand."""
        lines = [item for item in self.items if isinstance(item, _Line)]
        return tuple(line for line in lines if line.bottom < _MARGIN * self.height or line.top > (1 - _MARGIN) * self.height)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RawTable:
    rows: tuple[tuple[str, ...], ...]
    has_head: bool
    top: float


def parse_pdf(content: bytes) -> ParsedFile:
    """The pages of a PDF; `problem` says it if the file is locked, broken, too long or holds no text."""
    try:
        with pdfplumber.open(io.BytesIO(content)) as pdf:
            if len(pdf.pages) > MAX_PAGES:
                return ParsedFile(problem=f"{len(pdf.pages)} pages, at most {MAX_PAGES} are read")
            raw = []
            for page in pdf.pages:
                raw.append(_read_page(page))
                page.close()
            title = one_line(str(pdf.metadata.get("Title", "")))
            keywords = one_line(str(pdf.metadata.get("Keywords", "")))
    except PdfminerException as exc:
        locked = isinstance(exc.args[0], PDFPasswordIncorrect) if exc.args else False
        return ParsedFile(problem="locked with a password: save it without one" if locked else "broken PDF: save it anew from its source")
    signs = sum(len(item.text) for page in raw for item in page.items if isinstance(item, _Line)) + sum(
        len(cell) for page in raw for item in page.items if isinstance(item, _RawTable) for row in item.rows for cell in row
    )
    if signs < _LEAST_SIGNS_A_PAGE * len(raw):
        return ParsedFile(problem="no text found, OCR needed: the pages are pictures")
    return ParsedFile(pages=_to_pages(raw), title=title, keywords=keywords)


def _read_page(page: Any) -> _Raw:
    tables = [(table, table.extract()) for table in page.find_tables()]
    ruled = [(table, rows) for table, rows in tables if len(rows) > 1 and len(rows[0]) > 1]
    boxes = [table.bbox for table, _ in ruled]
    rest = page.filter(lambda thing: thing["object_type"] != "char" or not any(_inside(thing, box) for box in boxes)) if boxes else page
    items: list[_Line | _RawTable] = [_ruled(page, table, rows) for table, rows in ruled]
    items += [_line(line) for line in rest.dedupe_chars().extract_text_lines()]
    return _Raw(items=tuple(sorted(items, key=lambda item: item.top)), height=float(page.height))


def _inside(char: Any, box: tuple[float, float, float, float]) -> bool:
    middle_x, middle_y = (char["x0"] + char["x1"]) / 2, (char["top"] + char["bottom"]) / 2
    return bool(box[0] <= middle_x <= box[2] and box[1] <= middle_y <= box[3])


def _ruled(page: Any, table: Any, rows: Sequence[Sequence[str | None]]) -> _RawTable:
    head_chars = [char for char in page.crop(table.rows[0].bbox).chars if char["text"].strip()]
    body_chars = [char for char in page.crop(table.rows[1].bbox).chars if char["text"].strip()]
    return _RawTable(rows=_filled(rows), has_head=_is_bold(head_chars) or not _is_bold(body_chars), top=table.bbox[1])


def _filled(rows: Sequence[Sequence[str | None]]) -> tuple[tuple[str, ...], ...]:
    """Rows as text; a cell that is merged with the one above repeats it, a head of two rows becomes one."""
    done: list[tuple[str, ...]] = []
    for row in rows:
        above = done[-1] if done else ("",) * len(row)
        done.append(tuple(one_line(cell) if cell is not None else above[column] for column, cell in enumerate(row)))
    return tuple(done)


def _line(line: Any) -> _Line:
    chars = [char for char in line["chars"] if char["text"].strip()]
    size = Counter(round(char["size"], 1) for char in chars).most_common(1)[0][0]
    cells: list[str] = [""]
    starts: list[float] = [line["x0"]]
    last = None
    for char in line["chars"]:
        if last is not None and char["x0"] - last > _GAP * size:
            cells.append("")
            starts.append(char["x0"])
        elif last is not None and char["x0"] - last > 0.2 * size and cells[-1] and not cells[-1].endswith(" "):
            cells[-1] += " "
        cells[-1] += char["text"]
        last = char["x1"]
    return _Line(
        text=one_line(line["text"]),
        cells=tuple(one_line(cell) for cell in cells),
        starts=tuple(starts),
        size=size,
        bold=_is_bold(chars),
        left=line["x0"],
        top=line["top"],
        bottom=line["bottom"],
    )


def _is_bold(chars: Sequence[Any]) -> bool:
    return bool(chars) and sum(bool(re.search("bold|heavy|black|hei", char["fontname"], re.IGNORECASE)) for char in chars) > len(chars) / 2


def _to_pages(raw: Sequence[_Raw]) -> tuple[Page, ...]:
    lines = [item for page in raw for item in page.items if isinstance(item, _Line)]
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 10.0
    furniture = _furniture(raw)
    return tuple(Page(number=number, blocks=tuple(_blocks(page, body, furniture))) for number, page in enumerate(raw, start=1))


def _furniture(raw: Sequence[_Raw]) -> frozenset[str]:
    """Running heads and feet: lines in the margins that stand on more than a third of the pages, whatever their numbers."""
    seen: Counter[str] = Counter()
    for page in raw:
        seen.update({_without_numbers(line.text) for line in page.edges})
    return frozenset(text for text, count in seen.items() if count > max(2, len(raw) / 3))


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def _blocks(page: _Raw, body: float, furniture: frozenset[str]) -> list[Block]:
    dropped = {id(line) for line in page.edges if _without_numbers(line.text) in furniture}
    items = [item for item in page.items if id(item) not in dropped]
    blocks: list[Block] = []
    position = 0
    while position < len(items):
        item = items[position]
        if isinstance(item, _RawTable):
            blocks.append(Block(kind="table", rows=item.rows, has_head=item.has_head))
        elif span := _aligned(items[position:]):
            rows = tuple(line.cells for line in items[position : position + span] if isinstance(line, _Line))
            blocks.append(Block(kind="table", rows=rows))
            position += span - 1
        elif _is_heading(item, body):
            blocks.append(Block(kind="heading", text=item.text, level=1 if item.size >= 1.35 * body else 2))
        else:
            before = items[position - 1] if position else None
            if blocks and blocks[-1].kind == "text" and isinstance(before, _Line) and _joins(before, item):
                blocks[-1] = Block(kind="text", text=one_line(f"{blocks[-1].text} {item.text}"))
            else:
                blocks.append(Block(kind="text", text=item.text))
        position += 1
    return blocks


def _is_heading(line: _Line, body: float) -> bool:
    short = len(line.text) <= 80 and not line.text.endswith((".", "。", ";", "；", ",", "，"))
    return short and (line.size >= 1.15 * body or (line.bold and line.size >= body))


def _joins(before: _Line, line: _Line) -> bool:
    """True if `line` goes on with the paragraph of `before`: close below it, and no new bullet or step."""
    begins = re.match(r"^([•\-–*▪●■\ufffd]|\(?\d{1,2}[.)、]|[a-z]\))\s*\S", line.text)
    return not begins and line.top - before.bottom < 0.62 * line.size and abs(line.size - before.size) < 0.6


def _aligned(items: Sequence["_Line | _RawTable"]) -> int:
    """How many lines from the first on form a table without rules: three or more columns that begin at the same places."""
    first = items[0]
    if not isinstance(first, _Line) or len(first.cells) < 3:
        return 0
    count = 0
    for item in items:
        if not isinstance(item, _Line) or len(item.cells) != len(first.cells):
            break
        if any(abs(here - there) > 1.5 * first.size for here, there in zip(item.starts, first.starts, strict=True)):
            break
        count += 1
    return count if count >= 3 else 0
