"""What a format offers, what its user must say, and the one error of a file that cannot be converted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from gateway.errors import Finding, MapError
from gateway.maps.convert.draft.draft import Draft, Note
from gateway.maps.convert.draft.source import Source
from gateway.model.point import RegisterMap
from gateway.yamlfile import YamlFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the file leaves open and only a person can say; None and absent settings are not said."""

    notation: Literal["pdu", "reg", "ref"] | None = None
    base: Literal[0, 1] | None = None
    order: str | None = None
    unit_id: int | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A map in another format, and what that format cannot say."""

    content: bytes
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Converter:
    """One format; `read` makes a draft of its file, `write` turns a map into it, None where it cannot.

    `settings` are the names of `--set` that it understands.
    """

    name: str
    title: str
    read: Callable[[Source, Options], Draft] | None = None
    write: Callable[[YamlFile, RegisterMap], Exported] | None = None
    settings: frozenset[str] = frozenset()


def ask(source: Source, what: str, fix: str) -> NoReturn:
    """Refuse to guess: end with one error that says which option to give."""
    raise MapError([Finding(code="option_needed", message=f"{source.format} does not say {what}", fix=fix, file=source.name)])


def switch(source: Source, options: Options, names: Mapping[str, str]) -> dict[str, bool]:
    """The on/off settings `names` (name -> what it decides); asks for all that are missing at once."""
    missing = [name for name in names if options.settings.get(name) not in ("on", "off")]
    if missing:
        given = " ".join(f"--set {name}=on|off" for name in missing)
        ask(source, ", ".join(names[name] for name in missing), f"look into the device's settings and give {given}")
    return {name: options.settings[name] == "on" for name in names}


def one_unit(source: Source, options: Options, found: set[int]) -> int | None:
    """The unit id to take of those found in the file; a map is one device, so several must be chosen from."""
    if options.unit_id is not None:
        if found and options.unit_id not in found:
            ask(source, f"anything about unit id {options.unit_id}", f"give --unit with one of {_listed(found)}")
        return options.unit_id
    if len(found) > 1:
        ask(source, f"which of its {len(found)} devices you want", f"give --unit with one of {_listed(found)}")
    return next(iter(found), None)


def _listed(units: set[int]) -> str:
    return ", ".join(map(str, sorted(units)))
