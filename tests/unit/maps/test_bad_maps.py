"""Every seeded bad map gives exactly the findings that stand at its lines."""

from collections import Counter
from pathlib import Path

import pytest

from gateway.maps.check import check_map
from gateway.maps.codes import CODES
from tests.seeded import GOLDEN, expected

BAD_MAPS = sorted((GOLDEN / "bad_maps").glob("*.yaml"))


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
