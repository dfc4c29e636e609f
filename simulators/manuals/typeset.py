"""A manual as a PDF file: A5 pages, ruled tables, running head, printed page numbers; the same bytes each time."""

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, Paragraph, Spacer, Table, TableStyle

from simulators.manuals.markup import Block, Manual

Rows = tuple[tuple[str, ...], ...]
Macro = Callable[[str], Rows]

_FONTS = Path(__file__).parent / "fonts"
_WIDTH, _HEIGHT = A5
_MARGIN = 14 * mm
_TEXT_WIDTH = _WIDTH - 2 * _MARGIN
_SIZE = 9.4
_BLUE = colors.HexColor("#17456b")
_PALE = colors.HexColor("#e6edf3")
_WORDS = {"en": ("WARNING", "Contents", "Page"), "zh": ("警告", "目录", "页")}


class TypesetError(Exception):
    """A page holds more than fits."""


def typeset(manual: Manual, macro: Macro) -> bytes:
    """The PDF of `manual`; `macro` gives the rows of the tables that the source only names."""
    registerFont(TTFont("body", _FONTS / "NotoSansSC-Regular.ttf"))
    registerFont(TTFont("bold", _FONTS / "NotoSansSC-Bold.ttf"))
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A5, invariant=1, lang=manual.head["lang"])
    canvas.setTitle(manual.head["title"])
    canvas.setAuthor(manual.head["vendor"])
    canvas.setSubject(f"{manual.head['document']} {manual.head['revision']}")
    canvas.setKeywords(manual.head["model"])
    contents = _contents(manual)
    for number, page in enumerate(manual.pages, start=1):
        if number == 1:
            _title_page(canvas, manual, page)
        else:
            _furniture(canvas, manual, number)
            _fill(canvas, manual, number, page, contents, macro)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _contents(manual: Manual) -> Rows:
    return tuple(
        (block.text, str(number), block.kind)
        for number, page in enumerate(manual.pages, start=1)
        for block in page
        if block.kind in {"chapter", "section"} and number > 1 and not block.text.startswith(_WORDS[manual.head["lang"]][1])
    )


def _title_page(canvas: Canvas, manual: Manual, page: Sequence[Block]) -> None:
    head = manual.head
    canvas.setFillColor(_BLUE)
    canvas.rect(0, _HEIGHT - 62 * mm, _WIDTH, 62 * mm, stroke=0, fill=1)
    canvas.setFillColor(colors.white)
    canvas.setFont("bold", 30)
    canvas.drawString(_MARGIN, _HEIGHT - 34 * mm, head["model"])
    canvas.setFont("body", 13)
    canvas.drawString(_MARGIN, _HEIGHT - 46 * mm, head["title"].removeprefix(head["model"]).strip())
    canvas.setFillColor(colors.black)
    canvas.setFont("body", 10)
    labels = {
        "en": ("Model", "Document", "Revision", "Date", "Maker"),
        "zh": ("型号", "文件编号", "版本", "日期", "制造商"),
    }[head["lang"]]
    for line, (label, key) in enumerate(zip(labels, ("model", "document", "revision", "date", "vendor"), strict=True)):
        canvas.drawString(_MARGIN, _HEIGHT - (84 + 7 * line) * mm, f"{label}: {head[key]}")
    frame = Frame(_MARGIN, 14 * mm, _TEXT_WIDTH, 60 * mm, leftPadding=0, rightPadding=0)
    frame.addFromList([_flowable(block, head["lang"]) for block in page], canvas)


def _furniture(canvas: Canvas, manual: Manual, number: int) -> None:
    canvas.setFont("body", 7)
    canvas.setFillColor(colors.HexColor("#555555"))
    canvas.drawString(_MARGIN, _HEIGHT - 9 * mm, manual.head["title"])
    canvas.drawRightString(_WIDTH - _MARGIN, _HEIGHT - 9 * mm, manual.head["vendor"])
    canvas.drawString(_MARGIN, 7 * mm, f"{manual.head['document']}  {manual.head['revision']}")
    canvas.drawRightString(_WIDTH - _MARGIN, 7 * mm, str(number))
    canvas.setLineWidth(0.3)
    canvas.line(_MARGIN, _HEIGHT - 10.5 * mm, _WIDTH - _MARGIN, _HEIGHT - 10.5 * mm)
    canvas.setFillColor(colors.black)


