"""The store of passages."""

import asyncio
import dataclasses
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event, text

from assistant.manuals.index import REMOVED, ManualIndex
from assistant.manuals.passage import Passage
from gateway.errors import StoreError
from gateway.store.engine import Store
from tests.manual_shelf import engine, info, passage

VECTOR = np.array([1.0, 0.0], dtype=np.float32)


@pytest.fixture
def index(tmp_path: Path) -> ManualIndex:
    made = ManualIndex(engine(tmp_path))
    made.migrate()
    return made


def put(index: ManualIndex, doc: str, *texts: str) -> tuple[Passage, ...]:
    passages = tuple(passage(f"{doc} {words}", number=number) for number, words in enumerate(texts))
    index.put(info(doc, models=("VX200",)), passages, reader="r1")
    return passages


def texts(index: ManualIndex) -> list[str]:
    return [entry.text for entry in index.snapshot("").entries]


def test_passages_come_back_as_they_were_in_order(index: ManualIndex) -> None:
    stored = put(index, "b", "two", "one", "three")
    assert index.passages("b") == stored


@pytest.mark.parametrize("doc", ["plain", "quote'--", 'double"', "手册", "a; DROP TABLE manuals"])
def test_any_name_can_be_stored_and_removed(index: ManualIndex, doc: str) -> None:
    put(index, doc, "text")
    put(index, "other", "text")
    index.remove(doc)
    assert [entry.doc for entry in index.snapshot("").entries] == ["other"]


def test_putting_again_replaces(index: ManualIndex) -> None:
    put(index, "a", "old", "older")
    put(index, "a", "new")
    assert texts(index) == ["a new"]


def test_failed_replacement_keeps_the_old_manual(index: ManualIndex) -> None:
    put(index, "a", "old")
    twice = passage("twin")
    with pytest.raises(StoreError):
        index.put(info("a"), (twice, twice), reader="r1")
    assert texts(index) == ["a old"]


def test_removed_manual_is_remembered_as_removed(index: ManualIndex) -> None:
    put(index, "a", "text")
    index.remove("a")
    assert [(stored.doc, stored.problem) for stored in index.stored()] == [("a", REMOVED)]
    assert index.snapshot("").infos == {}


def test_index_is_there_after_reopening(index: ManualIndex, tmp_path: Path) -> None:
    put(index, "a", "text")
    again = ManualIndex(engine(tmp_path))
    again.migrate()
    assert texts(again) == ["a text"]


def test_newer_database_is_refused(index: ManualIndex, tmp_path: Path) -> None:
    with engine(tmp_path).begin() as connection:
        connection.execute(text("INSERT INTO manual_schema (version) VALUES (99)"))
    with pytest.raises(StoreError, match="version 99"):
        ManualIndex(engine(tmp_path)).migrate()


def test_generation_changes_with_what_is_stored(index: ManualIndex) -> None:
    seen = [index.generation()]
    stored = put(index, "a", "text")
    seen.append(index.generation())
    index.put_vectors("a", [(stored[0].id, VECTOR.tobytes())], embedder="e", probe=VECTOR.tobytes())
    seen.append(index.generation())
    index.remove("a")
    seen.append(index.generation())
    assert len(set(seen)) == 4
    assert index.snapshot("").generation == seen[-1]


def test_t74_vectors_of_another_model_are_not_used(index: ManualIndex) -> None:
    stored = put(index, "a", "text")
    index.put_vectors("a", [(stored[0].id, VECTOR.tobytes())], embedder="model-1", probe=VECTOR.tobytes())
    assert [len(index.snapshot(name).vectors.places) for name in ("model-1", "model-2", "")] == [1, 0, 0]


def test_put_forgets_old_vectors(index: ManualIndex) -> None:
    stored = put(index, "a", "text")
    index.put_vectors("a", [(stored[0].id, VECTOR.tobytes())], embedder="m", probe=VECTOR.tobytes())
    put(index, "a", "text")
    assert not index.snapshot("m").infos["a"].embedded


def test_info_comes_back(index: ManualIndex) -> None:
    put(index, "a", "text")
    assert index.snapshot("").infos["a"] == dataclasses.replace(info("a", models=("VX200",)), passages=1)


def test_lost_database_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        ManualIndex(engine(tmp_path / "missing")).stored()


async def test_migration_keeps_other_writers_out_from_its_first_look_on(tmp_path: Path) -> None:
    """A gateway that writes between a look and a write must not make the write fail."""
    file = tmp_path / "shared.db"
    locked: list[str] = []
    async with await Store.open(f"sqlite:///{file}") as store:

        def look(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            if "CREATE TABLE manual_schema" in statement:
                other = sqlite3.connect(file, timeout=0)
                try:
                    other.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as exc:
                    locked.append(str(exc))
                finally:
                    other.close()

        event.listen(store.engine, "before_cursor_execute", look)
        await asyncio.to_thread(ManualIndex(store.engine).migrate)
    assert locked == ["database is locked"]
