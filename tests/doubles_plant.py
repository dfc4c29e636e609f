"""A double of the reading and the proposing side: the demo's own points, the benchmark's values, some of the gateway's rules."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from assistant.language.tongue import language_of
from assistant.tools.base import FoundPassage, Turn
from gateway.app.wire import make_plant
from gateway.clock import ManualClock
from gateway.errors import UnknownTagError, WriteRefusedError
from gateway.model.alarm import AlarmInfo, AlarmState
from gateway.model.describe import label_of, label_text
from gateway.model.point import Access, Role, Text
from gateway.model.sample import Sample, Scalar, Tag
from gateway.service.base import (
    Actor,
    Agg,
    AuditEntry,
    DeviceInfo,
    History,
    HistoryPoint,
    PointInfo,
    Proposal,
    ProposedWrite,
    UnitHealth,
    WantedWrite,
)
from gateway.service.find import find
from gateway.service.history import summarise
from gateway.settings import load_settings

ROOT = Path(__file__).parents[1]
FACTS = json.loads((ROOT / "assistant/eval/data/plant.json").read_text("utf-8"), parse_float=Decimal)
NOW = datetime.fromisoformat(FACTS["now"])
PLANT = make_plant(load_settings(ROOT / "configs/demo.yaml"))
ZONE = ZoneInfo("Asia/Shanghai")


@dataclass
class PlantDouble:
    """Reads and proposes over plant.json. `faults`: tag or device -> BAD reason; `stale`: tag -> age of its last value."""

    values: dict[str, Scalar] = field(default_factory=lambda: {tag: point["value"] for tag, point in FACTS["points"].items()})
    faults: dict[str, str] = field(default_factory=dict)
    stale: dict[str, float] = field(default_factory=dict)
    retention_h: float = 24.0
    proposed: list[WantedWrite] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    passages: list[FoundPassage] = field(default_factory=list)
    extra_alarms: list[AlarmInfo] = field(default_factory=list)
    past: list[AuditEntry] = field(default_factory=list)

    def devices(self) -> Sequence[DeviceInfo]:
        return PLANT.devices

    def points(self, device: str | None = None) -> Sequence[PointInfo]:
        return [info for info in PLANT.infos.values() if device in (None, info.device)]

    def point(self, tag: str) -> PointInfo:
        return PLANT.infos[PLANT.tag(tag)]

    def find(self, query: str, device: str | None = None, limit: int = 10) -> Sequence[PointInfo]:
        return find(self.points(), self.devices(), query, device, limit)

    def latest(self, tags: Sequence[str]) -> Sequence[Sample]:
        return [self._sample(tag, "stale" if tag in self.stale else None, self.stale.get(tag, 1.0)) for tag in tags]

    async def fresh(self, tags: Sequence[str]) -> Sequence[Sample]:
        return [self._sample(tag, "timeout" if tag in self.stale else self._reason(tag), 0.5) for tag in tags]

    def _reason(self, tag: str) -> str | None:
        return self.faults.get(tag) or self.faults.get(tag.partition(".")[0])

    def _sample(self, tag: str, reason: str | None, age_s: float) -> Sample:
        point = PLANT.point(tag)
        value = None if reason not in (None, "stale") else self.values[tag]
        return Sample(
            tag=Tag(tag),
            value=value,
            label=None if value is None else label_of(point, value),
            label_text=Text() if value is None else label_text(point, value),
            unit=point.unit,
            decimals=point.decimals,
            reason=reason,
            read_at=NOW - timedelta(seconds=age_s),
            age_s=age_s,
        )

    async def history(
        self, tag: str, start: datetime, end: datetime, agg: Agg, *, buckets: int = 0, target: Decimal | None = None
    ) -> History:
        oldest = NOW - timedelta(hours=self.retention_h)
        minutes = int((NOW - oldest) / timedelta(minutes=1))
        every = [oldest + timedelta(minutes=minute) for minute in range(minutes + 1)]
        rows = [HistoryPoint(at=at, value=_past(tag, at, self.values[tag])) for at in every if start <= at <= min(end, NOW)]
        return summarise(Tag(tag), self.point(tag).unit, rows, start, min(end, NOW), agg, buckets=buckets, target=target, oldest=oldest)

    def alarms(self, states: Sequence[AlarmState] = (), tag: str | None = None) -> Sequence[AlarmInfo]:
        return [alarm for alarm in (*_ALARMS, *self.extra_alarms) if (not states or alarm.state in states) and tag in (None, alarm.tag)]

    def health(self, device: str | None = None) -> Sequence[UnitHealth]:
        return [_health(info, self.faults.get(info.id, "")) for info in self.devices() if device in (None, info.id)]

    async def audit(self, tag: str | None = None, start: datetime | None = None, end: datetime | None = None) -> Sequence[AuditEntry]:
        rows = sorted([*_AUDIT, *self.past], key=lambda row: row.at, reverse=True)
        return [row for row in rows if tag in (None, row.tag) and (start is None or row.at >= start) and (end is None or row.at <= end)]

    async def propose(self, writes: Sequence[WantedWrite], reason: str, actor: Actor, *, idempotency_key: str = "") -> Proposal:
        shown = tuple(self._checked(write, actor) for write in writes)
        self.proposed += writes
        return _proposal(actor, "write", shown, "", reason)

    async def propose_ack(self, alarm: str, actor: Actor) -> Proposal:
        self.acknowledged.append(alarm)
        return _proposal(actor, "ack", (), alarm, "")

    async def get(self, proposal: str) -> Proposal:
        raise UnknownTagError(proposal)

    async def open(self) -> Sequence[Proposal]:
        return []

    async def search(self, query: str, *, device: str | None = None, k: int = 5) -> Sequence[FoundPassage]:
        return self.passages[:k]

    def _checked(self, write: WantedWrite, actor: Actor) -> ProposedWrite:
        info = self.point(write.tag)
        number = Decimal(str(write.value))
        if not actor.role.includes(info.role):
            raise WriteRefusedError(["ROLE"], f"needs the role {info.role}", f"需要 {info.role} 权限")
        if info.access is Access.RO:
            raise WriteRefusedError(["READ_ONLY"], f"{write.tag} is read-only", f"{write.tag} 是只读点")
        if info.max is not None and number > info.max:
            raise WriteRefusedError(["LIMIT_MAX"], f"the limit is {info.max} {info.unit}", f"上限是 {info.max} {info.unit}")
        old = self.values[write.tag]
        return ProposedWrite(
            tag=info.tag, title=info.title, unit=info.unit, old=old, new=write.value, old_label=None, new_label=None, words=(0,)
        )


def turn(
    question: str, plant: PlantDouble | None = None, *, earlier: Sequence[str] = (), role: Role = Role.OPERATOR, lang: str | None = None
) -> Turn:
    """A turn over the double at the benchmark's moment."""
    plant = plant or PlantDouble()
    return Turn(
        question=question,
        lang=lang or language_of(question),
        actor=Actor(user="op1", role=role, via="chat", session="s1"),
        read=plant,
        propose=plant,
        manuals=plant,
        clock=ManualClock(NOW),
        timezone=ZONE,
        earlier=tuple(earlier),
    )


