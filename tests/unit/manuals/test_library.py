"""The shelf as a whole: adding, removing, searching, keeping up."""

import asyncio
from pathlib import Path

import pytest

from assistant.errors import ToolFailedError, ToolInputError
from assistant.manuals.index import ManualIndex
from assistant.manuals.library import LOOK_AGAIN_S, ManualLibrary
from gateway.clock import ManualClock
from tests.manual_pdfs import lines, pdf, picture
from tests.manual_shelf import MODELS, NOW, WordEmbedder, engine, library, write

FAN = "# Cooling fan\n\nReplace the cooling fan of the VX200 every 30 000 h."
CT = "# Current transformer\n\nModel: EM300\n\nSet the CT ratio in register 0x1003."
NOTES = "# Notes\n\nClean the cooling fan monthly."


async def found(shelf: ManualLibrary, query: str, device: str | None = None) -> set[str]:
    return {passage.doc for passage in await shelf.search(query, device=device)}


async def test_added_manual_is_found_and_listed(tmp_path: Path) -> None:
    shelf = await library(tmp_path, write(tmp_path / "in", vx200_en=FAN))
    assert await found(shelf, "cooling fan") == {"vx200-en"}
    assert [(info.doc, info.models, info.passages, info.embedded) for info in shelf.manuals()] == [("vx200-en", ("VX200",), 1, False)]


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        pytest.param(None, {"vx200-en", "notes"}, id="all"),
        pytest.param("vfd1", {"vx200-en", "notes"}, id="device"),
        pytest.param("VFD2", {"vx200-en", "notes"}, id="any-case"),
        pytest.param("vx200", {"vx200-en", "notes"}, id="model"),
        pytest.param("em1", {"notes"}, id="other-device"),
    ],
)
async def test_device_keeps_to_its_manuals_and_those_without_model(tmp_path: Path, device: str | None, expected: set[str]) -> None:
    shelf = await library(tmp_path, write(tmp_path / "in", vx200_en=FAN, em300_en=CT, notes=NOTES))
    assert await found(shelf, "cooling fan", device) == expected


async def test_unknown_device_is_said_with_those_that_exist(tmp_path: Path) -> None:
    shelf = await library(tmp_path)
    with pytest.raises(ToolInputError, match="em1, vfd1, vfd2"):
        await shelf.search("fan", device="vfd9")


async def test_search_before_opening_finds_nothing(tmp_path: Path) -> None:
    shelf = ManualLibrary(ManualIndex(engine(tmp_path)), tmp_path / "kept", models=MODELS, clock=ManualClock(NOW))
    assert (await shelf.search("fan"), shelf.manuals()) == ((), ())


