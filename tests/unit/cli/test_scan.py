"""`busmate scan`: what is asked for wrongly, and scans of the simulated plant, one of them stopped by Ctrl-C."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.cli import main
from gateway.clock import SystemClock
from simulators.plant import load_plant
from simulators.simulated_plant import SimulatedPlant
from tests.fake_device import Asked, FakeDevice, cut_mbap, serve_tcp

CONFIG = str(Path(__file__).parents[3] / "configs/demo.yaml")


def scan(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["busmate", "scan", *arguments, "--json"])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


WRONG = {
    "link": (["lan9"], 1, "UNKNOWN_LINK"),
    "unit-0": (["lan1", "--units", "0-5"], 2, "USAGE"),
    "unit-256": (["lan1", "--units", "256"], 2, "USAGE"),
    "backwards": (["lan1", "--units", "9-5"], 2, "USAGE"),
    "words": (["lan1", "--units", "all"], 2, "USAGE"),
    "many-units": (["lan1", "--table", "holding", "--units", "1-3"], 2, "USAGE"),
    "from-behind-to": (["lan1", "--table", "holding", "--units", "1", "--from", "9", "--to", "5"], 2, "USAGE"),
    "no-table": (["lan1", "--table", "registers", "--units", "1"], 2, "USAGE"),
}


@pytest.mark.parametrize(("arguments", "status", "code"), WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_one_document(
    arguments: list[str], status: int, code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scan(monkeypatch, CONFIG, *arguments) == status
    assert json.loads(capsys.readouterr().out)["error"] == code


@asynccontextmanager
async def site(folder: Path, *faults: str, timeout_s: float = 0.1) -> AsyncIterator[tuple[SimulatedPlant, str]]:
    """The simulated plant's two serial and network links as a configuration."""
    plant = SimulatedPlant(load_plant("pump_station"), SystemClock(), 1, steady=True)
    for fault in faults:
        plant.fault_from(fault)
    async with plant.running(paced=False) as running:
        ports = running.ports
        config = folder / "site.yaml"
        config.write_text(
            "site: {name: T, timezone: UTC, languages: [en]}\nlinks:\n"
            f"  - {{id: line1, transport: rtu, port: {ports['line1']}, baud: 19200, parity: none, timeout_s: {timeout_s}}}\n"
            f"  - {{id: lan1, transport: tcp, host: 127.0.0.1, port: {ports['lan1'][1]}, timeout_s: {timeout_s}}}\n"
            "devices:\n  - {id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: {en: L, zh: L}}\n",
            encoding="utf-8",
        )
        yield plant, str(config)
        assert plant.written == []


async def test_units_of_a_line_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async with site(tmp_path, "mute_unit=2,link=line1") as (_, config):
        status = await asyncio.to_thread(scan, monkeypatch, config, "line1", "--units", "1-5")
    one = json.loads(capsys.readouterr().out)
    assert (status, one["complete"], one["asked"]) == (0, True, 5)
    assert {unit["unit_id"]: unit["reason"] for unit in one["units"]} == {1: "exception_2", 3: "exception_2", 4: None}


async def test_range_becomes_a_patch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async with site(tmp_path) as (plant, config):
        status = await asyncio.to_thread(scan, monkeypatch, config, "lan1", "--units", "1", "--table", "input", "--to", "40")
        functions = {request.pdu[0] for request in plant.requests("lan1")}
    one = json.loads(capsys.readouterr().out)
    assert (status, one["readable"], one["refused"]) == (0, ["0..7", "32..40"], ["8..31"])
    assert one["patch"] == {"device": {"readable": {"input": ["0..7", "32..65535"]}}}
    assert functions == {4}


async def test_echo_is_told_before_anything_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with site(tmp_path, "echo,link=line1") as (_, config):
        status = await asyncio.to_thread(scan, monkeypatch, config, "line1")
    one = json.loads(capsys.readouterr().out)
    assert (status, one["error"]) == (1, "FRAME")
    assert "local_echo: true" in one["message"]


async def test_ctrl_c_shows_what_was_found(tmp_path: Path) -> None:
    """Unit 1 answers at once; unit 2 keeps silent for longer than the test lasts."""
    is_at_2 = asyncio.Event()

    async def script(device: FakeDevice, asked: Asked) -> None:
        if asked.unit == 2:
            is_at_2.set()
        else:
            device.send(device.right(asked))

    config = tmp_path / "site.yaml"
    async with serve_tcp(FakeDevice(script=script), cut_mbap) as port, asyncio.timeout(30):
        config.write_text(
            "site: {name: T, timezone: UTC, languages: [en]}\n"
            f"links: [{{id: lan1, transport: tcp, host: 127.0.0.1, port: {port}, timeout_s: 30}}]\n"
            "devices: [{id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: {en: L, zh: L}}]\n",
            encoding="utf-8",
        )
        command = [sys.executable, "-c", "from gateway.cli import main; main()", "scan", str(config), "lan1", "--units", "1,2", "--json"]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        await is_at_2.wait()
        process.send_signal(signal.SIGINT)
        printed, said = await process.communicate()
    one = json.loads(printed)
    assert (process.returncode, one["complete"], [unit["unit_id"] for unit in one["units"]]) == (1, False, [1])
    assert one["units"][0]["identity"] == {"vendor": "ACME", "product": "X1"}
    assert b"at most 3 min" in said
    assert b"Traceback" not in said
