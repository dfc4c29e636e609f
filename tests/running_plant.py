"""A gateway on the steady simulated plant, and its web application without a socket, for tests of the whole."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from gateway.api.app import make_app
from gateway.api.events import EventHub
from gateway.api.shield import Shield
from gateway.app import Gateway, running
from gateway.app.relink import relinked
from gateway.app.web import context_of
from gateway.clock import SystemClock
from gateway.model.point import Role
from gateway.settings import Settings, load_settings
from simulators.plant import load_plant
from simulators.simulated_plant import SimulatedPlant

ROOT = Path(__file__).parents[1]
PASSWORD = "a-password-for-tests"
USERS = {"operator": Role.OPERATOR, "operator2": Role.OPERATOR, "engineer": Role.ENGINEER, "viewer": Role.VIEWER, "admin": Role.ADMIN}
HOST = "http://plant.test"


@dataclass
class RunningPlant:
    """The simulated plant, the gateway on it, and clients of its web application."""

    simulated: SimulatedPlant
    gateway: Gateway
    app: Shield
    hub: EventHub
    sessions: dict[str, tuple[str, str]] = field(default_factory=dict)

    def client(self) -> httpx.AsyncClient:
        """Somebody who has not signed in."""
        return httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app), base_url=HOST)

    async def signed_in(self, user: str) -> httpx.AsyncClient:
        """A person with their session and its CSRF token."""
        if user not in self.sessions:
            answer = await self.client().post("/api/v1/login", json={"user": user, "password": PASSWORD})
            assert answer.status_code == 200, answer.text
            self.sessions[user] = (answer.cookies["busmate_session"], answer.json()["csrf"])
        cookie, csrf = self.sessions[user]
        client = self.client()
        client.cookies.set("busmate_session", cookie, domain="plant.test")
        client.headers["x-csrf-token"] = csrf
        return client


@asynccontextmanager
async def running_plant(folder: Path) -> AsyncIterator[RunningPlant]:
    """Steady plant, real sockets and terminal, accounts made, first values read; on the same folder once more it is a restart."""
    clock = SystemClock()
    simulated = SimulatedPlant(load_plant("pump_station"), clock, 1, steady=True)
    async with simulated.running() as served:

        def load(maps_first: Sequence[Path] = ()) -> Settings:
            found = relinked(load_settings(ROOT / "configs/demo.yaml", [*maps_first, folder / "maps"]), served.ports)
            return replace(found, data_dir=folder, store_url=f"sqlite:///{folder / 'busmate.db'}", map_folders=(folder / "maps",))

        settings = load()
        async with running(settings, clock, load=load) as gateway:
            for name, role in USERS.items():
                if await gateway.users.role_of(name) is None:
                    await gateway.users.add(name, PASSWORD, role, by="test")
            hub = EventHub()
            context = context_of(gateway, hub, is_secure=False)
            while any(sample.reason == "waiting" for sample in gateway.read.latest(["vfd1.speed_sp", "plc1.discharge_pressure", "tc1.sp"])):
                await clock.sleep(0.01)
            yield RunningPlant(simulated=simulated, gateway=gateway, app=Shield(make_app(context), ["plant.test"]), hub=hub)


@asynccontextmanager
async def kept_plant(folder: Path) -> AsyncIterator[RunningPlant]:
    """A running plant in a task of its own: fixtures are begun and ended by different tasks, which its task groups do not bear."""
    stop = asyncio.Event()
    ready: asyncio.Future[RunningPlant] = asyncio.get_running_loop().create_future()

    async def keep() -> None:
        async with running_plant(folder) as running:
            ready.set_result(running)
            await stop.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(keep())
        yield await ready
        stop.set()
