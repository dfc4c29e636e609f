"""SunSpec models (JSON of the alliance): one model a file, its base found at run time.

An offset is the sum of the sizes before it, never a number in the file. What follows a group that repeats as often as the device
says has no fixed place and is left out. Sentinels follow from the types.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gateway.maps.convert.draft.base import Converter, Options
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.names import clean, labels
from gateway.maps.convert.draft.source import Source, items, mapping, string, whole
from gateway.yamlfile import YamlValue


@dataclass(frozen=True, slots=True, kw_only=True)
class _Type:
    """Our type of a SunSpec type, its size in registers (0: the point says), its sentinel."""

    name: str
    size: int
    invalid: int | None = None
    format: str | None = None


_TYPES: Mapping[str, _Type] = {
    "int16": _Type(name="int16", size=1, invalid=0x8000),
    "uint16": _Type(name="uint16", size=1, invalid=0xFFFF),
    "count": _Type(name="uint16", size=1),
    "acc16": _Type(name="uint16", size=1, invalid=0),
    "enum16": _Type(name="uint16", size=1, invalid=0xFFFF),
    "bitfield16": _Type(name="uint16", size=1, invalid=0xFFFF),
    "sunssf": _Type(name="int16", size=1, invalid=0x8000),
    "int32": _Type(name="int32", size=2, invalid=0x80000000),
    "uint32": _Type(name="uint32", size=2, invalid=0xFFFFFFFF),
    "acc32": _Type(name="uint32", size=2, invalid=0),
    "enum32": _Type(name="uint32", size=2, invalid=0xFFFFFFFF),
    "bitfield32": _Type(name="uint32", size=2, invalid=0xFFFFFFFF),
    "int64": _Type(name="int64", size=4, invalid=1 << 63),
    "uint64": _Type(name="uint64", size=4, invalid=(1 << 64) - 1),
    "acc64": _Type(name="uint64", size=4, invalid=0),
    "bitfield64": _Type(name="uint64", size=4, invalid=(1 << 64) - 1),
    "float32": _Type(name="float32", size=2),
    "float64": _Type(name="float64", size=4),
    "string": _Type(name="string", size=0),
    "ipaddr": _Type(name="uint32", size=2, format="ipv4"),
    "ipv6addr": _Type(name="bytes", size=8, format="hex"),
    "eui48": _Type(name="bytes", size=4, format="hex"),
}
_UNITS = {"Secs": "s", "Pct": "%", "C": "degC", "cos()": "", "Tmms": "ms", "Degrees": "deg", "var": "var", "VAr": "var"}


def read(source: Source, options: Options) -> Draft:
    """The points of the model."""
    root = mapping(source.json())
    model, group = whole(root.get("id")), mapping(root.get("group"))
    if model is None or not 1 <= model <= 65535 or not items(group.get("points")):
        source.refuse("not_a_model", "no SunSpec model", "give one of the alliance's model_N.json files")
    draft = Draft(format=source.format, file=source.name)
    base = f"m{model}"
    label = clean(string(group.get("label")) or string(group.get("name")))
    draft.head |= {
        "vendor": "SunSpec Alliance",
        "model": f"model {model}",
        "kind": "sunspec_model",
        "title": {"en": label or f"Model {model}"},
    }
    draft.head |= {"bases": {base: {"sunspec": model}}, "device": {"unit_id": options.unit_id} if options.unit_id else {}}
    _Walk(source, draft, base).group(group, 0, "")
    return draft


class _Walk:
    """Goes through a group and the groups inside it, counting registers."""

    def __init__(self, source: Source, draft: Draft, base: str) -> None:
        self._source = source
        self._draft = draft
        self._base = base
        self._names: dict[str, str] = {}

    def group(self, group: Keys, offset: int, prefix: str) -> int | None:
        """Take the points of `group` from `offset` on; returns where it ends, None if the device decides."""
        sizes = [(point, whole(point.get("size")) or 0) for point in items(group.get("points"))]
        self._names |= {f"{prefix}{string(point.get('name'))}": self._name(prefix, point) for point, _ in sizes}
        place = offset
        for point, size in sizes:
            if size < 1 or point.get("count"):
                self._draft.drop(f"{prefix}{point.get('name')} and what follows", "its size is not fixed", line=self._line(point))
                return None
            self._point(point, size, place, prefix)
            place += size
        for inner in items(group.get("groups")):
            copies, name = inner.get("count", 1), string(inner.get("name"))
            count = copies if isinstance(copies, int) and copies > 0 else None
            if count is None:
                self._draft.drop(
                    f"group {prefix}{name} and what follows",
                    f"it repeats as often as {copies or 'the length'} says",
                    line=self._line(inner),
                )
                return None
            for number in range(1, count + 1):
                end = self.group(inner, place, f"{prefix}{name}_{number}_" if count > 1 else f"{prefix}{name}_")
                if end is None:
                    return None
                place = end
        return place

    def _line(self, keys: Keys) -> int:
        return self._source.line_of(string(keys.get("name")))

    def _name(self, prefix: str, point: Keys) -> str:
        return f"{self._base}_{prefix}{string(point.get('name'))}".lower()

    def _point(self, point: Keys, size: int, place: int, prefix: str) -> None:
        name, kind = string(point.get("name")), _TYPES.get(string(point.get("type")))
        line = self._line(point)
        if string(point.get("type")) == "pad":
            return
        if kind is None or (kind.size and kind.size != size):
            self._draft.drop(f"{prefix}{name}", f"type {point.get('type')!r} of {size} registers", line=line)
            return
        scale = self._scale(point, prefix)
        if isinstance(scale, str):
            self._draft.drop(f"{prefix}{name}", scale, line=line)
            return
        is_rw = string(point.get("access")) == "RW"
        is_once = string(point.get("static")) == "S" or string(point.get("type")) == "sunssf"
        group = f" ({prefix.strip('_')})" if prefix else ""
        description = clean(string(point.get("desc")))
        keys: Keys = {
            "base": self._base,
            "pdu": place,
            "table": "holding",
            "type": kind.name,
            "words": size if kind.name in ("string", "bytes") else None,
            "unit": self._unit(string(point.get("units"))),
            "format": kind.format,
            **scale,
            **_symbols(point),
            "invalid": [kind.invalid] if kind.invalid is not None else None,
            "access": "rw" if is_rw else None,
            "write": {} if is_rw else None,
            "poll": self._draft.every("once") if is_once else None,
            "name": {"en": f"{clean(string(point.get('label'))) or name}{group}"},
            "description": {"en": description} if description else None,
            "note": {"en": "0 means that the device does not count it"} if kind.invalid == 0 else None,
        }
        taken = self._draft.add(self._name(prefix, point), keys, line=line)
        if taken != self._name(prefix, point):
            self._names[f"{prefix}{name}"] = taken

    def _scale(self, point: Keys, prefix: str) -> Keys | str:
        """The keys of the scale, or what is wrong with it: a raw number must not pass for a value."""
        given = point.get("sf")
        fixed = whole(given)
        if given is None or fixed == 0:
            return {}
        if fixed is not None:
            return {"scale": Decimal(10) ** fixed} if abs(fixed) <= 10 else f"a scale factor of {fixed}"
        holder = next((self._names[key] for key in _outward(prefix, string(given)) if key in self._names), None)
        return {"scale_from": {"point": holder, "as": "exponent"}} if holder else f"no scale factor {given!r}"

    def _unit(self, text: str) -> str:
        return _UNITS.get(text, "%" if text.startswith("%") else text)


def _outward(prefix: str, name: str) -> Iterator[str]:
    """The name in this group, then in those around it."""
    parts = prefix.split("_")
    for length in range(len(parts), -1, -1):
        around = "_".join(parts[:length])
        yield f"{around}_{name}" if around else name
        yield f"{around}{name}"


def _symbols(point: Keys) -> Keys:
    symbols = [
        (code, string(symbol.get("label") or symbol.get("name")))
        for symbol in items(point.get("symbols"))
        if (code := whole(symbol.get("value"))) is not None
    ]
    if not symbols:
        return {}
    if string(point.get("type")).startswith("bitfield"):
        flags: dict[str | int, YamlValue] = {bit: {"en": label} for bit, label in labels(symbols).items()}
        return {"flags": flags}
    return {"enum": {code: {"en": label} for code, label in labels(symbols).items()}}


converter = Converter(name="sunspec", title="SunSpec model (JSON)", read=read)
