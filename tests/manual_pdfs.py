"""Small PDF files made on the spot."""

import io
import zlib
from collections.abc import Callable, Sequence

from reportlab.lib import pdfencrypt
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Frame, Paragraph, Table, TableStyle

Draw = Callable[[Canvas], None]
Style = tuple[object, ...]
_BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13)


def pdf(*pages: Draw, password: str | None = None, title: str = "", size: tuple[float, float] = A5) -> bytes:
    """A PDF with one page for each drawing function."""
    buffer = io.BytesIO()
    encrypt = pdfencrypt.StandardEncryption(password) if password else None
    canvas = Canvas(buffer, pagesize=size, invariant=1, encrypt=encrypt)
    canvas.setTitle(title)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines(*texts: str, size: float = 10, bold: bool = False, top: float = 540) -> Draw:
    """Text lines from the top down."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
        for number, line in enumerate(texts):
            canvas.drawString(40, top - 14 * number, line)

    return draw


def ruled(rows: Sequence[Sequence[str]], *, bold_head: bool = True, styles: Sequence[Style] = ()) -> Draw:
    """A table with lines around its cells."""

    def draw(canvas: Canvas) -> None:
        every: list[Style] = [("GRID", (0, 0), (-1, -1), 0.5, "#000000"), *styles]
        if bold_head:
            every.append(("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"))
        table = Table([list(row) for row in rows], style=TableStyle(every))
        Frame(30, 30, 360, 480).addFromList([table], canvas)

    return draw


def columns(*rows: Sequence[str], starts: Sequence[float] = (40, 140, 260)) -> Draw:
    """Aligned columns without lines."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for number, row in enumerate(rows):
            for start, cell in zip(starts, row, strict=True):
                canvas.drawString(start, 500 - 15 * number, cell)

    return draw


def paragraph(text: str) -> Draw:
    """Running text that breaks into lines."""
    return lambda canvas: Frame(30, 30, 360, 480).addFromList([Paragraph(text, _BODY)], canvas)


def together(*parts: Draw) -> Draw:
    """Several drawings on one page."""

    def draw(canvas: Canvas) -> None:
        for part in parts:
            part(canvas)

    return draw


def picture() -> Draw:
    """A page that only looks like text."""
    return lambda canvas: canvas.rect(50, 50, 200, 200, fill=1)


def bomb(megabytes: int) -> bytes:
    """A page whose content unpacks to very many bytes: one packed megabyte, many times, packed again."""
    packer = zlib.compressobj(9)
    first = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    more = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    stream = zlib.compress(first + more * megabytes, 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n%s\nendstream" % (len(stream), stream),
    ]
    return _assembled(objects)


def _assembled(objects: Sequence[bytes]) -> bytes:
    content, offsets = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return content + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        table,
        len(objects) + 1,
        len(content),
    )
