"""The gateway as a process: signals, the data folder, who may bind where, and an orderly end."""

import asyncio
import ipaddress
import logging
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from gateway.app.gateway import Gateway
from gateway.errors import ConfigError, Finding
from gateway.settings import Web
from gateway.store.first_admin import CODE_LIFE_S

log = logging.getLogger(__name__)


@asynccontextmanager
async def until_signal() -> AsyncIterator[asyncio.Event]:
    """An event that SIGINT or SIGTERM sets; handlers are taken back at the end."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


@contextmanager
def reload_on_hangup(gateway: Gateway) -> Iterator[None]:
    """SIGHUP reads configuration and maps again."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, lambda: gateway.spawn(gateway.reload.hang_up()))
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)


async def refuse_open_door(gateway: Gateway, web: Web) -> None:
    """ConfigError if the page would be served beyond this machine without accounts or provider, or without TLS unless told to."""
    if _is_loopback(web.host):
        return
    if not await gateway.users.all() and gateway.settings.oidc is None:
        fix = "make an account first: busmate user add CONFIG NAME --role admin"
        raise ConfigError([Finding(code="no_users", message=f"nobody could sign in at {web.host}, but anybody could try", fix=fix)])
    if not web.cert and not web.plain_http:
        fix = "set web.tls, or web.plain_http: true where something before the gateway does TLS"
        raise ConfigError([Finding(code="no_tls", message=f"passwords would cross the network in clear at {web.host}", fix=fix)])


async def first_admin_lines(gateway: Gateway, address: str) -> tuple[str, ...]:
    """What the console says while nobody has an account: where the first admin's is made, with a code that works once."""
    code = await gateway.first.issue()
    if code is None:
        return ()
    return (
        f"no account yet; within {CODE_LIFE_S // 60:.0f} minutes open {address}#first={code}",
        f"or: busmate user first {gateway.settings.file} NAME --code {code}",
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
