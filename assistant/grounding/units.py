"""Engineering units as people and devices write them, in English and Chinese, brought to one name."""

import re

_SPELLINGS = {
    "Hz": "hz hertz 赫兹 赫",
    "kHz": "khz 千赫",
    "%": "% percent pct 百分比",
    "A": "a amp amps ampere amperes 安培 安",
    "mA": "ma 毫安",
    "V": "v volt volts 伏特 伏",
    "kV": "kv 千伏",
    "mV": "mv 毫伏",
    "W": "w watt watts 瓦",
    "kW": "kw kilowatt kilowatts 千瓦",
    "Wh": "wh 瓦时",
    "kWh": "kwh 千瓦时 度",
    "kvar": "kvar",
    "kVA": "kva",
    "degC": "°c degc c celsius 摄氏度 度 degrees degree deg °",
    "degF": "°f degf fahrenheit 华氏度",
    "bar": "bar 巴",
    "mbar": "mbar 毫巴",
    "Pa": "pa",
    "kPa": "kpa 千帕",
    "MPa": "mpa 兆帕",
    "mg/L": "mg/l 毫克/升 毫克每升",
    "m3/h": "m³/h 立方米/小时 立方米每小时 方/小时",
    "m3": "m³ 立方米",
    "L": "l litre litres liter liters 升",
    "L/h": "l/h 升/小时",
    "L/min": "l/min 升/分钟",
    "m": "m metre metres meter meters 米",
    "mm": "mm 毫米",
    "cm": "cm 厘米",
    "km": "km 千米 公里",
    "ms": "ms 毫秒",
    "s": "s sec secs second seconds 秒 秒钟",
    "min": "min mins minute minutes 分钟 分",
    "h": "h hr hrs hour hours 小时",
    "d": "day days 天",
    "rpm": "rpm r/min 转/分 转",
    "Nm": "nm n·m 牛米",
    "ohm": "ohm ohms ω 欧姆 欧",
}
SECONDS = {"ms": "0.001", "s": "1", "min": "60", "h": "3600", "d": "86400"}
"""Seconds in one of each unit of time, as decimal text."""

BY_SPELLING: dict[str, frozenset[str]] = {}
"""All the units that a spelling (lower case) may mean: 度 is degC or kWh."""
for _unit, _words in _SPELLINGS.items():
    for _word in _words.split():
        BY_SPELLING[_word] = BY_SPELLING.get(_word, frozenset()) | {_unit}

PATTERN = (
    r"(?:"
    + "|".join(re.escape(word) for word in sorted((w for w in BY_SPELLING if not w[0].isalpha() or not w.isascii()), key=len, reverse=True))
    + r"|(?:"
    + "|".join(re.escape(word) for word in sorted((w for w in BY_SPELLING if w[0].isalpha() and w.isascii()), key=len, reverse=True))
    + r")(?![A-Za-z0-9/·]))"
)
"""Matches a unit behind a number; a longer compound such as kW/(m3/h) is no unit that is known here."""
