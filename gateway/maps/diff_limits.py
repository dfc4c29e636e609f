"""Which changes of limits, alarms and codes loosen something."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from gateway.model.point import AlarmRule, Text, Valid, WriteRule

Risked = tuple[str, object, object, Text]
"""Key, old and new value, and the risk (empty if there is none)."""

_SAFE = Text()
_WIDER = Text("a limit is removed or widened", "限值被取消或放宽")
_CONFIRM = ("none", "user", "two_step", "never")
_PRIORITY = ("low", "medium", "high")


def write_risks(old: WriteRule, new: WriteRule) -> Iterator[Risked]:
    """What changed in the rules of a write, and what of it lets more through."""
    pairs: tuple[Risked, ...] = (
        ("min", old.min, new.min, _if(_WIDER, _is_lower(new.min, old.min))),
        ("max", old.max, new.max, _if(_WIDER, _is_higher(new.max, old.max))),
        ("step", old.step, new.step, _if(_WIDER, _is_finer(new.step, old.step))),
        ("max_step", old.max_step, new.max_step, _if(_WIDER, _is_higher(new.max_step, old.max_step))),
        (
            "cooldown",
            old.cooldown_s,
            new.cooldown_s,
            _if(Text("writes may follow faster", "写入间隔变短"), new.cooldown_s < old.cooldown_s),
        ),
        ("role", old.role, new.role, _if(Text("a lower role may write", "更低权限可写"), not new.role.includes(old.role))),
        ("confirm", old.confirm, new.confirm, _if(_LESS_CONFIRMED, _CONFIRM.index(new.confirm) < _CONFIRM.index(old.confirm))),
        ("approvals", old.approvals, new.approvals, _if(_LESS_CONFIRMED, new.approvals < old.approvals)),
        ("interlock", old.interlock, new.interlock, _if(_UNLOCKED, not set(map(str, old.interlock)) <= set(map(str, new.interlock)))),
        ("function", old.function, new.function, Text("written by another function", "写功能码改变")),
        ("readback", old.readback, new.readback, Text("the proof of a write changes", "写入的回读方式改变")),
        ("settle", old.settle_s, new.settle_s, _SAFE),
        ("persist", old.persist, new.persist, Text("where the device keeps the value changes", "保存位置改变")),
        ("pulse", old.pulse, new.pulse, Text("the proof of a write changes", "写入的回读方式改变")),
        ("reply", old.reply, new.reply, Text("the proof of a write changes", "写入的回读方式改变")),
        ("note", old.note, new.note, _SAFE),
    )
    return (pair for pair in pairs if pair[1] != pair[2])


def alarm_risks(old: AlarmRule | None, new: AlarmRule | None) -> Iterator[Risked]:
    """What changed in the alarm; the key is empty where an alarm comes or goes whole, else it begins with a dot."""
    if old is None or new is None:
        if old != new:
            yield "", _levels(old), _levels(new), _if(Text("the alarm is removed", "报警被取消"), new is None)
        return
    levels: tuple[Risked, ...] = (
        (".lolo", old.lolo, new.lolo, _if(_LATER, _is_lower(new.lolo, old.lolo))),
        (".lo", old.lo, new.lo, _if(_LATER, _is_lower(new.lo, old.lo))),
        (".hi", old.hi, new.hi, _if(_LATER, _is_higher(new.hi, old.hi))),
        (".hihi", old.hihi, new.hihi, _if(_LATER, _is_higher(new.hihi, old.hihi))),
        (".hysteresis", old.hysteresis, new.hysteresis, _SAFE),
        (".delay", old.delay_s, new.delay_s, _if(_LATER, new.delay_s > old.delay_s)),
        (".priority", old.priority, new.priority, _if(_LATER, _PRIORITY.index(new.priority) < _PRIORITY.index(old.priority))),
        (".text", old.text, new.text, _SAFE),
    )
    yield from (pair for pair in levels if pair[1] != pair[2])


def valid_risk(old: Valid | None, new: Valid | None) -> Text:
    """Wider limits let a wrong value pass as good."""
    before, after = old or Valid(), new or Valid()
    wider = _is_lower(after.min, before.min) or _is_higher(after.max, before.max)
    return _if(Text("a wrong value may pass as good", "错误数值可能被当作良好"), wider)


def enum_risk(old: Mapping[int, Text], new: Mapping[int, Text], *, is_writable: bool) -> Text:
    """A code that goes or means something else; on a writable point also a new one."""
    if any(new.get(code) != label for code, label in old.items()):
        return Text("a code means something else", "代码含义改变")
    return _if(Text("a new code can be written", "可写入新的代码"), is_writable)


_LESS_CONFIRMED = Text("fewer people or steps confirm a write", "写入的确认要求降低")
_UNLOCKED = Text("an interlock is removed or changed", "联锁被取消或改变")
_LATER = Text("the alarm comes later, lower or not at all", "报警推迟、降级或消失")


def _if(risk: Text, condition: bool) -> Text:
    return risk if condition else _SAFE


def _is_lower(new: Decimal | None, old: Decimal | None) -> bool:
    """True if a lower limit lets more through than before."""
    return old is not None and (new is None or new < old)


def _is_higher(new: Decimal | None, old: Decimal | None) -> bool:
    """True if an upper limit lets more through than before."""
    return old is not None and (new is None or new > old)


def _is_finer(new: Decimal | None, old: Decimal | None) -> bool:
    """True if values off the old steps may be written."""
    return old is not None and (new is None or bool(new % old))


def _levels(rule: AlarmRule | None) -> object:
    if rule is None:
        return None
    levels = {"lolo": rule.lolo, "lo": rule.lo, "hi": rule.hi, "hihi": rule.hihi}
    return {name: level for name, level in levels.items() if level is not None}
