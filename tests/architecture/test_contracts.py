"""The layer contracts bite: each is broken once on purpose in a copy of the tree, and must say so."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("gateway", "assistant", "simulators")

PLANTS = {
    "gateway: layers": ("gateway/model/quality.py", "import gateway.service.base"),
    "assistant: layers": ("assistant/errors.py", "import assistant.agent"),
    "one way: assistant may use simulators and gateway, simulators may use gateway, never the reverse": (
        "gateway/service/read.py",
        "import assistant.errors",
    ),
    "model is pure: no IO, no clock, no framework": ("gateway/model/deadband.py", "import time"),
    "pymodbus is known in one file": ("gateway/poll/device.py", "import pymodbus"),
    "sqlalchemy only in stores (gateway.store, assistant.transcript, assistant.manuals.index)": (
        "gateway/service/propose.py",
        "import sqlalchemy",
    ),
    "llama_index never enters the gateway": ("gateway/app/gateway.py", "import llama_index.core"),
    "assistant sees the gateway through the service only (roots: cli, eval, demo, app, settings)": (
        "assistant/tools/propose_write.py",
        "import gateway.store.engine",
    ),
    "only scheduler, write gate and app hold a Device": ("gateway/service/read.py", "import gateway.poll.device"),
    "the simulator does not share our codec (independent oracle) and sees only maps, model, clock and errors": (
        "simulators/registers.py",
        "import gateway.model.codec",
    ),
    "plug-ins do not know each other": ("gateway/api/routes/points.py", "import gateway.api.routes.alarms"),
    "polling does not know storage or map files": ("gateway/poll/scheduler.py", "import gateway.store.samples"),
    "nobody but the operator's route reaches confirmation": ("assistant/tools/propose_write.py", "import gateway.service.confirm"),
    "nobody but confirmation reaches the write gate": ("gateway/service/propose.py", "import gateway.write.gate"),
}
SIBLINGS = {
    "gateway.api.routes.users": "gateway.api.routes.alarms",
    "gateway.link.transports.tcp": "gateway.link.transports.udp",
    "gateway.maps.convert.wb": "gateway.maps.convert.edgex",
    "gateway.maps.convert.draft.result": "gateway.maps.convert.csv",
    "assistant.tools.get_audit": "assistant.tools.get_history",
}
"""In each folder of plug-ins, one that imports another."""


def _names() -> list[str]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return [contract["name"] for contract in config["tool"]["importlinter"]["contracts"]]


def _copy(folder: Path) -> None:
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, folder / package, ignore=lambda _, names: [n for n in names if n == "__pycache__" or n.endswith(".pdf")]
        )
    shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")


def _lint(folder: Path) -> str:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "400"}, check=False
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("planted")
    _copy(folder)
    siblings = [(f"{one.replace('.', '/')}.py", f"import {other}") for one, other in SIBLINGS.items()]
    for file, line in [*PLANTS.values(), *siblings]:
        path = folder / file
        path.write_text(path.read_text() + f"\n{line}\n")
    return _lint(folder)


def test_every_contract_has_its_planted_violation() -> None:
    assert sorted(PLANTS) == sorted(_names())


@pytest.mark.parametrize("contract", sorted(PLANTS))
def test_planted_violation_is_caught(planted: str, contract: str) -> None:
    assert re.search(rf"^{re.escape(contract)} BROKEN", planted, re.MULTILINE), planted[:3000]


@pytest.mark.parametrize("plug_in", SIBLINGS)
def test_plug_in_that_imports_its_sibling_is_caught(planted: str, plug_in: str) -> None:
    assert re.search(rf"{re.escape(plug_in)} -> {re.escape(SIBLINGS[plug_in])} ", planted), planted[:3000]
