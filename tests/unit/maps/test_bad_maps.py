"""Every seeded bad map gives exactly the findings that stand at its lines (`#! code code`)."""

import re
from collections import Counter
from pathlib import Path

import pytest

from gateway.maps.check import check_map
from gateway.maps.codes import CODES

BAD_MAPS = sorted((Path(__file__).parents[2] / "golden" / "bad_maps").glob("*.yaml"))


def expected(path: Path) -> Counter[tuple[int, str]]:
    """Line and code of each finding the file asks for."""
    found: Counter[tuple[int, str]] = Counter()
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        marker = re.search(r"#! (.+)$", line)
        found.update((number, code) for code in (marker[1].split() if marker else []))
    return found


@pytest.mark.parametrize("path", BAD_MAPS, ids=lambda path: path.stem)
def test_bad_map_gives_exactly_its_findings(path: Path) -> None:
    wanted = expected(path)
    assert wanted, "a bad map names what is wrong with it"
    findings = check_map(path)
    assert Counter((finding.line, finding.code) for finding in findings) == wanted, "\n".join(map(str, findings))


@pytest.mark.parametrize("path", BAD_MAPS, ids=lambda path: path.stem)
def test_findings_say_what_to_do(path: Path) -> None:
    for finding in check_map(path):
        assert finding.message
        assert finding.fix
        assert finding.file == str(path)
        assert finding.severity == CODES[finding.code][0]


def test_there_are_enough_bad_maps() -> None:
    assert len(BAD_MAPS) >= 60
