"""The page of check codes: every code is on it, its bad example gives it, its good one does not."""

import re
from pathlib import Path

import pytest

from gateway.errors import Finding
from gateway.maps.codes import CODES
from gateway.maps.inspect import inspect_map
from gateway.settings import inspect_settings

PAGE = (Path(__file__).parents[3] / "docs" / "engineers" / "check-codes.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
EXAMPLE = re.compile(r"^```yaml (\w+) (bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [(code, kind, quality, text) for code, section in SECTIONS.items() for kind, quality, text in EXAMPLE.findall(section)]
WITHOUT_EXAMPLE = {
    "unreadable",
    "too_large",
    "not_text",
    "too_deep",
    "id_not_file_name",
    "nothing_found",
    "vectors_missing",
    "vector_fails",
}
HEAD = {
    "regmap": "1",
    "id": "example",
    "vendor": "Example",
    "model": "X1",
    "kind": "test",
    "title": "{en: Example, zh: 例}",
    "manual": "{title: M, addressing: pdu}",
}
CONFIG = {
    "site": "site: {name: Plant}\n",
    "links": "links:\n  - {id: lan1, transport: tcp, host: 10.0.0.1}\n",
    "devices": "devices:\n  - {id: vfd1, link: lan1, unit_id: 1, map: demo_vx200, title: Drive}\n",
}


def findings_of(kind: str, text: str, folder: Path) -> tuple[Finding, ...]:
    """What checking the example gives, set into the rest of a file."""
    path = folder / "example.yaml"
    keys = set(re.findall(r"^(\w+):", text, re.MULTILINE))
    match kind:
        case "points":
            text = _head(set()) + "points:\n" + "".join(f"  {line}\n" for line in text.splitlines())
        case "map":
            points = "" if "points" in keys else "points:\n  speed: {pdu: 0, table: holding, type: uint16}\n"
            text = _head(keys) + text + points
        case "config":
            text = "".join(part for key, part in CONFIG.items() if key not in keys) + text
    path.write_text(text, encoding="utf-8")
    return inspect_settings(path)[1] if kind in ("config", "load") else inspect_map(path).findings


def _head(given: set[str]) -> str:
    return "".join(f"{key}: {value}\n" for key, value in HEAD.items() if key not in given)


def test_every_code_is_on_the_page_with_its_severity_and_meaning() -> None:
    assert SECTIONS.keys() == CODES.keys()
    for code, (severity, meaning) in CODES.items():
        assert SECTIONS[code].strip().startswith(f"{severity.capitalize()}: {meaning}.")


def test_every_code_has_both_examples() -> None:
    both = {code for code in CODES if {quality for known, _, quality, _ in EXAMPLES if known == code} == {"bad", "good"}}
    assert set(CODES) - both == WITHOUT_EXAMPLE


@pytest.mark.parametrize(("code", "kind", "quality", "text"), EXAMPLES, ids=[f"{code}-{quality}" for code, _, quality, _ in EXAMPLES])
def test_example_is_what_it_says(code: str, kind: str, quality: str, text: str, tmp_path: Path) -> None:
    findings = findings_of(kind, text, tmp_path)
    codes = {finding.code for finding in findings}
    if quality == "bad":
        assert code in codes
    else:
        assert code not in codes
        if kind in ("points", "map", "config"):
            assert [str(finding) for finding in findings if finding.severity == "error"] == []
