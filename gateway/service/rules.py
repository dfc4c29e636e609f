"""What the rules of a write are held against: the plant as it is now, and what was written before."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from gateway.clock import Clock
from gateway.errors import StoreError, UnknownTagError, WriteRefusedError
from gateway.model.condition import Condition, Source, reading_of, source_of
from gateway.model.point import Access, Point, Procedure, Role, Text
from gateway.model.proposal import WINDOW_S, Fresh, Standing, conditions_for
from gateway.model.quality import Quality
from gateway.model.refusal import Refusal, in_order
from gateway.model.sample import Sample, Scalar, Tag
from gateway.store.base import ExecutionRow, Lockout, ProposalShelf

_RAW = re.compile(
    r"0x[0-9a-f]+|^\s*\d+\s*$|(?:^|[\s.:#=])\d{4,6}\b"
    r"|\b(?:unit|slave|register|reg|holding|coil|input|discrete|address|pdu|hr|ir)[\s:=#_-]*\d|(?:寄存器|线圈|地址|站号|从站)\s*\d",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A point and where it belongs; `map_version` changes whenever its map does."""

    device: str
    point: Point
    map_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedProcedure:
    """A procedure of a device's map; `name` is `DEVICE.procedure`."""

    name: str
    device: str
    procedure: Procedure
    map_version: str


class PlantPoints(Protocol):
    """The plant as proposing and confirming see it: points, procedures, and values; nothing that writes."""

    def point(self, tag: str) -> Located:
        """The point of a tag; raises UnknownTagError."""
        ...

    def procedures(self) -> Sequence[LocatedProcedure]:
        """All procedures of all devices, in the order of the configuration."""
        ...

    def latest(self, tags: Sequence[str]) -> Sequence[Sample]:
        """The last sample of each tag with its present age."""
        ...

    async def fresh(self, tags: Sequence[str]) -> Sequence[Sample]:
        """Samples read from the wire now."""
        ...


class Rules:
    """Gathers the facts by which `gateway.model.proposal` judges."""

    def __init__(self, plant: PlantPoints, shelf: ProposalShelf, clock: Clock) -> None:
        self._plant = plant
        self._shelf = shelf
        self._clock = clock

    async def standings(self, tags: Sequence[Tag], user: str, role: Role) -> dict[Tag, Standing]:
        """What is known about writing each of `tags` without asking the plant; a later good read ends a block."""
        mono, now = self._clock.monotonic(), self._clock.utc()
        open_count, minute_count = await self._shelf.counts(user, mono)
        lockouts = await self._shelf.lockouts()
        executions = await self._shelf.executions(tags)
        cleared = [tag for tag in tags if self._was_read_since(tag, [row for row in executions if row.tag == tag and row.blocks], mono)]
        if cleared:
            await self._shelf.clear_blocks(cleared)
        standings = {}
        for tag in tags:
            rows = [row for row in executions if row.tag == tag]
            done = [(row, row.age_s(now, mono)) for row in rows if row.may_be_done]
            standings[tag] = Standing(
                role=role,
                lockout=_lockout(tag, self._plant.point(tag).device, lockouts),
                is_blocked=any(row.blocks for row in rows) and tag not in cleared,
                since_last_s=min((age for _, age in done), default=None),
                moved=sum((row.change or Decimal(0) for row, age in done if age < WINDOW_S), Decimal(0)),
                open_count=open_count,
                minute_count=minute_count,
            )
        return standings

    async def scale(self, device: str, held_by: str) -> Scalar | None:
        """What the point that holds another's scale reads now; None if it cannot be read."""
        (sample,) = await self._plant.fresh([f"{device}.{held_by}"])
        return sample.value if sample.quality is Quality.GOOD else None

    async def fresh(self, tags: Mapping[Tag, Scalar | None]) -> dict[Tag, Fresh]:
        """Old values and interlock readings for writing these values, read now, all at once."""
        needed: dict[Tag, dict[str, Source]] = {}
        wanted: set[str] = set()
        for tag, new in tags.items():
            located = self._plant.point(tag)
            found = {one.name: self.source(one, located.device) for one in conditions_for(located.point, new)}
            needed[tag] = {name: source for name, source in found.items() if source is not None}
            old = old_tag(tag, located)
            wanted |= {_tag_of(source) for source in needed[tag].values()} | ({old} if old is not None else set())
        ordered = sorted(wanted)
        samples = dict(zip(ordered, await self._plant.fresh(ordered) if ordered else (), strict=True))
        return {
            tag: Fresh(
                old=samples.get(old_tag(tag, self._plant.point(tag)) or ""),
                readings={name: reading_of(source, samples[_tag_of(source)]) for name, source in sources.items()},
            )
            for tag, sources in needed.items()
        }

    def source(self, condition: Condition, device: str) -> Source | None:
        """What a condition on a device speaks of; None if there is nothing of that name."""
        return source_in(self._plant, condition, device)

    def _was_read_since(self, tag: Tag, blocking: Sequence[ExecutionRow], mono: float) -> bool:
        """True if all that blocks the tag ended `unknown`, and the tag was read well after that."""
        if not blocking or not all(row.outcome for row in blocking):
            return False
        source = old_tag(tag, self._plant.point(tag))
        if source is None:
            return False
        sample = self._plant.latest([source])[0]
        ended = max(row.mono for row in blocking)
        is_reboot = ended > mono
        return sample.quality is Quality.GOOD and sample.age_s is not None and (is_reboot or sample.age_s < mono - ended)


