"""A double of the reading and the proposing side, filled from the benchmark's plant."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from gateway.errors import UnknownTagError, WriteRefusedError
from gateway.model.point import Access, Role, Text
from gateway.model.sample import Sample, Scalar, Tag
from gateway.service.base import (
    Actor,
    Agg,
    AlarmInfo,
    AlarmState,
    AuditEntry,
    DeviceInfo,
    History,
    HistoryPoint,
    PointInfo,
    ProposedWrite,
    Proposal,
    UnitHealth,
    WantedWrite,
)
from gateway.service.find import find

PLANT = json.loads((Path(__file__).parents[1] / "assistant/eval/data/plant.json").read_text("utf-8"))
NOW = datetime.fromisoformat(PLANT["now"])

TITLES = {
    "vfd1": (Text("Duty pump P-101 drive", "1号泵变频器"), ("P-101", "pump 1", "drive 1", "1号泵"), "duty pump P-101 drive: ", "1号泵变频器"),
    "vfd2": (Text("Standby pump P-102 drive", "2号泵变频器"), ("P-102", "pump 2", "drive 2", "2号泵"), "standby pump P-102 drive: ", "2号泵变频器"),
    "em1": (Text("Energy meter", "电能表"), ("power meter", "电表"), "energy meter: ", "电能表"),
    "tc1": (Text("Hypochlorite heater controller", "次氯酸钠加热温控器"), ("heater", "温控器"), "hypochlorite heater controller: ", "温控器"),
    "lt1": (Text("Raw-water tank T1 level transmitter", "原水箱T1液位变送器"), ("T1", "level radar", "雷达液位计"), "", ""),
    "plc1": (Text("Dosing PLC", "加药PLC"), ("dosing", "加药"), "", ""),
}
_ZH_LABELS = {"stop": "停止", "run": "运行", "none": "无", "local": "就地", "remote": "远程", "reset": "复位", "off": "关闭", "auto": "自动",
              "manual": "手动", "stopped": "停止", "running": "运行", "healthy": "正常", "active": "已触发", "F07 motor over-temperature": "F07 电机过热",
              "F04 overcurrent": "F04 过电流", "F16 communication loss": "F16 通讯中断"}
_ASCII = {"°C": "degC"}


@dataclass
class PlantDouble:
    """Reads and proposals over plant.json; `values` may be changed, `faults` maps tags to reasons, `stale` tags to ages."""

    values: dict[str, Any] = field(default_factory=lambda: {tag: spec["value"] for tag, spec in PLANT["points"].items()})
    faults: dict[str, str] = field(default_factory=dict)
    stale: dict[str, float] = field(default_factory=dict)
    retention_h: float | None = None
    pending: list[Proposal] = field(default_factory=list)

    def devices(self) -> Sequence[DeviceInfo]:
        return [
            DeviceInfo(id=name, link=spec["link"], unit_id=spec["unit"], map=f"demo_{spec['model'].lower()}", vendor="Demo", model=spec["model"],
                       title=TITLES[name][0], aliases=TITLES[name][1], area="", points=sum(tag.startswith(name + ".") for tag in PLANT["points"]))
            for name, spec in PLANT["devices"].items()
        ]

    def points(self, device: str | None = None) -> Sequence[PointInfo]:
        return [_info(tag) for tag in PLANT["points"] if device in (None, tag.partition(".")[0])]

    def point(self, tag: str) -> PointInfo:
        if tag not in PLANT["points"]:
            raise UnknownTagError(tag)
        return _info(tag)

    def find(self, query: str, device: str | None = None, limit: int = 10) -> Sequence[PointInfo]:
        return find(self.points(), self.devices(), query, device, limit)

    def latest(self, tags: Sequence[str]) -> Sequence[Sample]:
        return [self._sample(tag, live=False) for tag in tags]

    async def fresh(self, tags: Sequence[str]) -> Sequence[Sample]:
        return [self._sample(tag, live=True) for tag in tags]

    def _sample(self, tag: str, *, live: bool) -> Sample:
        spec = PLANT["points"][tag]
        unit = _ASCII.get(spec["unit"], spec["unit"])
        reason = self.faults.get(tag) or self.faults.get(tag.partition(".")[0])
        age = 1.0
        if tag in self.stale:
            reason, age = ("timeout", None) if live else ("stale", self.stale[tag])
        value = self.values[tag]
        if reason not in (None, "stale"):
            return Sample(tag=Tag(tag), value=None, unit=unit, reason=reason, read_at=NOW, age_s=0.0)
        exact = value if isinstance(value, (str, int)) else Decimal(str(value))
        return Sample(tag=Tag(tag), value=exact, label=_label(spec, value), unit=unit, reason=reason, read_at=NOW - timedelta(seconds=age or 0), age_s=age)

    async def history(self, tag: str, start: datetime, end: datetime, agg: Agg, *, buckets: int = 0, target: Decimal | None = None) -> History:
        oldest = NOW - timedelta(hours=self.retention_h or 24)
        unit = _info(tag).unit
        begin = max(start, oldest)
        rows: list[HistoryPoint] = []
        at = begin
        while at <= min(end, NOW):
            rows.append(HistoryPoint(at=at, value=_past(tag, at, self.values[tag])))
            at += timedelta(minutes=1)
        empty = History(tag=Tag(tag), unit=unit, agg=agg, start=start, end=end, count=0, oldest=oldest, target=target)
        if not rows:
            return empty
        numbers = [float(row.value) for row in rows if isinstance(row.value, (int, float, Decimal))]
        first, last = rows[0], rows[-1]
        hours = (last.at - first.at).total_seconds() / 3600 or 1.0
        slope = (numbers[-1] - numbers[0]) / hours
        at_max, at_min = rows[numbers.index(max(numbers))].at, rows[numbers.index(min(numbers))].at
        value, where = {
            "max": (max(numbers), at_max), "min": (min(numbers), at_min), "mean": (sum(numbers) / len(numbers), None), "slope": (slope, None),
            "first": (numbers[0], first.at), "last": (numbers[-1], last.at), "delta": (numbers[-1] - numbers[0], None), "count": (len(numbers), None),
            "integral": (sum(numbers) / len(numbers) * hours, None), "raw": (None, None), "duration": (0.0, None),
        }[agg]
        reaches, above = None, []
        if target is not None:
            if slope and (float(target) - numbers[-1]) / slope > 0:
                reaches = last.at + timedelta(hours=(float(target) - numbers[-1]) / slope)
            open_at = None
            for row, number in zip(rows, numbers, strict=True):
                if number > target and open_at is None:
                    open_at = row.at
                if number <= target and open_at is not None:
                    above.append((open_at, row.at))
                    open_at = None
            if open_at is not None:
                above.append((open_at, rows[-1].at))
            if agg == "duration":
                value = sum((b - a).total_seconds() for a, b in above)
        return History(tag=Tag(tag), unit=unit, agg=agg, start=start, end=end, count=len(rows), value=value, at=where, first=first, last=last,
                       points=tuple(rows) if agg == "raw" else (), oldest=oldest, target=target, reaches_at=reaches, above=tuple(above))

    def alarms(self, states: Sequence[AlarmState] = (), tag: str | None = None) -> Sequence[AlarmInfo]:
        rank = {"high": 0, "medium": 1, "low": 2}
        found = [
            AlarmInfo(id=row["id"], tag=Tag(row["point"]), text=Text(row["text"], _ALARM_ZH.get(row["id"], "")), priority=row["priority"], state=row["state"],
                      raised_at=_clock(row.get("raised", "09:00")), cleared_at=_clock(row["cleared"]) if "cleared" in row else None,
                      acked_at=_clock(row["acked"]) if "acked" in row else None, acked_by=row.get("by", "") if row["state"] != "SHELVED" else "",
                      shelved_until=_clock(row["until"]) if "until" in row else None, shelved_by=row.get("by", "") if row["state"] == "SHELVED" else "")
            for row in PLANT["alarms"]
            if (not states or row["state"] in states) and tag in (None, row["point"])
        ]
        return sorted(found, key=lambda alarm: (rank[alarm.priority], "UNACK" not in alarm.state, -alarm.raised_at.timestamp()))

    def health(self, device: str | None = None) -> Sequence[UnitHealth]:
        return [
            UnitHealth(device=info.id, link=info.link, unit_id=info.unit_id, state="down" if info.id in self.faults else "ok",
                       reason=self.faults.get(info.id, ""), since=NOW - timedelta(minutes=3), last_good=NOW - timedelta(minutes=3 if info.id in self.faults else 0),
                       reads=100, errors={"timeout": 4} if info.id in self.faults else {}, latency_ms=12.5)
            for info in self.devices() if device in (None, info.id)
        ]

    async def audit(self, tag: str | None = None, start: datetime | None = None, end: datetime | None = None) -> Sequence[AuditEntry]:
        rows = [
            AuditEntry(at=datetime.fromisoformat(row["t"]), user=row["user"], confirmed_by=(row["user"],), tag=row["point"], old=Decimal(str(row["old"])),
                       new=Decimal(str(row["new"])), read_back=Decimal(str(row["new"])), unit=_info(row["point"]).unit, reason=row["reason"],
                       outcome=row["result"], code="", proposal="p0")
            for row in PLANT["audit"]
        ]
        return sorted((row for row in rows if tag in (None, row.tag) and (start is None or row.at >= start) and (end is None or row.at <= end)),
                      key=lambda row: row.at, reverse=True)

    async def propose(self, writes: Sequence[WantedWrite], reason: str, actor: Actor, *, idempotency_key: str = "") -> Proposal:
        shown = tuple(self._checked(write, actor) for write in writes)
        return self._store("write", shown, "", reason, actor)

    async def propose_ack(self, alarm: str, actor: Actor) -> Proposal:
        if actor.role is Role.VIEWER:
            raise WriteRefusedError(["ROLE"], "your role viewer may not acknowledge", "您的权限（viewer）不能确认报警")
        if alarm not in {row["id"] for row in PLANT["alarms"]}:
            raise WriteRefusedError(["NOT_ALLOWED"], f"there is no alarm {alarm}", f"没有报警 {alarm}")
        return self._store("ack", (), alarm, "", actor)

    async def get(self, proposal: str) -> Proposal:
        return next(found for found in self.pending if found.id == proposal)

    async def open(self) -> Sequence[Proposal]:
        return self.pending

    def _store(self, kind: Any, writes: tuple[ProposedWrite, ...], alarm: str, reason: str, actor: Actor) -> Proposal:
        proposal = Proposal(id=f"p{len(self.pending) + 1}", nonce="n", state="PENDING", kind=kind, writes=writes, alarm=alarm, reason=reason,
                            proposer=actor.user, via=actor.via, role=actor.role, confirm="user",
                            approvals_needed=max([_info(write.tag).approvals for write in writes], default=1), approved_by=(), created_at=NOW, expires_s=120)
        self.pending.append(proposal)
        return proposal

    def _checked(self, write: WantedWrite, actor: Actor) -> ProposedWrite:
        info = self.point(write.tag)
        old = self.values[write.tag]
        if not actor.role.includes(info.role) or (info.access is not Access.RO and actor.role is Role.VIEWER):
            raise WriteRefusedError(["ROLE"], f"{write.tag} may be written by role {info.role} or above; yours is {actor.role}",
                                    f"{write.tag} 需要 {info.role} 以上权限，您的权限是 {actor.role}")
        if info.access is Access.RO:
            raise WriteRefusedError(["READ_ONLY"], f"{write.tag} is read-only: a measurement cannot be written", f"{write.tag} 是只读的测量值，不能写入")
        value = write.value
        if isinstance(value, str):
            value = next((code for code, text in info.enum.items() if value in (text.en, text.zh)), None)  # type: ignore[assignment]
        if info.enum and value not in info.enum:
            raise WriteRefusedError(["ENUM"], f"{write.tag} takes {list(info.enum)}", f"{write.tag} 只能取 {list(info.enum)}")
        number = Decimal(str(value))
        if info.min is not None and number < info.min:
            raise WriteRefusedError(["LIMIT_MIN"], f"below the limit {info.min} {info.unit}", f"低于下限 {info.min} {info.unit}")
        if info.max is not None and number > info.max:
            raise WriteRefusedError(["LIMIT_MAX"], f"above the limit {info.max} {info.unit}", f"超过上限 {info.max} {info.unit}")
        if info.max_step is not None and abs(number - Decimal(str(old))) > info.max_step:
            raise WriteRefusedError(["MAX_STEP"], f"one change may be at most {info.max_step} {info.unit} (from {old})", f"一次最多改变 {info.max_step} {info.unit}（现为 {old}）")
        for condition in _interlocks(write.tag, number):
            if not self._holds(condition):
                tag = condition.split()[0]
                label = self._sample(tag, live=True).label or self.values[tag]
                raise WriteRefusedError(["INTERLOCK"], f"interlock not met: {condition} ({tag} is {label})", f"联锁条件不满足：{condition}（{tag} 现为 {label}）")
        return ProposedWrite(tag=Tag(write.tag), title=info.title, unit=info.unit, old=old, new=int(number) if number == int(number) else float(number),
                             old_label=None, new_label=None, words=(0,))

    def _holds(self, condition: str) -> bool:
        tag, operator, number = condition.split()
        value = float(self.values[tag])
        return {">=": value >= float(number), "==": value == float(number)}[operator]


_ALARM_ZH = {"AL-101": "余氯偏高（>1.0 mg/L）", "AL-102": "P-102 变频器故障 F07", "AL-103": "P-101 电机温度高（>75 °C）", "AL-104": "T1 雷达回波弱"}


def _interlocks(tag: str, value: Decimal) -> list[str]:
    rule = PLANT["points"][tag].get("interlock")
    return rule["all"] if rule and rule.get("when_value", value) == value else []


def _info(tag: str) -> PointInfo:
    spec = PLANT["points"][tag]
    device = tag.partition(".")[0]
    title, _, en, zh = TITLES[device]

    def decimal(key: str) -> Decimal | None:
        return Decimal(str(spec[key])) if key in spec else None

    return PointInfo(
        tag=Tag(tag), device=device, device_title=title, title=Text(spec["en"].removeprefix(en).capitalize(), spec["zh"].removeprefix(zh)), description=Text(), aliases=(),
        unit=_ASCII.get(spec["unit"], spec["unit"]), decimals=None, type=spec.get("type", "uint16"), access=Access.RW if spec["access"] == "rw" else Access.RO,
        enum={int(code): Text(label, _ZH_LABELS.get(label, "")) for code, label in spec.get("enum", {}).items()},
        flags={int(bit): Text(label) for bit, label in spec.get("bits", {}).items()},
        min=decimal("min"), max=decimal("max"), max_step=decimal("max_step"), cooldown_s=float(spec.get("cooldown_s", 0)),
        role=Role(spec.get("role", "operator")), approvals=spec.get("approvals", 1), interlocks=tuple(spec.get("interlock", {}).get("all", ())),
        pulse="reset" in tag,
    )


def _label(spec: Mapping[str, Any], value: Scalar) -> Any:
    if "enum" in spec:
        return spec["enum"].get(str(value), f"unknown({value})") if not (value == 0 and "0" not in spec["enum"]) else None
    if "bits" in spec:
        return [label for bit, label in spec["bits"].items() if int(value) >> int(bit) & 1]
    return None


def _clock(text: str) -> datetime:
    hour, minute = map(int, text.split(":"))
    return NOW.replace(hour=hour, minute=minute)


def _past(tag: str, at: datetime, now: Any) -> Any:
    rows = [(_clock(time), value) for time, value in PLANT["history"].get(tag, [])]
    if not rows or at >= rows[-1][0]:
        return now
    if at <= rows[0][0]:
        return rows[0][1]
    for (left, low), (right, high) in zip(rows, rows[1:], strict=False):
        if left <= at <= right:
            return round(low + (high - low) * ((at - left) / (right - left)), 6)
    raise AssertionError(at)
