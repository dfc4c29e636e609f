"""One tokenizer for both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.manuals.tokens import codes, is_code, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("P1-07", ["p1-07"], id="parameter"),
        pytest.param("Fault F07 on the VX200", ["fault", "f07", "vx200"], id="fault-and-model"),
        pytest.param("0x2001 (8193)", ["0x2001", "8193"], id="hex-address"),
        pytest.param("register 40021", ["register", "40021"], id="reference"),
        pytest.param("0.01 Hz", ["0.01", "hz"], id="scale-keeps-its-point"),
        pytest.param("30,000 h", ["30000", "h"], id="thousands"),
        pytest.param("Ｆ０７", ["f07"], id="full-width"),
        pytest.param("电机过热", ["电机", "机过", "过热"], id="chinese-pairs"),
        pytest.param("报F07的电机", ["报", "f07", "电机"], id="code-inside-chinese"),
        pytest.param("registers", ["register"], id="plural"),
        pytest.param("what is the", [], id="stop-words"),
        pytest.param("VX200-4-15K", ["vx200-4-15k"], id="type-code"),
        pytest.param("", [], id="empty"),
    ],
)
def test_text_gives_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize("code", ["p1-07", "f07", "0x2001", "40021", "p8-03", "ai1", "err07"])
def test_code_is_a_code(code: str) -> None:
    assert is_code(code)


@pytest.mark.parametrize("word", ["fault", "hz", "15", "0.01", "电机"])
def test_word_is_no_code(word: str) -> None:
    assert not is_code(word)


def test_codes_are_found_in_a_question() -> None:
    assert codes("F07 或 P1-07，寄存器 0x2001？") == {"f07", "p1-07", "0x2001"}


@given(st.text())
def test_any_text_can_be_tokenized(text: str) -> None:
    assert all(token and not token.isspace() for token in tokens(text))


@given(st.from_regex(r"\A[A-Z][0-9]-[0-9]{2}\Z"), st.text(alphabet="电机过热 ，。()", max_size=8))
def test_code_is_kept_whole_whatever_stands_around_it(code: str, around: str) -> None:
    assert code.lower() in tokens(f"{around}{code}{around}")
