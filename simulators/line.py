"""The time a serial line needs: characters at a baud rate, silences between frames, the device's own turnaround."""

from dataclasses import dataclass
from typing import Literal

Parity = Literal["none", "even", "odd"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTiming:
    """Baud and character format; 19200 8E1 sends 11 bits a character."""

    baud: int
    parity: Parity = "none"
    stop_bits: int = 1
    data_bits: int = 8
    turnaround_s: float = 0.005
    """From the end of the request's silence to the first bit of the reply."""

    @property
    def char_s(self) -> float:
        """Seconds a character takes: start bit, data, parity, stop.

        >>> round(LineTiming(baud=19200, parity="even").char_s * 1e6)
        573
        """
        return (1 + self.data_bits + (self.parity != "none") + self.stop_bits) / self.baud

    @property
    def silence_s(self) -> float:
        """3.5 characters; above 19200 baud 1.75 ms (Modbus over serial line V1.02, 2.5.1.1)."""
        return 3.5 * self.char_s if self.baud <= 19200 else 0.00175


_FIFO = 16
"""Characters a UART hands over at a time."""


class Line:
    """One half-duplex line: who may speak when. Times are of the event loop."""

    def __init__(self, timing: LineTiming) -> None:
        self._timing = timing
        self._free_at = 0.0

    def reply_at(self, now: float, request_bytes: int) -> float:
        """When the reply to a request handed over at `now` begins; the request takes its own time first."""
        begins = max(now, self._free_at)
        self._free_at = begins + request_bytes * self._timing.char_s + self._timing.silence_s
        return self._free_at + self._timing.turnaround_s

    def spread(self, begins: float, data: bytes) -> list[tuple[float, bytes]]:
        """When the bytes sent from `begins` have arrived, a UART's fill at a time; the line is taken until then."""
        begins = max(begins, self._free_at)
        arrivals = [(begins + min(at + _FIFO, len(data)) * self._timing.char_s, data[at : at + _FIFO]) for at in range(0, len(data), _FIFO)]
        self._free_at = begins + len(data) * self._timing.char_s + self._timing.silence_s
        return arrivals
