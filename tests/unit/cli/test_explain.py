"""`busmate explain` on words that are typed in; reading is tested over the running plant."""

import json
import sys
from pathlib import Path

import pytest

from gateway.cli import main

CONFIG = str(Path(__file__).parents[3] / "configs/demo.yaml")


def explain(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """The exit status."""
    monkeypatch.setattr(sys, "argv", ["busmate", "explain", CONFIG, *arguments])
    try:
        main()
    except SystemExit as end:
        return end.code
    return 0


def test_typed_words_are_explained_with_frames_and_orders(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(monkeypatch, "vfd1.speed_fb", "--words", "0x1194", "--json") == 0
    one = json.loads(capsys.readouterr().out)
    assert (one["wire"]["request"], one["wire"]["reply"]) == ("01 03 21 02 00 01 2F F6", "01 03 02 11 94 B5 BB")
    assert (one["value"], one["quality"], one["address"]["reg"], one["address"]["ref6"]) == (45.0, "GOOD", 8451, "408451")
    assert [each["mark"] for each in one["orders"]] == ["likely", "unlikely"]


def test_lines_for_people_name_map_and_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(monkeypatch, "em1.voltage_l1", "--words", "08FD", "0000") == 0
    shown = capsys.readouterr().out
    assert "demo_em300.yaml:" in shown
    assert "230.1" in shown


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["vfd1.speed_fb", "--words", "12345"], "WORDS"),
        (["vfd1.speed_fb", "--words", "1", "2"], "WORDS"),
        (["vfd1.sped_fb", "--words", "1"], "UNKNOWN_TAG"),
        (["vfd1.speed_fb", "1194"], "USAGE"),
    ],
    ids=["not-hex", "too-many", "unknown", "stray"],
)
def test_faults_are_one_document(
    arguments: list[str], code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(monkeypatch, *arguments, "--json") == (2 if code == "USAGE" else 1)
    assert json.loads(capsys.readouterr().out)["error"] == code
