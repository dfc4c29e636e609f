"""The writing side keeps a test for every threat (T20 to T36) and every case of the wire (W01 to W21), named in its id."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
IDS = [f"T{number}" for number in range(20, 37)] + [f"W{number:02}" for number in range(1, 22)]
NAME = re.compile(r"^(?:async )?def (test_\w+)|\"([^\"\n]*)\"", re.MULTILINE)


@pytest.fixture(scope="module")
def names() -> set[str]:
    """Names of test functions, and short texts by which cases are called."""
    found: set[str] = set()
    for file in TESTS.rglob("test_*.py"):
        if file != Path(__file__):
            found |= {(function or case).upper() for function, case in NAME.findall(file.read_text(encoding="utf-8"))}
    return found


@pytest.mark.parametrize("case", IDS)
def test_case_has_a_test_with_its_name(names: set[str], case: str) -> None:
    whole = re.compile(rf"(?<![0-9A-Z]){case}(?![0-9])")
    assert any(whole.search(name) for name in names)
