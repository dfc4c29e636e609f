"""A plant at work: devices with registers, the process that moves them, faults, and the links that serve them."""

import random
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from gateway.clock import Clock
from gateway.errors import ConfigError, Finding, UnknownTagError
from gateway.model.point import Access
from gateway.model.sample import Scalar
from simulators.fault import ActiveFault, Aim
from simulators.fault_args import Arg, FaultSpec, make_fault, parse_fault, spec_of
from simulators.frames import Adu
from simulators.plant import Plant, SimDevice
from simulators.process.base import Model
from simulators.process.build import build
from simulators.process.process import Process
from simulators.process.sim_keys import SimKeys, first_value
from simulators.registers import Bank
from simulators.running import Running, serve
from simulators.station import Request, Station

PULSE_S = 0.5
"""How long a reset register stays set."""
_KEPT = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a request wrote into a point; `at` is monotonic."""

    tag: str
    value: Scalar
    at: float


class SimulatedPlant:
    """Holds the plant's values by tag; live, or `steady`: then nothing moves but what is written.

    `written` lists every point that a request wrote, in order. The same seed, clock and requests give the same values.
    """

    def __init__(self, plant: Plant, clock: Clock, seed: int = 0, *, steady: bool = False) -> None:
        self.plant = plant
        self.written: list[Written] = []
        self._requests: deque[Request] = deque(maxlen=_KEPT)
        self._clock = clock
        self._faults: list[ActiveFault] = []
        chance = random.Random(seed)  # noqa: S311 - repeatable noise, no secret
        self._banks = {name: Bank(device.map, device.unit_id) for name, device in plant.devices.items()}
        self._process = Process([] if steady else self._models(chance), clock=clock, show=self._show)
        for name, device in plant.devices.items():
            self._fill(name, device)
        for tag, value in plant.values.items():
            self.set(tag, value)
        for name, bank in self._banks.items():
            bank.on_write = self._listener(name)
        self._stations = {
            name: Station(
                name,
                link.kind,
                [self._banks[device] for device, at in plant.devices.items() if at.link == name],
                clock=clock,
                devices=self,
                faults=self._faults,
                chance=chance,
                prepare=self._process.advance,
                note=self._requests.append,
            )
            for name, link in plant.links.items()
        }

    def get(self, tag: str) -> Scalar:
        """The value the device holds now; raises UnknownTagError."""
        self._process.advance()
        bank, point = self.find(tag)
        return bank.get(point)

    def set(self, tag: str, value: Scalar) -> None:
        """Make the device hold `value` (the process goes on from there); raises UnknownTagError or ValueError."""
        self._process.advance()
        bank, point = self.find(tag)
        bank.set(point, value)
        whole = point.partition(".")[0]
        self._adopt(f"{tag.partition('.')[0]}.{whole}", bank.get(whole))

    def find(self, tag: str) -> tuple[Bank, str]:
        """The device's registers and the point's name in its map; raises UnknownTagError."""
        device, _, point = tag.partition(".")
        if device not in self._banks or point.partition(".")[0] not in self._banks[device].map.points:
            raise UnknownTagError(tag)
        return self._banks[device], point

    def link_of(self, tag: str) -> str:
        """The link of the tag's device."""
        return self.plant.devices[tag.partition(".")[0]].link

    def freeze(self, tag: str) -> Callable[[], None]:
        """Let the process not change the point any more, until the returned function is called."""
        self.find(tag)
        return self._process.freeze(tag)

    def fault(self, name: str, **args: Arg) -> ActiveFault:
        """Start a fault: its own arguments, and `link`, `device`, `unit_id`, `function`, `skip`, `times`, `chance` to aim it."""
        return self.start_fault(spec_of(name, args))

    def fault_from(self, text: str) -> ActiveFault:
        """Start a fault written as for the command line: `late=0.5,device=vfd2,times=3`."""
        return self.start_fault(parse_fault(text))

    def clear_faults(self) -> None:
        """End all faults."""
        for active in self._faults:
            active.clear()
        self._faults.clear()

    def serve_pdu(self, link: str, unit_id: int, request: bytes) -> bytes | None:
        """The reply PDU of a device on `link`, None for silence; without a wire, so that faults of bytes do not act."""
        return self._stations[link].serve_pdu(unit_id, request)

    def serve_later(self, link: str, request: Adu, delay_s: float) -> None:
        """Carry a request out when `delay_s` have passed, unanswered."""
        self._process.later(delay_s, lambda: self._carry_out(link, request))

    def later(self, delay_s: float, act: Callable[[], None]) -> None:
        """Have `act` called when `delay_s` have passed, at the latest before the next request is answered."""
        self._process.later(delay_s, act)

    def requests(self, link: str | None = None) -> list[Request]:
        """The last 10,000 requests that reached a link (or any), carried out or not."""
        return [request for request in self._requests if link in (None, request.link)]

    def running(self, *, paced: bool = False, pty_paths: Mapping[str, Path] | None = None) -> AbstractAsyncContextManager[Running]:
        """Serve all links while the context lasts.

        `paced`: serial lines take the time of a real line. `pty_paths`: link id -> name under which its terminal can be opened.
        """
        return serve(self.plant.links, self._stations, paced=paced, pty_paths=pty_paths or {})

    def _models(self, chance: random.Random) -> list[Model]:
        if self.plant.process:
            return [build(parameters, chance) for parameters in self.plant.process]
        return [SimKeys(name, device.map.points, chance) for name, device in self.plant.devices.items()]

    def _fill(self, name: str, device: SimDevice) -> None:
        """First values: what the map's `sim` keys say, else what empty registers mean."""
        bank = self._banks[name]
        for point in device.map.points.values():
            value = first_value(point)
            if isinstance(value, Scalar):
                bank.set(point.name, value)
            if point.access is not Access.WO:
                self._adopt(f"{name}.{point.name}", bank.get(point.name))

    def start_fault(self, spec: FaultSpec) -> ActiveFault:
        """Start a fault whose arguments are checked; raises ConfigError or UnknownTagError if they mean nothing here."""
        aim = dict(spec.aim)
        device = aim.pop("device", None)
        if device is not None:
            at = self.plant.devices.get(str(device))
            if at is None:
                raise UnknownTagError(str(device), near=list(self.plant.devices))
            aim |= {"link": at.link, "unit_id": at.unit_id}
        if aim.get("link", "") not in ("", *self.plant.links):
            raise ConfigError(
                [Finding(code="FAULT", message=f"no link is called {aim['link']}", fix=f"links: {', '.join(self.plant.links)}")]
            )
        try:
            active = ActiveFault(spec.name, make_fault(spec), _aim(aim), self)
        except ValueError as exc:
            raise ConfigError([Finding(code="FAULT", message=f"{spec.name}: {exc}", fix="see the simulators' guide")]) from exc
        self._faults.append(active)
        return active

    def _carry_out(self, link: str, request: Adu) -> None:
        self._stations[link].carry_out(request)

    def _listener(self, device: str) -> Callable[[str, Scalar], None]:
        def on_write(point: str, value: Scalar) -> None:
            tag = f"{device}.{point}"
            self.written.append(Written(tag=tag, value=value, at=self._clock.monotonic()))
            self._adopt(tag, value)
            rule = self.plant.devices[device].map.points[point].write
            if rule is not None and rule.pulse and value:
                self._process.later(PULSE_S, lambda: self._fall_back(tag))

        return on_write

    def _fall_back(self, tag: str) -> None:
        bank, point = self.find(tag)
        bank.set(point, 0)
        self._adopt(tag, 0)

    def _adopt(self, tag: str, value: Scalar) -> None:
        if not isinstance(value, str):
            self._process.adopt(tag, float(value))

    def _show(self, tag: str, value: float) -> None:
        bank, point = self.find(tag)
        bank.set(point, value)


def _aim(given: Mapping[str, Arg]) -> Aim:
    """The aim of arguments that `fault_args` has checked."""
    link, unit_id, function, times = (given.get(key) for key in ("link", "unit_id", "function", "times"))
    return Aim(
        link=None if link is None else str(link),
        unit_id=None if unit_id is None else int(unit_id),
        function=None if function is None else int(function),
        times=None if times is None else int(times),
        skip=int(given.get("skip", 0)),
        chance=float(given.get("chance", 1.0)),
    )
