"""Site rules over a map's point: they may add or tighten, never loosen."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from gateway.maps.build import alarm_of, deadband_of, interlock_of, valid_of
from gateway.maps.rules.base import Fault
from gateway.model.point import AlarmRule, Point, Role, Valid, WriteRule
from gateway.settings._schema import SitePointIn, SiteWriteIn
from gateway.yamlfile import YamlPath

T = TypeVar("T")

_CONFIRM = ("none", "user", "two_step", "never")
_PRIORITY = ("low", "medium", "high")


def tighten(point: Point, site: SitePointIn) -> tuple[Point, list[Fault]]:
    """The point under the site's rules, and the rules that can't be followed (the point then keeps the map's)."""
    faults: list[Fault] = []
    write, alarm, valid = point.write, point.alarm, point.valid
    if site.write is not None:
        if write is None:
            faults.append(Fault(("write",), "not_writable", f"{point.name} can't be written", "remove `write`"))
        else:
            faults += _looser_write(write, site.write)
            write, more = _write(point, write, site.write)
            faults += more
    if site.alarm is not None:
        given = alarm_of(site.alarm)
        if alarm is not None:
            faults += _looser_alarm(alarm, given)
            given = _merge_alarm(alarm, given, site)
        alarm = given
    if site.valid is not None:
        given_valid = valid_of(site.valid)
        faults += _looser_limits(("valid",), valid or Valid(), given_valid)
        before = valid or Valid()
        valid = Valid(min=_or(given_valid.min, before.min), max=_or(given_valid.max, before.max))
    tightened = replace(
        point,
        write=write,
        alarm=alarm,
        valid=valid,
        title=site.name.text() if site.name else point.title,
        description=site.description.text() if site.description else point.description,
        aliases=(*point.aliases, *site.aliases),
        group=_or(site.group, point.group),
        poll=_or(site.poll, point.poll),
        deadband=point.deadband if site.deadband is None else deadband_of(site.deadband),
    )
    return (point if faults else tightened), faults


def _write(point: Point, rule: WriteRule, site: SiteWriteIn) -> tuple[WriteRule, list[Fault]]:
    faults = []
    interlocks = list(rule.interlock)
    for number, given in enumerate(site.interlock or []):
        interlock = interlock_of(given, point.enum, point.type)
        if interlock is None:
            fix = f"write one of {', '.join(label.en for label in point.enum.values())}" if point.enum else "write 0 or 1"
            faults.append(Fault(("write", "interlock", number, "when"), "unknown_label", f"`when: {given.when}` can't be written", fix))
        else:
            interlocks.append(interlock)
    tightened = replace(
        rule,
        min=_or(site.min, rule.min),
        max=_or(site.max, rule.max),
        step=_or(site.step, rule.step),
        max_step=_or(site.max_step, rule.max_step),
        cooldown_s=_or(site.cooldown_s, rule.cooldown_s),
        role=Role(site.role) if site.role else rule.role,
        confirm=site.confirm or rule.confirm,
        approvals=site.approvals or rule.approvals,
        interlock=tuple(interlocks),
        note=site.note.text() if site.note else rule.note,
    )
    return tightened, faults


def _looser_write(rule: WriteRule, site: SiteWriteIn) -> Iterator[Fault]:
    yield from _looser_limits(("write",), Valid(min=rule.min, max=rule.max), Valid(min=site.min, max=site.max))
    if site.step is not None and rule.step is not None and (site.step <= 0 or site.step % rule.step):
        yield _loosens(("write", "step"), site.step, f"no multiple of the map's step {rule.step}")
    if site.min is not None and rule.step is not None and (site.min - (rule.min or 0)) % rule.step:
        yield _loosens(("write", "min"), site.min, f"off the map's steps of {rule.step} from {rule.min or 0}")
    if site.max_step is not None and rule.max_step is not None and site.max_step > rule.max_step:
        yield _loosens(("write", "max_step"), site.max_step, f"more than the map's {rule.max_step}")
    if site.cooldown_s is not None and site.cooldown_s < rule.cooldown_s:
        yield _loosens(("write", "cooldown"), site.cooldown, f"shorter than the map's {rule.cooldown_s:g}s")
    if site.role is not None and not Role(site.role).includes(rule.role):
        yield _loosens(("write", "role"), site.role, f"less than the map's {rule.role}")
    if site.confirm is not None and _CONFIRM.index(site.confirm) < _CONFIRM.index(rule.confirm):
        yield _loosens(("write", "confirm"), site.confirm, f"weaker than the map's {rule.confirm}")
    if site.approvals is not None and site.approvals < rule.approvals:
        yield _loosens(("write", "approvals"), site.approvals, f"fewer than the map's {rule.approvals}")


def _looser_alarm(rule: AlarmRule, site: AlarmRule) -> Iterator[Fault]:
    yield from _looser_limits(("alarm",), Valid(min=rule.lo, max=rule.hi), Valid(min=site.lo, max=site.hi), ("lo", "hi"))
    yield from _looser_limits(("alarm",), Valid(min=rule.lolo, max=rule.hihi), Valid(min=site.lolo, max=site.hihi), ("lolo", "hihi"))
    if site.delay_s > rule.delay_s:
        yield _loosens(("alarm", "delay"), f"{site.delay_s:g}s", f"longer than the map's {rule.delay_s:g}s")


def _merge_alarm(rule: AlarmRule, given: AlarmRule, site: SitePointIn) -> AlarmRule:
    named = site.alarm.model_fields_set if site.alarm else set()
    return AlarmRule(
        lolo=_or(given.lolo, rule.lolo),
        lo=_or(given.lo, rule.lo),
        hi=_or(given.hi, rule.hi),
        hihi=_or(given.hihi, rule.hihi),
        hysteresis=given.hysteresis if "hysteresis" in named else rule.hysteresis,
        delay_s=given.delay_s if "delay" in named else rule.delay_s,
        priority=max(given.priority, rule.priority, key=_PRIORITY.index) if "priority" in named else rule.priority,
        text=given.text if "text" in named else rule.text,
    )


def _looser_limits(keys: YamlPath, rule: Valid, site: Valid, names: tuple[str, str] = ("min", "max")) -> Iterator[Fault]:
    if site.min is not None and rule.min is not None and site.min < rule.min:
        yield _loosens((*keys, names[0]), site.min, f"below the map's {rule.min}")
    if site.max is not None and rule.max is not None and site.max > rule.max:
        yield _loosens((*keys, names[1]), site.max, f"above the map's {rule.max}")


def _loosens(keys: YamlPath, given: object, why: str) -> Fault:
    return Fault(keys, "loosens", f"{keys[-1]} {given} is {why}", "a site may tighten what the map says, never loosen it")


def _or(given: T | None, otherwise: T) -> T:
    return otherwise if given is None else given
