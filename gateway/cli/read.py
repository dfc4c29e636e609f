"""`read`: fresh values from the wire."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from gateway.app.wire import make_plant, make_wire
from gateway.cli.output import fail_with, print_json
from gateway.clock import SystemClock
from gateway.errors import GatewayError
from gateway.link.transports import open_transport
from gateway.model.quality import Quality
from gateway.model.sample import Sample
from gateway.settings import Settings, load_settings


def read(
    config: Annotated[Path, typer.Argument(help="a configuration")],
    tags: Annotated[list[str], typer.Argument(help="tags, DEVICE.point")],
    raw: Annotated[bool, typer.Option("--raw", help="show the words, too")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """Fresh values from the wire; exit status 1 if any is BAD."""
    try:
        samples = asyncio.run(_read(load_settings(config), tags))
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    if as_json:
        print_json([_row(sample) for sample in samples])
    else:
        for sample in samples:
            print(_line(sample, raw=raw))
    raise typer.Exit(int(any(sample.quality is Quality.BAD for sample in samples)))


async def _read(settings: Settings, tags: list[str]) -> list[Sample]:
    plant, clock = make_plant(settings), SystemClock()
    by_device: dict[str, list[str]] = {}
    for tag in tags:
        by_device.setdefault(plant.infos[plant.tag(tag)].device, []).append(tag)
    wire = make_wire(settings, clock, open_transport, only=frozenset(by_device))
    found: dict[str, Sample] = {}

    async def read_device(device: str, wanted: list[str]) -> None:
        samples = await wire.devices[device].read_fresh([plant.point(tag) for tag in wanted])
        found.update(zip(wanted, samples, strict=True))

    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(bus.run()) for bus in wire.buses.values()]
        async with asyncio.TaskGroup() as readers:
            for device, wanted in by_device.items():
                readers.create_task(read_device(device, wanted))
        for worker in workers:
            worker.cancel()
    return [found[tag] for tag in tags]


def _row(sample: Sample) -> dict[str, object]:
    return {
        "tag": sample.tag,
        "value": sample.value,
        "label": sample.label,
        "unit": sample.unit,
        "quality": str(sample.quality),
        "reason": sample.reason,
        "read_at": sample.read_at.isoformat() if sample.read_at else None,
        "age_s": round(sample.age_s, 3) if sample.age_s is not None else None,
        "words": [f"0x{word:04X}" for word in sample.words],
    }


def _line(sample: Sample, *, raw: bool) -> str:
    label = f" ({sample.label_text.en})" if sample.label_text.en else ""
    value = "-" if sample.value is None else f"{sample.value}{label}"
    words = " ".join(f"{word:04X}" for word in sample.words) if raw else ""
    return " ".join(filter(None, [sample.tag, value, sample.unit.replace("deg", "°"), str(sample.quality), sample.reason or "", words]))
