"""The simulated pump station and everything on it, in one process."""

import asyncio
import os
import secrets
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.app.serving import say, with_assistant
from assistant.settings import read_settings
from gateway.app import Gateway, running
from gateway.app.lock import data_folder
from gateway.app.process import until_signal
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
USERS = {"operator": Role.OPERATOR, "operator2": Role.OPERATOR, "engineer": Role.ENGINEER, "viewer": Role.VIEWER}

_SEED = 20260310


async def serve_demo(*, port: int | None, data: Path | None, opens_browser: bool) -> None:
    """Serve plant, gateway, assistant and page until a signal."""
    settings = _settings(data or ROOT / "data" / "demo", port)
    block = read_settings(settings.assistant, settings.file)
    password = os.environ.get("BUSMATE_DEMO_PASSWORD") or secrets.token_urlsafe(9)
    with data_folder(settings.data_dir):
        opened = listen(settings.web)
        async with until_signal() as stop, _plant(settings, steady=False) as gateway:
            await _accounts(gateway, password)
            async with with_assistant(gateway, block, settings.web, opened):
                address = address_of(settings.web, opened)
                say(f"address: {address}")
                say(f"login: operator {password}")
                say("also operator2, engineer and viewer, same password; Ctrl-C ends it")
                if opens_browser and os.environ.get("DISPLAY"):
                    await asyncio.to_thread(webbrowser.open, address)
                await stop.wait()


async def ask_demo(text: str, user: str) -> dict[str, object]:
    """Answer one question over the steady plant, with a data folder that is gone afterwards."""
    from assistant.app.asking import ask_gateway

    if user not in USERS:
        raise ConfigError([Finding(code="unknown_user", message=f"the demo has no user {user}", fix=f"use one of {', '.join(USERS)}")])
    with TemporaryDirectory(prefix="busmate-demo-", ignore_cleanup_errors=True) as folder:
        settings = _settings(Path(folder), None)
        async with _plant(settings, steady=True) as gateway:
            block = read_settings(settings.assistant, settings.file)
            return await ask_gateway(gateway, block, text, Actor(user=user, role=USERS[user], via="cli"))


def _settings(folder: Path, port: int | None) -> Settings:
    settings = load_settings(CONFIG)
    web = settings.web if port is None else replace(settings.web, port=port)
    return replace(settings, data_dir=folder, store_url=f"sqlite:///{folder / 'busmate.db'}", web=web)


@asynccontextmanager
async def _plant(settings: Settings, *, steady: bool) -> AsyncIterator[Gateway]:
    """A gateway on the simulated plant."""
    clock = SystemClock()
    simulated = SimulatedPlant(load_plant("pump_station"), clock, _SEED, steady=steady)
    async with simulated.running(paced=True) as served, running(relinked(settings, served.ports), clock) as gateway:
        yield gateway


async def _accounts(gateway: Gateway, password: str) -> None:
    """The demo's accounts, all with this start's password."""
    known = {user.name for user in await gateway.users.all()}
    for name, role in USERS.items():
        if name in known:
            await gateway.users.set_password(name, password, by="demo")
        else:
            await gateway.users.add(name, password, role, by="demo")
