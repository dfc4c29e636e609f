"""Every bench runs, in its short mode, and what it reads is right. Its figures are printed, not judged: `make bench`."""

import asyncio

import pytest

from tests.bench import (
    bench_dead_units,
    bench_decode,
    bench_late_replies,
    bench_maps,
    bench_rtu_plan,
    bench_scale,
    bench_throughput,
    bench_write_latency,
)
from tests.bench.native import need

pytestmark = [pytest.mark.bench, pytest.mark.filterwarnings("default")]


def test_decode() -> None:
    bench_decode.main()


def test_throughput() -> None:
    need()
    rates = bench_throughput.main(1.0)
    assert all(rate.points > 0 and not rate.failed for rate in rates.values()), rates


def test_scale() -> None:
    need()
    (load,) = bench_scale.main(20, 3).values()
    assert load.failed == 0


def test_late_replies() -> None:
    assert asyncio.run(bench_late_replies.main(6000)) == 0


def test_dead_units() -> None:
    results = asyncio.run(bench_dead_units.main(2.0))
    assert all(result.before and result.after for result in results.values())


def test_rtu_plan() -> None:
    worst, _ = asyncio.run(bench_rtu_plan.main(50, 3.0))
    assert worst < 1.03, "the planner's own optimum, given the line's costs"


def test_write_latency() -> None:
    asyncio.run(bench_write_latency.main(30))


def test_maps() -> None:
    found = bench_maps.main(2000)
    assert isinstance(found["plant"], dict)
    assert (found["plant"]["devices"], found["plant"]["points"]) == (100, 10_000)
    assert isinstance(found["refused"], dict)
    codes = {what: figures["codes"] for what, figures in found["refused"].items()}
    assert codes == {
        "10 MB": ["too_large"],
        "binary": ["not_text"],
        "alias bomb": ["alias"],
        "deep": ["yaml_syntax"],
        "long list": ["too_large"],
        "list of lists": ["too_large"],
    }
