"""`busmate check`: what it prints and how it ends."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.cli import main
from gateway.maps.load import shipped_maps
from tests.seeded import GOLDEN

Out = tuple[int, str, str]
Run = Callable[..., Out]
CONFIGS = Path(__file__).parents[3] / "configs"
KEYS = {"file", "line", "path", "code", "message", "fix"}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `busmate check` in this process: exit status, standard output, standard error."""

    def _run(*words: str | Path) -> Out:
        monkeypatch.setattr(sys, "argv", ["busmate", "check", *map(str, words)])
        status = 0
        try:
            main()
        except SystemExit as exc:
            status = exc.code if isinstance(exc.code, int) else 1
        out, err = capsys.readouterr()
        return status, out, err

    return _run


def test_shipped_maps_and_configurations_have_no_error(run: Run) -> None:
    status, out, _ = run(shipped_maps(), CONFIGS, "--json")
    document = json.loads(out)
    assert status == 0
    assert document["errors"] == []


def test_errors_end_with_1_and_name_file_line_path_code_and_fix(run: Run) -> None:
    path = GOLDEN / "bad_maps" / "scale_zero.yaml"
    status, out, _ = run(path)
    assert status == 1
    place, rest = out.splitlines()[0].split(": ", 1)
    assert place == f"{path}:9"
    assert rest.startswith("points.a.scale: scale_zero: a scale of 0 ")
    assert "write the factor" in rest
    assert out.splitlines()[-1] == "1 error, 0 warnings"


def test_warnings_end_with_0_and_are_called_so(run: Run) -> None:
    status, out, _ = run(GOLDEN / "bad_maps" / "typed_raw_40001.yaml")
    assert status == 0
    assert ": looks_like_modicon: warning: " in out
    assert out.splitlines()[-1] == "0 errors, 1 warning"


def test_json_is_one_document_with_all_findings(run: Run) -> None:
    status, out, err = run(GOLDEN / "bad_maps", "--json")
    document = json.loads(out)
    assert (status, err) == (1, "")
    assert all(finding.keys() == KEYS for kind in ("errors", "warnings") for finding in document[kind])
    assert len({finding["file"] for finding in document["errors"] + document["warnings"]}) == len(
        list((GOLDEN / "bad_maps").glob("*.yaml"))
    )


def test_configuration_is_told_from_a_map(run: Run) -> None:
    document = json.loads(run(GOLDEN / "bad_configs" / "unknown_names.yaml", "--json")[1])
    assert [(finding["line"], finding["code"]) for finding in document["errors"]] == [(6, "unknown_link"), (7, "unknown_map")]


def test_sarif_has_a_rule_and_a_place_for_each_finding(run: Run) -> None:
    status, out, _ = run(GOLDEN / "bad_maps" / "overlapping.yaml", GOLDEN / "bad_maps" / "scale_zero.yaml", "--sarif")
    document = json.loads(out)
    (sarif_run,) = document["runs"]
    assert status == 1
    assert document["version"] == "2.1.0"
    assert [rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]] == ["overlap", "scale_zero"]
    assert [(result["ruleId"], result["level"]) for result in sarif_run["results"]] == [("overlap", "warning"), ("scale_zero", "error")]
    place = sarif_run["results"][1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("scale_zero.yaml")
    assert place["region"] == {"startLine": 9}


@pytest.mark.parametrize(
    ("content", "code"), [(b"\x00\xffjunk", "not_text"), (b"hello", "not_a_map"), (b"", "not_a_map")], ids=["binary", "word", "empty"]
)
def test_junk_is_one_finding(run: Run, tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "junk.yaml"
    path.write_bytes(content)
    status, out, err = run(path, "--json")
    assert (status, err) == (1, "")
    assert [finding["code"] for finding in json.loads(out)["errors"]] == [code]


def test_path_that_is_not_there(run: Run, tmp_path: Path) -> None:
    status, out, _ = run(tmp_path / "gone.yaml", "--json")
    assert status == 1
    assert [finding["code"] for finding in json.loads(out)["errors"]] == ["unreadable"]


def test_folder_without_maps(run: Run, tmp_path: Path) -> None:
    status, out, _ = run(tmp_path, "--json")
    assert status == 1
    assert [finding["code"] for finding in json.loads(out)["errors"]] == ["nothing_found"]


def test_folder_of_maps_is_held_against_its_vectors(run: Run, tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    for name in ("demo_lt50", "demo_tc10"):
        (tmp_path / f"{name}.yaml").write_text((shipped_maps() / f"{name}.yaml").read_text("utf-8"), "utf-8")
    failing = tmp_path / "vectors" / "demo_lt50.yaml"
    failing.write_text('- {point: temp, words: ["0x7B00"], value: 12.4}\n', "utf-8")
    stray = tmp_path / "vectors" / "gone.yaml"
    stray.write_text("[]\n", "utf-8")
    status, out, _ = run(tmp_path, "--json")
    found = {(finding["file"], finding["line"], finding["code"]) for finding in json.loads(out)["errors"]}
    assert status == 1
    assert found == {
        (str(failing), 1, "vector_fails"),
        (str(tmp_path / "demo_tc10.yaml"), 1, "vectors_missing"),
        (str(stray), 1, "unknown_map"),
    }


def test_no_path_is_wrong_usage(run: Run) -> None:
    assert run()[0] == 2
