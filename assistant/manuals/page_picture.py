"""One page of a PDF as a picture, for the preview of a citation."""

import io
from pathlib import Path

from assistant.errors import ToolInputError

MAX_WIDTH = 2000


def page_picture(file: Path, page: int, width: int) -> bytes:
    """PNG of page `page` (from 1), `width` pixels wide (at most MAX_WIDTH); ToolInputError if there is no such page or no PDF. Blocks."""
    import pypdfium2

    if file.suffix.lower() != ".pdf" or not file.exists():
        raise ToolInputError(f"{file.stem} has no page pictures: it is not a PDF")
    document = pypdfium2.PdfDocument(file)
    try:
        if not 1 <= page <= len(document):
            raise ToolInputError(f"{file.stem} has pages 1 to {len(document)}, not {page}")
        sheet = document[page - 1]
        scale = min(width, MAX_WIDTH) / sheet.get_width()
        buffer = io.BytesIO()
        sheet.render(scale=scale).to_pil().save(buffer, format="PNG")
        return buffer.getvalue()
    finally:
        document.close()
