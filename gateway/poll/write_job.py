"""One checked write, done while its job holds the link: read, compare, check again, write once, read back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from gateway.clock import Clock
from gateway.errors import (
    AcknowledgeError,
    DeviceExceptionError,
    GatewayTargetError,
    IllegalFunctionError,
    LinkBusyError,
    LinkDownError,
    LinkError,
    RequestRefusedError,
)
from gateway.link.bus import Lane
from gateway.model.address import PduAddress, UnitId
from gateway.model.deadband import changed
from gateway.model.point import Access, Point
from gateway.model.quality import LINK_DOWN
from gateway.model.sample import Sample
from gateway.poll.compare import comparable, stops
from gateway.poll.functions import WriteFunctions, write_request
from gateway.poll.reasons import reason_of
from gateway.poll.written import Intent, Written, shows

ReadNow = Callable[[Lane, Sequence[Point]], Awaitable[Sequence[Sample]]]
Interlocks = Callable[[Lane], Awaitable[str]]
"""Checks the interlocks on the held link; gives the refusal code, or an empty text if all hold."""
BeforeSend = Callable[[], Awaitable[None]]
"""Awaited immediately before the first byte of the first write; if it raises, nothing is sent."""
Place = Callable[[Lane, Point], Awaitable[tuple[UnitId, PduAddress]]]


class WriteJob:
    """Several writes to one device in one job; the first that does not succeed ends it, the rest is not sent."""

    def __init__(
        self,
        intents: Sequence[Intent],
        *,
        place: Place,
        read: ReadNow,
        functions: WriteFunctions,
        points: Mapping[str, Point],
        clock: Clock,
        timeout_s: float,
        interlocks: Interlocks,
        before_send: BeforeSend,
    ) -> None:
        self._intents = intents
        self._place = place
        self._read = read
        self._functions = functions
        self._points = points
        self._clock = clock
        self._timeout_s = timeout_s
        self._interlocks = interlocks
        self._before_send = before_send
        self._written: list[Written] = []
        self._may_be_sent = False

    async def run(self, lane: Lane) -> tuple[Written, ...]:
        """How each write ended, in the order of the intents."""
        before = await self._read_before(lane)
        refused = [stops(intent, before.get(intent.point.name), before.get(intent.point.held_by or "")) for intent in self._intents]
        if not any(refused):
            code = await self._interlocks(lane)
            refused = [Written(point=intent.point, outcome="refused", code=code) if code else None for intent in self._intents]
        if any(refused):
            return tuple(
                verdict or Written(point=intent.point, outcome="not_sent") for intent, verdict in zip(self._intents, refused, strict=True)
            )
        await self._before_send()
        for intent in self._intents:
            self._may_be_sent = True
            old = before.get(intent.point.name)
            self._written.append(await self._write(lane, intent, old))
            if self._written[-1].outcome not in ("verified", "acknowledged"):
                break
        return (*self._written, *self._unsent())

    def cut_off(self) -> tuple[Written, ...]:
        """How the writes stand if the job was ended from outside: the one that may have been on the wire is unknown."""
        rest = self._unsent()
        if self._may_be_sent and rest:
            rest = (replace(rest[0], outcome="unknown", reason=LINK_DOWN), *rest[1:])
        return (*self._written, *rest)

    def _unsent(self) -> tuple[Written, ...]:
        return tuple(Written(point=intent.point, outcome="not_sent") for intent in self._intents[len(self._written) :])

    async def _read_before(self, lane: Lane) -> dict[str, Sample]:
        """The values to be replaced, and the scales by which their words were made."""
        points = [intent.point for intent in self._intents if intent.point.access is not Access.WO]
        holders = dict.fromkeys(intent.point.held_by for intent in self._intents if intent.point.held_by)
        points += [self._points[name] for name in holders if all(name != point.name for point in points)]
        samples = await self._read(lane, points) if points else ()
        return {point.name: sample for point, sample in zip(points, samples, strict=True)}

    async def _write(self, lane: Lane, intent: Intent, old: Sample | None) -> Written:
        start = Written(point=intent.point, outcome="unknown", old=old.value if old else None)
        try:
            await self._send(lane, intent, old.words if old else ())
        except (AcknowledgeError, GatewayTargetError) as error:
            return await self._after_trouble(lane, intent, replace(start, reason=reason_of(error), exception=error.number))
        except DeviceExceptionError as error:
            return replace(start, outcome="refused", code="DEVICE", reason=reason_of(error), exception=error.number)
        except (RequestRefusedError, LinkBusyError) as error:
            return replace(start, outcome="not_sent", reason=reason_of(error))
        except LinkDownError as error:
            if not error.sent:
                return replace(start, outcome="not_sent", reason=reason_of(error))
            return await self._after_trouble(lane, intent, replace(start, reason=reason_of(error)))
        except LinkError as error:
            return await self._after_trouble(lane, intent, replace(start, reason=reason_of(error)))
        if not _reads_back(intent.point):
            return replace(start, outcome="acknowledged")
        seen, is_equal = await self._read_back(lane, intent)
        if not seen.words:
            return replace(start, reason=seen.reason or "")
        return replace(start, outcome="verified" if is_equal else "differs", read_back=seen.value, words_read=seen.words)

    async def _after_trouble(self, lane: Lane, intent: Intent, start: Written) -> Written:
        """The device may have done it or not: only a read-back that shows the wanted words tells, and it is asked once."""
        if not _reads_back(intent.point):
            return start
        seen, is_equal = await self._read_back(lane, intent)
        if not seen.words:
            return start
        return replace(start, outcome="verified" if is_equal else "unknown", read_back=seen.value, words_read=seen.words)

    async def _send(self, lane: Lane, intent: Intent, current: Sequence[int]) -> None:
        """Send the write once; by another function only after exception 1, which proves that nothing was done."""
        unit_id, address = await self._place(lane, intent.point)
        *others, last = self._functions.candidates(intent.point)
        for function in others:
            try:
                await lane.exchange(write_request(function, unit_id, address, intent.encoded, current), timeout_s=self._timeout_s)
            except IllegalFunctionError:
                self._functions.refused.add(function)
            else:
                return
        await lane.exchange(write_request(last, unit_id, address, intent.encoded, current), timeout_s=self._timeout_s)

    async def _read_back(self, lane: Lane, intent: Intent) -> tuple[Sample, bool]:
        """What the point (or the point that shows its effect) reads after settling, and whether that is what was wanted."""
        rule = intent.point.write
        await self._clock.sleep(rule.settle_s if rule else 0.0)
        shown_by = self._points[rule.readback] if rule and isinstance(rule.readback, str) else intent.point
        (seen,) = await self._read(lane, [shown_by])
        if shown_by is intent.point:
            return seen, shows(intent.encoded, seen.words)
        return seen, seen.value is not None and not changed(comparable(intent.encoded.value), comparable(seen.value), shown_by.deadband)


def _reads_back(point: Point) -> bool:
    """True if reading shows what a write did: not for pulses, for points that are only written, or where the map says so."""
    rule = point.write
    if rule is None or rule.pulse or rule.readback is False:
        return False
    return isinstance(rule.readback, str) or point.access is not Access.WO