def source_in(plant: PlantPoints, condition: Condition, device: str) -> Source | None:
    """What a condition on a device speaks of; None if there is nothing of that name."""

    def find(owner: str, point: str) -> Point | None:
        try:
            return plant.point(f"{owner}.{point}").point
        except UnknownTagError:
            return None

    return source_of(condition, device, find)


def old_tag(tag: Tag, located: Located) -> str | None:
    """The tag whose value shows what a write replaces; None if nothing does."""
    if located.point.access is not Access.WO:
        return tag
    readback = located.point.write.readback if located.point.write is not None else False
    return f"{located.device}.{readback}" if isinstance(readback, str) else None


def refused(refusals: Sequence[Refusal]) -> WriteRefusedError:
    """The error that names every rule that says no, in the order of testing."""
    ordered = in_order(refusals)
    codes = dict.fromkeys(refusal.code for refusal in ordered)
    return WriteRefusedError(
        list(codes), "; ".join(refusal.text.en for refusal in ordered), "；".join(refusal.text.zh for refusal in ordered)
    )


def refusal(code: str, en: str, zh: str) -> WriteRefusedError:
    """The error of a single rule."""
    return refused([Refusal(code=code, text=Text(en, zh))])


def audit_down(cause: StoreError, earlier: WriteRefusedError | None = None) -> WriteRefusedError:
    """No write without an audit: the refusal for a store that cannot be written, after what `earlier` said."""
    codes = earlier.codes if earlier is not None else ()
    en, zh = f"the audit cannot be written, so nothing is ({cause.message})", "审计记录无法写入，禁止一切写入"
    if earlier is not None:
        en, zh = f"{earlier.message}; {en}", f"{earlier.message_zh}；{zh}"
    return WriteRefusedError([*codes, "AUDIT_DOWN"], en, zh, fix="check the disk of the data folder")


def looks_raw(tag: str) -> bool:
    """True if the text names a register, an address or a unit instead of a point.

    >>> looks_raw("40001"), looks_raw("vfd1.0x2001"), looks_raw("unit 3 register 5"), looks_raw("vfd1.sped_sp"), looks_raw("寄存器8193")
    (True, True, True, False, True)
    """
    return _RAW.search(tag) is not None


def _tag_of(source: Source) -> str:
    return f"{source.device}.{source.point.name}"


def _lockout(tag: str, device: str, lockouts: Sequence[Lockout]) -> str:
    found = [f"{one.reason} ({one.by})" for one in lockouts if one.scope in ("*", device, tag)]
    return "; ".join(found)
