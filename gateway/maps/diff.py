"""What changed between two states of a map, and which of the changes could hurt somebody (THREATS T63)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, is_dataclass, replace
from decimal import Decimal

from gateway.maps.diff_limits import alarm_risks, enum_risk, valid_risk, write_risks
from gateway.model.point import Access, Point, RegisterMap, Text

_SAFE = Text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One key of one point (empty for the map itself) that changed; `risk` says what could go wrong, empty if nothing."""

    point: str
    key: str
    old: str
    new: str
    risk: Text = _SAFE

    @property
    def is_risky(self) -> bool:
        """True if a second engineer has to look."""
        return bool(self.risk.en)


def diff_maps(old: RegisterMap, new: RegisterMap) -> tuple[Change, ...]:
    """Every change, those of the map itself first, removed points last. Line numbers and simulation are no change."""
    return tuple(_diff(old, new))


def _diff(old: RegisterMap, new: RegisterMap) -> Iterator[Change]:
    for key, of_map, risk in _MAP_KEYS:
        before, after = of_map(old), of_map(new)
        if before != after:
            yield Change(point="", key=key, old=said(before), new=said(after), risk=risk)
    for name, point in new.points.items():
        if name in old.points:
            yield from _point(old.points[name], point)
        else:
            risk = _SAFE if point.access is Access.RO else Text("a new point can be written", "新增可写测点")
            yield Change(point=name, key="point", old="-", new=_place(point), risk=risk)
    for name, point in old.points.items():
        if name not in new.points:
            yield Change(point=name, key="point", old=_place(point), new="-", risk=_GONE)


def _point(old: Point, new: Point) -> Iterator[Change]:
    for key, of_point, risk in _POINT_KEYS:
        before, after = of_point(old), of_point(new)
        if before != after:
            yield Change(point=new.name, key=key, old=said(before), new=said(after), risk=risk)
    if old.access != new.access:
        opened = new.access is not Access.RO and old.access is Access.RO
        yield Change(point=new.name, key="access", old=old.access, new=new.access, risk=_OPENED if opened else _SAFE)
    if old.enum != new.enum:
        risk = enum_risk(old.enum, new.enum, is_writable=new.access is not Access.RO)
        yield Change(point=new.name, key="enum", old=said(old.enum), new=said(new.enum), risk=risk)
    if old.valid != new.valid:
        yield Change(point=new.name, key="valid", old=said(old.valid), new=said(new.valid), risk=valid_risk(old.valid, new.valid))
    if old.write is not None and new.write is not None:
        for key, before, after, risk in write_risks(old.write, new.write):
            yield Change(point=new.name, key=f"write.{key}", old=said(before), new=said(after), risk=risk)
    for key, before, after, risk in alarm_risks(old.alarm, new.alarm):
        yield Change(point=new.name, key=f"alarm{key}", old=said(before), new=said(after), risk=risk)
    if old.poll != new.poll:
        risk = Text("the alarm is looked at in another rhythm", "报警检查周期改变") if new.alarm is not None else _SAFE
        yield Change(point=new.name, key="poll", old=old.poll, new=new.poll, risk=risk)


def said(value: object) -> str:
    """A value of a map for people: exact, short."""
    match value:
        case None | "" | ():
            return "-"
        case Text(en=en, zh=zh):
            return " / ".join(filter(None, (en, zh))) or "-"
        case Decimal():
            return format(value, "f")
        case Mapping():
            return ", ".join(f"{key}: {said(inner)}" for key, inner in value.items()) or "-"
        case frozenset():
            return said(tuple(sorted(value, key=lambda one: (len(str(one)), str(one)))))
        case tuple():
            return ", ".join(said(inner) for inner in value) or "-"
        case float():
            return f"{value:g}"
        case _ if is_dataclass(value) and not isinstance(value, type):
            return said({key: inner for key, inner in asdict(value).items() if said(inner) != "-"})
        case _:
            return str(value)


def _place(point: Point) -> str:
    return f"{point.table} {point.pdu} {point.type} {point.access}"


_GONE = Text("the point, its history and its alarms end", "测点及其历史和报警将消失")
_OPENED = Text("a read-only point becomes writable", "只读测点变为可写")
_MOVED = Text("another register is read and written", "读写的寄存器改变")
_SHAPED = Text("the same words mean another value", "相同寄存器值含义改变")
_SCALED = Text("the same words give another number", "相同寄存器值对应的数值改变")
_SENTINEL = Text("what counts as no value changes", "无效值的判定改变")
_MEANING = Text("the words shown for a value change", "数值对应的文字改变")

_POINT_KEYS: tuple[tuple[str, Callable[[Point], object], Text], ...] = (
    ("table", lambda point: point.table, _MOVED),
    ("pdu", lambda point: point.pdu, _MOVED),
    ("unit_id", lambda point: point.unit_id, _MOVED),
    ("base", lambda point: point.base, _MOVED),
    ("words", lambda point: point.words, _SHAPED),
    ("type", lambda point: point.type, _SHAPED),
    ("order", lambda point: point.order, _SHAPED),
    ("bit", lambda point: point.bit, _SHAPED),
    ("bits", lambda point: point.bits, _SHAPED),
    ("signed", lambda point: point.signed, _SHAPED),
    ("text", lambda point: point.text, _SHAPED),
    ("format", lambda point: point.format, _SHAPED),
    ("scale", lambda point: point.scale, _SCALED),
    ("offset", lambda point: point.offset, _SCALED),
    ("range", lambda point: point.range, _SCALED),
    ("scale_from", lambda point: point.scale_from, _SCALED),
    ("range_from", lambda point: point.range_from, _SCALED),
    ("unit", lambda point: point.unit, _SCALED),
    ("invalid", lambda point: point.invalid, _SENTINEL),
    ("flags", lambda point: point.flags, _MEANING),
    ("fields", lambda point: point.fields, _MEANING),
    ("decimals", lambda point: point.decimals, _SAFE),
    ("deadband", lambda point: point.deadband, _SAFE),
    ("name", lambda point: point.title, _MEANING),
    ("description", lambda point: point.description, _SAFE),
    ("aliases", lambda point: point.aliases, _MEANING),
    ("group", lambda point: point.group, _SAFE),
    ("page", lambda point: point.page, _SAFE),
    ("section", lambda point: point.section, _SAFE),
    ("source", lambda point: point.source, _SAFE),
    ("confidence", lambda point: point.confidence, _SAFE),
    ("note", lambda point: point.note, _SAFE),
)

_MAP_KEYS: tuple[tuple[str, Callable[[RegisterMap], object], Text], ...] = (
    ("vendor", lambda one: one.vendor, _SAFE),
    ("model", lambda one: one.model, Text("the manuals of another model are asked", "将查询另一型号的手册")),
    ("title", lambda one: one.title, _SAFE),
    ("poll", lambda one: (one.periods, one.on_demand), Text("values and alarms come in another rhythm", "数值和报警的周期改变")),
    ("functions", lambda one: one.device.functions, Text("writes may use another function", "写入可能使用其他功能码")),
    ("device", lambda one: replace(one.device, functions=frozenset()), _SAFE),
    ("bases", lambda one: one.bases, _MOVED),
    ("procedures", lambda one: one.procedures, Text("what a confirmed sequence does changes", "已确认流程的动作改变")),
)
