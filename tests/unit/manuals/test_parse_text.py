"""Markdown and plain text to pages."""

import pytest

from assistant.manuals.blocks import Block
from assistant.manuals.parse_text import parse_text

MARKDOWN = """# Dosing

Line one
goes on.

| Code | Meaning |
|------|---------|
| F01 | dry \u200brun |
| F02 |

## Next
text\f# Page two
"""


def test_markdown_becomes_blocks() -> None:
    parsed = parse_text(MARKDOWN)
    assert parsed.title == "Dosing"
    assert parsed.pages[0].blocks == (
        Block(kind="heading", level=1, text="Dosing"),
        Block(kind="text", text="Line one goes on."),
        Block(kind="table", rows=(("Code", "Meaning"), ("F01", "dry run"), ("F02", ""))),
        Block(kind="heading", level=2, text="Next"),
        Block(kind="text", text="text"),
    )


def test_form_feed_begins_a_page() -> None:
    assert [page.number for page in parse_text(MARKDOWN).pages] == [1, 2]


@pytest.mark.parametrize("text", ["", "\n\n", "\f\f", "\u200b\u202e"])
def test_text_without_text_says_so(text: str) -> None:
    assert parse_text(text).problem == "no text found"


def test_binary_is_not_text() -> None:
    assert parse_text("MZ\0\0").problem == "neither a PDF nor UTF-8 text"
