"""What may answer one request: frames of another exchange, unit or function are never taken for its reply."""

from collections import Counter
from dataclasses import dataclass, field

from gateway.errors import FrameError, LinkDownError, LinkError, LinkTimeoutError
from gateway.link.base import Read, Request
from gateway.link.frames.framer import Frame, Framer
from gateway.link.frames.late import Owed
from gateway.link.frames.mbap import LATE_TIDS
from gateway.link.frames.pdu import Payload, decode, describe, encode, reply_length, reply_prefix
from gateway.model.quality import CRC_ERROR, ECHO_MISMATCH, LENGTH_MISMATCH, TRANSACTION_MISMATCH, UNIT_MISMATCH

_LONGEST_PDU = 253
_AROUND_PDU = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How careful a link is (INTERFACES: link options), and what it remembers between exchanges."""

    link: str
    strict_tid: bool
    any_unit: bool
    local_echo: bool
    owed: Owed
    dropped: Counter[str] = field(default_factory=Counter)


class Expectation:
    """One request on its way: `frame` is what to send, `feed` takes what comes and gives the payload when it is proved."""

    def __init__(self, request: Request, framer: Framer, rules: Rules) -> None:
        self.frame = framer.start(request)
        self._request = request
        self._framer = framer
        self._rules = rules
        self._tid = framer.tid if rules.strict_tid else None
        self._prefix = reply_prefix(request)
        self._echo_left = self.frame if rules.local_echo else b""
        self._begin = b""
        self._foreign = ""
        self._proves_echo = (
            not rules.local_echo and encode(request) != self._prefix and not (isinstance(request, Read) and request.table.is_bits)
        )

    @property
    def is_broken(self) -> bool:
        """True if as many bytes came as the reply has, and they are none; if the line stays silent now there will be no reply."""
        return self._framer.leftover() in ("spoilt", "broken")

    @property
    def reply_size(self) -> int:
        """About how many bytes the reply has on the line (an identification: as many as it may have)."""
        return (reply_length(self._request) or _LONGEST_PDU) + _AROUND_PDU

    def feed(self, data: bytes) -> Payload | None:
        """The payload of the proved reply, or None as long as it has not come.

        Raises DeviceExceptionError, FrameError if the unit answered wrongly or the stream cannot be followed, LinkDownError if no
        reply on this connection can be trusted any more.
        """
        data = self._without_echo(data)
        self._framer.feed(data)
        while (frame := self._framer.cut()) is not None:
            if self._is_ours(frame):
                return decode(self._request, frame.pdu, self._rules.link)
        return None

    def give_up(self) -> LinkError:
        """The deadline passed: what to call it. Notes that the reply may still come."""
        leftover = self._framer.leftover()
        if leftover != "broken":
            self.note_owed()
        if leftover in ("broken", "spoilt", "garbled"):
            return self._error(CRC_ERROR, "the reply came with a wrong check sum")
        if leftover == "short":
            return self._error(LENGTH_MISMATCH, "the reply broke off")
        if self._foreign == TRANSACTION_MISMATCH:
            return self._error(TRANSACTION_MISMATCH, "the gateway on the way rewrites transaction ids: set `tid: ignore` for this link")
        if self._foreign == UNIT_MISMATCH:
            return self._error(UNIT_MISMATCH, "another unit id answered: check it, or set `unit_reply: any` for this link")
        return LinkTimeoutError(
            "no reply in time",
            link=self._rules.link,
            unit_id=self._request.unit_id,
            operation=describe(self._request),
            fix="check power, wiring, line settings and unit id",
        )

    def lost(self, cause: str) -> LinkDownError:
        """The link broke while the reply was waited for."""
        return LinkDownError(
            f"the link broke off: {cause}",
            sent=True,
            link=self._rules.link,
            unit_id=self._request.unit_id,
            operation=describe(self._request),
        )

    def note_owed(self) -> None:
        """The request was sent; its reply may come at any later moment. Transaction ids tell it apart by themselves."""
        if self._tid is None:
            self._rules.owed.add(self._request)

    def _is_ours(self, frame: Frame) -> bool:
        if self._tid is not None and frame.tid != self._tid:
            is_late = frame.tid and 0 < (self._tid - frame.tid) % 0x10000 <= LATE_TIDS
            self._rules.dropped["rejected_late" if is_late else TRANSACTION_MISMATCH] += 1
            self._foreign = self._foreign if is_late else TRANSACTION_MISMATCH
            return False
        if frame.unit_id != self._request.unit_id and not self._rules.any_unit:
            self._rules.dropped["foreign_unit"] += 1
            self._foreign = self._foreign or UNIT_MISMATCH
            return False
        if self._tid is None and not frame.pdu.startswith(self._prefix) and self._rules.owed.take(frame.unit_id, frame.pdu):
            self._rules.dropped["rejected_late"] += 1
            return False
        return True

    def _without_echo(self, data: bytes) -> bytes:
        if self._proves_echo and len(self._begin) < len(self.frame):
            self._begin += data[: len(self.frame) - len(self._begin)]
            if self._begin == self.frame:
                self._rules.dropped["echo_seen"] += 1
                raise self._error(ECHO_MISMATCH, "the line gives back what we send: set `local_echo: true` for this link")
        if not self._echo_left:
            return data
        size = min(len(self._echo_left), len(data))
        if data[:size] != self._echo_left[:size]:
            raise self._error(
                ECHO_MISMATCH, "the line does not give back what we send: set `local_echo: false`, or two masters are on the line"
            )
        self._echo_left = self._echo_left[size:]
        return data[size:]

    def _error(self, kind: str, message: str) -> FrameError:
        return FrameError(message, kind=kind, link=self._rules.link, unit_id=self._request.unit_id, operation=describe(self._request))
