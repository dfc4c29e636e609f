"""Each bench prints one JSON line of the same form; a missed aim is printed, only what is not right fails."""

import json
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.bench.report import LeftOutError, Result, Run, say

BENCHES = {"decode", "dead_units", "fuzz", "late_replies", "maps", "rtu_plan", "scale", "soak", "throughput", "write_latency"}


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., tuple[int, Mapping[str, object]]]]:
    def _said(measure: Callable[[Run], Result], *arguments: str) -> tuple[int, Mapping[str, object]]:
        monkeypatch.setattr(sys, "argv", ["bench", *arguments])
        with pytest.raises(SystemExit) as end:
            say("it", measure)
        (line,) = capsys.readouterr().out.splitlines()
        return int(end.value.code or 0), json.loads(line)

    yield _said
    logging.disable(logging.NOTSET)


def test_line_names_bench_mode_figures_and_baseline(said: Callable[..., tuple[int, Mapping[str, object]]]) -> None:
    result = Result(figures={"rate": 1 / 3, "by": {"kind": [2 / 3, 7]}}, baseline={"rate": 12345.678}, meets_aim=False)
    assert said(lambda run: result) == (
        0,
        {
            "bench": "it",
            "mode": "short",
            "rate": 0.3333,
            "by": {"kind": [0.6667, 7]},
            "meets_aim": False,
            "is_right": True,
            "baseline": {"rate": 12350.0},
        },
    )


def test_what_is_not_right_fails(said: Callable[..., tuple[int, Mapping[str, object]]]) -> None:
    status, line = said(lambda run: Result(figures={"seed": run.seed}, is_right=False), "--full", "--seed", "7")
    assert (status, line["mode"], line["seed"], line["is_right"], "meets_aim" in line) == (1, "full", 7, False, False)


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("1", 1)], ids=["here", "ci"])
def test_bench_that_lacks_something_says_so(
    said: Callable[..., tuple[int, Mapping[str, object]]], monkeypatch: pytest.MonkeyPatch, ci: str, status: int
) -> None:
    def measure(run: Run) -> Result:
        raise LeftOutError("not installed: cc")

    monkeypatch.setenv("BUSMATE_CI", ci)
    assert said(measure) == (status, {"bench": "it", "mode": "short", "left_out": "not installed: cc", "baseline": {}})


def test_every_bench_is_found() -> None:
    """`python -m tests.bench` runs every `bench_*.py`."""
    assert {path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")} == BENCHES
