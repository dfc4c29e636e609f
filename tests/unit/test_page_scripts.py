"""The scripts of the page: every word that a panel asks for exists, in both languages, and no text becomes markup."""

import re
from pathlib import Path

import pytest

WEB = [Path(__file__).parents[2] / folder for folder in ("gateway/web", "assistant/web")]
ENTRY = re.compile(r'(\w+): \["((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\]')
WORDS = {
    key: (english, chinese)
    for path in (WEB[0] / "i18n.js", *sorted(WEB[0].glob("words_*.js")))
    for key, english, chinese in ENTRY.findall(path.read_text(encoding="utf-8"))
}
PANELS = sorted(path for folder in WEB for path in folder.rglob("*.js"))


@pytest.mark.parametrize("panel", PANELS, ids=lambda path: path.name)
def test_words_that_a_panel_asks_for_exist(panel: Path) -> None:
    asked = set(re.findall(r'\bt\("(\w+)"', panel.read_text(encoding="utf-8")))
    assert asked - set(WORDS) == set()


MARKUP = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|document\.write|DOMParser|eval|srcdoc|setHTML\w*)\b|new Function"
)


@pytest.mark.parametrize("panel", PANELS, ids=lambda path: path.name)
def test_page_never_makes_markup_of_text_T46(panel: Path) -> None:
    assert MARKUP.findall(panel.read_text(encoding="utf-8")) == []


def test_words_are_in_both_languages_with_the_same_places() -> None:
    places = re.compile(r"\{(\w+)\}")
    assert len(WORDS) > 150
    for key, (english, chinese) in WORDS.items():
        assert english, key
        assert chinese, key
        assert set(places.findall(english)) == set(places.findall(chinese)), key
    same = {key for key, (english, chinese) in WORDS.items() if english == chinese}
    assert same == set()
