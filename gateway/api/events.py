"""Server-sent events: one hub, bounded queues, and what happens when a page is too slow."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import contextmanager

from gateway.api.schemas import dumps

_QUEUE = 64
_HEARTBEAT_S = 15.0
_SIGNED_OUT = "event: signed_out\ndata: {}\n\n"


class EventHub:
    """Tells every open page what changed. A page that falls 64 events behind is cut off and reconnects."""

    def __init__(self, limit: int = 100, limit_of_one: int = 10) -> None:
        self._queues: dict[asyncio.Queue[str | None], str] = {}
        self._limit = limit
        self._limit_of_one = limit_of_one

    @property
    def keys(self) -> set[str]:
        """Whose streams are open: sessions, or users of tokens."""
        return set(self._queues.values())

    @property
    def has_listeners(self) -> bool:
        """True if anybody listens: there is no need to build events for nobody."""
        return bool(self._queues)

    def is_full(self, key: str) -> bool:
        """True if no further page of this session or token may listen."""
        return len(self._queues) >= self._limit or list(self._queues.values()).count(key) >= self._limit_of_one

    def publish(self, name: str, document: object) -> None:
        """Send one event to all pages."""
        if self._queues:
            self._put(f"event: {name}\ndata: {dumps(document)}\n\n")

    def close(self) -> None:
        """End all streams."""
        for queue in list(self._queues):
            _cut(queue)

    def end(self, keys: Collection[str]) -> None:
        """End the streams of these: they are told so, and nothing more."""
        for queue, key in list(self._queues.items()):
            if key in keys:
                _cut(queue, _SIGNED_OUT)
                del self._queues[queue]

    async def stream(self, key: str) -> AsyncIterator[str]:
        """The events from now on for the session or token `key`, with a comment now and then so that a dead page is noticed."""
        with self._listening(key) as queue:
            yield ": open\n\n"
            while True:
                try:
                    async with asyncio.timeout(_HEARTBEAT_S):
                        event = await queue.get()
                except TimeoutError:
                    yield ": alive\n\n"
                    continue
                if event is None:
                    return
                yield event

    @contextmanager
    def _listening(self, key: str) -> Iterator[asyncio.Queue[str | None]]:
        queue: asyncio.Queue[str | None] = asyncio.Queue(_QUEUE)
        self._queues[queue] = key
        try:
            yield queue
        finally:
            self._queues.pop(queue, None)

    def _put(self, event: str) -> None:
        for queue in list(self._queues):
            if queue.full():
                _cut(queue)
                del self._queues[queue]
            else:
                queue.put_nowait(event)


def _cut(queue: asyncio.Queue[str | None], last: str = "") -> None:
    """Empty the queue and end its stream, after one `last` event."""
    while not queue.empty():
        queue.get_nowait()
    if last:
        queue.put_nowait(last)
    queue.put_nowait(None)
