"""What is watched in a block: which positions carry alarm rules, compiled once."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gateway.model.alarm import Level, Priority, level_of
from gateway.model.plan import ReadBlock
from gateway.model.point import AlarmRule, Flag, Text
from gateway.model.sample import Scalar, Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """One alarm condition: the value at `index` of a block, and how its level is found."""

    key: str
    tag: Tag
    index: int
    priority: Priority
    delay_s: float
    text: Text
    labels: Mapping[int, Text]
    """Words of the values that raise it, added to the alarm's own."""
    level: Callable[[Scalar, Level | None], Level | None]
    restored_level: Level
    """The level an alarm that was active before a restart is taken to have until the next value."""


def watches(block: ReadBlock, tag_of: Callable[[str], Tag], device_title: Text) -> tuple[Watch, ...]:
    """The alarm conditions of a block: one per point with levels, one per flag that is an alarm."""
    return tuple(_watches(block, tag_of, device_title))


def _watches(block: ReadBlock, tag_of: Callable[[str], Tag], device_title: Text) -> Iterable[Watch]:
    for index, point in enumerate(block.points):
        tag = tag_of(point.name)
        title = Text(f"{device_title.en}: {point.title.en or point.name}", f"{device_title.zh}{point.title.zh or point.name}")
        if point.alarm is not None:
            rule = point.alarm
            yield Watch(
                key=tag,
                tag=tag,
                index=index,
                priority=rule.priority,
                delay_s=rule.delay_s,
                text=rule.text if rule.text.en or rule.text.zh else title,
                labels=point.enum,
                level=_by_rule(rule),
                restored_level=_first_level(rule),
            )
        for bit, flag in point.flags.items():
            if flag.alarm is not None:
                yield Watch(
                    key=f"{tag}#{bit}",
                    tag=tag,
                    index=index,
                    priority=flag.alarm,
                    delay_s=0.0,
                    text=_flag_text(title, flag),
                    labels={},
                    level=_by_bit(bit),
                    restored_level="flag",
                )


def words_of(watch: Watch, value: Scalar) -> Text:
    """The alarm's words with the label of the value that raised it."""
    label = None if isinstance(value, str) else watch.labels.get(int(value))
    return watch.text if label is None else Text(f"{watch.text.en}: {label.in_('en')}", f"{watch.text.zh}：{label.in_('zh')}")


def _first_level(rule: AlarmRule) -> Level:
    return "hi" if rule.hi is not None or rule.hihi is not None else "lo"


def _flag_text(title: Text, flag: Flag) -> Text:
    return Text(f"{title.en}: {flag.text.in_('en')}", f"{title.zh}：{flag.text.in_('zh')}")


def _by_rule(rule: AlarmRule) -> Callable[[Scalar, Level | None], Level | None]:
    above, below = _normal(rule)

    def level(value: Scalar, now: Level | None) -> Level | None:
        if now is None and isinstance(value, float) and above < value < below:
            return None
        return now if isinstance(value, str) else level_of(rule, value if isinstance(value, Decimal | float) else Decimal(value), now)

    return level


def _normal(rule: AlarmRule) -> tuple[float, float]:
    """Between these a float reaches no level for sure (the limits as floats may lie a little off the written ones)."""
    low = max((float(limit) for limit in (rule.lo, rule.lolo) if limit is not None), default=-math.inf)
    high = min((float(limit) for limit in (rule.hi, rule.hihi) if limit is not None), default=math.inf)
    return math.nextafter(low, math.inf), math.nextafter(high, -math.inf)


def _by_bit(bit: int) -> Callable[[Scalar, Level | None], Level | None]:
    def level(value: Scalar, now: Level | None) -> Level | None:
        return now if not isinstance(value, int) else ("flag" if value >> bit & 1 else None)

    return level
