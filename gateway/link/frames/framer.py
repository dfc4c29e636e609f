"""What all framings have in common: a request goes in as a frame, the stream that comes back is cut into frames."""

from dataclasses import dataclass
from typing import Literal, Protocol

from gateway.link.base import Request

Leftover = Literal["nothing", "noise", "garbled", "short", "spoilt", "broken"]
"""What the bytes that gave no frame look like: stray ones, a frame's worth, the begin of the reply, as many as it has without its begin,
all of it with a wrong check sum. Only of the last is it sure that the reply has come."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame with a right check sum: whose it is, what it says, and its transaction id where the framing has one."""

    unit_id: int
    pdu: bytes
    tid: int | None = None


class Framer(Protocol):
    """Builds the frame of one request at a time and cuts the replies; pure."""

    def connected(self) -> None:
        """The line was opened, for the first time or anew."""
        ...

    def start(self, request: Request) -> bytes:
        """The frame to send; of what came before only the begin of a late reply with a transaction id is kept."""
        ...

    @property
    def tid(self) -> int | None:
        """The transaction id of the request that was started last."""
        ...

    def feed(self, data: bytes) -> None:
        """Take what the line gave."""
        ...

    def cut(self) -> Frame | None:
        """The next whole frame, or None.

        Raises FrameError (`protocol_error`) or LinkDownError if the stream cannot be followed any more.
        """
        ...

    def leftover(self) -> Leftover:
        """What the bytes look like that are not part of a frame."""
        ...
