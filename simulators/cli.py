"""`busmate simulate`: a simulated plant, scenario or device, served until Ctrl-C."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn

import simplejson
import typer

from gateway.clock import SystemClock
from gateway.errors import ConfigError, Finding, GatewayError, LinkDownError
from simulators.plant import Plant, SimLink
from simulators.scenario import Scenario, load_scenario, schedule
from simulators.simulated_plant import SimulatedPlant

_LAST_PORT = 65535


def simulate(
    path: Annotated[str, typer.Argument(help="A shipped plant's name (pump_station), or the file of a plant, scenario or register map.")],
    port: Annotated[
        int, typer.Option(help="TCP port of the first TCP link, the next ones follow; 0: any free ones.", min=0, max=65535)
    ] = 0,
    fault: Annotated[list[str] | None, typer.Option(help="NAME or NAME=ARGS, such as late=0.5,device=vfd2,times=3; repeatable.")] = None,
    baud: Annotated[
        int | None, typer.Option(help="Speed of serial lines; 0: as fast as it goes. A map is then served as RTU on a terminal.", min=0)
    ] = None,
    pty: Annotated[list[str] | None, typer.Option(help="LINK=FILE: a lasting name for a serial link's terminal; repeatable.")] = None,
    steady: Annotated[bool, typer.Option(help="Values stand still but for what is written.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Say where it listens as one JSON document.")] = False,
) -> None:
    """Serve a simulated plant, scenario or device until Ctrl-C."""
    try:
        scenario = load_scenario(path)
        scenario = replace(scenario, plant=_with_links(scenario, port, baud), steady=scenario.steady or steady)
        plant = SimulatedPlant(scenario.plant, SystemClock(), scenario.seed, steady=scenario.steady)
        schedule(scenario, plant)
        for text in fault or ():
            plant.fault_from(text)
        asyncio.run(_serve(plant, paced=baud != 0, pty_paths=_pty_paths(plant.plant, pty or ()), as_json=as_json))
    except GatewayError as exc:
        _fail(exc, as_json=as_json)
    except OSError as exc:
        _fail(LinkDownError(f"cannot serve: {exc.strerror or exc}", fix="choose another --port or --pty"), as_json=as_json)


async def _serve(plant: SimulatedPlant, *, paced: bool, pty_paths: dict[str, Path], as_json: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with plant.running(paced=paced, pty_paths=pty_paths) as running:
        places = {link: port if isinstance(port, str) else f"{port[0]}:{port[1]}" for link, port in running.ports.items()}
        if as_json:
            links = [{"id": link, "kind": plant.plant.links[link].kind, "address": address} for link, address in places.items()]
            _say(simplejson.dumps({"plant": plant.plant.id, "links": links}))
        else:
            for link, address in places.items():
                units = ", ".join(f"{name} at unit {at.unit_id}" for name, at in plant.plant.devices.items() if at.link == link)
                _say(f"{link}: {plant.plant.links[link].kind} on {address} ({units})")
            _say("Ctrl-C ends it")
        await stop.wait()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _with_links(scenario: Scenario, port: int, baud: int | None) -> Plant:
    """The plant's links at the ports and the speed asked for."""
    links: dict[str, SimLink] = {}
    for name, link in scenario.plant.links.items():
        kind = "rtu" if scenario.is_map and baud is not None else link.kind
        changed = link.model_copy(update={"kind": kind, "baud": baud or link.baud})
        if not changed.is_serial and port:
            if port > _LAST_PORT:
                fix = f"choose --port at most {_LAST_PORT + 1 - len(scenario.plant.links)}"
                raise ConfigError([Finding(code="out_of_range", message=f"no port is left for link {name}", fix=fix)])
            changed = changed.model_copy(update={"port": port})
            port += 1
        links[name] = changed
    return replace(scenario.plant, links=links)


def _pty_paths(plant: Plant, given: Sequence[str]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for text in given:
        link, _, file = text.partition("=")
        if not file or link not in plant.links or not plant.links[link].is_serial:
            serial = ", ".join(name for name, at in plant.links.items() if at.is_serial) or "none"
            message = f"--pty {text} is not LINK=FILE of a serial link"
            raise ConfigError([Finding(code="bad_choice", message=message, fix=f"serial links here: {serial}")])
        paths[link] = Path(file)
    return paths


def _fail(error: GatewayError, *, as_json: bool) -> NoReturn:
    if not as_json:
        sys.stderr.write(f"{error}\n")
    elif isinstance(error, ConfigError):
        first = error.findings[0]
        place = {"file": first.file, "line": first.line, "path": first.path}
        _say(simplejson.dumps({"error": first.code, "message": first.message, "fix": first.fix, **place}, ensure_ascii=False))
    else:
        _say(simplejson.dumps({"error": error.code, "message": error.message, "fix": error.fix}, ensure_ascii=False))
    raise SystemExit(1)
