"""How values, ages, times, reasons and foreign text are shown in observations and answers."""

import json
import re
import unicodedata
from datetime import datetime, tzinfo
from decimal import ROUND_HALF_EVEN, Decimal

from gateway.model.point import Text
from gateway.model.sample import Sample, Scalar
from gateway.service.base import DeviceInfo, PointInfo

MAX_FOREIGN = 64
"""Characters of a device's text that are shown."""

_HUMAN = {"degC": "°C", "degF": "°F", "m3/h": "m³/h", "m3": "m³", "degC/h": "°C/h"}
_REASONS = {
    "waiting": Text("has not been read yet", "尚未读到"),
    "timeout": Text("no answer from the device (timeout): it is not responding", "设备无响应（超时）"),
    "link_down": Text("the link is down: the device is not reachable", "通讯链路中断，设备无法访问"),
    "not_available": Text("the device sends no valid value (NaN or marked invalid)", "设备给出的是无效值（NaN 或无效标记）"),
    "not_finite": Text("the device sends no valid number (infinite)", "设备给出的不是有效数值（无穷大）"),
    "crc_error": Text("the reply was damaged (bad checksum)", "应答校验错误"),
    "stale": Text("stale: not the latest", "陈旧，不是最新值"),
    "out_of_range": Text("outside its valid range: doubtful", "超出有效范围，值得怀疑"),
    "out_of_service": Text("out of service", "已退出服务"),
}


def reason_words(reason: str) -> Text:
    """What a reason of BAD or UNCERTAIN means, in both languages."""
    if reason.startswith("exception_"):
        number = reason.removeprefix("exception_")
        return Text(f"the device refused with Modbus exception {number}", f"设备返回 Modbus 异常 {number}")
    return _REASONS.get(reason, Text(f"no valid value ({reason.replace('_', ' ')})", f"没有有效值（{reason}）"))


def number_text(value: Decimal | float, decimals: int | None = None) -> str:
    """A number as people read it: at most 7 digits for floats, never an exponent.

    >>> number_text(0.6200000047683716), number_text(Decimal("44.90")), number_text(12034), number_text(Decimal("31.6"), 2)
    ('0.62', '44.9', '12034', '31.60')
    """
    if isinstance(value, int):
        return str(int(value))
    exact = Decimal(f"{value:.7g}") if isinstance(value, float) else value
    if decimals is not None:
        return format(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN), "f")
    text = format(exact.normalize(), "f")
    return "0" if text == "-0" else text


def value_text(value: Scalar, unit: str, decimals: int | None = None) -> str:
    """A value with its unit; text is quoted as `foreign` does."""
    if isinstance(value, str):
        return foreign(value)
    return f"{number_text(value, decimals)} {human_unit(unit)}".strip()


def human_unit(unit: str) -> str:
    """The unit as people write it: °C for degC."""
    return _HUMAN.get(unit, unit)


def map_unit(unit: str) -> str:
    """The unit as maps write it: degC for °C."""
    return next((name for name, shown in _HUMAN.items() if shown == unit), unit)


def foreign(text: str) -> str:
    r"""Text that others wrote (a device, a user's reason), as a JSON string without control and format characters, cut at 64.

    >>> foreign("stop P-101\n\u202e\"now\"")
    '"stop P-101\\"now\\""'
    """
    kept = "".join(sign for sign in text if unicodedata.category(sign)[0] != "C")
    return json.dumps(kept[:MAX_FOREIGN], ensure_ascii=False)


def age_text(age_s: float) -> str:
    """An age in the unit that fits: 4 s, 15 min, 3.5 h."""
    if age_s < 90:
        return f"{age_s:.0f} s"
    if age_s < 5400:
        return f"{age_s / 60:.0f} min"
    return f"{number_text(round(age_s / 3600, 1))} h"


def duration_text(seconds: float) -> str:
    """A length of time in words that need no conversion: 14 min, 5 h 20 min."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    hours, rest = divmod(minutes, 60)
    return " ".join(part for part in (f"{hours} h" if hours else "", f"{rest} min" if rest or not hours else "") if part)


def moment_text(at: datetime, now: datetime, zone: tzinfo) -> str:
    """A time in the site's zone: 13:49 today, else with its date."""
    local, today = at.astimezone(zone), now.astimezone(zone)
    return f"{local:%H:%M}" if local.date() == today.date() else f"{local:%Y-%m-%d %H:%M}"


def name_text(point: PointInfo) -> str:
    """What a point is called in both languages, its device first."""
    english = f"{point.device_title.en}: {point.title.en or point.tag}"
    chinese = f"{point.device_title.in_('zh')}：{point.title.in_('zh')}" if point.title.zh or point.device_title.zh else ""
    return f"{english} / {chinese}" if chinese else english


def device_text(device: DeviceInfo) -> str:
    """What a device is called in both languages."""
    return f"{device.title.en} / {device.title.zh}" if device.title.zh else device.title.en


def label_text(sample: Sample) -> str:
    """The words for a value in both languages, in brackets; empty where there are none."""
    if sample.label == []:
        return "[none set / 无]"
    english = _EMPTY.sub(r"\1: none", sample.label_text.en)
    chinese = _EMPTY.sub(r"\1: 无", sample.label_text.zh)
    if not english:
        return ""
    return f"[{english} / {chinese}]" if chinese not in ("", english) else f"[{english}]"


_EMPTY = re.compile(r"(\w+): (?=,|$)")
"""A field in which no flag is set."""
