"""One running gateway: everything built in order, stopped in the opposite order."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from gateway.alarms.engine import Alarms
from gateway.app.adapters import AuditSide, PlantSide
from gateway.app.groups import single_error
from gateway.app.people import People, TerminalPeople
from gateway.app.people_watch import PeopleWatch
from gateway.app.reload import Candidate, Load, Reloader
from gateway.app.retention import Retention
from gateway.app.swap import Polling, Swap
from gateway.app.wire import MakeTransport, SampleSink, Wire, all_watches, make_plant, make_wire
from gateway.clock import Clock
from gateway.errors import StoreError
from gateway.link.transports import open_transport
from gateway.maps.versions import MapVersions
from gateway.model.point import Point
from gateway.model.sample import Sample
from gateway.poll.device import Device
from gateway.poll.scheduler import Scheduler
from gateway.service.alarm_desk import AlarmDesk
from gateway.service.base import Proposal, UnitHealth
from gateway.service.confirm import ConfirmService
from gateway.service.explain import Explainer
from gateway.service.health import unit_health
from gateway.service.map_desk import MapDesk
from gateway.service.map_files import MapFiles
from gateway.service.plant import Plant
from gateway.service.propose import Proposer
from gateway.service.read import FreshReader, PlantReader
from gateway.settings import Settings
from gateway.store.alarms import AlarmJournal
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles, Lockout
from gateway.store.claims import Claims
from gateway.store.engine import Store
from gateway.store.first_admin import FirstAdmin
from gateway.store.map_changes import MapChanges
from gateway.store.proposals import Proposals
from gateway.store.samples import Samples
from gateway.store.sessions import Sessions
from gateway.store.tokens import Tokens
from gateway.store.users import Users
from gateway.write.gate import Gate

log = logging.getLogger(__name__)

_HOUSEKEEPING_S = 5.0

Listener = Callable[[Proposal], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The parts of a running gateway. The assistant is handed `read` and `propose`, never `confirm`."""

    settings: Settings
    clock: Clock
    plant: Plant
    wire: Wire
    sink: SampleSink
    polling: Polling
    store: Store
    audit: Audit
    samples: Samples
    journal: AlarmJournal
    alarms: Alarms
    users: Users
    sessions: Sessions
    tokens: Tokens
    first: FirstAdmin
    read: PlantReader
    propose: Proposer
    confirm: ConfirmService
    alarm_desk: AlarmDesk
    explain: Explainer
    reload: Reloader
    maps: MapDesk[Candidate]
    spawn: Callable[[Coroutine[object, object, None]], asyncio.Task[None]]
    listeners: list[Listener]
    lockouts: Callable[[], Awaitable[Sequence[Lockout]]]


