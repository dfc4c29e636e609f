"""PDF files to pages of blocks."""

import pytest

from assistant.manuals.blocks import Block
from assistant.manuals.parse_pdf import parse_pdf
from tests.manual_pdfs import columns, lines, paragraph, pdf, picture, ruled, together

REGISTERS = (("Address", "Name", "Scale"), ("0x2001", "speed set-point", "0.01 Hz"), ("0x2002", "speed", "0.1 Hz"))


def tables(content: bytes) -> list[Block]:
    return [block for page in parse_pdf(content).pages for block in page.blocks if block.kind == "table"]


def test_ruled_table_keeps_every_cell() -> None:
    found = tables(pdf(ruled(REGISTERS)))
    assert [(table.rows, table.has_head) for table in found] == [(REGISTERS, True)]


def test_merged_cell_repeats_the_one_above() -> None:
    rows = (("Code", "Cause"), ("F04", "load"), ("", "ramp"))
    assert tables(pdf(ruled(rows, styles=[("SPAN", (0, 1), (0, 2))])))[0].rows[2] == ("F04", "ramp")


def test_bold_rows_below_a_plain_one_are_no_header() -> None:
    rows = (("a plain first row", "with two cells"), ("a bold second row", "with two cells"))
    assert not tables(pdf(ruled(rows, bold_head=False, styles=[("FONTNAME", (0, 1), (-1, 1), "Helvetica-Bold")])))[0].has_head


def test_aligned_columns_without_lines_are_a_table() -> None:
    assert tables(pdf(columns(*REGISTERS)))[0].rows == REGISTERS


def test_two_aligned_lines_are_no_table() -> None:
    assert tables(pdf(together(columns(*REGISTERS[:2]), lines("and some more running text below it", top=300)))) == []


def test_lines_of_a_paragraph_join() -> None:
    text = "Check the cooling fan and the load and wait at least fifteen minutes before the reset of the drive. " * 3
    assert [block.text for block in parse_pdf(pdf(paragraph(text))).pages[0].blocks] == [text.strip()]


def test_larger_type_is_a_heading() -> None:
    page = together(lines("9 Faults", size=16), lines("A fault stops the motor at once.", top=500))
    assert [(block.kind, block.level) for block in parse_pdf(pdf(page)).pages[0].blocks] == [("heading", 1), ("text", 0)]


def test_running_heads_and_page_numbers_are_left_out_and_nothing_else() -> None:
    texts = [f"Text number {number} of its own." for number in range(1, 7)]
    pages = [
        together(lines("VX200 user manual", size=7, top=580), lines(text, top=400), lines(str(number), size=7, top=20))
        for number, text in enumerate(texts, start=1)
    ]
    assert [block.text for page in parse_pdf(pdf(*pages)).pages for block in page.blocks] == texts


def test_numbered_steps_stay_apart() -> None:
    assert [block.text for block in parse_pdf(pdf(lines("1. Switch off.", "2. Wait ten minutes."))).pages[0].blocks] == [
        "1. Switch off.",
        "2. Wait ten minutes.",
    ]


def test_title_comes_from_the_properties() -> None:
    assert parse_pdf(pdf(lines("some text that is long enough"), title="VX200 manual")).title == "VX200 manual"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(pdf(picture(), picture()), "no text found, OCR needed: the pages are pictures", id="T61-pictures-only"),
        pytest.param(pdf(lines("secret text"), password="x"), "locked with a password: save it without one", id="T61-locked"),
        pytest.param(b"%PDF-1.7\nnothing of the kind", "broken PDF: save it anew from its source", id="T61-broken"),
        pytest.param(pdf(lines("some text"))[:300], "broken PDF: save it anew from its source", id="T61-cut-short"),
    ],
)
def test_file_that_cannot_be_read_says_why(content: bytes, problem: str) -> None:
    parsed = parse_pdf(content)
    assert (parsed.problem, parsed.pages) == (problem, ())


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.manuals.parse_pdf.MAX_PAGES", 2)
    assert parse_pdf(pdf(lines("a"), lines("b"), lines("c"))).problem == "3 pages, at most 2 are read"
