"""A line: bytes out, bytes in, and word of its loss. What `wire` needs of a socket or serial port."""

from collections.abc import Callable
from typing import Protocol


class Line(Protocol):
    """One socket or serial port; made anew for each opening."""

    @property
    def is_open(self) -> bool:
        """True while bytes can be sent."""
        ...

    async def open(self, received: Callable[[bytes], None], lost: Callable[[str], None]) -> None:
        """Connect, or raise LinkDownError; from then on `received` gets the bytes and `lost`, once, the cause of a loss."""
        ...

    def send(self, data: bytes) -> None:
        """Hand the bytes to the system."""
        ...

    def close(self) -> None:
        """Release socket or port; `lost` is not called."""
        ...
