"""Reads one configuration: everything in it validated by itself, then held together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ValidationError

from gateway.errors import Finding
from gateway.maps.findings import invalid, place
from gateway.maps.inspect import in_order
from gateway.maps.schema_types import Strict
from gateway.model.address import UnitId
from gateway.model.point import RegisterMap, Role
from gateway.settings._copies import Placed, placed
from gateway.settings._devices import MapShelf, device_map, interlock_findings, shared_aliases, unit_findings
from gateway.settings._links import link_findings, link_options
from gateway.settings._load import load_findings
from gateway.settings._parts import part_findings
from gateway.settings._schema import DeviceIn, HeadIn, LinkIn, OidcIn, WebIn
from gateway.settings._secrets import secrets_in_clear
from gateway.settings._types import DeviceSettings, OidcSettings, SessionLimits, Settings, Site, Web
from gateway.yamlfile import YamlFile, YamlPath, YamlValue

_M = TypeVar("_M", bound=Strict)
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")


class Reader:
    """Reads one configuration, gathering findings."""

    def __init__(self, yaml: YamlFile, path: Path, maps_first: Sequence[Path] = ()) -> None:
        self._yaml = yaml
        self._maps_first = maps_first
        self._path = path.absolute()
        self._folder = self._path.parent
        self._findings: list[Finding] = [*yaml.findings, *secrets_in_clear(yaml)]

    def read(self) -> tuple[Settings | None, tuple[Finding, ...]]:
        """The settings if there is no error, and all findings in the order of the file."""
        root = self._yaml.root
        if not isinstance(root, dict):
            self._add((), "not_a_configuration", "not a configuration", "begin with `site:`; configs/plant.example.yaml shows one")
            return None, tuple(self._findings)
        head = self._one(HeadIn, (), {key: value for key, value in root.items() if key not in ("links", "devices", "assistant")})
        links = self._links(root.get("links"))
        devices = self._devices(root.get("devices"), links)
        maps = self._maps(devices, [*self._maps_first, *(self._folders(head) if head else ())])
        self._findings += part_findings(self._yaml, devices, maps)
        self._findings += interlock_findings(self._yaml, devices, maps)
        settings = self._settings(head, links, devices, maps, root.get("assistant")) if head else None
        ordered = in_order(self._yaml, self._findings)
        if settings is None or any(finding.severity == "error" for finding in ordered):
            return None, ordered
        ordered = in_order(self._yaml, [*ordered, *load_findings(self._yaml, links, settings)])
        return replace(settings, warnings=ordered), ordered

    def _settings(
        self,
        head: HeadIn,
        links: Mapping[int, LinkIn],
        devices: Sequence[Placed],
        maps: Mapping[str, RegisterMap],
        assistant: YamlValue,
    ) -> Settings | None:
        if assistant is not None and not isinstance(assistant, dict):
            self._add(("assistant",), "wrong_type", "`assistant` is not a mapping", "write keys and values, indented")
        site, store_url, web = self._site(head), self._store_url(head), self._web(head.web)
        if site is None:
            return None
        return Settings(
            file=self._path,
            site=site,
            data_dir=(self._folder / head.data_dir).resolve(),
            store_url=store_url,
            links=tuple(link_options(link, self._folder) for link in links.values()),
            devices=tuple(_device(device, maps[device.id]) for device in (each.device for each in devices) if device.id in maps),
            web=web,
            assistant=_texts(assistant),
            map_folders=self._folders(head),
            sessions=SessionLimits(
                idle_s=head.sessions.idle_s, lifetime_s=head.sessions.lifetime_s, password_again_s=head.sessions.password_again_s
            ),
            oidc=self._oidc(head.oidc),
            keep_days=head.store.keep_days,
        )

    def _folders(self, head: HeadIn) -> tuple[Path, ...]:
        return tuple((self._folder / folder).resolve() for folder in head.maps)

    def _devices(self, raw: YamlValue, links: Mapping[int, LinkIn]) -> list[Placed]:
        entries = self._several(DeviceIn, "devices", raw)
        devices = placed(self._yaml, entries, raw if isinstance(raw, list) else [], self._findings)
        self._findings += unit_findings(self._yaml, devices, {link.id: link for link in links.values()})
        self._findings += shared_aliases(self._yaml, devices)
        return devices

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

    def _maps(self, devices: Sequence[Placed], folders: list[Path]) -> dict[str, RegisterMap]:
        shelf = MapShelf(folders)
        maps: dict[str, RegisterMap] = {}
        for each in devices:
            found = shelf.get(each.device.map)
            for finding in found.findings:
                if finding.code == "unknown_map":
                    self._add(("devices", each.number, "map"), finding.code, finding.message, finding.fix)
                elif finding.code != "link_overloaded":  # the link is judged as it is, not as the device leaves the factory
                    self._findings.append(finding)
            if found.map is not None:
                maps[each.device.id] = device_map(self._yaml, each, found.map, self._findings)
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
        if web.tls is None and web.host not in _THIS_MACHINE:
            fix = "add `tls: {cert: ..., key: ...}`, or serve this machine only (host: 127.0.0.1)"
            self._add(("web", "host"), "web_without_tls", f"passwords would go to {web.host} in clear", fix)
        cert, key = (str(self._folder / web.tls.cert), str(self._folder / web.tls.key)) if web.tls else ("", "")
        return Web(host=web.host, port=web.port, hosts=tuple(web.hosts), plain_http=web.plain_http, cert=cert, key=key)

    def _oidc(self, oidc: OidcIn | None) -> OidcSettings | None:
        if oidc is None:
            return None
        for key, address in (("issuer", oidc.issuer), ("page", oidc.page)):
            parts = urlsplit(address)
            if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _THIS_MACHINE):
                self._add(("oidc", key), "bad_address", f"{address} is no https address", f"write {key}: https://HOST/...")
        return OidcSettings(
            issuer=oidc.issuer,
            client_id=oidc.client_id,
            secret_file=self._folder / oidc.client_secret_file if oidc.client_secret_file else None,
            page=oidc.page.rstrip("/"),
            groups={group: Role(role) for group, role in oidc.groups.items()},
            name_claim=oidc.name_claim,
            groups_claim=oidc.groups_claim,
        )

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

    def _one(self, model: type[_M], path: YamlPath, raw: YamlValue) -> _M | None:
        try:
            return model.model_validate(raw)
        except ValidationError as exc:
            self._findings += invalid(exc, self._yaml, path, raw)
            return None

    def _add(self, path: YamlPath, code: str, message: str, fix: str) -> None:
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
