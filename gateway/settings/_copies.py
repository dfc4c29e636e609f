"""One entry of `devices:` for many: copies that differ in unit id, base and the words that name them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from gateway.errors import Finding
from gateway.maps.findings import invalid, place
from gateway.model.address import Table
from gateway.settings._schema import Base, DeviceIn, DeviceRepeatIn
from gateway.yamlfile import YamlFile, YamlValue


@dataclass(frozen=True, slots=True)
class Placed:
    """A device, and the number of its entry in the file."""

    number: int
    device: DeviceIn


def per_table(base: Base | None) -> dict[Table, int]:
    """What is added to the addresses of each table."""
    if isinstance(base, dict):
        return {**dict.fromkeys(Table, 0), **{Table(name): by for name, by in base.items()}}
    return dict.fromkeys(Table, base or 0)


def placed(yaml: YamlFile, devices: Mapping[int, DeviceIn], raw: Sequence[YamlValue], findings: list[Finding]) -> list[Placed]:
    """All devices, copies in the place of the entries that are repeated."""
    found: list[Placed] = []
    for number, device in devices.items():
        item = raw[number]
        if device.repeat is None or not isinstance(item, dict):
            found.append(Placed(number, device))
            continue
        faults = list(_faults(yaml, number, device, device.repeat))
        findings += faults
        for copy in () if faults else _copies(device, device.repeat, item):
            try:
                found.append(Placed(number, DeviceIn.model_validate(copy)))
            except ValidationError as exc:
                findings += invalid(exc, yaml, ("devices", number), copy)
    return found


def _faults(yaml: YamlFile, number: int, device: DeviceIn, repeat: DeviceRepeatIn) -> Iterator[Finding]:
    path = ("devices", number, "repeat")
    if (repeat.count is None) == (repeat.names is None):
        yield place(yaml, path, "bad_repeat", "repeat needs either `count` or `names`", "give `count: 12`, or `names: [east, west]`")
    if not repeat.unit_id_stride and not any(per_table(repeat.base_stride).values()):
        fix = "give `unit_id_stride: 1`, or `base_stride` for parts of one unit"
        yield place(yaml, path, "bad_repeat", "all copies would be the same unit", fix)
    for key, words in (("en", device.title.en), ("zh", device.title.zh)):
        if words and "{n}" not in words and "{name}" not in words:
            message, fix = f"all copies would be called {words!r}", "write {n} (1, 2, ...) or {name} where the titles differ"
            yield place(yaml, ("devices", number, "title", key), "bad_repeat", message, fix)


def _copies(device: DeviceIn, repeat: DeviceRepeatIn, raw: Mapping[str | int, YamlValue]) -> Iterator[dict[str | int, YamlValue]]:
    names = repeat.names or [str(n) for n in range(1, (repeat.count or 0) + 1)]
    base, stride = per_table(device.base), per_table(repeat.base_stride)
    is_part = device.base is not None or any(stride.values())
    for place_, name in enumerate(names):
        words = {"{n}": str(place_ + 1), "{name}": name}
        copy: dict[str | int, YamlValue] = {key: _put(value, words) for key, value in raw.items() if key != "repeat"}
        copy |= {"id": f"{device.id}_{name}", "unit_id": device.unit_id + place_ * repeat.unit_id_stride}
        if is_part:
            copy["base"] = {table.value: base[table] + place_ * stride[table] for table in Table}
        yield copy


def _put(value: YamlValue, words: Mapping[str, str]) -> YamlValue:
    """The value with the copy's number and name in all its texts."""
    match value:
        case str():
            for mark, word in words.items():
                value = value.replace(mark, word)
            return value
        case list():
            return [_put(item, words) for item in value]
        case dict():
            return {key: _put(item, words) for key, item in value.items()}
        case _:
            return value
