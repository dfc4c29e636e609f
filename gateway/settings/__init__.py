"""A configuration file as frozen settings: links, devices with their maps, site, store and web.

The `assistant:` block stays unread here.
"""

from collections.abc import Sequence
from pathlib import Path

from gateway.errors import ConfigError, Finding
from gateway.settings._load import planned_lines
from gateway.settings._reader import Reader
from gateway.settings._types import DeviceSettings, OidcSettings, SessionLimits, Settings, Site, Web
from gateway.yamlfile import read_yaml

__all__ = [
    "DeviceSettings",
    "OidcSettings",
    "SessionLimits",
    "Settings",
    "Site",
    "Web",
    "inspect_settings",
    "load_settings",
    "planned_lines",
]


def load_settings(path: Path, maps_first: Sequence[Path] = ()) -> Settings:
    """The settings of a file; raises ConfigError with everything that is wrong with it and its maps.

    `maps_first` are folders of maps that go before all others: a change is tried with the whole plant before it counts.
    """
    settings, findings = inspect_settings(path, maps_first)
    if settings is None:
        raise ConfigError([finding for finding in findings if finding.severity == "error"])
    return settings


def inspect_settings(path: Path, maps_first: Sequence[Path] = ()) -> tuple[Settings | None, tuple[Finding, ...]]:
    """The settings, if they can be used, and every finding; never raises for what the file holds."""
    try:
        yaml = read_yaml(path)
    except ConfigError as exc:
        return None, exc.findings
    return Reader(yaml, path, maps_first).read()
