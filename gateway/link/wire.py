"""Exchanges over a line: one request out, its own reply in, and nothing else taken for it."""

import asyncio
import contextlib
from collections.abc import Callable

from gateway.clock import Clock
from gateway.errors import DeviceExceptionError, FrameError, LinkDownError, LinkError
from gateway.link.base import Reply, Request
from gateway.link.frames.expect import Expectation, Rules
from gateway.link.frames.framer import Framer
from gateway.link.frames.late import Owed
from gateway.link.frames.pdu import Payload, check, describe
from gateway.link.line import Line
from gateway.link.options import LinkOptions
from gateway.link.trace import Trace
from gateway.model.quality import LENGTH_MISMATCH, PROTOCOL_ERROR

_DIAL_S = 3.0
"""A connection gets at least so long to come up."""
_DRAIN_ROUNDS = 5
"""A line that is never quiet holds nobody up for longer."""
_IDLE_S = 0.05
"""A line that was silent for so long after as many bytes as the reply has will not mend it."""


class WireTransport:
    """A Transport (`gateway.link.base`) made of a line and a framer.

    `air_time` tells how long so many bytes are on the line; it is added to the time-out.
    """

    def __init__(
        self,
        options: LinkOptions,
        clock: Clock,
        framer: Framer,
        make_line: Callable[[], Line],
        air_time: Callable[[int], float] | None = None,
    ) -> None:
        self.trace = Trace()
        self._options = options
        self._clock = clock
        self._framer = framer
        self._make_line = make_line
        self._air_time = air_time
        self._rules = Rules(
            link=options.id,
            strict_tid=framer.tid is not None and options.tid == "strict",
            any_unit=options.unit_reply == "any",
            local_echo=options.local_echo,
            owed=Owed(any_unit=options.unit_reply == "any"),
            dropped=self.trace.dropped,
        )
        self._line: Line | None = None
        self._expected: Expectation | None = None
        self._answer: asyncio.Future[Payload] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._unasked = 0

    @property
    def has_transaction_ids(self) -> bool:
        """True if a late reply can be told from the right one by its id."""
        return self._rules.strict_tid

    @property
    def is_open(self) -> bool:
        """True while the socket or port is usable."""
        return self._line is not None and self._line.is_open

    async def open(self) -> None:
        """Connect, or raise LinkDownError."""
        await self.close()
        line = self._make_line()
        try:
            async with asyncio.timeout(max(_DIAL_S, self._options.timeout_s)):
                await line.open(self._received, self._lost)
        except TimeoutError as exc:
            raise LinkDownError(
                f"no connection to {self._options.place} in time", link=self._options.id, fix="check power, cable and address"
            ) from exc
        self._line = line
        self._framer.connected()

    async def close(self) -> None:
        """Release socket or port; an exchange in flight ends with LinkDownError."""
        if self._line is not None:
            self._line.close()
            self._lost("closed")

    async def exchange(self, request: Request, timeout_s: float) -> Reply:
        """Send `request` once and return its proved reply."""
        check(request, self._options.id)
        if self._rules.owed.clashes(request):
            await self._get_in_step(request, timeout_s)
        return await self._once(request, timeout_s)

    async def drain(self, quiet_s: float) -> int:
        """Keep the port open and drop what still arrives until it has been quiet for `quiet_s`; bytes dropped."""
        dropped = 0
        for _ in range(_DRAIN_ROUNDS):
            self._unasked = 0
            await self._clock.sleep(quiet_s)
            dropped += self._unasked
            if not self._unasked:
                break
        return dropped

    async def _get_in_step(self, request: Request, timeout_s: float) -> None:
        """Make a read whose reply cannot be mistaken, so that no owed reply is taken for that of `request`."""
        read = self._rules.owed.distinct_read(request)
        if read is None:
            return
        try:
            await self._once(read, timeout_s)
        except DeviceExceptionError:
            self._rules.owed.clear(request.unit_id)
            self._rules.owed.add(read)

    async def _once(self, request: Request, timeout_s: float) -> Reply:
        line = self._line
        if line is None or not line.is_open:
            raise LinkDownError("not connected", link=self._options.id, unit_id=request.unit_id, operation=describe(request))
        expected = Expectation(request, self._framer, self._rules)
        answer: asyncio.Future[Payload] = asyncio.get_running_loop().create_future()
        self._expected, self._answer = expected, answer
        self.trace.sent(self._clock.utc(), expected.frame)
        line.send(expected.frame)
        try:
            async with asyncio.timeout(timeout_s + (self._air_time(len(expected.frame) + expected.reply_size) if self._air_time else 0.0)):
                payload = await answer
        except LinkError as error:
            if isinstance(error, FrameError):
                self.trace.dropped[error.kind] += 1
            raise
        except TimeoutError:
            if answer.cancelled():
                raise self._given_up(expected) from None
            payload = answer.result()
        except asyncio.CancelledError:
            expected.note_owed()
            raise
        finally:
            self._expected = self._answer = None
            self._stop_idle()
        if not self._rules.strict_tid:
            self._rules.owed.clear(request.unit_id)
        return Reply(
            words=payload.words,
            objects=payload.objects,
            next_object=payload.next_object,
            read_at=self._clock.utc(),
            read_mono=self._clock.monotonic(),
        )

    def _given_up(self, expected: Expectation) -> LinkError:
        """What to call it. A stream with transaction ids in which a reply broke off is not read on: its rest may still come."""
        error = expected.give_up()
        if isinstance(error, FrameError):
            self.trace.dropped[error.kind] += 1
            if error.kind == LENGTH_MISMATCH and self._framer.tid is not None:
                self._hang_up()
        return error

    def _received(self, data: bytes) -> None:
        self.trace.received(self._clock.utc(), data)
        expected, answer = self._expected, self._answer
        if expected is None or answer is None or answer.done():
            self._drop_unasked(data)
            return
        self._stop_idle()
        try:
            payload = expected.feed(data)
        except LinkError as error:
            answer.set_exception(error)
            if isinstance(error, FrameError):
                expected.note_owed()
            if isinstance(error, LinkDownError) or (isinstance(error, FrameError) and error.kind == PROTOCOL_ERROR):
                self._hang_up()
            return
        if payload is not None:
            answer.set_result(payload)
        elif expected.is_broken:
            self._idle = asyncio.get_running_loop().call_later(_IDLE_S, self._fail_broken)

    def _drop_unasked(self, data: bytes) -> None:
        """What comes while nothing is asked is dropped; a late reply among it is owed no more."""
        self._unasked += len(data)
        self.trace.dropped["unasked_bytes"] += len(data)
        self._framer.feed(data)
        with contextlib.suppress(LinkError):
            while (frame := self._framer.cut()) is not None:
                if not self._rules.strict_tid:
                    self.trace.dropped["rejected_late"] += self._rules.owed.take(frame.unit_id, frame.pdu)

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()

    def _fail_broken(self) -> None:
        if self._expected is not None and self._answer is not None and not self._answer.done():
            self._answer.set_exception(self._expected.give_up())

    def _lost(self, cause: str) -> None:
        self._line = None
        if self._expected is not None and self._answer is not None and not self._answer.done():
            self._expected.note_owed()
            self._answer.set_exception(self._expected.lost(cause))

    def _stop_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
