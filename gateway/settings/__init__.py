"""A configuration file as frozen settings: links, devices with their maps, site, store and web.

The `assistant:` block stays unread here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ValidationError

from gateway.errors import ConfigError, Finding
from gateway.link.options import LinkOptions
from gateway.maps.findings import invalid, place
from gateway.maps.schema_types import Strict
from gateway.model.address import UnitId
from gateway.model.point import RegisterMap, Text
from gateway.settings._devices import MapShelf, interlock_findings, shared_aliases, site_map, unit_findings
from gateway.settings._links import link_findings, link_options
from gateway.settings._schema import DeviceIn, HeadIn, LinkIn, WebIn
from gateway.settings._secrets import secrets_in_clear
from gateway.yamlfile import YamlFile, YamlValue, read_yaml

_M = TypeVar("_M", bound=Strict)


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
    warnings: tuple[Finding, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder that relative paths of the file start from."""
        return self.file.parent


def load_settings(path: Path) -> Settings:
    """The settings of a file; raises ConfigError with everything that is wrong with it and its maps."""
    settings, findings = inspect_settings(path)
    if settings is None:
        raise ConfigError([finding for finding in findings if finding.severity == "error"])
    return settings


def inspect_settings(path: Path) -> tuple[Settings | None, tuple[Finding, ...]]:
    """The settings, if they can be used, and every finding; never raises for what the file holds."""
    try:
        yaml = read_yaml(path)
    except ConfigError as exc:
        return None, exc.findings
    return _Reader(yaml, path).read()


