"""One search over a snapshot."""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.manuals.passage import FoundPassage, ManualInfo
from assistant.manuals.retrieve import MOST_OF_A_MANUAL, MOST_OF_A_PAGE, Query, rank
from assistant.manuals.snapshot import Entry, Snapshot, Vectors
from tests.manual_shelf import info

NO_VECTORS = Vectors(places=np.zeros(0, dtype=np.int64), matrix=np.zeros((0, 0), dtype=np.float32))


def entry(text: str, *, doc: str = "vx200-en", page: int = 1, kind: str = "text", lang: str = "en", header: str = "") -> Entry:
    return Entry(
        doc=doc,
        page=page,
        section="",
        kind="row" if kind == "row" else "table" if kind == "table" else "text",
        lang="zh" if lang == "zh" else "en",
        text=text,
        header=header,
        models=(),
    )


def snapshot(*entries: Entry, models: Sequence[tuple[str, tuple[str, ...]]] = (), vectors: Vectors = NO_VECTORS) -> Snapshot:
    named = dict(models)
    infos: dict[str, ManualInfo] = {one.doc: info(one.doc, models=named.get(one.doc, ())) for one in entries}
    return Snapshot.build([dataclasses.replace(one, models=named.get(one.doc, ())) for one in entries], infos, vectors)


def search(of: Snapshot, text: str, k: int = 5, **fields: object) -> list[str]:
    return [found.text for found in rank(of, dataclasses.replace(Query(text=text), **fields), k)]  # type: ignore[arg-type]  # fields of Query


def test_row_about_a_code_comes_before_rows_that_mention_it() -> None:
    of = snapshot(
        entry("Code: P7-08; Remarks: not for F07, F04", kind="row", page=39),
        entry("Code: F07; Fault: over-temperature", kind="row", page=47),
        entry("motor fan text", page=3),
    )
    assert search(of, "what is F07")[0] == "Code: F07; Fault: over-temperature"


def test_code_is_never_taken_for_a_near_one() -> None:
    of = snapshot(entry("Code: F07; Fault: motor", kind="row"), entry("Code: F17; Fault: motor", kind="row", page=2))
    assert search(of, "F17")[0] == "Code: F17; Fault: motor"


def test_question_that_no_passage_covers_finds_nothing() -> None:
    of = snapshot(entry("Motor terminals U, V, W and the screws of the cover"), entry("Cooling fan", page=2))
    assert search(of, "What is the torque for the motor terminal screws?") == []


def test_english_question_finds_a_chinese_passage() -> None:
    of = snapshot(entry("盲区 0.25 m", lang="zh"), entry("天线清洗", lang="zh", page=2))
    assert search(of, "What is the blocking distance?") == ["盲区 0.25 m"]


def test_passage_in_the_language_of_the_question_comes_first() -> None:
    of = snapshot(entry("F16: wiring", doc="en"), entry("F16：接线", doc="zh", lang="zh"))
    assert (search(of, "F16 怎么办")[0], search(of, "what about F16")[0]) == ("F16：接线", "F16: wiring")


def test_other_models_are_left_out_and_manuals_without_model_stay() -> None:
    of = snapshot(
        entry("cooling fan", doc="vx"),
        entry("cooling fan", doc="em"),
        entry("cooling fan", doc="notes"),
        models=[("vx", ("VX200",)), ("em", ("EM300",))],
    )
    found = rank(of, Query(text="cooling fan", models=frozenset({"vx200"})), 5)
    assert {one.doc for one in found} == {"vx", "notes"}


def test_t13_page_that_repeats_every_word_wins_two_places_at_most() -> None:
    spam = [entry(f"fan fan motor pump fault F07 reset fan {number}", doc="spam") for number in range(20)]
    of = snapshot(*spam, entry("cooling fan of the drive", doc="vx", page=52))
    found = rank(of, Query(text="cooling fan"), 5)
    assert sum(one.doc == "spam" for one in found) == MOST_OF_A_PAGE
    assert "vx" in {one.doc for one in found}


def test_t13_manual_that_repeats_every_word_wins_four_places_at_most() -> None:
    spam = [entry(f"fan fan fan {number}", doc="spam", page=number) for number in range(20)]
    of = snapshot(*spam, entry("fan", doc="vx"))
    assert sum(found.doc == "spam" for found in rank(of, Query(text="fan"), 10)) == MOST_OF_A_MANUAL


def test_how_to_question_prefers_steps() -> None:
    of = snapshot(entry("Replacing the fan failed: call service"), entry("Replacing the fan\n1. Switch off.\n2. Pull the fan.", page=2))
    assert search(of, "How do I replace the fan?")[0].endswith("2. Pull the fan.")


def test_meaning_decides_where_words_are_equal() -> None:
    vectors = Vectors(places=np.arange(3), matrix=np.array([[1, 0], [0, 1], [0.7, 0.7]], dtype=np.float32))
    of = snapshot(entry("fan a"), entry("fan b", page=2), entry("fan c", page=3), vectors=vectors)
    first = search(of, "fan", vector=np.array([0, 1], dtype=np.float32), parts=(2,))[0]
    assert first == "fan b"


def test_manual_without_vectors_yet_is_found_by_words() -> None:
    vectors = Vectors(places=np.array([0, 1]), matrix=np.eye(2, dtype=np.float32))
    of = snapshot(entry("motor"), entry("pump", page=2), entry("cooling fan", page=3), vectors=vectors)
    assert search(of, "cooling fan", vector=np.array([1, 0], dtype=np.float32), parts=(2,)) == ["cooling fan"]


def test_empty_index_finds_nothing() -> None:
    assert search(snapshot(), "fan") == []


@pytest.mark.parametrize("text", ["", "？", "the", "\u200b", "'; DROP TABLE manuals --"])
def test_question_about_nothing_finds_nothing(text: str) -> None:
    assert search(snapshot(entry("cooling fan")), text) == []


@given(
    st.lists(st.text(alphabet="电机风扇 abF07", min_size=1, max_size=20), min_size=1, max_size=8),
    st.text(alphabet="电机风扇 abF07", max_size=12),
)
def test_same_question_gives_the_same_answer_with_scores_in_range(texts: list[str], question: str) -> None:
    of = snapshot(*(entry(text, page=number) for number, text in enumerate(texts)))
    first: Sequence[FoundPassage] = rank(of, Query(text=question), 5)
    assert first == rank(of, Query(text=question), 5)
    assert all(0 <= found.score <= 1 for found in first)
