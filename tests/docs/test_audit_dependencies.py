"""The dependency audit of `make check`: red for a known vulnerability, green with a reason where nobody could be asked."""

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "audit_dependencies.py"
BAD = {"name": "a", "version": "1.0", "vulns": [{"id": "CVE-2026-1", "fix_versions": ["1.1"]}]}
GOOD = {"name": "b", "version": "2.0", "vulns": []}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@pytest.fixture
def script() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("audit_dependencies", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        (json.dumps({"dependencies": [GOOD, GOOD]}), 0, "2 dependencies audited, 0 unknown"),
        (json.dumps({"dependencies": [GOOD, GOOD, UNKNOWN]}), 0, "3 dependencies audited, 1 unknown"),
        (json.dumps({"dependencies": [BAD, GOOD]}), 1, "a 1.0: CVE-2026-1, mended in 1.1"),
        (json.dumps({"dependencies": [GOOD, UNKNOWN, UNKNOWN]}), 0, "not audited: the service knows 1 of 3"),
        ("", 0, "not audited: ConnectionError: no route"),
    ],
    ids=["clean", "some-unknown", "vulnerable", "mirror", "no-network"],
)
def test_what_the_audit_says(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, status: int, words: str
) -> None:
    ran = subprocess.CompletedProcess(args=[], returncode=1, stdout=said, stderr="Traceback\nConnectionError: no route")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: ran)
    assert script.main() == status
    assert words in capsys.readouterr().out