async def test_adding_again_replaces(tmp_path: Path) -> None:
    shelf = await library(tmp_path, write(tmp_path / "in", notes=NOTES))
    await shelf.add(write(tmp_path / "in", notes="# Notes\n\nOil the bearing.")[0])
    assert (await found(shelf, "cooling fan"), await found(shelf, "oil bearing")) == (set(), {"notes"})


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        pytest.param("scan.pdf", pdf(picture()), "OCR needed", id="T61-picture"),
        pytest.param("locked.pdf", pdf(lines("secret words here"), password="x"), "password", id="T61-locked"),
        pytest.param("empty.md", b"", "no text found", id="T61-empty"),
        pytest.param("virus.exe", b"MZ\0\0", "neither", id="T61-program"),
    ],
)
async def test_unreadable_upload_is_refused_and_leaves_nothing(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    shelf = await library(tmp_path)
    with pytest.raises(ToolFailedError, match=problem):
        await shelf.add_bytes(name, content)
    assert (shelf.manuals(), list((tmp_path / "kept").iterdir())) == ((), [])


async def test_unreadable_replacement_keeps_the_old_manual(tmp_path: Path) -> None:
    shelf = await library(tmp_path, write(tmp_path / "in", notes=NOTES))
    with pytest.raises(ToolFailedError):
        await shelf.add_bytes("notes.md", b"\xff\xff\xff")
    assert await found(shelf, "cooling fan") == {"notes"}


async def test_name_of_an_upload_never_leaves_the_folder(tmp_path: Path) -> None:
    shelf = await library(tmp_path)
    info = await shelf.add_bytes("../../../evil.MD", NOTES.encode())
    assert (info.doc, [file.name for file in (tmp_path / "kept").iterdir()]) == ("evil", ["evil.md"])


async def test_one_bad_file_costs_the_others_nothing(tmp_path: Path) -> None:
    source = tmp_path / "in"
    write(source, a_bad="", notes=NOTES)
    shelf = await library(tmp_path)
    await shelf.read_new([source])
    assert {info.doc: bool(info.problem) for info in shelf.manuals()} == {"a-bad": True, "notes": False}


async def test_unchanged_files_are_not_read_again_and_changed_ones_are(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    source = tmp_path / "in"
    write(source, notes=NOTES, other=CT)
    shelf = await library(tmp_path, clock=clock)
    await shelf.read_new([source])
    clock.jump(60)
    write(source, notes=f"{NOTES} And oil it.")
    await shelf.read_new([source])
    assert {info.doc: (info.added_at - NOW).total_seconds() for info in shelf.manuals()} == {"notes": 60.0, "other": 0.0}


async def test_manual_of_another_reader_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.manuals.ingest.READER", "older")
    clock = ManualClock(NOW)
    shelf = await library(tmp_path, write(tmp_path / "in", notes=NOTES), clock=clock)
    monkeypatch.setattr("assistant.manuals.ingest.READER", "newer")
    clock.jump(60)
    await shelf.read_new([])
    assert [(info.added_at - NOW).total_seconds() for info in shelf.manuals()] == [60.0]


async def test_removed_manual_stays_removed_until_its_file_changes(tmp_path: Path) -> None:
    source = tmp_path / "in"
    write(source, notes=NOTES)
    shelf = await library(tmp_path)
    await shelf.read_new([source])
    await shelf.remove("notes")
    await shelf.read_new([source])
    assert (shelf.manuals(), await found(shelf, "cooling fan"), list((tmp_path / "kept").iterdir())) == ((), set(), [])
    write(source, notes=f"{NOTES} New.")
    await shelf.read_new([source])
    assert await found(shelf, "cooling fan") == {"notes"}


async def test_removing_what_is_not_there_names_what_is(tmp_path: Path) -> None:
    shelf = await library(tmp_path, write(tmp_path / "in", notes=NOTES))
    with pytest.raises(ToolInputError, match="there are: notes"):
        await shelf.remove("nots")


async def test_vectors_follow_and_search_goes_by_meaning(tmp_path: Path) -> None:
    shelf = await library(tmp_path, write(tmp_path / "in", notes=NOTES, em300_en=CT), embedder=WordEmbedder())
    before = await found(shelf, "cooling fan")
    await shelf.embed_missing()
    assert (before, await found(shelf, "cooling fan")) == ({"notes"}, {"notes"})
    assert [info.embedded for info in shelf.manuals()] == [True, True]


async def test_t74_another_model_makes_all_vectors_anew(tmp_path: Path) -> None:
    first = await library(tmp_path, write(tmp_path / "in", notes=NOTES), embedder=WordEmbedder())
    await first.embed_missing()
    turned = WordEmbedder(turned=True)
    second = await library(tmp_path, embedder=turned)
    await second.embed_missing()
    assert any("Clean the cooling fan" in text for text in turned.seen)
    turned.seen.clear()
    await second.embed_missing()
    assert not any("Clean the cooling fan" in text for text in turned.seen)


async def test_lost_model_leaves_the_search_by_words(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    shelf = await library(tmp_path, write(tmp_path / "in", notes=NOTES), embedder=embedder)
    await shelf.embed_missing()
    embedder.broken = True
    assert await found(shelf, "cooling fan") == {"notes"}


async def test_running_library_keeps_up_with_another_process_and_a_model_that_comes_back(tmp_path: Path) -> None:
    clock, embedder = ManualClock(NOW), WordEmbedder()
    embedder.broken = True
    shelf = await library(tmp_path, clock=clock, embedder=embedder)
    slept: asyncio.Queue[None] = asyncio.Queue()
    sleep = clock.sleep

    async def told(seconds: float) -> None:
        slept.put_nowait(None)
        await sleep(seconds)

    clock.sleep = told  # type: ignore[method-assign]  # tells the test when a round is over
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        running = group.create_task(shelf.run())
        await slept.get()
        await library(tmp_path, write(tmp_path / "in", notes=NOTES))
        assert await found(shelf, "cooling fan") == set()
        embedder.broken = False
        await clock.advance(LOOK_AGAIN_S)
        await slept.get()
        assert await found(shelf, "cooling fan") == {"notes"}
        assert shelf.manuals()[0].embedded
        running.cancel()


async def test_page_is_shown_as_a_picture(tmp_path: Path) -> None:
    shelf = await library(tmp_path)
    await shelf.add_bytes("m.pdf", pdf(lines("Check the cooling fan of the drive."), lines("Second page of this manual.")))
    picture_of = await shelf.page_png("m", 2, 300)
    assert (picture_of[:8], int.from_bytes(picture_of[16:20], "big")) == (b"\x89PNG\r\n\x1a\n", 300)


@pytest.mark.parametrize(
    ("doc", "page", "words"),
    [("m", 3, "pages 1 to 2"), ("m", 0, "pages 1 to 2"), ("x", 1, "no manual"), ("notes", 1, "not a PDF"), ("torn", 1, "cannot be drawn")],
)
async def test_page_that_is_not_there_says_so(tmp_path: Path, doc: str, page: int, words: str) -> None:
    shelf = await library(tmp_path, write(tmp_path / "in", notes=NOTES))
    await shelf.add_bytes("m.pdf", pdf(lines("Check the cooling fan of the drive."), lines("Second page of this manual.")))
    await shelf.add_bytes("torn.pdf", pdf(lines("Check the cooling fan of the drive.")))
    (tmp_path / "kept" / "torn.pdf").write_bytes(b"%PDF-1.7")
    with pytest.raises(ToolInputError, match=words):
        await shelf.page_png(doc, page)


async def test_t61_page_of_absurd_shape_becomes_a_picture_of_sane_size(tmp_path: Path) -> None:
    shelf = await library(tmp_path)
    await shelf.add_bytes("strip.pdf", pdf(lines("Check the cooling fan of the drive."), size=(50, 14_000)))
    picture_of = await shelf.page_png("strip", 1, 2000)
    assert int.from_bytes(picture_of[20:24], "big") <= 4000
