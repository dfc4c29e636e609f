"""What a bench says: one JSON line, in the same form for all. `python -m tests.bench.bench_NAME [--full] [--seed N]`."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a bench is to run; the same seed gives the same faults."""

    full: bool = False
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came out: `figures` of ours and the `baseline`, measured in the same run to compare them with.

    A missed aim is printed; only what is not right (a wrong value, a failed read, a leak) fails the run.
    """

    figures: Mapping[str, object]
    baseline: Mapping[str, object] = field(default_factory=dict)
    meets_aim: bool | None = None
    is_right: bool = True


class LeftOutError(Exception):
    """The bench needs what is not installed here."""


def say(name: str, measure: Callable[[Run], Result]) -> None:
    """Measure, print the line, and end the process: 1 if something was not right or, where BUSMATE_CI is set, left out."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.bench.bench_{name}")
    parser.add_argument("--full", action="store_true", help="the long form, as the figures in the documentation are measured")
    parser.add_argument("--seed", type=int, default=1, help="of the random faults")
    given = parser.parse_args()
    run = Run(full=given.full, seed=given.seed)
    logging.disable()  # what devices and other libraries do wrong here is wanted
    head = {"bench": name, "mode": "full" if run.full else "short"}
    try:
        found = measure(run)
    except LeftOutError as reason:
        _print({**head, "left_out": str(reason), "baseline": {}})
        sys.exit(int(bool(os.environ.get("BUSMATE_CI"))))
    aim = {} if found.meets_aim is None else {"meets_aim": found.meets_aim}
    _print({**head, **found.figures, **aim, "is_right": found.is_right, "baseline": found.baseline})
    sys.exit(int(not found.is_right))


def _print(line: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(_rounded(line), allow_nan=False) + "\n")


def _rounded(value: object) -> object:
    """Floats with four digits: a bench knows no more."""
    match value:
        case float():
            return float(f"{value:.4g}")
        case Mapping():
            return {key: _rounded(each) for key, each in value.items()}
        case list() | tuple():
            return [_rounded(each) for each in value]
        case _:
            return value
