"""What an exchange costs on its link, in bytes and seconds."""

from dataclasses import dataclass
from typing import Literal, Self, assert_never


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCost:
    """What an exchange costs: `request_s` for itself, `register_s` for each register it carries (a bit is 1/16).

    The default asks for the fewest exchanges, that is, merges whatever `max_gap` allows.
    """

    request_s: float = 1.0
    register_s: float = 0.0

    @classmethod
    def serial(cls, baud: int, bits_per_character: int = 11, *, turnaround_s: float = 0.0) -> Self:
        """Cost on a serial line, where each character takes its time; `turnaround_s` is the device's delay and any pause."""
        empty_s = serial_time(13, baud, bits_per_character)
        return cls(request_s=empty_s + turnaround_s, register_s=2 * bits_per_character / baud)

    @classmethod
    def network(cls, round_trip_s: float) -> Self:
        """Cost on a network, where only the round trip counts."""
        return cls(request_s=round_trip_s)


Framing = Literal["rtu", "ascii", "tcp"]


def exchange_bytes(count: int, *, is_bits: bool, framing: Framing = "rtu") -> int:
    """Bytes of a read's request and reply (RTU: 8 + 5 + 2n, TCP: 12 + 9 + 2n; bits by the byte; ASCII: two signs a byte).

    >>> [exchange_bytes(10, is_bits=False, framing=framing) for framing in ("rtu", "tcp", "ascii")]
    [33, 41, 68]
    """
    size = 13 + ((count + 7) // 8 if is_bits else count * 2)
    match framing:
        case "rtu":
            return size
        case "tcp":
            return size + 8
        case "ascii":
            return 2 * size + 2
        case _ as never:
            assert_never(never)


def serial_time(size: int, baud: int, bits_per_character: int = 11, *, gap_s: float = 0.0) -> float:
    """Seconds for which an exchange of `size` bytes holds a serial line, with the silence after request and reply.

    Silence: 3.5 characters, 1.75 ms above 19200 baud (Modbus serial line V1.02 2.5.1.1); after the reply at least
    `gap_s`. The device's own delay comes on top.
    """
    silence_s = 0.00175 if baud > 19200 else 3.5 * bits_per_character / baud
    return size * bits_per_character / baud + silence_s + max(silence_s, gap_s)
