"""A question taken apart, and the glossary behind it."""

from pathlib import Path

import pytest

from assistant.manuals import glossary
from assistant.manuals.glossary import phrases_in, translations
from assistant.manuals.query import units


def test_every_glossary_line_has_both_languages() -> None:
    lines = Path(glossary.__file__).with_name("glossary.tsv").read_text("utf-8").splitlines()
    assert [line for line in lines if len(line.split("\t")) != 2 or not all(part.strip() for part in line.split("\t"))] == []


def test_no_english_name_means_two_things() -> None:
    lines = Path(glossary.__file__).with_name("glossary.tsv").read_text("utf-8").splitlines()
    names = [name for line in lines for name in line.split("\t")[0].split("|")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize(
    ("text", "into", "expected"),
    [
        pytest.param("cooling fan", "zh", "风扇", id="english"),
        pytest.param("the fans", "zh", "风扇", id="plural"),
        pytest.param("盲区", "en", "blocking distance", id="chinese"),
        pytest.param("终端电阻", "en", "termination", id="longer-name-hides-shorter"),
    ],
)
def test_word_of_the_trade_is_translated(text: str, into: str, expected: str) -> None:
    assert translations(text, "zh" if into == "zh" else "en")[0] == expected


def test_longer_name_hides_the_shorter_inside_it() -> None:
    assert [phrase.name for phrase in phrases_in("dc bus", "en")] == ["dc bus"]


def test_english_question_is_also_asked_in_chinese() -> None:
    asked = units("What is the blocking distance of the LT50?")
    assert asked.lang == "en"
    assert any(frozenset(["盲区"]) in unit.ways for unit in asked.chinese)
    assert any(unit.ways == (frozenset(["lt50"]),) for unit in asked.chinese)


def test_synonyms_of_the_same_language_are_one_unit() -> None:
    chlorine_high = units("余氯超标")
    assert any({frozenset(["过高"]), frozenset(["高于"])} <= set(unit.ways) for unit in chlorine_high.chinese)


@pytest.mark.parametrize("text", ["", "什么", "what is it", "？？"])
def test_question_about_nothing_has_no_units(text: str) -> None:
    assert units(text).english == units(text).chinese == ()
