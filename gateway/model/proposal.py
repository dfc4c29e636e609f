"""The rules of a write: everything that can be wrong with a wanted value, in the order in which it is tested. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from gateway.model.condition import Condition, Reading, holds, parse
from gateway.model.condition_words import reading_words
from gateway.model.encode import Encoded, EncodeError, access_fault, encode_point, limit_faults
from gateway.model.point import Point, Role, WriteRule
from gateway.model.quality import (
    BAD_BCD_DIGIT,
    BAD_DATE,
    BAD_MOD10_GROUP,
    BAD_SCALE_FACTOR,
    BAD_TEXT,
    NOT_AVAILABLE,
    NOT_FINITE,
    OUT_OF_RANGE,
    OUT_OF_SERVICE,
    STALE,
    WAITING,
)
from gateway.model.refusal import Refusal, plain, refused_by
from gateway.model.sample import Sample, Scalar, Tag

WINDOW_S = 60.0
"""Steps of one point are added up over this time."""
FRESH_S = 5.0
"""An older value is no basis for a write."""
MAX_OPEN = 3
MAX_PER_MINUTE = 10

_NO_VALUE = {
    STALE,
    WAITING,
    OUT_OF_SERVICE,
    NOT_AVAILABLE,
    NOT_FINITE,
    BAD_BCD_DIGIT,
    BAD_MOD10_GROUP,
    BAD_TEXT,
    BAD_DATE,
    BAD_SCALE_FACTOR,
}
"""The device answers, but what it says is no old value."""

_LIMIT_CODES = {"below_min": "LIMIT_MIN", "above_max": "LIMIT_MAX", "not_a_step": "STEP"}
_ENUM_CODES = ("unknown_label", "not_allowed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known about a wanted write without asking the plant."""

    role: Role
    lockout: str = ""
    """Why writes are locked out here; empty if they are not."""
    is_blocked: bool = False
    since_last_s: float | None = None
    moved: Decimal = Decimal(0)
    """Sum of the steps written inside the window."""
    open_count: int = 0
    minute_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """What was read for a wanted write just now. `old` is None for a point that cannot be read back."""

    old: Sample | None
    scale: Scalar | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """By the name that the condition uses; a name that is missing could not be read."""


def standing_refusals(tag: Tag, point: Point, standing: Standing, *, is_step: bool = False) -> Iterator[Refusal]:
    """What forbids any write of the point now, whatever the value; a step of a procedure may write what nothing else may."""
    rule = point.write
    least = rule.role if rule is not None and rule.role.includes(Role.OPERATOR) else Role.OPERATOR
    if not standing.role.includes(least):
        yield refused_by(
            "ROLE",
            f"{tag} may be written by role {least} and above, not by {standing.role}",
            f"写入 {tag} 需要 {_ROLES[least]} 及以上权限，{_ROLES[standing.role]} 无权操作",
        )
    if rule is None or access_fault(point) is not None:
        yield refused_by("READ_ONLY", f"{tag} is read-only, it cannot be written", f"{tag} 是只读点，不能写入")
        return
    if rule.confirm == "never" and not is_step:
        yield refused_by("NOT_ALLOWED", f"{tag} is not to be written by itself", f"{tag} 不允许单独写入")
    if standing.lockout:
        yield refused_by(
            "LOCKED_OUT", f"writes to {tag} are locked out: {standing.lockout}", f"{tag} 已被锁定，禁止写入：{standing.lockout}"
        )
    if standing.is_blocked:
        yield refused_by(
            "BLOCKED",
            f"how the last write of {tag} ended is unknown; check at the device, and try again after it was read",
            f"{tag} 上次写入的结果未知，请到现场确认，读取成功后再试",
        )


def value_refusals(tag: Tag, point: Point, value: object, scale: Scalar | None) -> tuple[Encoded | None, Sequence[Refusal]]:
    """The words of the value, or why it has none; and the limits it breaks."""
    refusals = []
    encoded = None
    try:
        encoded = encode_point(point, value, scale=scale)
    except EncodeError as exc:
        refusals.append(_cannot_encode(tag, point, exc))
    number = encoded.value if encoded is not None and isinstance(value, str) else value
    return encoded, [*refusals, *limit_refusals(tag, point, number)]


