"""The manuals that ship: their source, their typesetting, and that what is committed is what the source says."""

import csv
import hashlib
import json
from functools import partial
from pathlib import Path

import pypdfium2
import pytest

from assistant.manuals import pages
from assistant.manuals.embed_nodes import embedded_text
from assistant.manuals.ingest import split_file
from assistant.manuals.parse import parse
from assistant.manuals.prepared import FOLDER, PAGES, VECTORS, PreparedPages, key_of
from assistant.manuals.tokens import tokens
from gateway.maps.load import load_map, shipped_maps
from simulators.manuals.__main__ import main, table_rows
from simulators.manuals.markup import Block, MarkupError, read_manual
from simulators.manuals.tables import parameter_rows, register_rows
from simulators.manuals.typeset import TypesetError, typeset
from tests.manual_shelf import NOW

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "configs" / "manuals"
SOURCES = ROOT / "simulators" / "manuals" / "text"
PLANT = json.loads((ROOT / "assistant" / "eval" / "data" / "plant.json").read_text("utf-8"))
FACTS = [
    pytest.param(doc, int(page), fact, id=f"{doc}-p{page}")
    for doc, manual in PLANT["manuals"].items()
    for page, fact in manual["facts"].items()
]
MANUAL_OF_MAP = [
    ("vx200-en", "demo_vx200"),
    ("em300-en", "demo_em300"),
    ("tc10-zh", "demo_tc10"),
    ("lt50-en", "demo_lt50"),
    ("dosing-sop-zh", "demo_doseplc"),
]
HEAD = "title: VX200 manual\nvendor: V\nmodel: VX200\ndocument: D\nrevision: R\ndate: 2025\nlang: en\nmap: demo_vx200\n"


