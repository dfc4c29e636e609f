"""What a configuration says, ready for use."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from gateway.errors import Finding
from gateway.link.options import LinkOptions
from gateway.model.address import UnitId
from gateway.model.point import RegisterMap, Role, Text
from gateway.yamlfile import YamlValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The plant."""

    name: Text
    timezone: ZoneInfo
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """Where the pages are served, under which further host names; `cert` and `key` are paths, empty without TLS."""

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    plain_http: bool = False
    cert: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLimits:
    """Seconds a session lasts without use and at most, and a password counts for what two persons sign."""

    idle_s: float = 900.0
    lifetime_s: float = 43_200.0
    password_again_s: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """An identity provider; `secret_file` None for a public client, `page` without a slash at the end."""

    issuer: str
    client_id: str
    secret_file: Path | None
    page: str
    groups: Mapping[str, Role]
    name_claim: str = "preferred_username"
    groups_claim: str = "groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSettings:
    """A configured device; `map` has the site's rules applied. `stale_after_s` None: three periods of the point's group."""

    id: str
    link: str
    unit_id: UnitId
    map: RegisterMap
    title: Text
    aliases: tuple[str, ...] = ()
    area: str = ""
    stale_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One configuration, with all paths absolute. `assistant` is the block as written, `warnings` what `check` would say."""

    file: Path
    site: Site
    data_dir: Path
    store_url: str
    links: tuple[LinkOptions, ...]
    devices: tuple[DeviceSettings, ...]
    web: Web
    assistant: Mapping[str, YamlValue]
    sessions: SessionLimits = SessionLimits()
    oidc: OidcSettings | None = None
    keep_days: int = 400
    map_folders: tuple[Path, ...] = ()
    """Where maps are looked for before those that ship; the first is where edited maps are put."""
    warnings: tuple[Finding, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder that relative paths of the file start from."""
        return self.file.parent