def _at(clock: str) -> datetime:
    hour, minute = map(int, clock.split(":"))
    return NOW.replace(hour=hour, minute=minute)


def _optional(row: dict[str, str], name: str) -> datetime | None:
    return _at(row[name]) if name in row else None


def _alarm(row: dict[str, str]) -> AlarmInfo:
    shelved = row["state"] == "SHELVED"
    rule = PLANT.point(row["point"]).alarm
    return AlarmInfo(
        id=row["id"],
        key=row["point"],
        tag=Tag(row["point"]),
        text=Text(row["text"], rule.text.zh if rule else ""),
        priority=row["priority"],  # type: ignore[arg-type]  # the file's words are the type's
        state=row["state"],  # type: ignore[arg-type]  # the file's words are the type's
        raised_at=_at(row.get("raised", "09:00")),
        cleared_at=_optional(row, "cleared"),
        acked_at=_optional(row, "acked"),
        acked_by="" if shelved else row.get("by", ""),
        shelved_until=_optional(row, "until"),
        shelved_by=row.get("by", "") if shelved else "",
    )


_ALARMS = tuple(map(_alarm, FACTS["alarms"]))
_AUDIT = tuple(
    AuditEntry(
        at=datetime.fromisoformat(row["t"]),
        user=row["user"],
        confirmed_by=(row["user"],),
        tag=row["point"],
        old=row["old"],
        new=row["new"],
        read_back=row["new"],
        unit=PLANT.point(row["point"]).unit,
        reason=row["reason"],
        outcome=row["result"],
        code="",
        proposal="p0",
    )
    for row in FACTS["audit"]
)


def _health(info: DeviceInfo, reason: str) -> UnitHealth:
    return UnitHealth(
        device=info.id,
        link=info.link,
        unit_id=info.unit_id,
        state="down" if reason else "ok",
        reason=reason,
        since=_at("13:57"),
        last_good=_at("13:57"),
        reads=100,
        errors={reason: 4} if reason else {},
        latency_ms=12.0,
    )


def _proposal(actor: Actor, kind: Literal["write", "ack"], writes: tuple[ProposedWrite, ...], alarm: str, reason: str) -> Proposal:
    return Proposal(
        id="p1",
        nonce="n",
        state="PENDING",
        kind=kind,
        writes=writes,
        alarm=alarm,
        reason=reason,
        proposer=actor.user,
        via=actor.via,
        role=actor.role,
        confirm="user",
        approvals_needed=1,
        approved_by=(),
        created_at=NOW,
        expires_s=120,
    )


def _past(tag: str, at: datetime, now: Scalar) -> Scalar:
    rows = [(_at(time), value) for time, value in FACTS["history"].get(tag, [])]
    if not rows or at >= rows[-1][0] or isinstance(now, str):
        return now
    if at <= rows[0][0]:
        return Decimal(rows[0][1])
    left = max(index for index, (time, _) in enumerate(rows) if time <= at)
    (start, low), (end, high) = rows[left], rows[left + 1]
    share = Decimal((at - start) / (end - start))
    return Decimal(round(low + (high - low) * share, 4))
