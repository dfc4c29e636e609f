"""The plant under test: the demo's gateway on the steady simulator, over memory, at the benchmark's moment."""

import asyncio
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import pairwise
from pathlib import Path

from assistant.eval.questions import AlarmFact, Fault, PlantFacts, Setup
from gateway.app import Gateway, running
from gateway.clock import Clock, ManualClock
from gateway.errors import DeviceExceptionError, LinkTimeoutError
from gateway.link.base import Read, Request, Transport
from gateway.link.frames.pdu import decode, encode
from gateway.link.options import LinkOptions
from gateway.link.transports.memory import MemoryTransport
from gateway.model.alarm import AlarmInfo
from gateway.model.point import Access, Point, Text
from gateway.model.sample import Scalar, Tag
from gateway.settings import Settings, load_settings
from gateway.store.alarms import AlarmJournal
from gateway.store.audit import Audit
from gateway.store.base import StoredSample
from gateway.store.engine import Store
from gateway.store.samples import Samples
from simulators.plant import load_plant
from simulators.simulated_plant import SimulatedPlant

CONFIG = Path(__file__).parents[2] / "configs" / "demo.yaml"
_BACK_H = 24
_MINUTE = timedelta(minutes=1)
_TICK_S = 0.0005


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """A running gateway over the simulated plant."""

    gateway: Gateway
    time: "PlantTime"
    simulated: SimulatedPlant

    def set(self, values: dict[str, float | int | str]) -> None:
        """Make the devices hold other values."""
        for tag, value in values.items():
            self.simulated.set(tag, _exact(value))

    async def look(self) -> None:
        """Read every point of every device, as polling would."""
        for device in self.gateway.wire.devices.values():
            points = [point for point in device.map.points.values() if point.access is not Access.WO]
            self.gateway.wire.latest.keep(await device.read_fresh(points))


class PlantTime:
    """The manual clock of the bench, moved by one at a time; while it is open, pauses on the links pass by themselves."""

    def __init__(self, start: datetime) -> None:
        self.clock = ManualClock(start)
        self._moving = asyncio.Lock()

    async def advance(self, seconds: float) -> None:
        """Move on."""
        async with self._moving:
            await self.clock.advance(seconds)

    async def reach(self, moment: datetime) -> None:
        """Move on to `moment`, if it is still to come."""
        async with self._moving:
            await self.clock.advance(max(0.0, (moment - self.clock.utc()).total_seconds()))

    @asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Half a millisecond passes whenever the loop is idle for that long."""
        async with asyncio.TaskGroup() as group:
            ticker = group.create_task(self._tick())
            try:
                yield
            finally:
                ticker.cancel()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            await self.advance(_TICK_S)


@asynccontextmanager
async def station(facts: PlantFacts, setup: Setup, folder: Path) -> AsyncIterator[Station]:
    """The plant as the question's setup wants it, with history, alarms and audit behind it; `folder` takes its data."""
    now = datetime.fromisoformat(facts.now)
    oldest_stale = max((fault.age_s for fault in setup.faults if fault.mode == "stale"), default=0.0)
    time = PlantTime(min([datetime.fromisoformat(one.t) for one in facts.audit], default=now))
    simulated = SimulatedPlant(await asyncio.to_thread(load_plant, "pump_station"), time.clock, steady=True)
    faults = _Faults(simulated)
    settings = replace(await asyncio.to_thread(load_settings, CONFIG), data_dir=folder, store_url=f"sqlite:///{folder / 'busmate.db'}")
    prepare = partial(_prepare, facts, setup, settings, time, now - timedelta(seconds=oldest_stale), now)
    async with (
        time.ticking(),
        running(settings, time.clock, make_transport=partial(_transport, faults), owns=False, prepare=prepare) as gateway,
    ):
        here = Station(gateway=gateway, time=time, simulated=simulated)
        here.set(setup.overrides)
        await here.look()
        faults.start(setup.faults)
        await time.reach(now)
        await here.look()
        yield here


class _Faults:
    """Serves one link from the simulator, with the faults of the question in between."""

    def __init__(self, simulated: SimulatedPlant) -> None:
        self._simulated = simulated
        self._active: tuple[Fault, ...] = ()

    def start(self, faults: Sequence[Fault]) -> None:
        """From now on."""
        self._active = tuple(faults)

    def serve(self, link: str, request: Request) -> Sequence[int]:
        """The words of the reply; silence and exceptions are raised."""
        for fault in self._active:
            if not self._hits(fault, link, request):
                continue
            if fault.mode in ("timeout", "stale"):
                raise LinkTimeoutError("no reply in time", link=link, unit_id=request.unit_id)
            if fault.mode == "exception":
                raise DeviceExceptionError.of(fault.code, link=link, unit_id=request.unit_id)
        reply = self._simulated.serve_pdu(link, request.unit_id, encode(request))
        if reply is None:
            raise LinkTimeoutError("no reply in time", link=link, unit_id=request.unit_id)
        words = list(decode(request, reply, link).words)
        for fault in self._active:
            if fault.mode == "nan" and isinstance(request, Read) and self._hits(fault, link, request):
                self._spoil(fault, request, words)
        return words

    def _hits(self, fault: Fault, link: str, request: Request) -> bool:
        device = self._simulated.plant.devices[fault.device or fault.point.partition(".")[0]]
        if device.link != link or device.unit_id != request.unit_id:
            return False
        if fault.device:
            return True
        point = device.map.points[fault.point.partition(".")[2]]
        if not isinstance(request, Read) or request.table is not point.table:
            return False
        return request.address < point.pdu + point.words and point.pdu < request.address + request.count

    def _spoil(self, fault: Fault, request: Read, words: list[int]) -> None:
        point = self._simulated.plant.devices[fault.point.partition(".")[0]].map.points[fault.point.partition(".")[2]]
        for offset, word in enumerate(_no_value(point)):
            words[point.pdu - request.address + offset] = word