@asynccontextmanager
async def running(
    settings: Settings,
    clock: Clock,
    *,
    make_transport: MakeTransport = open_transport,
    owns: bool = True,
    load: Load | None = None,
    prepare: Callable[[Store, Audit], Coroutine[object, object, None]] | None = None,
) -> AsyncIterator[Gateway]:
    """A gateway until the context ends. `prepare` runs on the open store before anything else; `load` reads the settings anew for a reload.

    One that `owns` its data folder polls, and ends what an earlier run left behind; one beside another (`busmate write`) does neither.

    At the end no write is cut off: confirmations under way come to their outcome first, then polling and links stop, then the
    store writes what waits.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    async with await Store.open(settings.store_url) as store:
        audit = await Audit.open(store, AuditFiles(key=settings.data_dir / "audit.key", anchor=settings.data_dir / "audit.anchor"), clock)
        if prepare is not None:
            await prepare(store, audit)
        with single_error():
            async with asyncio.TaskGroup() as group:
                gateway = await _build(settings, clock, store, audit, group, make_transport, owns=owns, load=load)
                workers: list[asyncio.Task[None]] = []
                for bus in gateway.wire.buses.values():
                    gateway.polling.serve(bus)
                try:
                    if owns:
                        await gateway.confirm.recover()
                        workers += [group.create_task(gateway.polling.scheduler.run()), group.create_task(_house(gateway))]
                        workers.append(group.create_task(gateway.reload.run()))
                        workers.append(group.create_task(_retention(gateway).run()))
                    yield gateway
                finally:
                    await gateway.confirm.drain()
                    for worker in reversed(workers):
                        worker.cancel()
                    gateway.polling.stop()


async def _build(
    settings: Settings,
    clock: Clock,
    store: Store,
    audit: Audit,
    group: asyncio.TaskGroup,
    make_transport: MakeTransport,
    *,
    owns: bool,
    load: Load | None,
) -> Gateway:
    plant = make_plant(settings)
    wire = make_wire(settings, clock, make_transport)
    samples, journal, users = Samples(store), AlarmJournal(store, clock), Users(store, audit, clock)
    tokens = Tokens(store, audit, clock)
    people = People(users, tokens)
    alarms = Alarms(all_watches(wire, plant), clock, journal.put)
    alarms.restore(await journal.standing(), await journal.last_number())
    listeners: list[Listener] = []
    tell = partial(_tell, listeners)
    read = PlantReader(
        plant,
        latest=wire.latest.get,
        fresh=_FreshReads(wire),
        samples=samples,
        alarms=alarms,
        health=partial(_health, wire),
        audit=AuditSide(audit),
        clock=clock,
    )
    side, shelf, claims = PlantSide(plant, read), Proposals(store, audit, clock), Claims(audit, clock)
    desk = AlarmDesk(alarms, audit)
    links = {link.id: link for link in settings.links}
    sink = SampleSink(wire, plant, alarms, samples.put)
    polling = Polling(Scheduler(tuple(wire.devices.values()), clock, sink), group.create_task)
    swap = Swap(plant=plant, wire=wire, sink=sink, alarms=alarms, links=links, polling=polling, clock=clock, make_transport=make_transport)
    confirm = ConfirmService(
        side,
        shelf,
        claims,
        Gate(wire.devices, claims, clock),
        audit,
        people if owns else TerminalPeople(users, people),
        clock,
        acknowledge=desk.acknowledge,
        spawn=group.create_task,
        on_change=tell,
    )
    reload = Reloader(settings, load, swap, audit, clock)
    return Gateway(
        settings=settings,
        clock=clock,
        plant=plant,
        wire=wire,
        sink=sink,
        polling=polling,
        store=store,
        audit=audit,
        samples=samples,
        journal=journal,
        alarms=alarms,
        users=users,
        sessions=_sessions(store, settings, clock),
        tokens=tokens,
        first=FirstAdmin(store, users, clock),
        read=read,
        propose=Proposer(side, shelf, audit, clock, alarm=alarms.get, on_change=tell),
        confirm=confirm,
        alarm_desk=desk,
        explain=Explainer(plant, read, links),
        reload=reload,
        maps=MapDesk(
            reload,
            MapFiles(lambda: reload.current.map_folders, settings.data_dir / "map-drafts"),
            MapVersions(settings.data_dir / "map-versions"),
            MapChanges(store, audit, clock),
            audit,
            clock,
        ),
        spawn=group.create_task,
        listeners=listeners,
        lockouts=shelf.lockouts,
    )


def _sessions(store: Store, settings: Settings, clock: Clock) -> Sessions:
    limits = settings.sessions
    return Sessions(store, clock, idle_s=limits.idle_s, lifetime_s=limits.lifetime_s, fresh_s=limits.password_again_s)


async def _house(gateway: Gateway) -> None:
    watch = PeopleWatch(gateway.audit, gateway.confirm.forget_user)
    await keep_house(gateway.clock, watch, gateway.confirm.expire_due)


def _retention(gateway: Gateway) -> Retention:
    keep_days = gateway.settings.keep_days
    return Retention(gateway.samples, gateway.sessions, gateway.tokens, gateway.users, gateway.clock, keep_days=keep_days)


async def keep_house(clock: Clock, watch: PeopleWatch, expire_due: Callable[[], Awaitable[None]]) -> None:
    """End proposals whose time is over, or whose person may not write any more. A store that refuses stops nothing else (T82)."""
    is_troubled = False
    while True:
        await clock.sleep(_HOUSEKEEPING_S)
        try:
            await expire_due()
            await watch.look()
        except StoreError as error:
            if not is_troubled:
                log.warning("open proposals cannot be ended: %s", error)
            is_troubled = True
        else:
            is_troubled = False


class _FreshReads(dict[str, FreshReader]):
    """Device -> how it is read now; devices come and go with a reload."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire

    def __missing__(self, device: str) -> FreshReader:
        return partial(_fresh, self._wire, self._wire.devices[device])


async def _fresh(wire: Wire, device: Device, points: Sequence[Point]) -> Sequence[Sample]:
    """What an old device still reads after a reload goes to whoever asked, and nowhere else."""
    samples = await device.read_fresh(points)
    if wire.devices.get(device.id) is device:
        wire.latest.keep(samples)
    return samples


def _health(wire: Wire, device: str | None) -> Sequence[UnitHealth]:
    return [unit_health(one.status()) for name, one in wire.devices.items() if device is None or name == device]


def _tell(listeners: Sequence[Listener], proposal: Proposal) -> None:
    for listener in listeners:
        listener(proposal)
