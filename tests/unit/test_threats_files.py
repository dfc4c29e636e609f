"""Threats from files and configuration (THREATS D) that no other file tries whole."""

import ast
from pathlib import Path

import pytest

from assistant.errors import AssistantError
from gateway.errors import ConfigError
from gateway.maps.load import load_map
from gateway.service.find import find
from gateway.yamlfile import parse_yaml
from tests.doubles_plant import PLANT
from tests.manual_shelf import library

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("gateway", "assistant", "simulators") for path in (ROOT / package).rglob("*.py"))
NOTES = "# Notes\n\nClean the cooling fan monthly."

NAMES = {
    "parents": "../../../../etc/passwd.md",
    "absolute": "/etc/cron.d/evil.md",
    "windows": "C:\\Windows\\system32\\evil.md",
    "nul": "a\0b.md",
    "nul-in-ending": "a.m\0d",
    "long": "a" * 3000 + ".md",
    "long-ending": "a." + "m" * 3000,
    "reserved": "CON.md",
    "bidi": "evil\u202edm.md",
    "dots": "..",
    "hidden": ".htaccess",
    "nothing": "",
    "newline": "a\nb.md",
    "stream": "a.md::$DATA",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
async def test_upload_stays_in_its_folder_whatever_it_is_called_T60(tmp_path: Path, name: str) -> None:
    shelf = await library(tmp_path)
    before = _files(tmp_path)
    try:
        info = await shelf.add_bytes(name, NOTES.encode())
    except AssistantError:
        assert _files(tmp_path) == before
    else:
        assert info.doc.replace("-", "").replace("_", "").replace(".", "").isalnum()
        assert {path.parent for path in _files(tmp_path) - before} == {tmp_path / "kept"}


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("index.db")}


YAML = {
    "anchors-bomb": "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a, *a, *a, *a]\n" for n in range(200)),
    "python-object": "a: !!python/object/apply:os.system [id]",
    "duplicate-key": "a: 1\na: 2",
    "deep": "a: " + "[" * 500 + "]" * 500,
    "many-values": "a: [" + "1, " * 600_000 + "1]",
    "tab": "a:\n\tb: 1",
    "two-documents": "a: 1\n---\na: 2",
}


@pytest.mark.parametrize("text", YAML.values(), ids=YAML)
def test_yaml_that_bites_is_refused_with_its_line_T62(text: str) -> None:
    try:
        findings = parse_yaml(text, "evil.yaml").findings
    except ConfigError as refused:
        findings = refused.findings
    assert findings
    assert all(finding.line > 0 and finding.file == "evil.yaml" for finding in findings)


SCALARS = {"on": "on", "off": "off", "yes": "yes", "octal": "010", "underscore": "1_000", "sexagesimal": "1:30"}


@pytest.mark.parametrize("scalar", SCALARS.values(), ids=SCALARS)
def test_word_that_some_yaml_takes_for_another_is_no_number_T62(scalar: str) -> None:
    file = parse_yaml(f"a: {scalar}", "map.yaml")
    value = file.root["a"] if isinstance(file.root, dict) else None
    assert file.findings or value == scalar


def test_limit_that_is_no_number_is_refused_T62() -> None:
    with pytest.raises(ConfigError, match="finite"):
        load_map(ROOT / "tests/golden/bad_maps/nan_limit.yaml")


PATTERN_MAKERS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


ASKED = [path for path in SOURCES if path.is_relative_to(ROOT / "gateway/api") or path.parent.name in ("service", "store", "tools", "api")]
"""Where what a person typed arrives."""


@pytest.mark.parametrize("source", ASKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_of_a_person_becomes_a_pattern_T65(source: Path) -> None:
    """Patterns are made when a module is loaded, or of escaped words: nobody can send one that never ends."""
    functions = [node for node in ast.walk(_parsed(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    calls = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.Call)]
    made = [node.lineno for node in calls if _is_of(node.func, "re", PATTERN_MAKERS) and not _is_written(node.args[0])]
    assert made == []


EVIL = {
    "nested": "(a+)+$ " + "a" * 400 + "!",
    "alternatives": "(a|aa)*b " * 40,
    "open": "[",
    "digits": "1" * 450,
    "spaces": " " * 480 + "x",
    "classes": r"(\d+\s*)+z",
}


@pytest.mark.parametrize("query", EVIL.values(), ids=EVIL)
async def test_search_takes_patterns_for_words_T65(tmp_path: Path, query: str) -> None:
    shelf = await library(tmp_path)
    await shelf.add_bytes("notes.md", NOTES.encode())
    assert {passage.doc for passage in await shelf.search(f"cooling fan {query}"[:500])} <= {"notes"}
    found = find(tuple(PLANT.infos.values()), PLANT.devices, f"P-101 motor current {query}"[:200])
    assert {point.device for point in found[:1]} <= {"vfd1"}


def _parsed(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"))


def _is_of(function: ast.expr, module: str, names: set[str]) -> bool:
    match function:
        case ast.Attribute(value=ast.Name(id=found), attr=name):
            return found == module and name in names
    return False


def _is_written(pattern: ast.expr) -> bool:
    """A literal, a constant of the module, or a literal with such and with `re.escape`d parts in it."""
    match pattern:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=parts):
            return all(_is_written(part.value) for part in parts if isinstance(part, ast.FormattedValue))
        case ast.Name(id=name):
            return name.isupper()
        case ast.Call(func=function):
            return _is_of(function, "re", {"escape"})
    return False


FORBIDDEN = {"pickle", "cPickle", "dill", "marshal", "shelve", "joblib", "cloudpickle", "jsonpickle"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_stored_can_run_code_when_it_is_read_T66(source: Path) -> None:
    nodes = list(ast.walk(_parsed(source)))
    imported = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {(node.module or "").partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert not imported & FORBIDDEN
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if "yaml" in imported:
        assert [node.lineno for node in calls if _is_of(node.func, "yaml", {"load", "unsafe_load", "full_load"})] == []
    if "numpy" in imported:
        loads = [node for node in calls if _is_of(node.func, "np", {"load"})]
        words = [{word.arg: word.value for word in node.keywords} for node in loads]
        assert all(isinstance(one.get("allow_pickle"), ast.Constant) for one in words)
    assert not any(
        isinstance(word.value, ast.Constant) and word.value.value is True
        for node in calls
        for word in node.keywords
        if word.arg == "allow_pickle"
    )
