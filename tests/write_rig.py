"""A small plant on the memory transport with everything that a write passes: store, audit, proposals, confirmation, gate.

`pump` (unit 1 on line1) and `panel` (unit 2, same line), `tank` (unit 1 on lan1). Faults are played by `Field`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

from gateway.clock import Clock, ManualClock
from gateway.errors import LinkDownError, LinkError, UnknownTagError, WriteRefusedError
from gateway.link.base import Read, Request
from gateway.link.bus import Bus
from gateway.link.options import LinkOptions
from gateway.link.transports.memory import MemoryTransport, Registers
from gateway.model.address import Notation, PduAddress, Table, UnitId
from gateway.model.alarm import AlarmInfo, AlarmState
from gateway.model.point import (
    Access,
    DataType,
    DeviceFacts,
    FieldOf,
    Interlock,
    Point,
    Procedure,
    RegisterMap,
    Role,
    ScaleFrom,
    Step,
    Text,
    WriteRule,
)
from gateway.model.sample import Sample, Scalar, Tag
from gateway.poll.device import Device
from gateway.poll.latest import Latest, stale_after_of
from gateway.service.base import Actor, Proposal, Via, WantedWrite
from gateway.service.confirm import ConfirmService
from gateway.service.propose import Proposer
from gateway.service.rules import Located, LocatedProcedure
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles
from gateway.store.claims import Claims
from gateway.store.engine import Store
from gateway.store.proposals import Proposals
from gateway.write.gate import Gate

START = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
RUN = {0: Text("stop", "停止"), 1: Text("run", "运行")}

_point = partial(Point, table=Table.HOLDING, words=1, type=DataType.UINT16)
_setting = partial(_point, access=Access.RW)
_A = PduAddress

PUMP = [
    _setting(
        name="speed_sp",
        pdu=_A(0),
        write=WriteRule(min=Decimal(20), max=Decimal(50), max_step=Decimal(5), cooldown_s=10),
        scale=Decimal("0.01"),
        unit="Hz",
    ),
    _setting(
        name="run_cmd",
        pdu=_A(1),
        write=WriteRule(
            confirm="two_step",
            interlock=(Interlock(when=1, conditions=("fault_code == 0", "tank.level >= 15", "status.local == 'remote'")),),
        ),
        enum=RUN,
    ),
    _point(name="fault_code", pdu=_A(2), enum={0: Text("none", "无"), 7: Text("F07 motor over-temperature", "F07 电机过热")}),
    _point(
        name="status", pdu=_A(3), fields=(FieldOf(name="local", bits=(0, 0), enum={0: Text("local", "就地"), 1: Text("remote", "远程")}),)
    ),
    _setting(
        name="accel",
        pdu=_A(4),
        write=WriteRule(min=Decimal(5), max=Decimal(60), step=Decimal(5), role=Role.ENGINEER, persist="eeprom"),
        unit="s",
    ),
    _setting(name="baud", pdu=_A(5), write=WriteRule(confirm="never")),
    _setting(
        name="reset",
        pdu=_A(6),
        write=WriteRule(pulse=True, readback=False, approvals=2, role=Role.ENGINEER),
        enum={1: Text("reset", "复位")},
    ),
    _point(name="trip", pdu=_A(7), access=Access.WO, write=WriteRule(readback=False)),
    _setting(name="trim", pdu=_A(8), write=WriteRule(confirm="none"), scale=Decimal("0.1")),
    _setting(name="dose", pdu=_A(9), write=WriteRule(), scale_from=ScaleFrom(point="dose_sf", rule="exponent")),
    _point(name="dose_sf", pdu=_A(10), type=DataType.INT16),
    _setting(name="ratio", pdu=_A(12), write=WriteRule(max=Decimal("12.3")), type=DataType.FLOAT32, words=2),
    _setting(name="enable", pdu=_A(0), write=WriteRule(), type=DataType.BOOL, table=Table.COIL),
    _setting(name="sensor", pdu=_A(14), write=WriteRule(), type=DataType.INT16, invalid={0x8000: "not_available"}),
    _setting(name="mode_bits", pdu=_A(15), write=WriteRule(), bits=(7, 4)),
    _setting(name="blend", pdu=_A(16), write=WriteRule(), bits=(11, 4), scale_from=ScaleFrom(point="dose_sf", rule="exponent")),
    _point(name="speed_fb", pdu=_A(17), scale=Decimal("0.01"), unit="Hz", title=Text("speed", "转速")),
    _setting(name="command", pdu=_A(18), write=WriteRule(confirm="never"), enum={0: Text("off"), 1: Text("prepare"), 2: Text("go")}),
    _point(name="state", pdu=_A(19), enum={0: Text("off", "断开"), 1: Text("ready", "就绪"), 2: Text("running", "运行")}),
    _setting(
        name="purge",
        pdu=_A(20),
        write=WriteRule(role=Role.ENGINEER, interlock=(Interlock(conditions=("run_cmd == 0", "fault_code == 0")),)),
    ),
]
PROCEDURES = {
    "start": Procedure(
        name="start",
        title=Text("Start pump", "启动水泵"),
        confirm="two_step",
        steps=(
            Step(write="speed_sp", value=43),
            Step(write="run_cmd", value="run"),
            Step(wait="speed_fb >= 20", timeout_s=30.0),
        ),
    ),
    "enable": Procedure(
        name="enable",
        title=Text("Enable drive", "使能变频器"),
        confirm="user",
        steps=(
            Step(write="command", value="prepare"),
            Step(wait="state == 'ready'", timeout_s=2.0),
            Step(write="command", value="go"),
            Step(wait="state == 'running'", timeout_s=5.0),
        ),
    ),
    "flush": Procedure(
        name="flush",
        title=Text("Stop and flush", "停泵冲洗"),
        confirm="user",
        steps=(
            Step(write="run_cmd", value="stop"),
            Step(wait="speed_fb == 0", timeout_s=10.0),
            Step(write="purge", value=1),
        ),
    ),
}
PANEL = [
    _setting(name="lamp", pdu=_A(0), write=WriteRule()),
    _setting(name="horn", pdu=_A(1), write=WriteRule(interlock=(Interlock(conditions=("pump.fault_code == 0",)),))),
]
TANK = [
    _point(name="level", pdu=_A(0), unit="%", scale=Decimal("0.1")),
    _setting(name="alarm_sp", pdu=_A(1), write=WriteRule(max=Decimal(90)), unit="%"),
]


def make_map(map_id: str, points: Sequence[Point], version: str = "1", procedures: Mapping[str, Procedure] | None = None) -> RegisterMap:
    return RegisterMap(
        id=map_id,
        vendor="test",
        model=map_id,
        kind="test",
        title=Text(map_id),
        addressing=Notation.PDU,
        version=version,
        device=DeviceFacts(max_gap=8),
        periods={"normal": 1.0},
        on_demand=frozenset(),
        points={one.name: one for one in points},
        procedures=procedures or {},
    )


class Field(Registers):
    """The field side: registers, a log of the writes that arrived, and faults by request."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[Request] = []
        self.fault: Callable[[Request], LinkError | None] = lambda _: None
        self.ignores_writes = False

    def serve(self, request: Request) -> Sequence[int]:
        error = self.fault(request)
        if not isinstance(request, Read) and not (isinstance(error, LinkDownError) and not error.sent):
            self.writes.append(request)
        if error is not None:
            raise error
        if self.ignores_writes and not isinstance(request, Read):
            return ()
        return super().serve(request)


