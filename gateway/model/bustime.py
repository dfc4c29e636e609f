"""What an exchange costs on its link, in bytes and seconds."""

from dataclasses import dataclass
from typing import Self


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


def exchange_bytes(count: int, *, is_bits: bool, over_tcp: bool) -> int:
    """Bytes of a read's request and reply (RTU: 8 + 5 + 2n, TCP: 12 + 9 + 2n; bits by the byte).

    >>> exchange_bytes(10, is_bits=False, over_tcp=False), exchange_bytes(10, is_bits=True, over_tcp=True)
    (33, 23)
    """
    return (21 if over_tcp else 13) + ((count + 7) // 8 if is_bits else count * 2)


def serial_time(size: int, baud: int, bits_per_character: int = 11) -> float:
    """Seconds for which an exchange of `size` bytes holds a serial line, with the quiet time after request and reply.

    Quiet time: 3.5 characters, 1.75 ms above 19200 baud (Modbus serial line V1.02 2.5.1.1). The device's own
    delay comes on top.
    """
    quiet_s = 0.00175 if baud > 19200 else 3.5 * bits_per_character / baud
    return size * bits_per_character / baud + 2 * quiet_s
