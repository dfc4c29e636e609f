"""YAML text to exact values with lines; look-alikes, tricks and junk refused."""

import contextlib
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import ConfigError
from gateway.yamlfile import MAX_BYTES, MAX_ITEMS, YamlValue, parse_yaml, read_yaml


def codes(text: str) -> list[tuple[str, int]]:
    """Code and line of all that is wrong with `text`."""
    try:
        return [(finding.code, finding.line) for finding in parse_yaml(text, "f").findings]
    except ConfigError as exc:
        return [(finding.code, finding.line) for finding in exc.findings]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("off", "off"), ("on", "on"), ("yes", "yes"), ("no", "no"), ("y", "y"),
        ("12:30", "12:30"), ("1:2:3", "1:2:3"), ("2009-06", "2009-06"), ("2009-06-01", "2009-06-01"), ("1.2.3", "1.2.3"), ("V1.1", "V1.1"),
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None),
        ("0", 0), ("-12", -12), ("+3", 3), ("0x1F", 31), ("0o17", 15), ("0xFFFFFFFFFFFFFFFF", 2**64 - 1),
        ("0.1", Decimal("0.1")), ("1.50", Decimal("1.50")), (".5", Decimal("0.5")), ("1e-3", Decimal("0.001")), ("-2.5E+2", Decimal(-250)),
        ("'010'", "010"), ('"40001"', "40001"), ("'null'", "null"), ("|\n  12\n", "12\n"),
        ("0,1", "0,1"), ("<<", "<<"), ("=", "="), ("频率", "频率"),
    ],
)  # fmt: skip
def test_scalar_means_what_it_says(text: str, value: YamlValue) -> None:
    read = parse_yaml(f"k: {text}", "f")
    assert isinstance(read.root, dict)
    assert read.root["k"] == value
    assert type(read.root["k"]) is type(value)
    assert read.findings == ()


@pytest.mark.parametrize(
    "text", ["010", "00001", "-007", "1_000", "0b11", "0X1F", "0x_1", ".nan", "-.inf", "1e9999", "0o8", "1.0_0", "9" * 80]
)
def test_number_that_programs_read_differently_is_refused(text: str) -> None:
    assert codes(f"a: 1\nk: {text}") == [("ambiguous_number", 2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3", [("duplicate_key", 3)]),
        ("a: {x: 1, x: 2}", [("duplicate_key", 1)]),
        ("0x8: 1\n8: 2", [("duplicate_key", 2)]),
        ("true: 1", [("bad_key", 1)]),
        ("? [a, b]\n: 1", [("bad_key", 1)]),
        ("1.5: 1", [("bad_key", 1)]),
        ("a: &x 1", [("alias", 1)]),
        ("a: &x 1\nb: *x", [("alias", 1), ("alias", 2)]),
        ("a: !!python/object:os.system x", [("tag", 1)]),
        ("a: !secret x\nb: !!str 1", [("tag", 1), ("tag", 2)]),
        ("a: {<<: *x}", [("alias", 1)]),
        ("a:\n\tb: 1", [("yaml_syntax", 2)]),
        ("a: [1\nb: 2", [("yaml_syntax", 2)]),
        ("a: 'x", [("yaml_syntax", 1)]),
        ("a: b: c", [("yaml_syntax", 1)]),
        ("%YAML 1.1\n---\na: 1", [("yaml_version", 1)]),
        ("a: 1\n---\nb: 1", [("several_documents", 2)]),
        ("a: 1\nb: \x00", [("not_text", 2)]),
        ("[" * 33 + "]" * 33, [("too_deep", 1)]),
        ("", []),
        ("%YAML 1.2\n---\na: 1", []),
        ("[" * 32 + "]" * 32, []),
    ],
    ids=lambda value: repr(value)[:24] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_refused_stands_at_its_line(text: str, expected: list[tuple[str, int]]) -> None:
    assert codes(text) == expected


def test_duplicate_key_names_both_lines_and_keeps_the_first() -> None:
    read = parse_yaml("a: 1\nb: 2\na: 3", "f")
    assert read.root == {"a": 1, "b": 2}
    assert "line 1" in read.findings[0].message
    assert read.findings[0].line == 3


def test_lines_of_keys_and_items() -> None:
    read = parse_yaml("a:\n  b:\n    - x\n    - {c: 1,\n       d: 2}\n", "f")
    assert [read.line_of(path) for path in (("a",), ("a", "b"), ("a", "b", 1), ("a", "b", 1, "d"))] == [1, 2, 4, 5]
    assert read.line_of(("a", "b", 7, "z")) == 2
    assert read.line_of(("nowhere",)) == 1


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        pytest.param(b"a: 1\n\xff\xfe", "not_text", 2, id="not utf-8"),
        pytest.param("a: 1".encode("utf-16"), "not_text", 1, id="utf-16"),
        pytest.param(b"\x7fELF\x02\x01\x01\x00" * 100, "not_text", 1, id="binary"),
        pytest.param(b"a: 1\n" * MAX_BYTES, "too_large", 0, id="20 MB"),
        pytest.param(b"- a\n" * 500_000, "too_large", MAX_ITEMS + 1, id="too many items"),
        pytest.param(b"".join(b"k%d: 1\n" % number for number in range(MAX_ITEMS + 1)), "too_large", MAX_ITEMS + 1, id="too many keys"),
        pytest.param((b"- [" + b"a," * 9_000 + b"a]\n") * 60, "too_large", 56, id="too many values"),
        pytest.param(b"[" * 3_000_000, "too_deep", 1, id="deep flow"),
        pytest.param(b"? " * 1_000_000, "too_deep", 1, id="deep keys"),
    ],
)
def test_hostile_file_is_one_clear_finding(tmp_path: Path, content: bytes, code: str, line: int) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as raised:
        read_yaml(path)
    assert [finding.code for finding in raised.value.findings] in ([code], ["yaml_syntax"] if code == "too_deep" else [code])
    assert raised.value.findings[0].line == line


def test_large_file_is_refused_with_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: 1\n" * 2_000_000)
    tracemalloc.start()
    with pytest.raises(ConfigError):
        read_yaml(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MAX_BYTES


def test_alias_bomb_stays_small() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a, *a, *a]\n" for n in range(50))
    assert {code for code, _ in codes(bomb)} == {"alias"}


def test_missing_file_names_itself(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        read_yaml(tmp_path / "none.yaml")


def test_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_yaml(path).root == {"a": 1}


@given(st.text(max_size=200))
def test_any_text_gives_values_or_a_config_error(text: str) -> None:
    with contextlib.suppress(ConfigError):
        assert parse_yaml(text, "f").lines is not None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**12), max_value=10**12))
def test_decimals_are_exact(number: Decimal) -> None:
    read = parse_yaml(f"k: {number:f}", "f")
    assert isinstance(read.root, dict)
    assert read.root["k"] == number
