"""What a manual says of itself."""

import pytest

from assistant.manuals.about import doc_id, language_of, models_of, revision_of, title_of
from assistant.manuals.blocks import Block, Page, ParsedFile


def parsed(text: str, title: str = "") -> ParsedFile:
    return ParsedFile(title=title, pages=(Page(number=1, blocks=tuple(Block(kind="text", text=line) for line in text.split("\n"))),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Revision: Rev. 2.3", "Rev. 2.3"),
        ("版本: V1.2", "V1.2"),
        ("版本：第4版", "第4版"),
        ("Version: 3.0-b", "3.0-b"),
        ("no word of it", ""),
        ("This revision covers much", ""),
    ],
)
def test_revision_is_read_from_the_first_pages(text: str, expected: str) -> None:
    assert revision_of(parsed(text)) == expected


@pytest.mark.parametrize(
    ("text", "name", "known", "expected"),
    [
        pytest.param("For the VX200 series", "a.pdf", ["VX200", "EM300"], ("VX200",), id="named-on-the-page"),
        pytest.param("manual", "em300-en.pdf", ["VX200", "EM300"], ("EM300",), id="named-by-the-file"),
        pytest.param("VX2000 only", "a.pdf", ["VX200"], (), id="longer-name-is-another-model"),
        pytest.param("Model: AB12", "a.pdf", ["VX200"], ("AB12",), id="model-outside-the-plant"),
        pytest.param("VX200 and EM300", "a.pdf", ["VX200", "EM300"], ("EM300", "VX200"), id="two"),
        pytest.param("Maintenance notes", "notes.md", ["VX200"], (), id="none"),
    ],
)
def test_models_are_those_the_manual_names(text: str, name: str, known: list[str], expected: tuple[str, ...]) -> None:
    assert models_of(parsed(text), name, known) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("vx200-en.pdf", "vx200-en"), ("../../etc/passwd", "passwd"), ("手册 1.pdf", "手册-1"), ("...", "manual"), ("a'b\"c.md", "a-b-c")],
)
def test_document_id_needs_no_quoting(name: str, expected: str) -> None:
    assert doc_id(name) == expected


def test_title_falls_back_to_the_name() -> None:
    assert (title_of(parsed("x", "The title"), "f.pdf"), title_of(parsed("x"), "f.pdf")) == ("The title", "f")


def test_language_is_that_of_most_of_the_text() -> None:
    assert (language_of(parsed("冷却风扇每运行更换一次 VX200")), language_of(parsed("replace the cooling fan"))) == ("zh", "en")
