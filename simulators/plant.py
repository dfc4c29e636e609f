"""What a simulated plant consists of, from `plants/NAME.yaml`, from any such file, or from one register map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gateway.errors import ConfigError, Finding, UnknownTagError
from gateway.maps.findings import invalid
from gateway.maps.load import find_map, load_map
from gateway.model.point import RegisterMap
from gateway.model.sample import Scalar
from gateway.yamlfile import YamlFile, read_yaml
from simulators.frames import LinkKind
from simulators.line import LineTiming, Parity
from simulators.process.build import ProcessParameters
from simulators.registers import Bank


class SimLink(BaseModel):
    """A link: a TCP port of this machine (0: any free one), or a pseudo terminal with the timing of a real line."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: LinkKind
    port: int = Field(default=0, ge=0, le=65535)
    baud: int = Field(default=19200, ge=300)
    parity: Parity = "even"
    stop_bits: Literal[1, 2] = 1
    data_bits: Literal[7, 8] = 8
    turnaround_s: float = Field(default=0.005, ge=0)

    @property
    def is_serial(self) -> bool:
        """True for pseudo terminals."""
        return self.kind in ("rtu", "ascii")

    @property
    def timing(self) -> LineTiming:
        """How long characters take on this line."""
        return LineTiming(
            baud=self.baud, parity=self.parity, stop_bits=self.stop_bits, data_bits=self.data_bits, turnaround_s=self.turnaround_s
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SimDevice:
    """A device: its register map, on a link under a unit id."""

    link: str
    unit_id: int
    map: RegisterMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """Links, devices and first values by id; `process` moves the values unless the plant is steady."""

    id: str
    links: Mapping[str, SimLink]
    devices: Mapping[str, SimDevice]
    values: Mapping[str, Scalar]
    process: tuple[ProcessParameters, ...] = ()


def shipped_plants() -> Path:
    """The folder of the plants that come with Busmate."""
    return Path(__file__).parent / "plants"


def load_plant(source: str | Path) -> Plant:
    """The plant of a shipped name or a file; raises ConfigError with everything that is wrong with it."""
    return plant_of(read_yaml(find_plant(source)))


def find_plant(source: str | Path) -> Path:
    """The file itself, or that of a shipped plant's name; raises ConfigError."""
    path = Path(source)
    if path.suffix in (".yaml", ".yml"):
        return path
    path = shipped_plants() / f"{source}.yaml"
    if path.is_file():
        return path
    known = ", ".join(sorted(plant.stem for plant in shipped_plants().glob("*.yaml")))
    raise ConfigError([Finding(code="unknown_plant", message=f"no plant is called {source}", fix=f"name a file, or one of: {known}")])


def plant_of(yaml: YamlFile) -> Plant:
    """The plant of a file that was read; raises ConfigError."""
    if yaml.findings:
        raise ConfigError(yaml.findings)
    try:
        written = _PlantIn.model_validate(yaml.root)
    except ValidationError as exc:
        raise ConfigError(invalid(exc, yaml, (), yaml.root)) from exc
    maps = {name: load_map(find_map(name, [Path(yaml.file).parent])) for name in {device.map for device in written.devices.values()}}
    devices = {name: SimDevice(link=device.link, unit_id=device.unit_id, map=maps[device.map]) for name, device in written.devices.items()}
    plant = Plant(id=written.id, links=written.links, devices=devices, values=written.values, process=tuple(written.process))
    findings = [at_path(yaml, path, message, fix) for path, message, fix in _loose_ends(plant)]
    if findings:
        raise ConfigError(findings)
    return plant


def device_plant(
    register_map: RegisterMap, values: Mapping[str, Scalar], *, kind: LinkKind = "tcp", unit_id: int | None = None, port: int = 0
) -> Plant:
    """A plant of one device: link `link`, device `device`; `values` by point name."""
    device = SimDevice(link="link", unit_id=unit_id if unit_id is not None else register_map.device.unit_id or 1, map=register_map)
    tags = {f"device.{point}": value for point, value in values.items()}
    return Plant(id=register_map.id, links={"link": SimLink(kind=kind, port=port)}, devices={"device": device}, values=tags)


def at_path(yaml: YamlFile, path: Sequence[str | int], message: str, fix: str) -> Finding:
    """What is wrong at a place of a plant's or scenario's file."""
    return Finding(code="bad_value", message=message, fix=fix, file=yaml.file, line=yaml.line_of(path), path=".".join(map(str, path)))


def misfits(plant: Plant, values: Mapping[str, Scalar]) -> list[tuple[str, str, str]]:
    """What the plant cannot hold: tag, why, and the fix."""
    banks = {name: Bank(device.map) for name, device in plant.devices.items()}
    found: list[tuple[str, str, str]] = []
    for tag, value in values.items():
        device, _, point = tag.partition(".")
        try:
            banks[device].set(point, value)
        except (KeyError, UnknownTagError):
            found.append((tag, f"no point is called {tag}", "write DEVICE.point, as the device's map names it"))
        except ValueError as exc:
            found.append((tag, str(exc), "write a value that the point's registers can hold"))
    return found


class _DeviceIn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    link: str
    unit_id: int = Field(ge=1, le=255)
    map: str


class _PlantIn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    plant: Literal[1]
    id: str
    links: dict[str, SimLink]
    devices: dict[str, _DeviceIn]
    values: dict[str, bool | int | Decimal | str] = {}
    process: list[ProcessParameters] = []


def _loose_ends(plant: Plant) -> list[tuple[tuple[str, ...], str, str]]:
    """Links and tags that are named and do not exist: path, message, fix."""
    found: list[tuple[tuple[str, ...], str, str]] = [
        (("devices", name, "link"), f"no link is called {device.link}", f"name one of: {', '.join(plant.links)}")
        for name, device in plant.devices.items()
        if device.link not in plant.links
    ]
    return found + [(("values", tag), message, fix) for tag, message, fix in misfits(plant, plant.values)]
