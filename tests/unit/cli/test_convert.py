"""`busmate convert`: what it prints and writes, and how it ends."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.cli import main
from gateway.maps.load import load_map, shipped_maps
from tests.seeded import GOLDEN

Out = tuple[int, str, str]
Run = Callable[..., Out]
SAMPLES = GOLDEN / "convert"
MODPOLL = ("modpoll", SAMPLES / "modpoll.csv", "--notation", "pdu")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process: exit status, standard output, standard error."""

    def _run(*words: str | Path, command: str = "convert") -> Out:
        monkeypatch.setattr(sys, "argv", ["busmate", command, *map(str, words)])
        status = 0
        try:
            main()
        except SystemExit as exc:
            status = exc.code if isinstance(exc.code, int) else 1
        out, err = capsys.readouterr()
        return status, out, err

    return _run


def test_map_goes_to_standard_output_and_the_report_to_standard_error(run: Run) -> None:
    status, out, err = run(*MODPOLL)
    assert status == 0
    assert out == (SAMPLES / "expected" / "modpoll.yaml").read_text(encoding="utf-8")
    assert "assumed: line 6: serial_text: " in err
    assert err.splitlines()[-1].startswith("21 points, ")


def test_written_map_has_the_file_name_as_its_id_and_passes_the_check(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "flow-computer.yaml"
    assert run(*MODPOLL, "-o", out, "--vendor", "Flow Ltd", "--model", "F1", "--kind", "flow_meter")[:2] == (0, "")
    loaded = load_map(out)
    assert (loaded.id, loaded.vendor, loaded.model, loaded.kind) == ("flow-computer", "Flow Ltd", "F1", "flow_meter")
    assert run(out, command="check")[0] == 0


def test_json_is_one_document_with_every_note(run: Run, tmp_path: Path) -> None:
    status, out, err = run(*MODPOLL, "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert (document["id"], document["points"], document["file"]) == ("modpoll", 21, None)
    assert document["text"].startswith("# Imported")
    assert {"kind": "check", "line": 9, "what": "Mode", "why": "rights 'rm' are not r, w or rw; taken as read only"} in document["notes"]
    written = json.loads(run(*MODPOLL, "--json", "-o", tmp_path / "m.yaml")[1])
    assert (written["text"], written["file"]) == (None, str(tmp_path / "m.yaml"))


def test_file_that_exists_is_kept_unless_forced(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "m.yaml"
    out.write_text("mine", encoding="utf-8")
    status, _, err = run(*MODPOLL, "-o", out)
    assert (status, out.read_text(encoding="utf-8")) == (1, "mine")
    assert "--force" in err
    assert run(*MODPOLL, "-o", out, "--force")[0] == 0
    assert load_map(out).id == "m"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("modpoll", SAMPLES / "modpoll.csv"), "give --notation pdu"),
        (("kepware", SAMPLES / "kepware.csv"), "--set zero_based_addressing=on|off"),
        (("sunspec", SAMPLES / "wb.json"), "no SunSpec model"),
        (("csv", SAMPLES / "kepware.csv"), "--to csv"),
        (("wb", SAMPLES / "none.json"), "check the path"),
        ((*MODPOLL, "--unit", "8"), "give --unit with one of 7"),
        ((*MODPOLL, "--id", "Not An Id"), "id: 'Not An Id'"),
        (("--to", "telegraf", SAMPLES / "modpoll.csv"), "modpoll.csv"),
    ],
    ids=["notation", "settings", "other-format", "table", "missing", "unit", "id", "no-map"],
)
def test_what_is_wrong_is_one_line_and_status_1(run: Run, words: tuple[str | Path, ...], says: str, tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    status, printed, err = run(*words, "-o", out)
    assert (status, printed, out.exists()) == (1, "", False)
    assert says in err
    assert "Traceback" not in err
    assert err.count("\n") == 1 or words[0] == "--to"
    failed = json.loads(run(*words, "--json")[1])
    assert failed["error"]
    assert failed["message"]


@pytest.mark.parametrize(
    "words",
    [
        ("docx", "x"),
        ("wot", "x"),
        ("modpoll",),
        ("--to", "modpoll", "x"),
        (*MODPOLL, "--set", "plugin=modbus"),
        (*MODPOLL, "--order", "AB"),
        (*MODPOLL, "--base", "2"),
    ],
    ids=["unknown", "write-only", "no-file", "read-only", "setting", "order", "base"],
)
def test_wrong_usage_is_status_2(run: Run, words: tuple[str | Path, ...]) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert "busmate convert --help" in err


@pytest.mark.parametrize("name", ["csv", "telegraf", "home_assistant", "wot"])
def test_map_is_exported_to_text(run: Run, name: str) -> None:
    status, out, _ = run("--to", name, shipped_maps() / "demo_em300.yaml")
    assert status == 0
    assert "power" in out


def test_workbook_needs_a_file_and_comes_back(run: Run, tmp_path: Path) -> None:
    path = shipped_maps() / "demo_em300.yaml"
    status, out, err = run("--to", "xlsx", path)
    assert (status, out) == (1, "")
    assert "-o FILE.xlsx" in err
    book, again = tmp_path / "em300.xlsx", tmp_path / "our-em300.yaml"
    assert run("--to", "xlsx", path, "-o", book)[0] == 0
    assert run("xlsx", book, "-o", again)[0] == 0
    assert load_map(again).id == "our-em300"
    assert load_map(again).points.keys() == load_map(path).points.keys()


def test_one_format_is_turned_into_another(run: Run) -> None:
    status, out, err = run(*MODPOLL, "--to", "csv")
    assert status == 0
    assert "flow_rate" in out
    assert "rights 'rm'" in err
