"""The commands of the guide to the first map do what it says, on the files it shows."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from gateway.cli import main

PAGE = (Path(__file__).parents[2] / "docs/engineers/first-map.md").read_text("utf-8")
MAP, PLANT = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
SAYS = {
    "check my_meter.yaml": "0 errors, 0 warnings",
    "address --ref 40001": "PDU",
    "decode 0x4148 0x0000 --type float32 --all-orders": "12.5",
    "plan my_meter.yaml": "flow",
    "check plant.yaml": "0 errors, 0 warnings",
    "explain plant.yaml fm1.flow --words 4148 0000": "12.5 m3/h GOOD",
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_meter.yaml").write_text(MAP, "utf-8")
    (tmp_path / "plant.yaml").write_text(PLANT, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("desk")
def test_commands_do_what_the_guide_says(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    status: int | str | None = 0
    try:
        main()
    except SystemExit as end:
        status = end.code
    assert not status, capsys.readouterr().err
    assert SAYS[command.removeprefix("busmate ")].casefold() in capsys.readouterr().out.casefold()


def test_guide_shows_every_command_that_is_tested() -> None:
    assert {command.removeprefix("busmate ") for command in COMMANDS} == set(SAYS)
