"""A register map in the making: points as the format gives them, and notes on what it could not say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from gateway.maps.convert.draft.names import ascii_unit, clean, point_name
from gateway.model.address import looks_like_modicon
from gateway.yamlfile import YamlValue

Keys = dict[str | int, YamlValue]
_PERIOD = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a person must know of the conversion: left out, assumed, or to be looked at."""

    kind: Literal["dropped", "assumed", "check"]
    what: str
    why: str
    line: int = 0

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        return f"{self.kind}: {place}{self.what}: {self.why}"


@dataclass(slots=True, kw_only=True)
class DraftPoint:
    """One point: its keys as the map writes them, where it came from, what was assumed."""

    name: str
    keys: Keys
    line: int
    assumed: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Draft:
    """What a format's reader fills. `head` holds map keys it knows; `is_own` is a file of our own, taken as it stands."""

    format: str
    file: str
    head: Keys = field(default_factory=dict)
    periods: dict[str, str] = field(default_factory=dict)
    points: list[DraftPoint] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    is_own: bool = False
    _taken: set[str] = field(default_factory=set)

    def add(self, name: str, keys: Keys, *, line: int, assumed: Sequence[str] = ()) -> str:
        """Take a point and return its name in the map.

        Keys without value are left out, words are cleaned, a writable point is locked. `name` is what the file calls it.
        """
        label = clean(name)
        kept: Keys = {key: value for key, value in keys.items() if value is not None and value not in ({}, "")}
        taken = point_name(label, f"{kept.get('table', 'point')}_{kept.get('pdu', kept.get('reg', kept.get('ref', line)))}", self._taken)
        if "name" not in kept and label:
            kept["name"] = {"zh" if any("\u4e00" <= sign <= "\u9fff" for sign in label) else "en": label}
        if "unit" in kept:
            self._unit(taken, kept, line)
        if kept.get("access", "ro") != "ro":
            write = kept.get("write")
            kept["write"] = {**(write if isinstance(write, dict) else {}), "confirm": "never"}
        pdu = kept.get("pdu")
        if isinstance(pdu, int) and "base" not in kept and looks_like_modicon(pdu):
            self.note("check", line, taken, f"{pdu} is taken as the address on the wire; it looks like a reference such as 40001")
        for why in assumed:
            self.note("assumed", line, taken, why)
        self.points.append(DraftPoint(name=taken, keys=kept, line=line, assumed=tuple(map(clean, assumed))))
        return taken

    def drop(self, what: str, why: str, *, line: int) -> None:
        """Report something of the file that the map leaves out."""
        self.note("dropped", line, what, why)

    def note(self, kind: Literal["dropped", "assumed", "check"], line: int, what: str, why: str) -> None:
        """Report anything; what the file says in it becomes one line."""
        self.notes.append(Note(kind=kind, what=clean(what), why=clean(why), line=line))

    def every(self, period: str) -> str | None:
        """The poll group of this period (such as `5s`), made when first asked for; None, and a note, if it is no time."""
        if period.endswith("000ms"):
            period = f"{period.removesuffix('000ms')}s"
        if period not in ("once", "on_demand") and (not _PERIOD.fullmatch(period) or not float(period.rstrip("msh"))):
            self.note("check", 0, period, "not a time: polled with the others")
            return None
        group = period if period in ("once", "on_demand") else f"every_{period.replace('.', '_')}"
        self.periods[group] = period
        return group

    def _unit(self, name: str, keys: Keys, line: int) -> None:
        given = clean(str(keys.pop("unit")))
        unit = ascii_unit(given)
        if unit is None:
            self.note("dropped", line, name, f"unit {given!r}: not a unit in ASCII; write it by hand")
        elif unit:
            keys["unit"] = unit