@dataclass
class PlantView:
    """PlantPoints over the rig's devices."""

    devices: dict[str, Device]
    last: Latest
    reads: list[str] = field(default_factory=list)

    def point(self, tag: str) -> Located:
        device, _, name = tag.partition(".")
        if device not in self.devices or name not in self.devices[device].map.points:
            raise UnknownTagError(tag)
        there = self.devices[device].map
        return Located(device=device, point=there.points[name], map_version=there.version)

    def procedures(self) -> Sequence[LocatedProcedure]:
        return [
            LocatedProcedure(name=f"{device}.{name}", device=device, procedure=procedure, map_version=one.map.version)
            for device, one in self.devices.items()
            for name, procedure in one.map.procedures.items()
        ]

    def latest(self, tags: Sequence[str]) -> Sequence[Sample]:
        return [self.last.get(Tag(tag)) for tag in tags]

    async def fresh(self, tags: Sequence[str]) -> Sequence[Sample]:
        self.reads += tags
        found = []
        for tag in tags:
            located = self.point(tag)
            found += await self.devices[located.device].read_fresh([located.point])
        return found

    async def poll(self, tag: str) -> None:
        """What the scheduler does: read, and keep."""
        self.last.keep(await self.fresh([tag]))


@dataclass
class Roles:
    """People as a mapping; what is in `meanwhile` happens while somebody asks."""

    roles: dict[str, Role]
    meanwhile: list[Callable[[], Awaitable[object]]] = field(default_factory=list)

    async def role_of(self, user: str) -> Role | None:
        while self.meanwhile:
            await self.meanwhile.pop()()
        return self.roles.get(user)


@dataclass
class Rig:
    """All parts of one running gateway."""

    clock: Clock
    line: Field
    lan: Field
    plant: PlantView
    store: Store
    audit: Audit
    shelf: Proposals
    claims: Claims
    proposer: Proposer
    confirmer: ConfirmService
    people: Roles
    changes: list[Proposal]
    acked: list[str]
    alarms: dict[str, AlarmInfo]

    async def propose(
        self,
        tag: str,
        value: Scalar,
        user: str = "olga",
        role: Role = Role.OPERATOR,
        *,
        key: str = "",
        via: Via = "page",
        session: str = "s1",
    ) -> Proposal:
        wanted = [WantedWrite(tag=tag, value=value)]
        return await self.proposer.propose(wanted, "because", actor(user, role, via, session), idempotency_key=key)

    async def run(self, name: str, user: str = "olga", role: Role = Role.OPERATOR, *, key: str = "", via: Via = "page") -> Proposal:
        """A card of the procedure."""
        return await self.proposer.propose_procedure(name, "because", actor(user, role, via), idempotency_key=key)

    async def confirm(self, proposal: Proposal, user: str = "olga", role: Role = Role.OPERATOR, repeat: str | None = None) -> Proposal:
        return await self.confirmer.confirm(proposal.id, proposal.nonce, actor(user, role), repeat=repeat)

    async def kinds(self) -> list[str]:
        """The kinds of all audit records, oldest first."""
        return [record.kind for record in reversed(await self.audit.entries())]


