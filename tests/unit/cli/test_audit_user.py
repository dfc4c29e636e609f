"""`busmate audit`, `busmate user` and `busmate token`."""

import asyncio
import csv
import getpass
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from gateway.cli import main
from gateway.clock import SystemClock
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles
from gateway.store.engine import Store
from gateway.store.first_admin import FirstAdmin
from gateway.store.users import Users

Run = Callable[..., tuple[int, str, str]]
CONFIG = """\
site: {name: Test, timezone: UTC, languages: [en, zh]}
data_dir: ./data
links:
  - {id: lan1, transport: tcp, host: 127.0.0.1}
devices:
  - {id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: {en: Tank, zh: 水箱}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "plant.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    (tmp_path / "password").write_text("correct horse\n", encoding="utf-8")
    return path


@pytest.fixture
def run(config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def _run(command: str, *words: str) -> tuple[int, str, str]:
        group, action = command.split()
        monkeypatch.setattr(sys, "argv", ["busmate", group, action, str(config), *words])
        status = 0
        try:
            main()
        except SystemExit as exc:
            status = exc.code if isinstance(exc.code, int) else 1
        out, err = capsys.readouterr()
        return status, out, err

    return _run


def add(run: Run, config: Path, name: str = "anna", role: str = "admin") -> tuple[int, str, str]:
    return run("user add", name, "--role", role, "--password-file", str(config.parent / "password"))


def sql(config: Path, statement: str) -> None:
    engine = create_engine(f"sqlite:///{config.parent}/data/busmate.db")
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


def test_accounts_are_made_listed_and_changed(run: Run, config: Path) -> None:
    assert add(run, config) == (0, "anna admin\n", "")
    assert add(run, config, "olga", "operator")[0] == 0
    assert run("user role", "olga", "--role", "engineer")[1] == "olga engineer\n"
    assert run("user disable", "olga")[1] == "olga engineer disabled\n"
    status, out, _ = run("user list", "--json")
    assert status == 0
    assert [(one["user"], one["role"], one["disabled"]) for one in json.loads(out)] == [
        ("anna", "admin", False),
        ("olga", "engineer", True),
    ]
    assert run("user enable", "olga")[1] == "olga engineer\n"


def test_first_admin_by_the_code_of_the_console_T45(run: Run, config: Path) -> None:
    async def issued() -> str:
        clock = SystemClock()
        (config.parent / "data").mkdir()
        files = AuditFiles(key=config.parent / "data/audit.key", anchor=config.parent / "data/audit.anchor")
        async with await Store.open(f"sqlite:///{config.parent}/data/busmate.db") as store:
            users = Users(store, await Audit.open(store, files, clock), clock)
            return await FirstAdmin(store, users, clock).issue() or ""

    code = asyncio.run(issued())
    password = ("--password-file", str(config.parent / "password"))
    assert "code" in run("user first", "anna", *password)[2]
    assert run("user first", "anna", "--code", "guess", *password)[0] == 1
    assert run("user first", "anna", "--code", code, *password)[1] == "anna admin\n"
    assert run("user first", "otto", "--code", code, *password)[0] == 1
    assert run("user list")[1] == "anna admin\n"


def test_token_is_made_listed_and_revoked(run: Run) -> None:
    status, out, err = run("token make", "ci", "--scope", "read", "--role", "engineer", "--days", "30")
    assert (status, len(out.strip())) == (0, 47)
    assert "cannot be shown again" in err
    listed = run("token list")[1]
    assert listed.startswith("ci read engineer until ")
    assert "never used" in listed
    assert out.strip() not in listed
    assert "ended by terminal:" in run("token revoke", "ci")[1]
    document = json.loads(run("token list", "--json")[1])
    assert [(one["name"], one["scope"], one["ended_by"] != "") for one in document] == [("ci", "read", True)]
    again = run("token make", "ci", "--scope", "read", "--role", "viewer", "--days", "1", "--json")
    assert (again[0], json.loads(again[1])["error"]) == (1, "ACCOUNT")
    assert run("token make", "x", "--scope", "read", "--role", "admin", "--days", "1")[0] == 1


USAGE = {
    "no-code": ("user first", "anna"),
    "no-token-name": ("token revoke",),
    "token-without-end": ("token make", "ci", "--scope", "read", "--role", "viewer"),
    "token-to-confirm": ("token make", "ci", "--scope", "confirm", "--role", "viewer", "--days", "1"),
    "no-name": ("user add",),
    "no-role": ("user add", "anna"),
    "no-terminal": ("user password", "anna"),
    "wrong-role": ("user role", "anna", "--role", "king"),
}


@pytest.mark.parametrize("words", USAGE.values(), ids=USAGE)
def test_wrong_usage_ends_with_2_and_one_line(run: Run, words: tuple[str, ...]) -> None:
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_failures_are_one_json_document(run: Run, config: Path) -> None:
    add(run, config)
    for words in (("user role", "nobody", "--role", "viewer"), ("user add", "x", "--role", "viewer", "--password-file", "/no/such")):
        status, out, _ = run(*words, "--json")
        assert status == 1
        assert set(json.loads(out)) >= {"error", "message", "fix"}


def test_password_is_asked_twice_at_a_terminal(run: Run, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ["correct horse", "correct house", "correct horse", "correct horse"]
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(getpass, "getpass", lambda _: answers.pop(0))
    assert "differ" in run("user add", "anna", "--role", "admin")[2]
    assert run("user add", "anna", "--role", "admin")[0] == 0


def test_verify_tells_whether_the_chain_holds(run: Run, config: Path) -> None:
    status, out, _ = run("audit verify", "--json")
    assert (status, json.loads(out)["error"]) == (1, "STORE")
    add(run, config)
    add(run, config, "olga", "operator")
    assert run("audit verify") == (0, "the audit is whole: 2 records\n", "")
    assert json.loads(run("audit verify", "--json")[1]) == {"ok": True, "records": 2, "first_bad": None}
    sql(config, "update audit set body = replace(body, 'operator', 'admin') where seq = 2")
    status, out, _ = run("audit verify", "--json")
    assert (status, json.loads(out)) == (1, {"ok": False, "records": 2, "first_bad": 2, "message": "record 2 was changed"})
    assert run("audit verify")[:2] == (1, "the audit is broken: record 2 was changed\n")


def test_exported_head_verifies_later(run: Run, config: Path) -> None:
    add(run, config)
    _, _, err = run("audit export")
    head = err.strip().rpartition(" ")[2]
    assert run("audit verify", "--anchor", head)[0] == 0
    sql(config, "delete from audit")
    (config.parent / "data" / "audit.anchor").unlink()
    assert run("audit verify", "--anchor", head)[0] == 1
    assert run("audit verify", "--anchor", "nonsense")[0] == 2
    assert run("audit verify", "--anchor", "1:签:名")[0] == 1


def test_t64_export_holds_no_formula(run: Run, config: Path) -> None:
    add(run, config)
    add(run, config, "@evil", "viewer")
    assert add(run, config, "olga", "viewer")[0] == 0
    sql(config, """update audit set body = '{"reason": "=cmd|x", "old": -12.5, "new": "-1+1", "confirmed_by": ["a", "b"]}' where seq = 1""")
    out = config.parent / "audit.csv"
    assert run("audit export", "--out", str(out))[0] == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8-sig"))))
    first = rows[0]
    assert (first["reason"], first["old"], first["new"], first["confirmed_by"]) == ("'=cmd|x", "-12.5", "'-1+1", "a, b")
    for row in rows:
        assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row.values())


def test_export_as_json_keeps_numbers(run: Run, config: Path) -> None:
    add(run, config)
    document = json.loads(run("audit export", "--json")[1])
    assert [record["kind"] for record in document["records"]] == ["user_added"]
    assert document["head"]["seq"] == 1
