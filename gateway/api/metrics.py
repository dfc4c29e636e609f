"""Metrics in Prometheus' text format."""

from collections.abc import Iterable, Sequence

from gateway.model.alarm import AlarmInfo
from gateway.service.base import UnitHealth


def render(health: Sequence[UnitHealth], alarms: Sequence[AlarmInfo]) -> str:
    """One line per series, names as in docs/administrators/metrics.md."""
    return "".join(f"{line}\n" for line in _lines(health, alarms))


def _lines(health: Sequence[UnitHealth], alarms: Sequence[AlarmInfo]) -> Iterable[str]:
    yield "# HELP busmate_unit_up 1 if the unit answers"
    yield "# TYPE busmate_unit_up gauge"
    for one in health:
        yield f'busmate_unit_up{{device="{one.device}",link="{one.link}"}} {int(one.state in ("ok", "degraded"))}'
    yield "# HELP busmate_reads_total reads of the unit, whatever came of them"
    yield "# TYPE busmate_reads_total counter"
    for one in health:
        yield f'busmate_reads_total{{device="{one.device}",link="{one.link}"}} {one.reads}'
    yield "# HELP busmate_read_errors_total reads that gave no values, by reason"
    yield "# TYPE busmate_read_errors_total counter"
    for one in health:
        for reason, count in one.errors.items():
            yield f'busmate_read_errors_total{{device="{one.device}",link="{one.link}",reason="{reason}"}} {count}'
    yield "# HELP busmate_latency_seconds mean time from request to reply"
    yield "# TYPE busmate_latency_seconds gauge"
    for one in health:
        if one.latency_ms is not None:
            yield f'busmate_latency_seconds{{device="{one.device}",link="{one.link}"}} {one.latency_ms / 1000:.6f}'
    yield "# HELP busmate_alarms alarms that are not normal, by priority and state"
    yield "# TYPE busmate_alarms gauge"
    counts: dict[tuple[str, str], int] = {}
    for alarm in alarms:
        counts[alarm.priority, alarm.state] = counts.get((alarm.priority, alarm.state), 0) + 1
    for (priority, state), count in sorted(counts.items()):
        yield f'busmate_alarms{{priority="{priority}",state="{state}"}} {count}'
