"""Gateway, page and assistant together: the page comes first, the language libraries load behind it."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from assistant.settings import AssistantSettings, read_settings
from gateway.app import Gateway, running
from gateway.app.lock import data_folder
from gateway.app.process import first_admin_lines, refuse_open_door, reload_on_hangup, until_signal
from gateway.app.web import Site, address_of, listen, serving
from gateway.clock import SystemClock
from gateway.settings import Web, load_settings

if TYPE_CHECKING:
    from assistant.app.assistant import Assistant

log = logging.getLogger(__name__)

_WEB = Path(__file__).parents[1] / "web"


async def serve_config(config: Path) -> None:
    """Serve a configuration until a signal."""
    settings = load_settings(config)
    block = read_settings(settings.assistant, settings.file)
    with data_folder(settings.data_dir):
        opened = listen(settings.web)
        load = partial(load_settings, settings.file)
        async with until_signal() as stop, running(settings, SystemClock(), load=load) as gateway:
            await refuse_open_door(gateway, settings.web)
            with reload_on_hangup(gateway):
                async with with_assistant(gateway, block, settings.web, opened):
                    address = address_of(settings.web, opened)
                    for line in (f"address: {address}", *await first_admin_lines(gateway, address)):
                        say(line)
                    await stop.wait()


@asynccontextmanager
async def with_assistant(gateway: Gateway, block: AssistantSettings, web: Web, opened: socket) -> AsyncIterator[None]:
    """Serve the page at once; the chat joins it when its libraries are loaded."""
    async with serving(gateway, web, opened, [("/assistant", _WEB)]) as site, asyncio.TaskGroup() as group:
        joining = group.create_task(_join(gateway, block, site))
        try:
            yield
        finally:
            joining.cancel()


async def _join(gateway: Gateway, block: AssistantSettings, site: Site) -> None:
    assisting = await asyncio.to_thread(_load)
    async with assisting(gateway, block) as assistant:
        site.add("chat", assistant.routers())
        log.info("the assistant has joined")
        await asyncio.Event().wait()


def _load() -> "Callable[[Gateway, AssistantSettings], AbstractAsyncContextManager[Assistant]]":
    from assistant.app.assistant import assisting

    return assisting


def say(line: str) -> None:
    """One line for the person at the terminal, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
