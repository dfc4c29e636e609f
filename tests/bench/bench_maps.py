"""Loading and checking maps.

A plant of 100 devices x 100 points on 5 maps, one map of 10,000 points, and files that must be refused. Times are CPU seconds of this
process; the baseline is reading the same text by PyYAML's C loader, which checks nothing.
"""

import tempfile
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TypeVar

import yaml

from gateway.errors import ConfigError
from gateway.maps.inspect import inspect_map
from gateway.settings import inspect_settings
from gateway.yamlfile import read_yaml
from tests.bench.report import Result, Run, say

_T = TypeVar("_T")

MAPS, DEVICES, POINTS = 5, 100, 100
AIM_PLANT_S, AIM_REFUSAL_S = 3.0, 1.0
_HEAD = """\
regmap: 1
id: {id}
vendor: Bench
model: B1
kind: meter
title: {{en: Meter, zh: 电表}}
manual: {{title: none, addressing: pdu}}
evidence: {{level: document}}
device: {{max_read: 120, max_gap: 4, serial: {{baud: 19200}}}}
defaults: {{table: holding, type: float32, unit: V, deadband: 0.5, valid: {{min: 0, max: 500}}, page: 1}}
poll: {{normal: 60s}}
points:
"""
_READ = "  p{n}: {{pdu: {pdu}, name: {{en: Point {n}, zh: 点{n}}}, aliases: [phase {n}, 别名 {n}], alarm: {{lo: 10, hi: 400}}}}\n"
_WRITTEN = (
    "  p{n}: {{pdu: {pdu}, name: {{en: Set point {n}, zh: 给定{n}}}, access: rw, write: {{function: 16, min: 0, max: 100, step: 0.5}}}}\n"
)
REFUSED: dict[str, tuple[bytes, str]] = {
    "10 MB": (b"a: 1\n" * 2_000_000, "too_large"),
    "binary": (b"\x7fELF\x02\x01\x01\x00" * 100_000, "not_text"),
    "alias bomb": (b"a: &a [x, x]\n" + b"".join(b"b%d: &b%d [*a, *a, *a, *a, *a]\n" % (n, n) for n in range(10_000)), "alias"),
    "deep": (b"[" * 3_000_000, "yaml_syntax"),
    "long list": (b"- a\n" * 900_000, "too_large"),
    "list of lists": ((b"- [" + b"a," * 9_999 + b"a]\n") * 180, "too_large"),
}
"""Text, and the code it is refused with."""


def measure(run: Run) -> Result:
    """All of it; the short form has a map of 2,000 points."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (plant, plant_bare), (large, large_bare) = _plant(folder), _large_map(folder, 10_000 if run.full else 2000)
        refused = {what: _refusal(folder, content) for what, (content, _) in REFUSED.items()}
    slowest = max(each.seconds for each in refused.values())
    return Result(
        figures={
            "plant": plant,
            "large_map": large,
            "refused": {what: each.figures() for what, each in refused.items()},
            "aim": {"plant_s": AIM_PLANT_S, "refusal_s": AIM_REFUSAL_S},
        },
        baseline={"loader": "yaml.CSafeLoader", "plant_s": plant_bare, "large_map_s": large_bare},
        meets_aim=plant["s"] <= AIM_PLANT_S and slowest <= AIM_REFUSAL_S,
        is_right=all(refused[what].codes == [code] for what, (_, code) in REFUSED.items()),
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """CPU seconds and memory until a file was refused, and why."""

    seconds: float
    peak_mb: float
    codes: list[str]

    def figures(self) -> dict[str, object]:
        return {"s": self.seconds, "peak_mb": self.peak_mb, "codes": self.codes}


def _plant(folder: Path) -> tuple[dict[str, float], float]:
    files = [_write_map(folder, f"m{number}", POINTS) for number in range(MAPS)]
    links = [f"  - {{id: l{number}, transport: tcp, host: 10.0.0.{number + 1}}}\n" for number in range(10)]
    rules = "points: {p1: {alarm: {hi: 300}}}"
    devices = [
        f"  - {{id: d{n}, link: l{n % 10}, unit_id: {n // 10 + 1}, map: m{n % MAPS}, title: Meter {n}, {rules}}}\n" for n in range(DEVICES)
    ]
    config = folder / "plant.yaml"
    config.write_text("site: {name: Plant}\nmaps: [.]\nlinks:\n" + "".join(links) + "devices:\n" + "".join(devices), "utf-8")
    (settings, findings), seconds = _timed(lambda: inspect_settings(config))
    if settings is None or findings:
        raise AssertionError(findings)
    taken = sum(len(device.map.points) for device in settings.devices)
    figures = {"s": seconds, "devices": len(settings.devices), "points": taken, "points_in_files": MAPS * POINTS}
    return figures, _bare_s([config, *files])


def _large_map(folder: Path, points: int) -> tuple[dict[str, float], float]:
    file = _write_map(folder, "large", points)
    inspected, seconds = _timed(lambda: inspect_map(file))
    if inspected.map is None or inspected.findings:
        raise AssertionError(inspected.findings)
    return {"s": seconds, "points": len(inspected.map.points), "kb": file.stat().st_size // 1000}, _bare_s([file])


def _refusal(folder: Path, content: bytes) -> Refusal:
    file = folder / "refused.yaml"
    file.write_bytes(content)
    findings, seconds = _timed(lambda: _findings(file))
    tracemalloc.start()
    _findings(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Refusal(seconds, peak / 1e6, sorted(set(findings)))


def _findings(file: Path) -> list[str]:
    try:
        read_yaml(file)
    except ConfigError as exc:
        return [finding.code for finding in exc.findings]
    raise AssertionError(f"{file} was not refused")


def _write_map(folder: Path, map_id: str, points: int) -> Path:
    rows = [(_READ if n % 10 else _WRITTEN).format(n=n, pdu=2 * n) for n in range(points)]
    path = folder / f"{map_id}.yaml"
    path.write_text(_HEAD.format(id=map_id) + "".join(rows), "utf-8")
    return path


def _bare_s(files: list[Path]) -> float:
    texts = [file.read_text("utf-8") for file in files]
    return _timed(lambda: [yaml.load(text, Loader=yaml.CSafeLoader) for text in texts])[1]


def _timed(call: Callable[[], _T]) -> tuple[_T, float]:
    began = process_time()
    result = call()
    return result, process_time() - began


if __name__ == "__main__":
    say("maps", measure)
