"""Serving the page: a socket that is really free, the application over one gateway, and a clean end."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import APIRouter, FastAPI

from gateway.api.accounts import SingleSignOn
from gateway.api.app import API, make_app
from gateway.api.context import Context
from gateway.api.events import EventHub
from gateway.api.metrics import render
from gateway.api.shield import Shield
from gateway.app.accounts import WebAccounts
from gateway.app.gateway import Gateway
from gateway.app.groups import single_error
from gateway.app.pages import PageFeed, lockout_of
from gateway.app.session_watch import SessionWatch
from gateway.errors import ConfigError, Finding
from gateway.service.account_desk import AccountDesk
from gateway.service.audit_trail import AuditTrail
from gateway.settings import Web
from gateway.store.identities import Identities

log = logging.getLogger(__name__)

_STOP_S = 1


class Site:
    """A served page to which parts may be added while it is up."""

    def __init__(self, app: FastAPI, context: Context, hub: EventHub) -> None:
        self._app = app
        self._context = context
        self._hub = hub

    def add(self, feature: str, routers: Sequence[APIRouter]) -> None:
        """Serve further routes, and tell open pages of the new feature."""
        for router in routers:
            self._app.include_router(router, prefix=API)
        self._app.openapi_schema = None
        self._context.features.append(feature)
        self._hub.publish("features", self._context.features)


def listen(web: Web) -> socket.socket:
    """The listening socket; who comes early waits. ConfigError if the port is taken or the address is not of this machine."""
    family = socket.AF_INET6 if ":" in web.host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((web.host, web.port))
        opened.listen()
    except OSError as exc:
        opened.close()
        finding = Finding(code="port_in_use", message=f"cannot listen on {web.host}:{web.port}: {exc.strerror}", fix="choose another port")
        raise ConfigError([finding]) from exc
    return opened


def address_of(web: Web, opened: socket.socket) -> str:
    """Where a browser finds the page."""
    host = f"[{web.host}]" if ":" in web.host else web.host
    return f"{'https' if web.cert else 'http'}://{host}:{opened.getsockname()[1]}/"


def context_of(gateway: Gateway, hub: EventHub, *, is_secure: bool) -> Context:
    """What the routes may use of a running gateway."""
    site = gateway.settings.site
    return Context(
        site=site.name,
        timezone=str(site.timezone),
        languages=site.languages,
        read=gateway.read,
        propose=gateway.propose,
        alarm_desk=gateway.alarm_desk,
        confirm=gateway.confirm,
        accounts=WebAccounts(gateway.users, gateway.sessions, gateway.tokens, gateway.first, hub.end),
        account_desk=AccountDesk(gateway.users, gateway.tokens, gateway.confirm.forget_user),
        audit_trail=AuditTrail(gateway.audit),
        explain=gateway.explain,
        maps=gateway.maps,
        events=hub,
        clock=gateway.clock,
        is_secure=is_secure,
        metrics=lambda: render(gateway.read.health(), gateway.read.alarms()),
        lockout=lambda: lockout_of(gateway.lockouts),
        sso=sign_on(gateway),
    )


def sign_on(gateway: Gateway) -> SingleSignOn | None:
    """Signing in by the configured identity provider. Raises ConfigError if the library or the secret is missing."""
    wanted = gateway.settings.oidc
    if wanted is None:
        return None
    try:
        from gateway.app.oidc import Provider
        from gateway.app.sso import SignOn
    except ModuleNotFoundError as exc:
        raise ConfigError([Finding(code="no_oidc", message=f"oidc needs {exc.name}", fix="pip install 'busmate[oidc]'")]) from exc
    try:
        secret = wanted.secret_file.read_text(encoding="utf-8").strip() if wanted.secret_file is not None else ""
    except OSError as exc:
        message = f"{wanted.secret_file} cannot be read: {exc.strerror}"
        raise ConfigError([Finding(code="no_secret", message=message, fix="put the client's secret there")]) from exc
    provider = Provider(wanted, secret, gateway.clock)
    identities = Identities(gateway.audit, gateway.clock)
    return SignOn(wanted, provider, identities, gateway.sessions, gateway.confirm.forget_user, gateway.clock)


@asynccontextmanager
async def serving(gateway: Gateway, web: Web, opened: socket.socket, folders: Sequence[tuple[str, Path]] = ()) -> AsyncIterator[Site]:
    """Serve on a socket until the context ends; open streams are ended then, requests under way get a second.

    `folders` are further folders of the page's files, by URL prefix.
    """
    hub = EventHub()
    context = context_of(gateway, hub, is_secure=bool(web.cert))
    tell_reload = partial(hub.publish, "plant", {})
    tell_maps = partial(hub.publish, "map_changes", {})
    app = make_app(context, folders)
    server = _Server(
        uvicorn.Config(
            Shield(app, _names(web)),
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=_STOP_S,
            limit_concurrency=500,
            ssl_certfile=web.cert or None,
            ssl_keyfile=web.key or None,
        )
    )
    with single_error():
        async with asyncio.TaskGroup() as group:
            pages = PageFeed(gateway.read, gateway.sink.take_news, gateway.lockouts, hub)
            gateway.listeners.append(pages.tell)
            gateway.reload.listeners.append(tell_reload)
            gateway.maps.listeners.append(tell_maps)
            feed = group.create_task(pages.run())
            watch = group.create_task(SessionWatch(hub, context.accounts.alive).run())
            serve = group.create_task(server.serve(sockets=[opened]))
            try:
                yield Site(app, context, hub)
            finally:
                gateway.confirm.close()
                server.should_exit = True
                hub.close()
                gateway.listeners.remove(pages.tell)
                gateway.reload.listeners.remove(tell_reload)
                gateway.maps.listeners.remove(tell_maps)
                feed.cancel()
                watch.cancel()
                await serve


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """No handlers."""
        yield


def _names(web: Web) -> Sequence[str]:
    """The host names under which this gateway may be asked for."""
    names = {web.host, "localhost", "127.0.0.1", "::1", *web.hosts}
    if web.host in ("0.0.0.0", "::"):  # noqa: S104 - a name to be compared, nothing is bound here
        names |= {socket.gethostname(), socket.getfqdn()}
    return sorted(names)
