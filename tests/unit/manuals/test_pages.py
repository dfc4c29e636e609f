"""Files read in a child process."""

from pathlib import Path

import pytest

from assistant.manuals import pages
from assistant.manuals.pages import read_pages
from assistant.manuals.parse import parse
from tests.manual_pdfs import bomb, lines, pdf


async def test_pdf_is_read_by_the_child(tmp_path: Path) -> None:
    file = tmp_path / "m.pdf"
    file.write_bytes(pdf(lines("Check the cooling fan of the drive.")))
    read = await read_pages(file)
    assert (read, read.pages[0].blocks[0].text) == (parse(file), "Check the cooling fan of the drive.")


async def test_kind_is_told_by_the_content(tmp_path: Path) -> None:
    file = tmp_path / "m.pdf"
    file.write_text("# Not a PDF\ntext", "utf-8")
    assert (await read_pages(file)).title == "Not a PDF"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00binary", b"MZ\x90\x00"])
async def test_binary_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.txt"
    file.write_bytes(content)
    assert (await read_pages(file)).problem == "neither a PDF nor UTF-8 text"


async def test_t61_bomb_ends_the_child_only(tmp_path: Path) -> None:
    file = tmp_path / "bomb.pdf"
    file.write_bytes(bomb(megabytes=1200))
    read = await read_pages(file)
    assert (bool(read.problem), read.pages) == (True, ())


async def test_t61_large_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_FILE_BYTES", 10)
    file = tmp_path / "m.txt"
    file.write_text("more than ten bytes", "utf-8")
    assert "MB are read" in (await read_pages(file)).problem


async def test_t61_too_much_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_TEXT_BYTES", 100)
    file = tmp_path / "m.txt"
    file.write_text("word " * 100, "utf-8")
    assert "MB of text" in (await read_pages(file)).problem


async def test_t61_endless_reading_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "TIMEOUT_S", 0.0)
    file = tmp_path / "m.txt"
    file.write_text("text", "utf-8")
    assert "took more than" in (await read_pages(file)).problem
