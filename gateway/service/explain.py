"""Everything about one value on one screen: where its map line stands, what goes over the wire, and what each word became."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.errors import GatewayError
from gateway.link.base import Read
from gateway.link.options import LinkOptions
from gateway.model.address import Notation, Notations, PduAddress, Table, UnitId, notations
from gateway.model.bustime import Framing
from gateway.model.decode import decode_point
from gateway.model.describe import label_text
from gateway.model.encode import write_functions
from gateway.model.point import Access, DataType, Order, Point, RegisterMap, Text
from gateway.model.quality import Quality, quality_of
from gateway.model.sample import Sample, Scalar
from gateway.model.scaling import unit_of
from gateway.service.base import DeviceInfo, ReadService, UnitHealth
from gateway.service.explain_frames import FRAMINGS, reply_frame, request_frame, shown
from gateway.service.explain_orders import Candidate, candidates
from gateway.service.explain_steps import DecodeStep, decode_steps
from gateway.service.plant import Plant, tag_of

_WORD = re.compile(r"(0[xX])?[0-9A-Fa-f]{1,4}")


class WordsError(GatewayError):
    """Words that cannot be those of the point."""

    code = "WORDS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a point comes from: its line in the map, and the page the map names."""

    map: str
    version: str
    file: str
    line: int
    page: str
    section: str
    source: str
    confidence: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One value explained. `words` are the live ones or, with `is_typed`, given by the person who asks.

    `request` and `reply` are the frames of a reading of this point alone; empty where it is only written, or where its address is found
    at run time (`base`). The value, quality and age of live words are those of the sample, of typed ones what the map makes of them.
    """

    tag: str
    title: Text
    origin: Origin
    notation: Notation
    written_address: str
    table: Table
    pdu: int
    forms: Notations
    base: str
    unit_id: int
    link: str
    framing: Framing
    read_function: int | None
    write_functions: tuple[int, ...]
    request: str
    reply: str
    type: DataType
    order: Order
    words: tuple[int, ...]
    is_typed: bool
    steps: tuple[DecodeStep, ...]
    value: Scalar | None
    label: Text
    unit: str
    decimals: int | None
    reason: str | None
    read_at: datetime | None
    age_s: float | None
    candidates: tuple[Candidate, ...]
    health: UnitHealth | None

    @property
    def quality(self) -> Quality:
        """GOOD, UNCERTAIN or BAD."""
        return quality_of(self.reason)


def parsed_words(text: str) -> list[int]:
    """Registers written in hex, apart by spaces or commas, with or without 0x; raises WordsError."""
    texts = text.replace(",", " ").split()
    for one in texts:
        if not _WORD.fullmatch(one):
            raise WordsError(f"{one[:40]!r} is not a register", fix="write up to four hex digits, such as 0x42F6")
    return [int(one, 16) for one in texts]


class Explainer:
    """Explains points of the plant from what was read last, or from words that are typed in."""

    def __init__(self, plant: Plant, read: ReadService, links: Mapping[str, LinkOptions]) -> None:
        self._plant = plant
        self._read = read
        self._links = links

    def explain(self, tag: str, words: Sequence[int] | None = None) -> Explanation:
        """Everything about `tag`; raises UnknownTagError, or WordsError for words that are not as many as it has."""
        device = self._plant.device_of(tag)
        names = {name: tag_of(device.id, name) for name in self._plant.maps[device.id].points}
        samples = dict(zip(names, self._read.latest(list(names.values())), strict=True))
        health = next((one for one in self._read.health(device.id)), None)
        return explain(
            device,
            self._plant.maps[device.id],
            self._plant.point(tag),
            self._links[device.link],
            samples=samples,
            words=words,
            health=health,
        )


def explain(
    device: DeviceInfo,
    register_map: RegisterMap,
    point: Point,
    link: LinkOptions,
    *,
    samples: Mapping[str, Sample],
    words: Sequence[int] | None = None,
    health: UnitHealth | None = None,
) -> Explanation:
    """Everything about `point`. `samples` are those of the device by point name: its own, its scale's, its neighbours'."""
    own = samples.get(point.name)
    held = samples.get(point.held_by or "")
    source = held.value if held is not None else None
    taken = tuple(words) if words is not None else own.words if own is not None else ()
    _check(point, words)
    value, reason = _result(point, taken, own, source, is_typed=words is not None)
    read, framing = _reading(device, point), FRAMINGS[link.transport]
    return Explanation(
        tag=tag_of(device.id, point.name),
        title=point.title,
        origin=_origin(register_map, point),
        notation=point.notation,
        written_address=point.written_address,
        table=point.table,
        pdu=point.pdu,
        forms=notations(point.table, point.pdu),
        base=point.base or "",
        unit_id=read.unit_id,
        link=link.id,
        framing=framing,
        read_function=None if point.access is Access.WO else point.table.read_function,
        write_functions=_write_functions(point),
        request=shown(request_frame(read, framing), framing) if _is_readable(point) else "",
        reply=shown(reply_frame(read, taken, framing), framing) if _is_readable(point) and taken else "",
        type=point.type,
        order=point.order,
        words=taken,
        is_typed=words is not None,
        steps=decode_steps(point, taken, source) if taken else (),
        value=value,
        label=label_text(point, value),
        unit=unit_of(point, source),
        decimals=point.decimals,
        reason=reason,
        read_at=own.read_at if own is not None and words is None else None,
        age_s=own.age_s if own is not None and words is None else None,
        candidates=candidates(point, taken, source, _neighbours(point, register_map, samples)) if taken else (),
        health=health,
    )


def _result(
    point: Point, words: tuple[int, ...], own: Sample | None, source: Scalar | None, *, is_typed: bool
) -> tuple[Scalar | None, str | None]:
    if is_typed:
        return decode_point(point, words, source)
    return (own.value, own.reason) if own is not None else (None, "waiting")


def _check(point: Point, words: Sequence[int] | None) -> None:
    if words is not None and len(words) != point.words:
        raise WordsError(f"{point.name} has {point.words} registers, not {len(words)}", fix="give all its words, in the order of the wire")
    largest = 1 if point.table.is_bits else 0xFFFF
    if any(not 0 <= word <= largest for word in words or ()):
        raise WordsError(f"a word of {point.name} goes from 0 to {largest:#x}", fix="write up to four hex digits, such as 0x42F6")


def _reading(device: DeviceInfo, point: Point) -> Read:
    unit = point.unit_id if point.unit_id is not None else device.unit_id
    return Read(unit_id=UnitId(unit), table=point.table, address=PduAddress(point.pdu), count=point.words)


def _is_readable(point: Point) -> bool:
    return point.access is not Access.WO and point.base is None


def _write_functions(point: Point) -> tuple[int, ...]:
    if point.write is None:
        return ()
    return (point.write.function,) if point.write.function is not None else tuple(write_functions(point))


def _origin(register_map: RegisterMap, point: Point) -> Origin:
    return Origin(
        map=register_map.id,
        version=register_map.version,
        file=register_map.file,
        line=point.line,
        page=point.page,
        section=point.section,
        source=point.source,
        confidence=point.confidence or "",
        note=point.note,
    )


def _neighbours(point: Point, register_map: RegisterMap, samples: Mapping[str, Sample]) -> list[float]:
    """Good numbers of other points of the device in the same unit."""
    if not point.unit:
        return []
    others = (
        samples[name] for name, other in register_map.points.items() if other.unit == point.unit and name != point.name and name in samples
    )
    return [float(one.value) for one in others if one.reason is None and one.value is not None and not isinstance(one.value, str | bool)]
