"""`busmate scan`: who answers on a link, or what one unit lets read; paced, and it never writes."""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
import yaml

from gateway.app.diagnosing import read_identity
from gateway.app.groups import single_error
from gateway.cli.output import fail, fail_with, print_json
from gateway.clock import Clock, SystemClock
from gateway.errors import GatewayError
from gateway.link.base import Transport
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.link.transports import open_transport
from gateway.model.address import LAST_ADDRESS, Table, UnitId
from gateway.model.bustime import exchange_bytes, serial_time
from gateway.model.plan import MAX_BITS, MAX_REGISTERS
from gateway.service.scan_range import RangeScan, Span, fewest_and_most_reads, merged
from gateway.service.scan_units import UnitScan, longest_s
from gateway.settings import Settings, load_settings

Work = Callable[[Bus, Clock], Awaitable[None]]

_ROUND_TRIP_S = 0.010
"""What a device or a network is taken to need for one exchange, beside the time on the line."""


def scan(
    config: Annotated[Path, typer.Argument(help="a configuration")],
    link: Annotated[str, typer.Argument(help="a link of it")],
    units: Annotated[str, typer.Option("--units", help="unit ids, as 1-247 or 1,3,10-20; with --table one")] = "1-247",
    table: Annotated[Table | None, typer.Option("--table", help="find the addresses of this table that the unit lets read")] = None,
    first: Annotated[int, typer.Option("--from", min=0, max=LAST_ADDRESS, help="first PDU address")] = 0,
    last: Annotated[int, typer.Option("--to", min=0, max=LAST_ADDRESS, help="last PDU address")] = 999,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """Who answers, what can be read; paced, read-only. Ctrl-C shows what was found so far. Exit status 1 if it did not come to its end."""
    wanted = _units(units, as_json=as_json)
    if table is not None and len(wanted) != 1:
        fail("USAGE", "--table needs one unit", fix="name it, as --units 3", as_json=as_json, status=2)
    if first > last:
        fail("USAGE", f"--from {first} lies behind --to {last}", fix="give the lower address first", as_json=as_json, status=2)
    try:
        settings = load_settings(config)
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    options = next((one for one in settings.links if one.id == link), None)
    if options is None:
        known = ", ".join(one.id for one in settings.links)
        fail("UNKNOWN_LINK", f"no link is called {link}", fix=f"use one of: {known}", as_json=as_json)
    if table is None:
        _scan_units(settings, options, UnitScan(units=wanted), as_json=as_json)
    else:
        _scan_range(settings, options, RangeScan(unit_id=wanted[0], table=table, first=first, last=last), as_json=as_json)


def _scan_units(settings: Settings, options: LinkOptions, found: UnitScan, *, as_json: bool) -> None:
    async def work(bus: Bus, clock: Clock) -> None:
        longest = longest_s(len(found.units), options.timeout_s, has_transaction_ids=bus.transport.has_transaction_ids)
        _tell(f"{options.id}: asking {_unit_ids(len(found.units))}, at most {_duration(longest)} if nobody answers")
        await found.run(bus.exchange, partial(read_identity, bus), clock, _progress)

    error = _run(settings, options, work, is_empty=lambda: not found.found, as_json=as_json)
    if as_json:
        print_json(_units_row(options, found, error))
    else:
        for line in _unit_lines(found):
            print(line)
    raise typer.Exit(int(not found.is_complete))


def _scan_range(settings: Settings, options: LinkOptions, found: RangeScan, *, as_json: bool) -> None:
    async def work(bus: Bus, clock: Clock) -> None:
        count = found.last - found.first + 1
        fewest, most = fewest_and_most_reads(found.table, count)
        largest = min(count, MAX_BITS if found.table.is_bits else MAX_REGISTERS)
        shortest_s, longest = (
            reads * _exchange_s(options, bus, size, is_bits=found.table.is_bits) for reads, size in ((fewest, largest), (most, 1))
        )
        _tell(
            f"{options.id} unit {found.unit_id}: reading {found.table} {found.first}..{found.last}, {_duration(shortest_s)} if all can be"
            f" read, {_duration(longest)} if nothing can; longer where the unit keeps silent instead of refusing"
        )
        await found.run(bus.exchange, clock, _progress)

    error = _run(settings, options, work, is_empty=lambda: not found.readable and not found.refused, as_json=as_json)
    if as_json:
        print_json(_range_row(options, found, error))
    else:
        for line in _range_lines(found):
            print(line)
    raise typer.Exit(int(not found.is_complete))


def _run(settings: Settings, options: LinkOptions, work: Work, *, is_empty: Callable[[], bool], as_json: bool) -> GatewayError | None:
    """Do the work on the link; what ended it early, unless nothing was found until then, which is a failure."""
    try:
        asyncio.run(_on_link(settings, options, work))
    except KeyboardInterrupt:
        _tell("\nstopped; this was found so far")
    except GatewayError as error:
        if is_empty():
            fail_with(error, as_json=as_json)
        _tell(f"\n{error}; this was found so far")
        return error
    finally:
        _progress("")
    return None


async def _on_link(settings: Settings, options: LinkOptions, work: Work) -> None:
    """The link alone, with the longest pause that one of its devices needs."""
    clock = SystemClock()
    transport: Transport = open_transport(options, clock)
    bus = Bus(options.id, transport, options, clock)
    for device in settings.devices:
        if device.link == options.id:
            bus.widen_gap(device.map.device.gap_s)
    with single_error():
        async with asyncio.TaskGroup() as group:
            worker = group.create_task(bus.run())
            await work(bus, clock)
            worker.cancel()


def _exchange_s(options: LinkOptions, bus: Bus, count: int, *, is_bits: bool) -> float:
    if not options.is_serial:
        return _ROUND_TRIP_S + bus.gap_s
    size = exchange_bytes(count, is_bits=is_bits, framing="ascii" if options.transport == "ascii" else "rtu")
    return _ROUND_TRIP_S + serial_time(size, options.baud, options.bits_per_character, gap_s=bus.gap_s)


def _units(written: str, *, as_json: bool) -> list[UnitId]:
    found: set[int] = set()
    for part in written.split(","):
        match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", part.strip())
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= low <= high <= 255:
            fail("USAGE", f"{part!r} is no range of unit ids", fix="write 1-247, or 1,3,10-20", as_json=as_json, status=2)
        found.update(range(low, high + 1))
    return [UnitId(unit) for unit in sorted(found)]


def _units_row(options: LinkOptions, found: UnitScan, error: GatewayError | None) -> dict[str, object]:
    return {
        "link": options.id,
        "place": options.place,
        "complete": found.is_complete,
        "asked": found.tried,
        "units": [
            {"unit_id": one.unit_id, "asked": one.asked, "reason": one.reason, "identity": dict(one.identity)} for one in found.found
        ],
        "ignores_unit_ids": found.ignores_unit_ids,
        **_error_row(error),
    }


def _range_row(options: LinkOptions, found: RangeScan, error: GatewayError | None) -> dict[str, object]:
    patch = found.patch()
    return {
        "link": options.id,
        "place": options.place,
        "complete": found.is_complete,
        "unit_id": found.unit_id,
        "table": str(found.table),
        "from": found.first,
        "to": found.last,
        "reads": found.reads,
        "readable": _spans(found.readable),
        "refused": _spans(found.refused),
        "unknown": _spans([*found.unknown, *found.pending]),
        "largest": found.largest,
        "unsupported": found.is_unsupported,
        "patch": {"device": patch} if patch else {},
        **_error_row(error),
    }


def _error_row(error: GatewayError | None) -> dict[str, object]:
    return {} if error is None else {"error": error.code, "message": error.message, "fix": error.fix}


def _unit_lines(found: UnitScan) -> Iterator[str]:
    for one in found.found:
        yield f"unit {one.unit_id}: {one.asked}: {one.reason or 'answered'}"
        if one.identity:
            yield f"  {', '.join(f'{name}: {text}' for name, text in one.identity.items())}"
    yield f"{len(found.found)} of {_unit_ids(found.tried)} answer{'' if found.is_complete else f', of {len(found.units)} wanted'}"
    if found.ignores_unit_ids:
        yield "every unit id answers: this is probably one device that does not look at the unit id"


def _range_lines(found: RangeScan) -> Iterator[str]:
    if found.is_unsupported:
        yield f"unit {found.unit_id} does not know function {found.table.read_function}: no {found.table} can be read"
        return
    named = (("readable", found.readable), ("refused", found.refused), ("unknown", [*found.unknown, *found.pending]))
    for name, spans in named:
        if spans:
            yield f"{name:9} {', '.join(_spans(spans))}"
    if found.largest is not None:
        yield f"largest   {found.largest} at once were given, more were refused"
    if found.patch():
        yield "for the map:"
        yield from yaml.safe_dump({"device": found.patch()}, sort_keys=False, default_flow_style=None).splitlines()
    yield f"{found.reads} reads{'' if found.is_complete else '; not all addresses were tried'}"


def _unit_ids(count: int) -> str:
    return "1 unit id" if count == 1 else f"{count} unit ids"


def _spans(spans: Sequence[Span]) -> list[str]:
    return [f"{low}..{high}" for low, high in merged(spans)]


def _duration(seconds: float) -> str:
    """Minutes from two minutes on.

    >>> _duration(0.2), _duration(61), _duration(750)
    ('1 s', '61 s', '13 min')
    """
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{-(-seconds // 60):.0f} min"


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _progress(text: str) -> None:
    """One line that is written over, where somebody watches."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
