"""How much of each link's time the polling of a configuration needs."""

from collections.abc import Iterator, Mapping, Sequence

from gateway.errors import Finding
from gateway.link.options import LinkOptions
from gateway.maps.findings import place
from gateway.model.bustime import Framing
from gateway.model.line_load import Line, Member, load_of, planned_reads
from gateway.settings._schema import LinkIn
from gateway.settings._types import Settings
from gateway.yamlfile import YamlFile


def planned_lines(settings: Settings) -> list[tuple[Line, Sequence[Member]]]:
    """Every link with the devices on it, as their reads are planned."""
    on_link: dict[str, list[Member]] = {}
    for device in settings.devices:
        on_link.setdefault(device.link, []).append(Member(id=device.id, unit_id=device.unit_id, map=device.map))
    return [(_line(link, members), members) for link in settings.links for members in [on_link.get(link.id, [])]]


def load_findings(yaml: YamlFile, links: Mapping[int, LinkIn], settings: Settings) -> Iterator[Finding]:
    """`link_overloaded`."""
    numbers = {link.id: number for number, link in links.items()}
    for line, members in planned_lines(settings):
        load = load_of(planned_reads(line, members))
        if load > 1 and line.id is not None:
            message = f"polling needs {load:.0%} of the time of link {line.id}"
            yield place(yaml, ("links", numbers[line.id]), "link_overloaded", message, _fix(line))


def _fix(line: Line) -> str:
    what = "take a longer `poll` period" if line.baud is None else "take a longer `poll` period or a higher baud"
    return f"{what}, or move devices to another link; `busmate plan` shows every read"


def _line(link: LinkOptions, members: Sequence[Member]) -> Line:
    """The longest pause that a device of the link needs counts for all."""
    framing: Framing = "ascii" if link.transport == "ascii" else "rtu" if link.transport in ("rtu", "rtu_over_tcp") else "tcp"
    return Line(
        id=link.id,
        framing=framing,
        baud=link.baud if link.is_serial else None,
        bits_per_character=link.bits_per_character,
        gap_s=max([link.gap_s, *(member.map.device.gap_s for member in members)]),
    )
