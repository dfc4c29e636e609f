"""`busmate read` against mute, garbling and busy devices over real sockets and lines: BAD with the reason, never a value."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from gateway.cli import main
from gateway.clock import SystemClock
from simulators.plant import load_plant
from simulators.simulated_plant import SimulatedPlant

CONFIG = """
site: {{name: Test, timezone: UTC, languages: [en]}}
links:
  - {{id: line1, transport: rtu, port: {line}, baud: 19200, parity: even, timeout_s: 0.1}}
  - {{id: lan1, transport: tcp, host: {host}, port: {port}, timeout_s: 0.1}}
devices:
  - {{id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: Level}}
  - {{id: vfd1, link: line1, unit_id: 1, map: demo_vx200, title: Pump 1}}
  - {{id: vfd2, link: line1, unit_id: 2, map: demo_vx200, title: Pump 2}}
"""
LEVEL, TEMPERATURE = "lt1.level", "vfd1.motor_temp"
"""A point over TCP, and one over a serial line."""

TROUBLE = {
    "mute-tcp": (LEVEL, "mute", "timeout"),
    "mute-rtu": (TEMPERATURE, "mute", "timeout"),
    "unplugged": (LEVEL, "unplugged", "link_down"),
    "hangs-up": (LEVEL, "close_before_reply", "link_down"),
    "garbled-check-sum": (TEMPERATURE, "crc_error", "crc_error"),
    "garbled-end-tcp": (LEVEL, "truncate=2", "length_mismatch"),
    "garbled-header": (LEVEL, "protocol_id=1", "protocol_error"),
    "garbled-length": (LEVEL, "short_bytes=1", "length_mismatch"),
    "garbled-function-tcp": (LEVEL, "wrong_function", "function_mismatch"),
    "garbled-function-rtu": (TEMPERATURE, "wrong_function", "function_mismatch"),
    "garbled-unit-rtu": (TEMPERATURE, "wrong_unit=99", "unit_mismatch"),
    "garbled-transaction-id": (LEVEL, "tid_plus_one", "transaction_mismatch"),
    "busy-tcp": (LEVEL, "exception=6", "exception_6"),
    "busy-rtu": (TEMPERATURE, "exception=6", "exception_6"),
    "acknowledged-tcp": (LEVEL, "exception=5", "exception_5"),
    "failing": (LEVEL, "exception=4", "exception_4"),
}


Ports = dict[str, str | tuple[str, int]]


pump_station = cache(partial(load_plant, "pump_station"))


@contextmanager
def served(fault: str) -> Iterator[tuple[SimulatedPlant, Ports]]:
    """The simulated pump station with one fault, in a thread of its own as if it were another machine."""
    plant = SimulatedPlant(pump_station(), SystemClock(), 1, steady=True)
    if fault:
        plant.fault_from(fault)
    ready: Future[tuple[Ports, Callable[[], object]]] = Future()

    async def serve() -> None:
        over = asyncio.Event()
        async with plant.running(paced=False) as running:
            ready.set_result((dict(running.ports), partial(asyncio.get_running_loop().call_soon_threadsafe, over.set)))
            await over.wait()

    with ThreadPoolExecutor(1) as thread:
        serving = thread.submit(asyncio.run, serve())
        ports, stop = ready.result(timeout=10)
        try:
            yield plant, ports
        finally:
            stop()
        serving.result()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Runs `busmate read` as a person would, beside a simulated pump station with one fault: status, standard output and error."""

    def _read(fault: str, *arguments: str) -> tuple[int, str, str]:
        with served(fault) as (plant, ports):
            config = tmp_path / "plant.yaml"
            config.write_text(_config(ports), encoding="utf-8")
            monkeypatch.setattr(sys, "argv", ["busmate", "read", str(config), *arguments])
            with pytest.raises(SystemExit) as end:
                main()
        out, err = capsys.readouterr()
        assert plant.written == []
        return int(end.value.code or 0), out, err

    return _read


def _config(ports: Ports) -> str:
    lan, line = ports["lan1"], ports["line1"]
    assert isinstance(lan, tuple)
    return CONFIG.format(host=lan[0], port=lan[1], line=line)


@pytest.mark.parametrize(("tag", "fault", "reason"), TROUBLE.values(), ids=TROUBLE.keys())
def test_trouble_is_bad_with_its_reason_in_text(read: Any, tag: str, fault: str, reason: str) -> None:
    status, out, err = read(fault, tag, "--raw")
    (line,) = out.splitlines()
    name, value, *rest = line.split()
    assert (status, name, value, rest[-2:], err) == (1, tag, "-", ["BAD", reason], "")


@pytest.mark.parametrize(("tag", "fault", "reason"), TROUBLE.values(), ids=TROUBLE.keys())
def test_trouble_is_bad_with_its_reason_in_json(read: Any, tag: str, fault: str, reason: str) -> None:
    status, out, err = read(fault, tag, "--json")
    (row,) = json.loads(out)
    assert (status, row["tag"], row["quality"], row["reason"], err) == (1, tag, "BAD", reason, "")
    assert (row["value"], row["label"], row["words"]) == (None, None, [])


def test_sound_device_is_read(read: Any) -> None:
    """The same way without a fault, so that the reasons above are the fault's."""
    status, out, _ = read("", LEVEL, TEMPERATURE, "--json")
    rows = json.loads(out)
    assert (status, [row["quality"] for row in rows], rows[1]["value"]) == (0, ["GOOD", "GOOD"], 78)
    assert all(row["words"] and row["read_at"] for row in rows)


def test_one_mute_device_costs_the_others_nothing(read: Any) -> None:
    status, out, _ = read("mute,device=vfd1", LEVEL, "vfd1.motor_temp", "vfd2.motor_temp", "--json")
    rows = json.loads(out)
    assert (status, [(row["quality"], row["reason"]) for row in rows]) == (1, [("GOOD", None), ("BAD", "timeout"), ("GOOD", None)])
