"""`busmate manuals`."""

import json
from pathlib import Path

import pytest

from assistant.cli.manuals import Action, manuals
from assistant.manuals import embed
from tests.manual_shelf import WordEmbedder, write

CONFIG = """
site: {{name: Test, timezone: UTC, languages: [en]}}
data_dir: ./data
links:
  - {{id: lan1, transport: tcp, host: 127.0.0.1, port: 15020}}
devices:
  - {{id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: {{en: Level, zh: 液位}}}}
assistant:
  manuals: {manuals}
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(embed, "default_embedder", WordEmbedder)
    file = tmp_path / "plant.yaml"
    file.write_text(CONFIG.format(manuals="[]"), "utf-8")
    write(tmp_path / "in", lt50_en="# Blocking distance\n\nFor the LT50: 0.25 m.", notes="# Fan\n\nClean the fan monthly.")
    return file


def run(action: str, *what: str, config: Path | None, device: str | None = None, as_json: bool = True) -> None:
    manuals(Action(action), list(what), config=config, device=device, k=5, as_json=as_json)


def answer(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    read: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return read


def test_folder_is_added_listed_and_removed(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("add", str(config.parent / "in"), config=config)
    assert [(info["doc"], info["models"], info["embedded"]) for info in answer(capsys)] == [
        ("lt50-en", ["LT50"], True),
        ("notes", [], True),
    ]
    run("remove", "notes", config=config)
    assert [info["doc"] for info in answer(capsys)] == ["lt50-en"]
    run("list", config=config)
    assert [info["doc"] for info in answer(capsys)] == ["lt50-en"]


def test_search_gives_the_promised_fields(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("add", str(config.parent / "in" / "lt50-en.md"), config=config)
    capsys.readouterr()
    run("search", "blocking", "distance", config=config, device="lt1")
    found = answer(capsys)
    assert [(one["doc"], one["page"], one["text"]) for one in found] == [("lt50-en", 1, "For the LT50: 0.25 m.")]
    assert set(found[0]) == {"doc", "revision", "page", "section", "text", "score"}


def test_first_search_reads_the_configured_folder(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(CONFIG.format(manuals="[./in]"), "utf-8")
    run("search", "clean the fan", config=config)
    assert [one["doc"] for one in answer(capsys)] == ["notes"]


def test_people_read_lines(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("list", config=config, as_json=False)
    run("add", str(config.parent / "in" / "notes.md"), config=config, as_json=False)
    run("search", "clean the fan", config=config, as_json=False)
    run("search", "torque", config=config, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "no manuals",
        "notes  -  any device  1 pages, 1 passages",
        "[notes p.1] Fan: Clean the fan monthly.  (1.00)",
        "not found in the manuals",
    ]


def test_adding_is_audited_with_the_digest(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from gateway.cli.audit import Action as AuditAction
    from gateway.cli.audit import audit

    run("add", str(config.parent / "in" / "notes.md"), config=config)
    (info,) = answer(capsys)
    audit(AuditAction.EXPORT, config, out=None, anchor=None, as_json=True)
    assert str(info["sha256"]) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("action", "what", "status", "words"),
    [
        pytest.param("add", ["missing.pdf"], 1, "missing.pdf", id="no-file"),
        pytest.param("remove", ["nothing"], 1, "no manual is called nothing", id="no-manual"),
        pytest.param("add", [], 2, "something more is expected", id="add-what"),
        pytest.param("list", ["x"], 2, "nothing more is expected", id="list-what"),
    ],
)
def test_failure_is_one_document_and_a_status(
    config: Path, capsys: pytest.CaptureFixture[str], action: str, what: list[str], status: int, words: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(action, *what, config=config)
    said = json.loads(capsys.readouterr().out)
    assert (ended.value.code, words in said["message"], set(said) >= {"error", "message", "fix"}) == (status, True, True)


def test_unknown_device_is_said(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("search", "fan", config=config, device="vfd9", as_json=False)
    assert "no device or model is called vfd9" in capsys.readouterr().err


def test_config_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run("list", config=None, as_json=False)
    assert (ended.value.code, "--config" in capsys.readouterr().err) == (2, True)
