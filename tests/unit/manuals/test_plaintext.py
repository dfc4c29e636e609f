"""Nothing invisible gets through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.manuals.plaintext import language, one_line, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("ig\u200bnore", "ignore", id="T03-zero-width"),
        pytest.param("safe\u202etxet", "safetxet", id="T03-bidi-override"),
        pytest.param("a\ue000b", "ab", id="T03-private-use"),
        pytest.param("a\U000e0041b", "ab", id="T03-tag-characters"),
        pytest.param("a\x1b[31mb\x00", "a[31mb", id="control"),
        pytest.param("line\n\tnext", "line\n\tnext", id="line-feed-and-tab-stay"),
        pytest.param("(cid:127) 4(cid:9)5", "\ufffd 4\ufffd5", id="unnamed-glyph-stays-seen"),
        pytest.param("40 °C 电机", "40 °C 电机", id="plain"),
    ],
)
def test_only_visible_signs_stay(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("cooling\nfan", "cooling fan", id="latin"),
        pytest.param("冷却\n风扇", "冷却风扇", id="chinese"),
        pytest.param("P1-07\n加速", "P1-07 加速", id="mixed"),
        pytest.param("  a \t b ", "a b", id="runs"),
    ],
)
def test_lines_join_as_the_language_wants(text: str, expected: str) -> None:
    assert one_line(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("F07 电机过热", "zh"), ("Motor over-temperature F07", "en"), ("EM300的32位数据字序", "zh"), ("", "en"), ("VX200 P1-07", "en")],
)
def test_language_is_told_by_what_carries_the_text(text: str, expected: str) -> None:
    assert language(text) == expected


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)
