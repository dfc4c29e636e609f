"""The simulated pump station and everything on it, in one process."""

import asyncio
import os
import secrets
import webbrowser
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.app.serving import say, with_assistant
from assistant.settings import read_settings
from gateway.app import Gateway, running
from gateway.app.lock import data_folder
from gateway.app.process import reload_on_hangup, until_signal
from gateway.app.relink import relinked
from gateway.app.web import address_of, listen
from gateway.clock import SystemClock
from gateway.errors import ConfigError, Finding
from gateway.model.point import Role
from gateway.service.base import Actor
from gateway.settings import Settings, load_settings
from simulators.plant import load_plant
from simulators.simulated_plant import SimulatedPlant

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "configs" / "demo.yaml"
USERS = {
    "operator": Role.OPERATOR,
    "operator2": Role.OPERATOR,
    "engineer": Role.ENGINEER,
    "engineer2": Role.ENGINEER,
    "viewer": Role.VIEWER,
}

_SEED = 20260310


async def serve_demo(*, port: int | None, data: Path | None, opens_browser: bool) -> None:
    """Serve plant, gateway, assistant and page until a signal."""
    settings = demo_settings(data or ROOT / "data" / "demo", port)
    block = read_settings(settings.assistant, settings.file)
    password = os.environ.get("BUSMATE_DEMO_PASSWORD") or secrets.token_urlsafe(9)
    with data_folder(settings.data_dir):
        opened = listen(settings.web)
        async with until_signal() as stop, demo_plant(settings, steady=False) as gateway:
            await _accounts(gateway, password)
            with reload_on_hangup(gateway):
                async with with_assistant(gateway, block, settings.web, opened):
                    address = address_of(settings.web, opened)
                    say(f"address: {address}")
                    say(f"login: operator {password}")
                    say("also operator2, engineer, engineer2 and viewer, same password; Ctrl-C ends it")
                    if opens_browser and os.environ.get("DISPLAY"):
                        await asyncio.to_thread(webbrowser.open, address)
                    await stop.wait()


async def ask_demo(text: str, user: str) -> dict[str, object]:
    """Answer one question over the steady plant, with a data folder that is gone afterwards."""
    from assistant.app.asking import ask_gateway

    if user not in USERS:
        raise ConfigError([Finding(code="unknown_user", message=f"the demo has no user {user}", fix=f"use one of {', '.join(USERS)}")])
    with TemporaryDirectory(prefix="busmate-demo-", ignore_cleanup_errors=True) as folder:
        settings = demo_settings(Path(folder), None)
        async with demo_plant(settings, steady=True) as gateway:
            block = read_settings(settings.assistant, settings.file)
            return await ask_gateway(gateway, block, text, Actor(user=user, role=USERS[user], via="cli"))


def demo_settings(folder: Path, port: int | None, maps_first: Sequence[Path] = ()) -> Settings:
    """The demo's configuration with its data, and the maps that are changed, in `folder`."""
    own_maps = folder.absolute() / "maps"
    settings = load_settings(CONFIG, [*maps_first, own_maps])
    web = settings.web if port is None else replace(settings.web, port=port)
    return replace(settings, data_dir=folder, store_url=f"sqlite:///{folder / 'busmate.db'}", web=web, map_folders=(own_maps,))


@asynccontextmanager
async def demo_plant(settings: Settings, *, steady: bool) -> AsyncIterator[Gateway]:
    """A gateway on the simulated plant; its maps may change while it runs."""
    clock = SystemClock()
    simulated = SimulatedPlant(load_plant("pump_station"), clock, _SEED, steady=steady)
    async with simulated.running(paced=True) as served:
        load = partial(_load, settings, served.ports)
        async with running(relinked(settings, served.ports), clock, load=load) as gateway:
            yield gateway


def _load(settings: Settings, ports: Mapping[str, str | tuple[str, int]], maps_first: Sequence[Path] = ()) -> Settings:
    return relinked(demo_settings(settings.data_dir, settings.web.port, maps_first), ports)


async def _accounts(gateway: Gateway, password: str) -> None:
    """The demo's accounts, all with this start's password."""
    known = {user.name for user in await gateway.users.all()}
    for name, role in USERS.items():
        if name in known:
            await gateway.users.set_password(name, password, by="demo")
        else:
            await gateway.users.add(name, password, role, by="demo")