def _fill(canvas: Canvas, manual: Manual, number: int, page: Sequence[Block], contents: Rows, macro: Macro) -> None:
    lang = manual.head["lang"]
    flowables: list[Flowable] = []
    for block in page:
        if block.kind == "macro" and block.text.startswith("contents"):
            part, parts = (int(word) for word in block.text.split()[1].split("/"))
            size = -(-len(contents) // parts)
            flowables.extend(_contents_lines(contents[(part - 1) * size : part * size], lang))
        elif block.kind == "macro":
            flowables.append(_table(macro(block.text), lang))
        elif block.kind == "table":
            flowables.append(_table(block.rows, lang))
        else:
            flowables.append(_flowable(block, lang))
        if block.kind in {"table", "macro", "warning"}:
            flowables.append(Spacer(1, 5))
    frame = Frame(_MARGIN, 12 * mm, _TEXT_WIDTH, _HEIGHT - 24 * mm, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)
    frame.addFromList(flowables, canvas)
    if flowables:
        raise TypesetError(f"{manual.head['doc']}: page {number} is too full, from {flowables[0]!r:.200}")


def _flowable(block: Block, lang: str) -> Flowable:
    match block.kind:
        case "chapter":
            return Paragraph(escape(block.text), _style(lang, font="bold", size=15, before=2, after=8, color=_BLUE))
        case "section":
            return Paragraph(escape(block.text), _style(lang, font="bold", size=10.5, before=7, after=3, color=_BLUE))
        case "bullet":
            return Paragraph(escape(block.text), _style(lang, indent=10, after=2.5), bulletText="•")
        case "step":
            number, _, text = block.text.partition(" ")
            return Paragraph(escape(text), _style(lang, indent=14, after=2.5), bulletText=number)
        case "warning":
            words = Paragraph(f"<font name='bold'>{_WORDS[lang][0]}</font>  {escape(block.text)}", _style(lang))
            box = Table([[words]], colWidths=[_TEXT_WIDTH])
            box.setStyle(
                TableStyle([("BOX", (0, 0), (-1, -1), 1, colors.HexColor("#b45309")), ("BACKGROUND", (0, 0), (-1, -1), "#fff6e5")])
            )
            return box
        case _:
            return Paragraph(escape(block.text), _style(lang, after=5))


def _contents_lines(lines: Rows, lang: str) -> list[Flowable]:
    rows = [
        (
            Paragraph(
                escape(title), _style(lang, font="bold" if kind == "chapter" else "body", size=8.4, indent=0 if kind == "chapter" else 12)
            ),
            Paragraph(number, _style(lang, size=8.4, align=2)),
        )
        for title, number, kind in lines
    ]
    table = Table(rows, colWidths=[_TEXT_WIDTH - 12 * mm, 12 * mm])
    table.setStyle(TableStyle([("TOPPADDING", (0, 0), (-1, -1), 0.6), ("BOTTOMPADDING", (0, 0), (-1, -1), 0.6)]))
    return [table]


def _table(rows: Rows, lang: str) -> Flowable:
    head = _style(lang, font="bold", size=8.2)
    body = _style(lang, size=8.2)
    cells = [[Paragraph(escape(cell), head if number == 0 else body) for cell in row] for number, row in enumerate(rows)]
    table = Table(cells, colWidths=_column_widths(rows), repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.4, colors.HexColor("#8a99a6")),
                ("BACKGROUND", (0, 0), (-1, 0), _PALE),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 3),
                ("RIGHTPADDING", (0, 0), (-1, -1), 3),
                ("TOPPADDING", (0, 0), (-1, -1), 1.5),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
            ]
        )
    )
    return table


def _column_widths(rows: Rows) -> list[float]:
    """Widths by the longest cell, at most 40 signs counted, at least what the longest word needs."""
    columns = list(zip(*rows, strict=True))
    wanted = [min(max(map(_signs, column)), 40.0) for column in columns]
    least = [
        4.8 * max(_signs(word) for cell in column for word in cell.split() or [""] if word.isascii()) + 8 if _has_ascii(column) else 34.0
        for column in columns
    ]
    spare = _TEXT_WIDTH - sum(least)
    if spare <= 0:
        return [width * _TEXT_WIDTH / sum(least) for width in least]
    return [width + spare * want / sum(wanted) for width, want in zip(least, wanted, strict=True)]


def _has_ascii(column: Sequence[str]) -> bool:
    return any(word.isascii() for cell in column for word in cell.split())


def _signs(text: str) -> float:
    return sum(1.0 if sign.isascii() else 1.8 for sign in text)


def _style(
    lang: str,
    *,
    font: str = "body",
    size: float = _SIZE,
    indent: float = 0,
    before: float = 0,
    after: float = 0,
    align: int = 0,
    color: colors.Color = colors.black,
) -> ParagraphStyle:
    return ParagraphStyle(
        "style",
        fontName=font,
        fontSize=size,
        leading=size * 1.42,
        leftIndent=indent,
        spaceBefore=before,
        spaceAfter=after,
        alignment=align,
        textColor=color,
        wordWrap="CJK" if lang == "zh" else None,
        bulletFontName="body",
    )