def actor(user: str = "olga", role: Role = Role.OPERATOR, via: Via = "page", session: str = "s1") -> Actor:
    return Actor(user=user, role=role, via=via, session=session)


def fill(line: Field, lan: Field) -> None:
    """The plant as the tests expect it: 45 Hz, stopped, remote, no fault, tank at 63 %."""
    line.put(1, Table.HOLDING, 0, [4500, 0, 0, 1, 15, 3, 0, 0, 250, 1000, 0xFFFE, 0, 0x4144, 0xCCCD, 0x8000, 0xABCD, 0xA00F, 0, 0, 0, 0])
    lan.put(1, Table.HOLDING, 0, [630, 80])


def make_devices(line: Field, lan: Field, clock: Clock, maps: dict[str, RegisterMap] | None = None) -> dict[str, Device]:
    maps = maps or {
        "pump": make_map("pump", PUMP, procedures=PROCEDURES),
        "panel": make_map("panel", PANEL),
        "tank": make_map("tank", TANK),
    }
    buses = {name: _bus(name, server, clock) for name, server in (("line1", line), ("lan1", lan))}
    places = {"pump": ("line1", 1), "panel": ("line1", 2), "tank": ("lan1", 1)}
    return {name: Device(name, buses[places[name][0]], UnitId(places[name][1]), one, clock) for name, one in maps.items()}


def _bus(name: str, server: Field, clock: Clock) -> Bus:
    return Bus(name, MemoryTransport(server, clock), LinkOptions(id=name, transport="memory", timeout_s=0.1), clock)


@asynccontextmanager
async def running(
    folder: Path,
    *,
    clock: Clock | None = None,
    line: Field | None = None,
    lan: Field | None = None,
    url: str = "",
    wrap_claims: Callable[[Claims], Claims] = lambda claims: claims,
) -> AsyncIterator[Rig]:
    """A gateway on `folder`; a second one on the same folder is a restart, or another process."""
    clock = clock or ManualClock(START)
    if line is None or lan is None:
        line, lan = Field(), Field()
        fill(line, lan)
    devices = make_devices(line, lan, clock)
    last = Latest(clock)
    for name, device in devices.items():
        last.track(name, device.map.points.values(), stale_after_of(device.map))
    view = PlantView(devices, last)
    async with await Store.open(url or f"sqlite:///{folder}/rig.db") as store:
        audit = await Audit.open(store, AuditFiles(key=folder / "audit.key", anchor=folder / "audit.head"), clock)
        shelf = Proposals(store, audit, clock)
        claims = wrap_claims(Claims(audit, clock))
        changes: list[Proposal] = []
        acked: list[str] = []
        alarms = {"AL-1": _alarm("UNACK_ACTIVE"), "AL-2": _alarm("ACK_ACTIVE")}
        people = Roles({"olga": Role.OPERATOR, "otto": Role.OPERATOR, "enid": Role.ENGINEER, "emil": Role.ENGINEER, "vera": Role.VIEWER})

        async def acknowledge(alarm: str, who: Actor) -> None:
            if acked:
                raise WriteRefusedError(["NOT_ALLOWED"], "acknowledged already", "已确认过")
            acked.append(f"{alarm} {who.user}")

        async with asyncio.TaskGroup() as group:
            buses = [group.create_task(bus.run()) for bus in {id(one.bus): one.bus for one in devices.values()}.values()]

            def spawn(work: Coroutine[object, object, None]) -> object:
                return group.create_task(work)

            proposer = Proposer(view, shelf, audit, clock, alarm=alarms.__getitem__, on_change=changes.append)
            confirmer = ConfirmService(
                view,
                shelf,
                claims,
                Gate(devices, claims, clock),
                audit,
                people,
                clock,
                acknowledge=acknowledge,
                spawn=spawn,
                on_change=changes.append,
            )
            yield Rig(clock, line, lan, view, store, audit, shelf, claims, proposer, confirmer, people, changes, acked, alarms)
            await confirmer.drain()
            for bus in buses:
                bus.cancel()


def _alarm(state: AlarmState) -> AlarmInfo:
    return AlarmInfo(
        id="AL-1",
        key="pump.speed_sp",
        tag=Tag("pump.speed_sp"),
        text=Text("high", "高"),
        priority="high",
        state=state,
        raised_at=START,
    )
