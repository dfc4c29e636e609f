"""One stream of requests and its replies, over a socket or a serial line: cuts, asks the station, sends in time."""

import asyncio
from collections.abc import Callable
from functools import partial

from simulators.frames import BrokenStreamError
from simulators.line import Line
from simulators.station import Station

_RTU_SILENCE_S = 0.1
"""Bytes of an unfinished RTU request older than this are dropped."""


class Session:
    """Takes what arrives, gives what leaves to `write`, and ends the connection by `close`."""

    def __init__(self, station: Station, write: Callable[[bytes], None], close: Callable[[], None], line: Line | None = None) -> None:
        self._station = station
        self._write = write
        self._close = close
        self._line = line
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._opened_at = self._heard_at = self._loop.time()
        self._timers: set[asyncio.TimerHandle] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._watch_idle()

    def receive(self, data: bytes) -> None:
        """Bytes from the client."""
        now = self._loop.time()
        if self._station.kind in ("rtu", "rtu_over_tcp") and now - self._heard_at > _RTU_SILENCE_S:
            self._buffer.clear()
        self._heard_at = now
        self._watch_idle()
        self._buffer += data
        try:
            for request in self._station.framing.feed(self._buffer):
                exchange = self._station.exchange(request, self._station.framing.build(request), now - self._opened_at)
                begins = self._line.reply_at(now, len(exchange.sent)) if self._line else now
                ends = begins
                for piece in exchange.pieces:
                    ends = self._send(begins + piece.delay_s, piece.data, is_delayed=piece.delay_s > 0)
                if exchange.is_last:
                    self._at(ends, self._close)
        except BrokenStreamError:
            self._close()

    def stop(self) -> None:
        """Send nothing more."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        if self._idle is not None:
            self._idle.cancel()

    def _send(self, begins: float, data: bytes, *, is_delayed: bool) -> float:
        """Send at once or in time; returns when the last byte has left."""
        if self._line is not None:
            for arrives, part in self._line.spread(begins, data):
                self._at(arrives, partial(self._write, part))
                begins = arrives
        elif is_delayed:
            self._at(begins, partial(self._write, data))
        else:
            self._write(data)
        return begins

    def _at(self, when: float, act: Callable[[], None]) -> None:
        if when <= self._loop.time():
            act()
            return

        def fire() -> None:
            self._timers.discard(timer)
            act()

        timer = self._loop.call_at(when, fire)
        self._timers.add(timer)

    def _watch_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        after_s = self._station.idle_close_s
        self._idle = self._loop.call_later(after_s, self._close) if after_s is not None else None
