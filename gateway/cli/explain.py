"""`busmate explain`: everything about one value, read now or from words that are typed in."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gateway.api.explained import explanation
from gateway.app.wire import make_plant, make_wire
from gateway.cli.output import fail, fail_with, print_json
from gateway.clock import SystemClock
from gateway.errors import GatewayError
from gateway.link.transports import open_transport
from gateway.model.quality import Quality
from gateway.model.sample import Sample
from gateway.service.base import UnitHealth
from gateway.service.explain import Explanation, parsed_words
from gateway.service.explain import explain as explained
from gateway.service.health import unit_health
from gateway.service.plant import Plant
from gateway.settings import Settings, load_settings


def explain(
    config: Annotated[Path, typer.Argument(help="a configuration")],
    tag: Annotated[str, typer.Argument(help="a tag, DEVICE.point")],
    more: Annotated[list[str] | None, typer.Argument(help="further words after --words", show_default=False)] = None,
    words: Annotated[list[str] | None, typer.Option("--words", help="hex words, in the order of the wire, instead of reading")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """Map line, addresses, frames, words, every decode step, the other orders; exit status 1 if the value read is BAD."""
    if more and not words:
        fail("USAGE", f"{more[0]!r} is one argument too many", fix="write --words before words", as_json=as_json, status=2)
    try:
        settings = load_settings(config)
        one = (
            asyncio.run(_explain(settings, tag))
            if words is None
            else _typed(settings, tag, parsed_words(" ".join([*words, *(more or [])])))
        )
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    if as_json:
        print_json(explanation(one))
    else:
        for line in _lines(one):
            print(line)
    raise typer.Exit(int(words is None and one.quality is Quality.BAD))


def _typed(settings: Settings, tag: str, words: Sequence[int]) -> Explanation:
    return _of(settings, make_plant(settings), tag, {}, words=words)


async def _explain(settings: Settings, tag: str) -> Explanation:
    """The point itself, the one that holds its scale, and those of the same unit are read."""
    plant, clock = make_plant(settings), SystemClock()
    device, point = plant.device_of(tag), plant.point(tag)
    wire = make_wire(settings, clock, open_transport, only=frozenset({device.id}))
    alike = [
        one
        for one in plant.maps[device.id].points.values()
        if one.name in (point.name, point.held_by) or (one.unit and one.unit == point.unit)
    ]
    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(bus.run()) for bus in wire.buses.values()]
        samples = await wire.devices[device.id].read_fresh(alike)
        for worker in workers:
            worker.cancel()
    by_name = {one.name: sample for one, sample in zip(alike, samples, strict=True)}
    health = unit_health(wire.devices[device.id].status())
    return _of(settings, plant, tag, by_name, health=health)


def _of(
    settings: Settings,
    plant: Plant,
    tag: str,
    samples: Mapping[str, Sample],
    *,
    words: Sequence[int] | None = None,
    health: UnitHealth | None = None,
) -> Explanation:
    device = plant.device_of(tag)
    link = next(one for one in settings.links if one.id == device.link)
    return explained(device, plant.maps[device.id], plant.point(tag), link, samples=samples, words=words, health=health)


def _lines(one: Explanation) -> Iterator[str]:
    origin, forms = one.origin, one.forms
    yield f"{one.tag}  {one.title.en}"
    proof = ", ".join(filter(None, [origin.page and f"page {origin.page}", origin.section, origin.source, origin.confidence]))
    yield f"map      {origin.file}:{origin.line}  ({origin.map}{f'; {proof}' if proof else ''})"
    base = f" from {one.base}, found at run time" if one.base else ""
    yield f"address  written {one.notation}: {one.written_address}{base}"
    short = f" or {forms.ref5}" if forms.ref5 else ""
    yield f"         {one.table} PDU {one.pdu} (0x{one.pdu:04X}), register number {forms.reg}, reference {forms.ref6}{short}"
    functions = [f"read {one.read_function}" if one.read_function else "not read", *(f"write {code}" for code in one.write_functions)]
    yield f"wire     link {one.link} ({one.framing}), unit {one.unit_id}, functions: {', '.join(functions)}"
    if one.request:
        yield f"request  {one.request}"
    if one.reply:
        yield f"reply    {one.reply}"
    yield f"words    {' '.join(f'{word:04X}' for word in one.words) or '-'}{' (typed in)' if one.is_typed else ''}"
    width = max((len(step.text.en) for step in one.steps), default=0)
    for step in one.steps:
        yield f"         {step.text.en:{width}}  {step.result}"
    yield f"value    {_value(one)}"
    if one.health is not None:
        yield f"device   {' '.join(filter(None, [one.health.state, one.health.reason, one.health.advice.en]))}"
    for each in one.candidates:
        used = "*" if each.is_used else " "
        yield f"order {used}  {','.join(each.orders)}: {'-' if each.value is None else each.value}  {each.mark}: {each.why.en}"


def _value(one: Explanation) -> str:
    value = "-" if one.value is None else f"{one.value}{f' ({one.label.en})' if one.label.en else ''}"
    age = f"{one.age_s:.1f} s old" if one.age_s is not None else ""
    return " ".join(filter(None, [value, one.unit.replace("deg", "°"), str(one.quality), one.reason or "", age]))