def page_texts(file: Path) -> list[str]:
    document = pypdfium2.PdfDocument(file)
    try:
        return [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()


def source(folder: Path, text: str) -> Path:
    file = folder / "m.md"
    file.write_text(HEAD + text, "utf-8")
    return file


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh")
    assert main(["", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(("doc", "page", "fact"), FACTS)
def test_fact_stands_on_its_page(doc: str, page: int, fact: str) -> None:
    text = page_texts(SHIPPED / f"{doc}.pdf")[page - 1]
    assert set(tokens(fact)) <= set(tokens(text.replace("\r\n", " ")))


@pytest.mark.parametrize(
    ("doc", "count"),
    [("vx200-en", 60), ("vx200-zh", 50), ("em300-en", 20), ("tc10-zh", 20), ("lt50-en", 20), ("dosing-sop-zh", 20)],
)
def test_printed_page_number_is_that_of_the_file(doc: str, count: int) -> None:
    texts = page_texts(SHIPPED / f"{doc}.pdf")
    assert len(texts) == count
    for number, text in enumerate(texts[1:], start=2):
        assert text.splitlines()[1].endswith(str(number))


def test_committed_manuals_say_what_the_source_says(fresh: Path) -> None:
    shipped = {file.name: page_texts(file) for file in sorted(SHIPPED.glob("*.pdf"))}
    assert shipped == {file.name: page_texts(file) for file in sorted(fresh.glob("*.pdf"))}, "run `python -m simulators.manuals`"


def test_typesetting_twice_gives_the_same_bytes(fresh: Path) -> None:
    manual = read_manual(SOURCES / "tc10-zh.md")
    digest = hashlib.sha256(typeset(manual, partial(table_rows, manual))).hexdigest()
    assert digest == hashlib.sha256((fresh / "tc10-zh.pdf").read_bytes()).hexdigest()


def test_fonts_are_embedded_with_their_licence() -> None:
    assert all(b"/FontFile2" in file.read_bytes() for file in SHIPPED.glob("*.pdf"))
    assert "SIL Open Font License" in (ROOT / "simulators" / "manuals" / "fonts" / "OFL.txt").read_text("utf-8")


@pytest.mark.parametrize("name", ["vx200-en", "vx200-zh"])
def test_every_parameter_stands_in_the_manual(name: str) -> None:
    with (SOURCES / "vx200-parameters.tsv").open(encoding="utf-8", newline="") as file:
        codes = {row["code"].lower() for row in csv.DictReader(file, delimiter="\t")}
    assert codes <= set(tokens(" ".join(page_texts(SHIPPED / f"{name}.pdf"))))


@pytest.mark.parametrize(("doc", "map_id"), MANUAL_OF_MAP)
def test_every_register_of_the_map_stands_in_the_manual(doc: str, map_id: str) -> None:
    register_map = load_map(shipped_maps() / f"{map_id}.yaml")
    said = [row for page in parse(SHIPPED / f"{doc}.pdf").pages for block in page.blocks for row in block.rows]
    lang = read_manual(SOURCES / f"{doc}.md").head["lang"]
    wanted = register_rows(register_map, list(register_map.points), lang)[1:]
    assert [row for row in wanted if row not in said] == []


def test_shipped_manuals_are_read_and_embedded_beforehand() -> None:
    import numpy as np

    known = PreparedPages.model_validate_json((FOLDER / PAGES).read_bytes())
    assert known.version == pages.VERSION
    with np.load(FOLDER / VECTORS, allow_pickle=False) as stored:
        keys = set(stored["keys"].tolist())
    for file in sorted(SHIPPED.glob("*.pdf")):
        parsed = known.files.get(hashlib.sha256(file.read_bytes()).hexdigest())
        assert parsed is not None, "run `python -m assistant.manuals.prepare configs/manuals`"
        passages = split_file(file, parsed, NOW, ())[1]
        assert [passage.text for passage in passages if key_of(embedded_text(passage)) not in keys] == []


@pytest.mark.parametrize("doc", ["lt50-en", "dosing-sop-zh"])
def test_pages_prepared_are_those_the_parser_reads(doc: str) -> None:
    file = SHIPPED / f"{doc}.pdf"
    known = PreparedPages.model_validate_json((FOLDER / PAGES).read_bytes())
    assert known.files[hashlib.sha256(file.read_bytes()).hexdigest()] == parse(file)


def test_source_becomes_blocks(tmp_path: Path) -> None:
    text = "%% 1\n# One\n## Two\nwords\ngo on\n- point\n1. step\n! careful\n| a | b |\n| 1 | 2 |\n{{registers status}}\n"
    manual = read_manual(source(tmp_path, text))
    assert manual.pages[0] == (
        Block(kind="chapter", text="One"),
        Block(kind="section", text="Two"),
        Block(kind="text", text="words go on"),
        Block(kind="bullet", text="point"),
        Block(kind="step", text="1. step"),
        Block(kind="warning", text="careful"),
        Block(kind="table", rows=(("a", "b"), ("1", "2"))),
        Block(kind="macro", text="registers status"),
    )


@pytest.mark.parametrize(
    ("text", "words"), [("%% 1\n%% 3\n", "page 3 follows page 1"), ("%% 1\n| a | b |\n| 1 |\n", "1 cells under a header of 2")]
)
def test_wrong_source_names_the_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(MarkupError, match=rf"m\.md:\d+: {words}"):
        read_manual(source(tmp_path, text))


def test_page_that_is_too_full_stops_the_typesetting(tmp_path: Path) -> None:
    manual = read_manual(source(tmp_path, "%% 1\nTitle\n%% 2\n" + "".join(f"- point {number}\n" for number in range(80))))
    with pytest.raises(TypesetError, match="page 2 is too full"):
        typeset(manual, lambda _: ())


def test_unknown_macro_is_refused(tmp_path: Path) -> None:
    manual = read_manual(source(tmp_path, "%% 1\nTitle\n"))
    with pytest.raises(MarkupError, match="no macro 'nonsense'"):
        table_rows(manual, "nonsense")


def test_parameters_are_the_same_in_both_languages() -> None:
    english, chinese = (parameter_rows(SOURCES / "vx200-parameters.tsv", "P1-07", "P1-08", lang) for lang in ("en", "zh"))
    assert [row[:1] + row[3:4] for row in english[1:]] == [row[:1] + row[3:4] for row in chinese[1:]]
    assert (english[1][2], chinese[1][2]) == ("5..60 s", "5～60 s")


@pytest.mark.parametrize(("doc", "map_id"), MANUAL_OF_MAP)
def test_register_map_names_the_page_on_which_the_register_stands(doc: str, map_id: str) -> None:
    manual = read_manual(SOURCES / f"{doc}.md")
    stands = {
        name: str(number)
        for number, page in enumerate(manual.pages, start=1)
        for block in page
        if block.kind == "macro" and block.text.startswith("registers")
        for name in block.text.split()[1:]
    }
    assert stands == {name: point.page for name, point in load_map(shipped_maps() / f"{map_id}.yaml").points.items()}
