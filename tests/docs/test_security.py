"""The security guide is true: the tests it names exist, and every threat that the gateway answers has one."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/administrators/security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", GUIDE)
ROWS = [line for line in GUIDE.splitlines() if line.startswith("| SR ")]

REQUIREMENTS = {
    1: (1, 3, 5, 7, 11, 13),
    2: (1, 5, 6, 7, 8, 9, 10, 11, 12),
    3: (1, 4, 5, 6, 7, 8, 9),
    4: (1,),
    5: (1, 2),
    6: (1,),
    7: (1, 2, 3, 4, 6, 7, 8),
}
"""Foundational requirement -> the system requirements that concern a gateway."""

THREATS = {
    "web and identity": [*range(40, 51)],
    "files and configuration": [*range(60, 67)],
    "audit and time": [*range(80, 85)],
    "field side": [*range(90, 95)],
}
TESTS = sorted(ROOT.glob("tests/**/test_*.py"))


@cache
def functions(path: Path) -> frozenset[str]:
    """The names of a file's functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize(("path", "name"), sorted(set(NAMED)), ids=lambda part: str(part).rpartition("/")[2])
def test_named_test_exists(path: str, name: str) -> None:
    assert name in functions(ROOT / path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:12].strip())
def test_each_requirement_names_a_test_or_says_that_it_is_left_to_the_plant(row: str) -> None:
    assert re.search(r"`tests/[\w/]+\.py::\w+`", row) or "left to the plant" in row


@pytest.mark.parametrize("requirement", [f"{group}.{number}" for group, numbers in REQUIREMENTS.items() for number in numbers])
def test_each_requirement_has_its_row(requirement: str) -> None:
    assert any(re.search(rf"\b{re.escape(requirement)}\b", row.split("|")[1]) for row in ROWS)


@pytest.mark.parametrize("threat", [f"T{number}" for numbers in THREATS.values() for number in numbers])
def test_each_threat_has_a_test_of_its_name(threat: str) -> None:
    names = [name for path in TESTS for name in functions(path) if name.startswith("test_")]
    carries = re.compile(rf"_{threat}(?!\d)", re.IGNORECASE)
    in_ids = re.compile(rf'"{threat}-')
    assert any(carries.search(name) for name in names) or any(in_ids.search(path.read_text(encoding="utf-8")) for path in TESTS)


def test_every_pin_has_a_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^[\w.-]+==[^\\\n]+\\\n\s+--hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE)) > 100
