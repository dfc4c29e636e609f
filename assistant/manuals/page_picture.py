"""One page of a PDF as a picture, for the preview of a citation.

The drawing is done by a child process (`python -m assistant.manuals.page_picture FILE PAGE WIDTH`): a page can be made to
crash or to fill the memory of the program that draws it.
"""

import sys
from pathlib import Path

from assistant.errors import ToolInputError
from assistant.manuals.child import limit_myself, run_child

MAX_WIDTH = 2000
MAX_HEIGHT = 4000
_TIMEOUT_S = 30.0
_MAX_BYTES = 40_000_000


async def page_picture(file: Path, page: int, width: int) -> bytes:
    """PNG of page `page` (from 1), `width` pixels wide (less where it would get too large).

    Raises ToolInputError if it is not a PDF or the page cannot be drawn.
    """
    if file.suffix.lower() != ".pdf":
        raise ToolInputError(f"{file.stem} has no page pictures: it is not a PDF")
    answer = await run_child(
        "assistant.manuals.page_picture", str(file), str(page), str(width), timeout_s=_TIMEOUT_S, most_bytes=_MAX_BYTES
    )
    if answer.ended != "well" or not answer.output:
        raise ToolInputError(f"page {page} of {file.stem} cannot be drawn")
    return answer.output


def main(argv: list[str]) -> int:
    """Write the PNG on standard output; nothing if there is no such page."""
    import pypdfium2

    limit_myself()
    document = pypdfium2.PdfDocument(argv[1])
    page = int(argv[2])
    if 1 <= page <= len(document):
        sheet = document[page - 1]
        scale = min(min(int(argv[3]), MAX_WIDTH) / sheet.get_width(), MAX_HEIGHT / sheet.get_height())
        sheet.render(scale=scale).to_pil().save(sys.stdout.buffer, format="PNG")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