class _Reader:
    """Reads one configuration, gathering findings."""

    def __init__(self, yaml: YamlFile, path: Path) -> None:
        self._yaml = yaml
        self._path = path.absolute()
        self._folder = self._path.parent
        self._findings: list[Finding] = [*yaml.findings, *secrets_in_clear(yaml)]

    def read(self) -> tuple[Settings | None, tuple[Finding, ...]]:
        root = self._yaml.root
        if not isinstance(root, dict):
            self._add((), "not_a_configuration", "not a configuration", "begin with `site:`; configs/plant.example.yaml shows one")
            return None, tuple(self._findings)
        head = self._one(HeadIn, (), {key: value for key, value in root.items() if key not in ("links", "devices", "assistant")})
        links = self._links(root.get("links"))
        devices = self._several(DeviceIn, "devices", root.get("devices"))
        assistant = root.get("assistant")
        if assistant is not None and not isinstance(assistant, dict):
            self._add(("assistant",), "wrong_type", "`assistant` is not a mapping", "write keys and values, indented")
        self._findings += unit_findings(self._yaml, devices, {link.id: link for link in links.values()})
        folders = [self._folder / folder for folder in head.maps] if head else []
        maps = self._maps(devices, folders)
        self._findings += shared_aliases(self._yaml, devices)
        self._findings += interlock_findings(self._yaml, devices, maps)
        site = self._site(head) if head else None
        store_url = self._store_url(head) if head else ""
        ordered = tuple(
            sorted(dict.fromkeys(self._findings), key=lambda found: (found.file != self._yaml.file, found.file, found.line, found.path))
        )
        if head is None or site is None or any(finding.severity == "error" for finding in ordered):
            return None, ordered
        settings = Settings(
            file=self._path,
            site=site,
            data_dir=(self._folder / head.data_dir).resolve(),
            store_url=store_url,
            links=tuple(link_options(link, self._folder) for link in links.values()),
            devices=tuple(_device(device, maps[device.id]) for device in devices.values()),
            web=self._web(head.web),
            assistant=_texts(assistant),
            warnings=ordered,
        )
        return settings, ordered

    def _links(self, raw: YamlValue) -> dict[int, LinkIn]:
        links = self._several(LinkIn, "links", raw)
        ids: set[str] = set()
        places: dict[str, str] = {}
        for number, link in links.items():
            self._findings += link_findings(self._yaml, number, link)
            if link.id in ids:
                self._add(("links", number, "id"), "duplicate_id", f"link {link.id} is there twice", "give each link its own id")
            ids.add(link.id)
            where = link_options(link, self._folder).place
            taken = places.setdefault(where, link.id)
            if taken != link.id:
                self._add(("links", number, "port"), "duplicate_port", f"{where} is already link {taken}", "put its devices on that link")
        return links

    def _maps(self, devices: Mapping[int, DeviceIn], folders: list[Path]) -> dict[str, RegisterMap]:
        shelf = MapShelf(folders)
        maps: dict[str, RegisterMap] = {}
        for number, device in devices.items():
            found = shelf.get(device.map)
            for finding in found.findings:
                if finding.code == "unknown_map":
                    self._add(("devices", number, "map"), finding.code, finding.message, finding.fix)
                else:
                    self._findings.append(finding)
            if found.map is not None:
                maps[device.id] = site_map(self._yaml, number, device, found.map, self._findings)
        return maps

    def _site(self, head: HeadIn) -> Site | None:
        try:
            zone = ZoneInfo(head.site.timezone)
        except (ZoneInfoNotFoundError, ValueError):
            self._add(
                ("site", "timezone"), "unknown_timezone", f"no timezone {head.site.timezone!r}", "write a name such as Asia/Shanghai or UTC"
            )
            return None
        return Site(name=head.site.name.text(), timezone=zone, languages=tuple(head.site.languages))

    def _store_url(self, head: HeadIn) -> str:
        url = head.store.url.replace("{data_dir}", str((self._folder / head.data_dir).resolve()))
        scheme, _, rest = url.partition(":///")
        if scheme == "sqlite":
            return f"sqlite:///{(self._folder / rest).resolve()}"
        if not url.startswith("postgresql+psycopg://"):
            fix = 'write "sqlite:///{data_dir}/busmate.db" or "postgresql+psycopg://USER@HOST/DATABASE"'
            self._add(("store", "url"), "bad_store", "the store is neither SQLite nor PostgreSQL", fix)
        return url

    def _web(self, web: WebIn) -> Web:
        cert, key = (str(self._folder / web.tls.cert), str(self._folder / web.tls.key)) if web.tls else ("", "")
        return Web(host=web.host, port=web.port, hosts=tuple(web.hosts), plain_http=web.plain_http, cert=cert, key=key)

    def _several(self, model: type[_M], key: str, raw: YamlValue) -> dict[int, _M]:
        if not isinstance(raw, list) or not raw:
            self._add(
                (key,),
                "missing_key" if raw is None else "wrong_type",
                f"`{key}` has to be a list",
                f"write one `- {{id: ...}}` per line below `{key}:`",
            )
            return {}
        read = {number: self._one(model, (key, number), item) for number, item in enumerate(raw)}
        return {number: item for number, item in read.items() if item is not None}

    def _one(self, model: type[_M], path: tuple[str | int, ...], raw: YamlValue) -> _M | None:
        try:
            return model.model_validate(raw)
        except ValidationError as exc:
            self._findings += invalid(exc, self._yaml, path, raw)
            return None

    def _add(self, path: tuple[str | int, ...], code: str, message: str, fix: str) -> None:
        self._findings.append(place(self._yaml, path, code, message, fix))


def _device(device: DeviceIn, register_map: RegisterMap) -> DeviceSettings:
    stale = device.poll.stale_after_s
    return DeviceSettings(
        id=device.id,
        link=device.link,
        unit_id=UnitId(device.unit_id),
        map=register_map,
        title=device.title.text(),
        aliases=tuple(device.aliases),
        area=device.area,
        stale_after_s=None if stale is None else float(stale),
    )


def _texts(block: YamlValue) -> dict[str, YamlValue]:
    return {str(key): value for key, value in block.items()} if isinstance(block, dict) else {}
