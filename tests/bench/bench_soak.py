"""Minutes of polling while links are cut at random: nothing left over, memory flat. The baseline is the time without cuts."""

import asyncio
from dataclasses import asdict

from tests.bench.report import Result, Run, say
from tests.soak.link_cuts import soak

AIM_SLOPE_KB_PER_MIN = 100.0


async def measure(run: Run) -> Result:
    """Ten minutes of cuts, or half of one."""
    found = await (soak(30, 90, 600, run.seed) if run.full else soak(5, 8, 30, run.seed))
    seen = found.seen
    has_leak = any(found.leaked.values())
    return Result(
        figures={
            "good_reads": seen.good,
            "good_reads_of_parts": seen.parts,
            "failed": dict(seen.failed),
            "wrong": seen.wrong.total(),
            "cuts": dict(found.cuts),
            "dials": found.dials,
            "all_back_after_s": found.back_s,
            "leaked": found.leaked,
            **asdict(found.cut),
            "seed": run.seed,
            "aim": {"rss_slope_kb_per_min": AIM_SLOPE_KB_PER_MIN},
        },
        baseline={"cuts": 0, **asdict(found.calm)},
        meets_aim=found.cut.rss_slope_kb_per_min <= AIM_SLOPE_KB_PER_MIN if run.full else None,
        is_right=not seen.wrong.total() and not has_leak,
    )


if __name__ == "__main__":
    say("soak", lambda run: asyncio.run(measure(run)))