def limit_refusals(tag: Tag, point: Point, value: object) -> Iterator[Refusal]:
    """The limits that a number breaks, whatever its words are; nothing for what is no finite number."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool) and Decimal(value).is_finite():
        for fault in limit_faults(point, value):
            yield _over_limit(tag, point, value, fault)


def plant_refusals(tag: Tag, point: Point, new: Scalar | None, standing: Standing, fresh: Fresh) -> Iterator[Refusal]:
    """What the plant as it is now says to writing `new` (None: the value is not known to be writable)."""
    if fresh.old is not None:
        yield from old_refusals(tag, fresh.old)
        if new is not None:
            yield from step_refusals(tag, point, fresh.old.value, new, standing)
    yield from interlock_refusals(tag, conditions_for(point, new), fresh.readings)


def interlock_refusals(tag: Tag, conditions: Sequence[Condition], readings: Mapping[str, Reading]) -> Iterator[Refusal]:
    """The conditions that are not met, or not read."""
    for condition in conditions:
        reading = readings.get(condition.name)
        if reading is None or not holds(condition, reading):
            yield interlock_refusal(tag, condition, reading)


def step_refusals(tag: Tag, point: Point, old: Scalar | None, new: Scalar, standing: Standing) -> Iterator[Refusal]:
    """A step from `old` to `new` that is too large, by itself or with what was written inside the window."""
    rule, before, after = point.write, _number(old), _number(new)
    if rule is None or rule.max_step is None or before is None or after is None:
        return
    limit = rule.max_step
    unit = f" {point.unit}" if point.unit else ""
    step, most = after - before, f"{plain(limit)}{unit}"
    toward = f"{plain(_inside(rule, before + limit.copy_sign(step)))}{unit}"
    if abs(step) > limit:
        yield refused_by(
            "MAX_STEP",
            f"{tag}: from {plain(before)} to {plain(after)}{unit} is a step of {plain(abs(step))}{unit}; at most {most} at once, "
            f"so {toward} is as far as it goes now",
            f"{tag}：从 {plain(before)} 到 {plain(after)}{unit} 变化 {plain(abs(step))}{unit}，一次最多 {most}，这次最多到 {toward}",
        )
    elif abs(standing.moved + step) > limit:
        total = f"{plain(abs(standing.moved + step))}{unit}"
        yield refused_by(
            "MAX_STEP",
            f"{tag}: with what was written in the last {WINDOW_S:.0f} s this adds up to {total}; at most {most}",
            f"{tag}：与最近 {WINDOW_S:.0f} 秒内的写入合计变化 {total}，最多 {most}",
        )


def interlock_refusal(tag: Tag, condition: Condition, reading: Reading | None) -> Refusal:
    """A condition that is not met, or that cannot be proved, with what was read."""
    if reading is None or reading.value is None or reading.reason is not None:
        why = "not read" if reading is None else reading.reason or "not read"
        return refused_by(
            "INTERLOCK",
            f"interlock of {tag}: {condition} cannot be proved, there is no good fresh value ({why})",
            f"{tag} 的联锁条件 {condition} 无法确认，没有最新的有效值（{why}）",
        )
    words = reading_words(reading)
    return refused_by(
        "INTERLOCK",
        f"interlock of {tag}: {condition} is not met, it is {words.en}",
        f"{tag} 的联锁条件 {condition} 不满足，当前为 {words.zh}",
    )


def rate_refusals(tag: Tag, point: Point, standing: Standing) -> Iterator[Refusal]:
    """What is too soon or too much."""
    rule = point.write
    if rule is not None and standing.since_last_s is not None and standing.since_last_s < rule.cooldown_s:
        wait = rule.cooldown_s - standing.since_last_s
        yield refused_by(
            "COOLDOWN",
            f"{tag} was written {standing.since_last_s:.0f} s ago; wait {wait:.0f} s ({rule.cooldown_s:g} s between writes)",
            f"{tag} 刚在 {standing.since_last_s:.0f} 秒前写过，请等待 {wait:.0f} 秒（两次写入至少间隔 {rule.cooldown_s:g} 秒）",
        )
    if standing.open_count >= MAX_OPEN:
        yield rate_refusal(f"{standing.open_count} proposals of yours wait already", f"您已有 {standing.open_count} 个待确认的写入建议")
    elif standing.minute_count >= MAX_PER_MINUTE:
        yield rate_refusal(f"{standing.minute_count} proposals in one minute", f"一分钟内已提出 {standing.minute_count} 个写入建议")


def rate_refusal(en: str, zh: str) -> Refusal:
    """Too many proposals, with how many."""
    return refused_by(
        "RATE",
        f"{en}; at most {MAX_OPEN} may be open and {MAX_PER_MINUTE} be made in a minute",
        f"{zh}；最多同时 {MAX_OPEN} 个待确认、每分钟 {MAX_PER_MINUTE} 个",
    )


def conditions_for(point: Point, new: Scalar | None) -> list[Condition]:
    """The interlock conditions that count for writing `new`; for a value that is not known those that always count."""
    rule = point.write
    if rule is None:
        return []
    counting = (interlock for interlock in rule.interlock if interlock.when is None or (new is not None and interlock.when == new))
    return [parse(text) for interlock in counting for text in interlock.conditions]


_ROLES = {Role.VIEWER: "访客", Role.OPERATOR: "操作员", Role.ENGINEER: "工程师", Role.ADMIN: "管理员"}


def _cannot_encode(tag: Tag, point: Point, fault: EncodeError) -> Refusal:
    unit = f" {point.unit}" if point.unit else ""
    nearest = "" if fault.nearest is None else plain(fault.nearest)
    if fault.code in _ENUM_CODES:
        labels = "、".join(f"{code} {text.in_('zh')}" for code, text in point.enum.items())
        return refused_by("ENUM", f"{tag}: {fault.message}", f"{tag} 没有这个选项，可选：{labels}")
    zh = {
        "out_of_range": "数值超出寄存器可表示的范围",
        "not_representable": f"该数值无法精确表示，最接近的是 {nearest}{unit}" if nearest else "该数值无法表示",
        "not_a_number": "不是有限的数值",
        "is_sentinel": "该数值在设备中表示“无效”",
        "too_long": "文本太长",
        "bad_text": "文本含有不支持的字符",
    }.get(fault.code, "数值类型不对")
    return refused_by("UNREPRESENTABLE", f"{tag}: {fault.message}", f"{tag}：{zh}（{fault.message}）")


def _over_limit(tag: Tag, point: Point, number: float | Decimal, fault: EncodeError) -> Refusal:
    unit = f" {point.unit}" if point.unit else ""
    wanted, nearest = f"{plain(number)}{unit}", f"{plain(fault.nearest)}{unit}"
    code = _LIMIT_CODES[fault.code]
    zh = {
        "LIMIT_MIN": f"{wanted} 低于下限 {nearest}",
        "LIMIT_MAX": f"{wanted} 超过上限 {nearest}",
        "STEP": f"{wanted} 不在允许的步长上，最接近的是 {nearest}",
    }[code]
    en = {
        "LIMIT_MIN": f"{wanted} is below the limit of {nearest}",
        "LIMIT_MAX": f"{wanted} is above the limit of {nearest}",
        "STEP": f"{wanted} is off the step grid, the nearest is {nearest}",
    }[code]
    return refused_by(code, f"{tag}: {en}", f"{tag}：{zh}")


def old_refusals(tag: Tag, old: Sample) -> Iterator[Refusal]:
    """An old value that is none, or not of now."""
    reason = STALE if old.age_s is not None and old.age_s > FRESH_S else old.reason
    if reason in (None, OUT_OF_RANGE):
        return
    if reason in _NO_VALUE:
        age = "" if old.age_s is None else f" ({old.age_s:.0f} s)"
        yield refused_by("STALE", f"there is no fresh value of {tag}: {reason}{age}", f"{tag} 没有最新的有效值：{reason}{age}")
    else:
        yield refused_by("OFFLINE", f"{tag} cannot be read now: {reason}", f"{tag} 当前读不到：{reason}")


def _inside(rule: WriteRule, number: Decimal) -> Decimal:
    lifted = number if rule.min is None else max(number, rule.min)
    return lifted if rule.max is None else min(lifted, rule.max)


def _number(value: Scalar | None) -> Decimal | None:
    if value is None or isinstance(value, str | bool):
        return None
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
