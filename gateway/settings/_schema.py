"""The shape of a configuration file (INTERFACES: configuration)."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from gateway.maps.schema_point import AlarmIn, Alias, TableName, ValidIn
from gateway.maps.schema_types import ID, DeadbandIn, Interlocks, Number, Pause, Strict, Words, seconds

Seconds = Annotated[Number, Field(ge=0)]
AboveZero = Annotated[Number, Field(gt=0)]
Language = Literal["en", "zh"]
PortNumber = Annotated[int, Field(ge=1, le=65535)]


class SiteIn(Strict):
    """The plant."""

    name: Words
    timezone: str = "UTC"
    languages: list[Language] = Field(default=["en", "zh"], min_length=1)


class StoreIn(Strict):
    """Where samples and records are kept."""

    url: str = "sqlite:///{data_dir}/busmate.db"
    keep_days: int = Field(default=400, ge=1, le=36_500)
    """How long samples are kept; the audit is kept for ever."""


class TlsIn(Strict):
    """Certificate and key of the web server."""

    cert: str
    key: str


class WebIn(Strict):
    """Where the pages are served."""

    host: str = "127.0.0.1"
    port: int = Field(default=8765, ge=0, le=65535)
    hosts: list[str] = Field(default_factory=list)
    """Further names under which browsers ask for the page."""
    plain_http: bool = False
    """Beyond this machine without TLS: only where something before the gateway does it."""
    tls: TlsIn | None = None


class SessionsIn(Strict):
    """How long people stay signed in: without use, at most, and how long a password counts for what two persons sign."""

    idle_s: int = Field(default=900, ge=60, le=86_400)
    lifetime_s: int = Field(default=43_200, ge=300, le=604_800)
    password_again_s: int = Field(default=300, ge=30, le=3600)


class OidcIn(Strict):
    """A plant's identity provider: where it is, who we are there, and which of its groups has which role here."""

    issuer: str = Field(min_length=1)
    client_id: str = Field(min_length=1)
    client_secret_file: str | None = None
    page: str = Field(min_length=1)
    """Where browsers find this gateway, as registered with the provider."""
    groups: dict[str, Literal["viewer", "operator", "engineer", "admin"]] = Field(min_length=1)
    name_claim: str = "preferred_username"
    groups_claim: str = "groups"


class HeadIn(Strict):
    """A configuration without links and devices, which are validated one by one."""

    site: SiteIn
    data_dir: str = "./data"
    store: StoreIn = Field(default_factory=StoreIn)
    maps: list[str] = Field(default_factory=list)
    web: WebIn = Field(default_factory=WebIn)
    sessions: SessionsIn = Field(default_factory=SessionsIn)
    oidc: OidcIn | None = None


class Rs485In(Strict):
    """Direction control by the serial driver."""

    rts_level_for_tx: bool = True
    rts_level_for_rx: bool = False
    delay_before_tx_s: Seconds = Decimal(0)
    delay_before_rx_s: Seconds = Decimal(0)


class LinkIn(Strict):
    """One serial port or one host and port."""

    id: str = Field(pattern=ID)
    transport: Literal["tcp", "rtu", "rtu_over_tcp", "ascii", "udp", "tls"]
    host: str | None = None
    port: PortNumber | str | None = None
    baud: Annotated[int, Field(ge=300, le=1_000_000)] | None = None
    parity: Literal["none", "even", "odd"] | None = None
    stop_bits: Literal[1, 2] | None = None
    data_bits: Literal[7, 8] | None = None
    timeout_s: AboveZero | None = None
    tid: Literal["strict", "ignore"] | None = None
    unit_reply: Literal["strict", "any"] | None = None
    local_echo: bool | None = None
    connect_delay_s: Seconds | None = None
    gap_s: Seconds | None = None
    on_demand: bool | None = None
    close_after_poll: bool | None = None
    keepalive_s: Seconds | None = None
    user_timeout_s: Seconds | None = None
    rs485: Rs485In | None = None
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


class PollIn(Strict):
    """How long values of a device count as fresh."""

    stale_after_s: AboveZero | None = None


class SiteWriteIn(Strict):
    """What a site may tighten of a map's `write`."""

    min: Number | None = None
    max: Number | None = None
    step: Number | None = None
    max_step: Number | None = None
    cooldown: Pause | None = None
    role: Literal["viewer", "operator", "engineer", "admin"] | None = None
    confirm: Literal["none", "user", "two_step", "never"] | None = None
    approvals: Literal[1, 2] | None = None
    interlock: Interlocks | None = None
    note: Words | None = None

    @property
    def cooldown_s(self) -> float | None:
        """The cool-down in seconds."""
        return seconds(self.cooldown) if self.cooldown else None


class SitePointIn(Strict):
    """What a site says of one point of a device's map."""

    name: Words | None = None
    description: Words | None = None
    aliases: list[Alias] = Field(default_factory=list)
    group: str | None = None
    poll: str | None = None
    deadband: DeadbandIn | None = None
    valid: ValidIn | None = None
    alarm: AlarmIn | None = None
    write: SiteWriteIn | None = None


Base = Annotated[int, Field(ge=0, le=65535)] | dict[TableName, Annotated[int, Field(ge=0, le=65535)]]
"""What is added to the PDU addresses of a map: to all, or by table."""


class DeviceRepeatIn(Strict):
    """Copies of a device: `<id>_<n>` or `<id>_<name>`, each so much further in unit id and base than the one before."""

    count: int | None = Field(default=None, ge=1, le=1000)
    names: list[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")]] | None = Field(default=None, min_length=1, max_length=1000)
    unit_id_stride: int = Field(default=0, ge=0, le=247)
    base_stride: Base = 0


class DeviceIn(Strict):
    """A unit on a link with its register map; one that says its `base` is a part of the unit, and shares it with others that do."""

    id: str = Field(pattern=ID)
    link: str
    unit_id: int
    base: Base | None = None
    repeat: DeviceRepeatIn | None = None
    map: str
    title: Words
    aliases: list[Alias] = Field(default_factory=list)
    area: str = ""
    poll: PollIn = Field(default_factory=PollIn)
    points: dict[str, SitePointIn] = Field(default_factory=dict)
