"""How a link is carried and how careful it is (INTERFACES: link options)."""

from dataclasses import dataclass
from typing import Literal

TransportName = Literal["tcp", "rtu", "rtu_over_tcp", "ascii", "udp", "tls", "memory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rs485:
    """RS-485 direction control by the serial driver; delays in seconds."""

    rts_level_for_tx: bool = True
    rts_level_for_rx: bool = False
    delay_before_tx_s: float = 0.0
    delay_before_rx_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """One link. `host` and `port` for sockets, `device` for a serial port; times in seconds."""

    id: str
    transport: TransportName
    host: str = ""
    port: int = 502
    device: str = ""
    baud: int = 9600
    parity: Literal["none", "even", "odd"] = "none"
    stop_bits: Literal[1, 2] = 1
    data_bits: Literal[7, 8] = 8
    timeout_s: float = 1.0
    tid: Literal["strict", "ignore"] = "strict"
    unit_reply: Literal["strict", "any"] = "strict"
    local_echo: bool = False
    connect_delay_s: float = 0.0
    gap_s: float = 0.0
    on_demand: bool = False
    close_after_poll: bool = False
    keepalive_s: float = 30.0
    user_timeout_s: float = 5.0
    rs485: Rs485 | None = None
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""

    @property
    def bits_per_character(self) -> int:
        """Bits on the line for one character: start, data, parity, stop."""
        return 1 + self.data_bits + (self.parity != "none") + self.stop_bits

    @property
    def is_serial(self) -> bool:
        """True if the link is a serial port, where every byte takes its time and frames need silence between them."""
        return self.transport in ("rtu", "ascii")

    @property
    def silence_s(self) -> float:
        """Silence between frames on a serial line: 3.5 characters, 1.75 ms above 19200 baud (V1.02 2.5.1.1)."""
        if not self.is_serial:
            return 0.0
        return 0.00175 if self.baud > 19200 else self.air_time_s(1) * 3.5

    def air_time_s(self, characters: int) -> float:
        """How long so many characters are on the serial line."""
        return characters * self.bits_per_character / self.baud

    @property
    def place(self) -> str:
        """Where the link leads, for messages: `host:port` or the port's path."""
        return self.device or f"{self.host}:{self.port}"
