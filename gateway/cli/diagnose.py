"""`busmate diagnose`: how links and units do, as a few seconds of reading show it, with advice."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
import yaml

from gateway.app.diagnosing import diagnose as diagnosed
from gateway.cli.output import fail, fail_with, print_json
from gateway.clock import SystemClock
from gateway.errors import GatewayError
from gateway.link.latency import BOUNDS_MS
from gateway.link.transports import open_transport
from gateway.model.point import Text
from gateway.service.diagnose import LinkFindings, UnitFindings, at_most_ms
from gateway.service.frame_words import Exchanged
from gateway.settings import Settings, load_settings


def diagnose(
    config: Annotated[Path, typer.Argument(help="a configuration")],
    name: Annotated[str | None, typer.Argument(help="a link or a device; without it all", metavar="[LINK|DEVICE]")] = None,
    seconds: Annotated[float, typer.Option(min=0.0, max=3600.0, help="how long to read; each device is polled at least once")] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """States, counters, latency, learnt facts, last frames, advice; reads only. Exit status 1 if a unit or a link is not ok."""
    try:
        settings = load_settings(config)
        devices = _chosen(settings, name, as_json=as_json)
        sys.stderr.write(f"reading {len(devices)} {'device' if len(devices) == 1 else 'devices'} for {seconds:g} s, writing nothing\n")
        links = asyncio.run(diagnosed(settings, SystemClock(), open_transport, devices=devices, seconds=seconds))
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    if as_json:
        print_json({"links": [_link_row(link) for link in links]})
    else:
        for line in (line for link in links for line in _link_lines(link)):
            print(line)
    raise typer.Exit(int(any(link.status.state == "down" or unit.status.state != "ok" for link in links for unit in link.units)))


def _chosen(settings: Settings, name: str | None, *, as_json: bool) -> frozenset[str]:
    chosen = frozenset(device.id for device in settings.devices if name in (None, device.id, device.link))
    if not chosen:
        if name is None or name in [link.id for link in settings.links]:
            fail("NO_DEVICES", f"{name or settings.file.name} has no devices", fix="see who answers with `busmate scan`", as_json=as_json)
        known = [*(link.id for link in settings.links), *(device.id for device in settings.devices)]
        fail("UNKNOWN_NAME", f"no link or device is called {name}", fix=f"use one of: {', '.join(known)}", as_json=as_json)
    return chosen


def _link_row(link: LinkFindings) -> dict[str, object]:
    status = link.status
    return {
        "id": status.id,
        "transport": link.options.transport,
        "place": status.place,
        "state": status.state,
        "cause": status.cause,
        "exchanges": status.exchanges,
        "timeouts": status.timeouts,
        "dials": status.dials,
        "failed_dials": status.failed_dials,
        "heard_bytes": link.heard_bytes,
        "dropped": dict(status.dropped),
        "load": {"planned": _rounded(link.planned_load, 4), "measured": _rounded(link.measured_load, 4)},
        "advice": _texts(link.advice),
        "units": [_unit_row(unit) for unit in link.units],
    }


def _unit_row(unit: UnitFindings) -> dict[str, object]:
    status = unit.status
    return {
        "device": status.device,
        "unit_id": status.unit_id,
        "state": status.state,
        "reason": status.reason,
        "since": status.since.isoformat() if status.since else None,
        "last_good": status.last_good.isoformat() if status.last_good else None,
        "reads": status.reads,
        "errors": dict(status.errors),
        "functions": {str(function): dict(ends) for function, ends in sorted(unit.functions.items())},
        "latency": {
            "mean_ms": _rounded(status.latency_ms, 1),
            "median_at_most_ms": at_most_ms(status.latency_counts, 0.5),
            "p95_at_most_ms": at_most_ms(status.latency_counts, 0.95),
            "histogram": [
                {"up_to_ms": bound, "replies": count} for bound, count in zip([*BOUNDS_MS, None], status.latency_counts, strict=True)
            ],
        },
        "groups": [
            {
                "group": group.name,
                "period_s": group.period_s,
                "polls": group.polls,
                "bus_ms": round(1000 * group.bus_s, 1),
                "is_late": group.period_s is not None and group.bus_s > group.period_s,
            }
            for group in unit.groups
        ],
        "patch": {"device": dict(unit.patch)} if unit.patch else {},
        "identity": dict(unit.identity),
        "frames": [_exchange_row(one) for one in unit.exchanges],
        "advice": _texts(unit.advice),
    }


def _exchange_row(one: Exchanged) -> dict[str, object]:
    return {
        "at": one.at.isoformat(),
        "unit_id": one.unit_id,
        "request": one.request,
        "asked": _text(one.asked),
        "reply": one.reply,
        "said": _text(one.said),
        "is_good": one.is_good,
    }


def _link_lines(link: LinkFindings) -> Iterator[str]:
    status = link.status
    yield f"link {status.id}  {link.options.transport} {status.place}: {status.state}{f' ({status.cause})' if status.cause else ''}"
    planned = f" (planned {link.planned_load:.1%})" if link.planned_load is not None else ""
    yield f"  load       {link.measured_load:.1%}{planned} of its time, by the periods of the maps"
    dials = f"{status.dials} dials, {status.failed_dials} of them failed"
    yield f"  counters   {status.exchanges} exchanges, {status.timeouts} time-outs, {dials}"
    if status.dropped:
        yield f"  dropped    {_counts(status.dropped)}"
    for text in link.advice:
        yield f"  advice     {text.en}"
    for unit in link.units:
        yield from _unit_lines(unit)


def _unit_lines(unit: UnitFindings) -> Iterator[str]:
    status = unit.status
    since = f" since {status.since:%H:%M:%S} UTC" if status.since else ""
    yield f"  unit {status.unit_id}  {status.device}: {status.state}{f' ({status.reason})' if status.reason else ''}{since}"
    yield f"    reads    {status.reads}{f', failed: {_counts(status.errors)}' if status.errors else ''}"
    for function, ends in sorted(unit.functions.items()):
        yield f"    function {function}: {_counts(ends)}"
    if status.latency_ms is not None:
        bounds = [_bound(at_most_ms(status.latency_counts, share)) for share in (0.5, 0.95)]
        yield f"    latency  mean {status.latency_ms:.1f} ms, median {bounds[0]}, 95 % {bounds[1]}"
        yield f"             replies within {_histogram(status.latency_counts)}"
    for group in unit.groups:
        every = f", due every {group.period_s:g} s" if group.period_s is not None else ""
        late = "  LATE" if group.period_s is not None and group.bus_s > group.period_s else ""
        yield f"    group    {group.name}: {1000 * group.bus_s:.1f} ms of bus time a poll{every}{late}"
    if unit.identity:
        yield f"    it says  {', '.join(f'{name}: {text}' for name, text in unit.identity.items())}"
    for one in unit.exchanges:
        yield f"    frame    {one.at:%H:%M:%S.%f} > {one.request}   {one.asked.en}"
        yield f"                             < {one.reply or '-'}   {one.said.en}"
    if unit.patch:
        yield "    learnt, for the map:"
        for line in yaml.safe_dump({"device": dict(unit.patch)}, sort_keys=False, default_flow_style=None).splitlines():
            yield f"      {line}"
    for text in unit.advice:
        yield f"    advice   {text.en}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _bound(at_most: int | None) -> str:
    return f"over {BOUNDS_MS[-1]} ms" if at_most is None else f"within {at_most} ms"


def _histogram(counts: Sequence[int]) -> str:
    bounds = [*(f"{bound} ms" for bound in BOUNDS_MS), "more"]
    return ", ".join(f"{bound}: {count}" for bound, count in zip(bounds, counts, strict=True) if count)


def _rounded(number: float | None, places: int) -> float | None:
    return None if number is None else round(number, places)


def _texts(texts: Sequence[Text]) -> list[dict[str, str]]:
    return [_text(text) for text in texts]


def _text(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh or text.en}
