"""Numbers that stand for dates, times and addresses: text to raw and back (the `format` key of a point)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address

from gateway.model.point import DataType, Point
from simulators.encoding import Raw


def raw_of_text(point: Point, text: str) -> Raw:
    """What the registers hold for `text`; raises ValueError if it is no such text."""
    return _FORMATS[point.format or "hex"][0](point, text)


def text_of_raw(point: Point, raw: Raw) -> str:
    """The text that `raw` stands for; raises ValueError if it stands for none."""
    return _FORMATS[point.format or "hex"][1](point, raw)


def _from_unix(_point: Point, text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _to_unix(_point: Point, raw: Raw) -> str:
    return datetime.fromtimestamp(int(raw), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _from_day(_point: Point, text: str) -> int:
    month, day = text.split("-")
    return int(day) * 100 + int(month)


def _to_day(_point: Point, raw: Raw) -> str:
    day, month = divmod(int(raw), 100)
    return f"{month:02}-{day:02}"


def _from_time(_point: Point, text: str) -> int:
    hour, minute = text.split(":")
    return int(hour) * 100 + int(minute)


def _to_time(_point: Point, raw: Raw) -> str:
    hour, minute = divmod(int(raw), 100)
    return f"{hour:02}:{minute:02}"


def _from_clock(_point: Point, text: str) -> int:
    return int(datetime.fromisoformat(text).strftime("%y%m%d%H%M%S"))


def _to_clock(_point: Point, raw: Raw) -> str:
    return datetime.strptime(f"20{int(raw):012}", "%Y%m%d%H%M%S").isoformat()  # noqa: DTZ007 - a device's clock has no zone


def _from_iec870(_point: Point, text: str) -> str:
    """Year since 2000; month and day; hour and minute; milliseconds of the minute (IEC 60870-5-4)."""
    at = datetime.fromisoformat(text)
    words = (at.year - 2000, at.month << 8 | at.day, at.hour << 8 | at.minute, at.second * 1000 + at.microsecond // 1000)
    return "".join(f"{word:04x}" for word in words)


def _to_iec870(_point: Point, raw: Raw) -> str:
    data = bytes.fromhex(str(raw))
    start = datetime(2000 + (data[1] & 0x7F), data[2] & 0x0F, data[3] & 0x1F, data[4] & 0x1F, data[5] & 0x3F)  # noqa: DTZ001 - no zone
    return (start + timedelta(milliseconds=data[6] << 8 | data[7])).isoformat(timespec="milliseconds")


def _from_ipv4(_point: Point, text: str) -> int:
    return int(IPv4Address(text))


def _to_ipv4(_point: Point, raw: Raw) -> str:
    return str(IPv4Address(int(raw)))


def _from_eui48(point: Point, text: str) -> str:
    return text.replace(":", "").lower().rjust(4 * point.words, "0")


def _to_eui48(_point: Point, raw: Raw) -> str:
    return bytes.fromhex(str(raw))[-6:].hex(":").upper()


def _from_hex(point: Point, text: str) -> Raw:
    if point.type is DataType.BYTES:
        return text
    number = int(text, 16)
    is_negative = point.type in (DataType.INT16, DataType.INT32, DataType.INT64) and number >> (16 * point.words - 1)
    return number - (1 << 16 * point.words) if is_negative else number


def _to_hex(point: Point, raw: Raw) -> str:
    if isinstance(raw, str):
        return raw.upper()
    return f"0x{int(raw) & (1 << 16 * point.words) - 1:0{4 * point.words}X}"


_FORMATS: Mapping[str, tuple[Callable[[Point, str], Raw], Callable[[Point, Raw], str]]] = {
    "unix_s": (_from_unix, _to_unix),
    "ddmm": (_from_day, _to_day),
    "hhmm": (_from_time, _to_time),
    "yymmddhhmmss": (_from_clock, _to_clock),
    "iec870_date": (_from_iec870, _to_iec870),
    "ipv4": (_from_ipv4, _to_ipv4),
    "eui48": (_from_eui48, _to_eui48),
    "hex": (_from_hex, _to_hex),
}
