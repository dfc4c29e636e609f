"""Every operation over HTTP with arguments right and wrong, as everybody who may knock: no 5xx, nobody gets more than their role."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error

from assistant.app.serving import with_assistant
from assistant.settings import read_settings
from gateway.app.web import listen
from gateway.model.point import Role
from gateway.service.base import Actor, WantedWrite
from gateway.settings import Web
from gateway.store.base import Scope
from tests.running_plant import PASSWORD, RunningPlant, running_plant

pytestmark = pytest.mark.service

EXAMPLES = 8
"""For the least role that may do it and for the admin; the others are tried less often."""
API = "/api/v1"

Case = schemathesis.Case[Any]
Operation = schemathesis.APIOperation[Any, Any, Any, Any]
Least = Literal["anybody", "viewer", "operator", "engineer", "admin"]

OPERATIONS: dict[tuple[str, str], Least] = {
    ("GET", "/healthz"): "anybody",
    ("GET", "/metrics"): "anybody",
    ("POST", f"{API}/login"): "anybody",
    ("GET", f"{API}/first-admin"): "anybody",
    ("POST", f"{API}/first-admin"): "anybody",
    ("GET", f"{API}/oidc/login"): "anybody",
    ("GET", f"{API}/oidc/callback"): "anybody",
    ("POST", f"{API}/logout"): "viewer",
    ("GET", f"{API}/me"): "viewer",
    ("POST", f"{API}/me/proof"): "viewer",
    ("POST", f"{API}/me/password"): "viewer",
    ("GET", f"{API}/devices"): "viewer",
    ("GET", f"{API}/links"): "viewer",
    ("GET", f"{API}/points"): "viewer",
    ("GET", f"{API}/points/{{tag}}"): "viewer",
    ("GET", f"{API}/points/{{tag}}/explain"): "viewer",
    ("GET", f"{API}/history"): "viewer",
    ("GET", f"{API}/alarms"): "viewer",
    ("POST", f"{API}/alarms/{{alarm}}/ack"): "operator",
    ("POST", f"{API}/alarms/{{alarm}}/shelve"): "engineer",
    ("POST", f"{API}/alarms/{{alarm}}/unshelve"): "engineer",
    ("GET", f"{API}/audit"): "viewer",
    ("GET", f"{API}/audit/records"): "viewer",
    ("GET", f"{API}/audit/export"): "operator",
    ("POST", f"{API}/proposals"): "operator",
    ("GET", f"{API}/proposals"): "viewer",
    ("GET", f"{API}/proposals/{{proposal}}"): "viewer",
    ("POST", f"{API}/proposals/{{proposal}}/confirm"): "operator",
    ("POST", f"{API}/proposals/{{proposal}}/reject"): "operator",
    ("POST", f"{API}/proposals/{{proposal}}/undo"): "operator",
    ("POST", f"{API}/proposals/{{proposal}}/stop"): "operator",
    ("GET", f"{API}/procedures"): "viewer",
    ("GET", f"{API}/lockouts"): "viewer",
    ("POST", f"{API}/lockouts"): "engineer",
    ("POST", f"{API}/lockouts/release"): "engineer",
    ("GET", f"{API}/maps"): "engineer",
    ("GET", f"{API}/maps/schema.json"): "anybody",
    ("POST", f"{API}/maps/check"): "engineer",
    ("POST", f"{API}/maps/reload"): "engineer",
    ("GET", f"{API}/maps/changes"): "engineer",
    ("POST", f"{API}/maps/changes/{{change}}/confirm"): "engineer",
    ("POST", f"{API}/maps/changes/{{change}}/reject"): "engineer",
    ("GET", f"{API}/maps/{{map_id}}"): "engineer",
    ("GET", f"{API}/maps/{{map_id}}/versions/{{number}}"): "engineer",
    ("POST", f"{API}/maps/{{map_id}}/preview"): "engineer",
    ("PUT", f"{API}/maps/{{map_id}}"): "engineer",
    ("POST", f"{API}/maps/{{map_id}}/rollback"): "engineer",
    ("GET", f"{API}/users"): "admin",
    ("POST", f"{API}/users"): "admin",
    ("PATCH", f"{API}/users/{{user}}"): "admin",
    ("GET", f"{API}/tokens"): "admin",
    ("POST", f"{API}/tokens"): "admin",
    ("DELETE", f"{API}/tokens/{{name}}"): "admin",
    ("GET", f"{API}/chats"): "viewer",
    ("GET", f"{API}/chats/{{conversation}}"): "viewer",
    ("DELETE", f"{API}/chats/{{conversation}}"): "viewer",
    ("POST", f"{API}/chats/{{conversation}}/stop"): "viewer",
    ("GET", f"{API}/manuals"): "viewer",
    ("GET", f"{API}/manuals/search"): "viewer",
    ("GET", f"{API}/manuals/{{doc}}/pages/{{page}}.png"): "viewer",
    ("DELETE", f"{API}/manuals/{{doc}}"): "engineer",
}
"""Who may at least do what. A new route has to be named here, or the test below is red."""

APART = {("GET", f"{API}/events"), ("POST", f"{API}/chat"), ("POST", f"{API}/manuals")}
"""Event streams and the upload: they have tests of their own."""

OF_PEOPLE = ("/me", "/users", "/tokens")
"""What no token is even shown."""
TOKENS_MAY_POST = {f"{API}/proposals": "propose", f"{API}/maps/check": "read"}

ENDS_SESSION = {f"{API}/logout", f"{API}/me/password"}

ACTORS = ("anonymous", "viewer", "operator", "engineer", "admin", "token-read", "token-propose")


@dataclass
class Served:
    """The demo's plant with gateway and assistant on a real socket, run by another thread."""

    url: str
    plant: RunningPlant
    loop: asyncio.AbstractEventLoop
    tokens: dict[str, str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    """Path parameter -> a value that exists, so that requests reach what lies behind."""
    schema: schemathesis.BaseSchema = field(init=False)

    def names(self) -> set[tuple[str, str]]:
        """(method, path) of every operation that is served now; the assistant's join a few seconds after the others."""
        document = requests.get(f"{self.url}/api/openapi.json", timeout=10).json()
        return {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}

    def headers(self, actor: str) -> dict[str, str]:
        """Headers and cookie of a fresh session or of the actor's token."""
        return asyncio.run_coroutine_threadsafe(self._headers(actor), self.loop).result(30)

    async def _headers(self, actor: str) -> dict[str, str]:
        if actor == "anonymous":
            return {}
        if actor.startswith("token-"):
            return {"authorization": f"Bearer {self.tokens[actor]}"}
        session = await self.plant.gateway.sessions.start(actor, Role(actor))
        return {"cookie": f"busmate_session={session.id}", "x-csrf-token": session.csrf}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Served until the tests of this file are done."""
    ready: SimpleQueue[Served | BaseException] = SimpleQueue()
    stop = threading.Event()
    folder = tmp_path_factory.mktemp("plant")

    def run() -> None:
        try:
            asyncio.run(_serve(folder, ready, stop))
        except BaseException as error:  # noqa: BLE001 - handed to the test, which raises it
            ready.put(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        found = ready.get(timeout=60)
        if isinstance(found, BaseException):
            raise found
        found.schema = schemathesis.openapi.from_url(f"{found.url}/api/openapi.json")
        yield found
    finally:
        stop.set()
        thread.join(30)


async def _serve(folder: Path, ready: "SimpleQueue[Served | BaseException]", stop: threading.Event) -> None:
    web = Web(host="127.0.0.1", port=0)
    async with running_plant(folder) as plant:
        gateway = plant.gateway
        opened: socket.socket = listen(web)
        async with with_assistant(gateway, read_settings(gateway.settings.assistant, gateway.settings.file), web, opened):
            served = Served(url=f"http://127.0.0.1:{opened.getsockname()[1]}", plant=plant, loop=asyncio.get_running_loop())
            for scope in Scope:
                served.tokens[f"token-{scope}"], _ = await gateway.tokens.make(f"fuzz-{scope}", scope, Role.ENGINEER, 1, by="test")
            served.known = await _known(plant)
            while not (await asyncio.to_thread(served.names)) >= {*OPERATIONS}:
                await gateway.clock.sleep(0.1)
            ready.put(served)
            await asyncio.to_thread(stop.wait)


async def _known(plant: RunningPlant) -> dict[str, str]:
    gateway = plant.gateway
    await gateway.users.add("victim", PASSWORD, Role.VIEWER, by="test")
    await gateway.tokens.make("victim", Scope.READ, Role.VIEWER, 1, by="test")
    actor = Actor(user="operator", role=Role.OPERATOR, via="page", session="somebody's")
    proposal = await gateway.propose.propose([WantedWrite(tag="vfd1.speed_sp", value=47)], "test", actor)
    alarm = gateway.read.alarms()[0].id
    return {"tag": "vfd1.speed_sp", "map_id": "demo_lt50", "user": "victim", "name": "victim", "alarm": alarm, "proposal": proposal.id}


def test_table_names_every_operation(served: Served) -> None:
    assert served.names() == {*OPERATIONS, *APART}


def expected(actor: str, method: str, path: str) -> set[int] | None:
    """The only statuses an actor may get; None if the request may succeed."""
    least = OPERATIONS[method, path]
    if least == "anybody":
        return None
    if actor == "anonymous":
        return {401}
    if actor.startswith("token-"):
        if path.removeprefix(API).startswith(OF_PEOPLE) or path == f"{API}/logout":
            return {403}
        if method == "GET":
            return None
        scope = TOKENS_MAY_POST.get(path)
        return None if scope is not None and scope in ("read", actor.removeprefix("token-")) else {403}
    return None if Role(actor).includes(Role(least)) else {403}


def _wrong(operation: Operation) -> st.SearchStrategy[Case]:
    """Arguments that break the schema, where there is anything to break."""
    has_arguments = operation.body or operation.query or operation.path_parameters
    return operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE) if has_arguments else st.nothing()


CALLS = [
    pytest.param(method, path, actor, id=f"{method} {path.removeprefix(API)} {actor}")
    for (method, path), least in OPERATIONS.items()
    for actor in (ACTORS if least != "anybody" else ("anonymous",))
]


@pytest.mark.parametrize(("method", "path", "actor"), CALLS)
def test_no_5xx_and_no_privilege_gap(served: Served, method: str, path: str, actor: str) -> None:
    operation = served.schema[path][method]
    headers = served.headers(actor)
    only = expected(actor, method, path)
    is_thorough = only is None and actor in (OPERATIONS[method, path], "admin", "anonymous", "token-propose")
    session = requests.Session()

    @settings(
        max_examples=EXAMPLES if is_thorough else 3,
        phases=[Phase.generate],
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(operation.as_strategy(), _wrong(operation)), is_known=st.booleans())
    def knock(case: Case, is_known: bool) -> None:
        if is_known and case.path_parameters:
            case.path_parameters = {name: served.known.get(name, value) for name, value in case.path_parameters.items()}
        mine = served.headers(actor) if path in ENDS_SESSION else headers
        sent = {name: value for name, value in (case.headers or {}).items() if name.lower() not in ("authorization", "cookie")}
        response = case.call(base_url=served.url, session=session, headers={**sent, **mine}, timeout=30)
        case.validate_response(response, checks=[not_a_server_error])
        if only is not None:
            assert response.status_code in only | {400, 404, 405, 413, 422}, (response.status_code, response.text)

    knock()


def test_requests_reach_what_lies_behind(served: Served) -> None:
    """The same headers that are refused above do open what the role may have."""
    for actor, status in (("anonymous", 401), ("viewer", 200), ("admin", 200), ("token-read", 200)):
        assert requests.get(f"{served.url}{API}/points/vfd1.speed_sp", headers=served.headers(actor), timeout=10).status_code == status
    for actor, status in (("viewer", 403), ("engineer", 403), ("admin", 200), ("token-propose", 403)):
        assert requests.get(f"{served.url}{API}/users", headers=served.headers(actor), timeout=10).status_code == status
