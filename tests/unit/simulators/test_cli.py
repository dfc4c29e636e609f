"""The command's refusals, and the plant it makes of its options; what it serves is in the integration tests."""

from pathlib import Path

import pytest
import simplejson
import typer
from typer.testing import CliRunner

from gateway.maps.load import shipped_maps
from simulators.cli import simulate

LT50 = str(shipped_maps() / "demo_lt50.yaml")


def run(*args: str) -> tuple[int, str, str]:
    app = typer.Typer()
    app.command()(simulate)
    result = CliRunner().invoke(app, args)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        pytest.param(["mill"], "unknown_plant", "no plant is called mill", id="plant"),
        pytest.param(["nowhere.yaml"], "unreadable", "No such file", id="file"),
        pytest.param(["pump_station", "--fault", "fly"], "FAULT", "no fault is called 'fly'", id="fault"),
        pytest.param(["pump_station", "--fault", "nan=vfd1.x"], "UNKNOWN_TAG", "vfd1.x", id="tag"),
        pytest.param(["pump_station", "--pty", "lan1=line"], "bad_choice", "serial", id="pty of a tcp link"),
        pytest.param(["pump_station", "--pty", "line1"], "bad_choice", "LINK=FILE", id="pty without file"),
        pytest.param(["pump_station", "--port", "65535"], "out_of_range", "lan2", id="port"),
        pytest.param([LT50, "--fault", "hole"], "FAULT", "needs addresses", id="argument"),
    ],
)
def test_a_wrong_command_is_one_line_or_one_document_and_status_1(args: list[str], code: str, words: str) -> None:
    status, said, errors = run(*args, "--json")
    document = simplejson.loads(said)
    assert (status, errors, document["error"]) == (1, "", code)
    assert words in document["message"]
    assert document["fix"]
    status, said, errors = run(*args)
    assert (status, said) == (1, "")
    assert words in errors


def test_a_terminal_does_not_take_the_place_of_a_file(tmp_path: Path) -> None:
    name = tmp_path / "line"
    name.write_text("precious", "utf-8")
    status, _, errors = run(LT50, "--baud", "9600", "--pty", f"link={name}")
    assert status == 1
    assert "File exists" in errors
    assert name.read_text("utf-8") == "precious"


def test_help_names_every_option() -> None:
    status, said, _ = run("--help")
    assert status == 0
    assert all(option in said for option in ("--port", "--fault", "--baud", "--pty", "--steady", "--json"))