def _no_value(point: Point) -> tuple[int, ...]:
    """The words by which a device says that there is no value: NaN, or the map's first invalid pattern."""
    if point.type.startswith("float"):
        raw = struct.pack(">f", float("nan")) if point.words == 2 else struct.pack(">d", float("nan"))
    else:
        pattern = next(iter(point.invalid), (1 << 16 * point.words) - 1)
        raw = pattern.to_bytes(2 * point.words, "big")
    words = struct.unpack(f">{point.words}H", raw)
    return words if point.order in ("ABCD", "BADC") else tuple(reversed(words))


@dataclass(frozen=True, slots=True)
class _Link:
    """One link's server for the memory transport."""

    faults: _Faults
    link: str

    def serve(self, request: Request) -> Sequence[int]:
        """The words of the reply."""
        return self.faults.serve(self.link, request)


def _transport(faults: _Faults, options: LinkOptions, clock: Clock) -> Transport:
    return MemoryTransport(_Link(faults, options.id), clock)


async def _prepare(
    facts: PlantFacts, setup: Setup, settings: Settings, time: PlantTime, start: datetime, now: datetime, store: Store, audit: Audit
) -> None:
    """Yesterday and today so far: changes at their times, alarms as they stand, values minute by minute."""
    units = {f"{device.id}.{point.name}": point.unit for device in settings.devices for point in device.map.points.values()}
    for one in sorted(facts.audit, key=lambda fact: fact.t):
        await time.reach(datetime.fromisoformat(one.t))
        body = {"user": one.user, "confirmed_by": [one.user], "tag": one.point, "old": one.old, "new": one.new, "read_back": one.new}
        body |= {"unit": units[one.point], "reason": one.reason, "outcome": one.result, "code": "", "proposal": ""}
        await audit.record("outcome", one.point, body)
    await time.reach(start)
    journal = AlarmJournal(store, time.clock)
    for alarm in facts.alarms:
        journal.put(_alarm(alarm, settings, now))
    await journal.flush()
    back = timedelta(hours=min(_BACK_H, setup.history_retention_h or _BACK_H))
    Samples(store).put([sample for tag in facts.points for sample in _past(facts, tag, now - back, now)])
    await store.flush()


def _alarm(fact: AlarmFact, settings: Settings, now: datetime) -> AlarmInfo:
    device, _, name = fact.point.partition(".")
    point = next(one for one in settings.devices if one.id == device).map.points[name]
    configured = point.alarm.text if point.alarm is not None else Text()
    shelved = fact.state == "SHELVED"
    return AlarmInfo(
        id=fact.id,
        key=fact.point,
        tag=Tag(fact.point),
        text=Text(fact.text, configured.zh),
        priority=fact.priority,
        state=fact.state,
        raised_at=_at(fact.raised, now),
        cleared_at=_at(fact.cleared, now) if fact.cleared else None,
        acked_at=_at(fact.acked, now) if fact.acked else None,
        acked_by="" if shelved else fact.by,
        shelved_until=_at(fact.until, now) if fact.until else None,
        shelved_by=fact.by if shelved else "",
    )


def _past(facts: PlantFacts, tag: str, start: datetime, now: datetime) -> list[StoredSample]:
    """One value a minute between the given times, the first one before them; a constant one without a history."""
    given = [(_at(time, now), value) for time, value in facts.history.get(tag, ())]
    if not given:
        value = _exact(facts.points[tag]["value"])
        return [StoredSample(tag=Tag(tag), at=at.astimezone(UTC), value=value) for at in (start, now)]
    rows = [StoredSample(tag=Tag(tag), at=start.astimezone(UTC), value=_exact(given[0][1]))] if start < given[0][0] else []
    for (left, low), (right, high) in pairwise(given):
        minutes = int((right - left) / _MINUTE)
        for minute in range(minutes):
            at = left + minute * _MINUTE
            if at >= start:
                value = round(low + (high - low) * minute / minutes, 4)
                rows.append(StoredSample(tag=Tag(tag), at=at.astimezone(UTC), value=_exact(value)))
    rows.append(StoredSample(tag=Tag(tag), at=given[-1][0].astimezone(UTC), value=_exact(given[-1][1])))
    return rows


def _at(time: str, now: datetime) -> datetime:
    hour, minute = map(int, time.split(":"))
    return now.replace(hour=hour, minute=minute, second=0, microsecond=0)


def _exact(value: float | int | str) -> Scalar:
    return Decimal(str(value)) if isinstance(value, float) else value
