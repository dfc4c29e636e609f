"""Pages to passages."""

from hypothesis import given
from hypothesis import strategies as st

from assistant.manuals.blocks import Block, Page
from assistant.manuals.passage import Passage
from assistant.manuals.split import MAX_SIGNS, split

FAULTS = Block(kind="table", rows=(("Code", "What to check"), ("F04", "motor load"), ("F07", "fan; wait 15 minutes")))


def passages(*pages: tuple[Block, ...]) -> tuple[Passage, ...]:
    numbered = [Page(number=number, blocks=blocks) for number, blocks in enumerate(pages, start=1)]
    return split(numbered, doc="vx", title="VX200 drive", models=["VX200"])


def heading(text: str, level: int = 2) -> Block:
    return Block(kind="heading", level=level, text=text)


def text(words: str) -> Block:
    return Block(kind="text", text=words)


def test_row_carries_its_column_names() -> None:
    rows = [passage.text for passage in passages((FAULTS,)) if passage.kind == "row"]
    assert rows == ["Code: F04; What to check: motor load", "Code: F07; What to check: fan; wait 15 minutes"]


def test_whole_table_is_a_passage_too() -> None:
    assert [passage.text.count("\n") for passage in passages((FAULTS,)) if passage.kind == "table"] == [1]


def test_row_is_never_cut_however_long() -> None:
    long = "x" * (5 * MAX_SIGNS)
    rows = [passage for passage in passages((Block(kind="table", rows=(("A", "B"), ("1", long))),)) if passage.kind == "row"]
    assert [row.text for row in rows] == [f"A: 1; B: {long}"]


def test_table_goes_on_over_the_page_under_the_same_header() -> None:
    more = Block(kind="table", rows=(("F16", "wiring"),), has_head=False)
    rows = [(passage.page, passage.text) for passage in passages((FAULTS,), (more,)) if passage.kind == "row"]
    assert rows[-1] == (2, "Code: F16; What to check: wiring")


def test_repeated_header_is_not_a_row() -> None:
    assert [passage.text for passage in passages((FAULTS,), (FAULTS,)) if passage.kind == "row" and "Code: Code" in passage.text] == []


def test_other_table_after_the_page_keeps_its_own_header() -> None:
    other = Block(kind="table", rows=(("Terminal", "Use"), ("U", "motor")))
    assert passages((FAULTS,), (other,))[-1].text == "Terminal: U; Use: motor"


def test_table_without_header_names_no_columns() -> None:
    bare = Block(kind="table", rows=(("a", "b"), ("c", "d")), has_head=False)
    assert [passage.text for passage in passages((bare,)) if passage.kind == "row"] == ["a; b", "c; d"]


def test_section_goes_on_over_the_page() -> None:
    found = passages((heading("9 Faults", 1), heading("9.3 Table"), text("one")), (text("two"),))
    assert [(passage.page, passage.section) for passage in found] == [(1, "9 Faults > 9.3 Table"), (2, "9 Faults > 9.3 Table")]


def test_header_tells_device_and_section_in_both_languages() -> None:
    header = passages((heading("Cooling fan"), text("Replace it.")))[0].header
    assert "VX200" in header
    assert "风扇" in header
    assert "变频器" in header


def test_contents_page_holds_no_passages() -> None:
    assert passages((heading("Contents", 1), text("9.3 Fault table 47"))) == ()


def test_ids_are_the_same_each_time_and_differ() -> None:
    first, again = passages((FAULTS, text("a"), text("b"))), passages((FAULTS, text("a"), text("b")))
    assert [passage.id for passage in first] == [passage.id for passage in again]
    assert len({passage.id for passage in first}) == len(first)


WORDS = st.text(alphabet="abcdefg", min_size=1, max_size=9)
BLOCKS = st.one_of(
    st.builds(text, st.lists(WORDS, min_size=1, max_size=200).map(" ".join)),
    st.builds(heading, WORDS),
    st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=2, max_size=5).map(lambda rows: Block(kind="table", rows=tuple(rows))),
)


@given(st.lists(st.lists(BLOCKS, max_size=5), max_size=4))
def test_nothing_on_a_page_is_lost_or_moved_to_another(pages: list[list[Block]]) -> None:
    found = passages(*(tuple(page) for page in pages))
    for number, page in enumerate(pages, start=1):
        here = " ".join(passage.text for passage in found if passage.page == number)
        for block in page:
            said = block.text.split() if block.kind == "text" else [cell for row in block.rows[1:] for cell in row]
            assert all(word in here for word in said)
