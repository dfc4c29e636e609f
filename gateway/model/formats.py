"""Raw numbers that stand for a date, a time or an address: one row per `format` (MAPS 1b)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from gateway.model.codec import INTEGERS, Raw, Shape
from gateway.model.point import DataType
from gateway.model.quality import BAD_DATE

FormatResult = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class FormatRow:
    """`show` turns a raw value into text or a reason; `read` does the reverse and raises ValueError.

    `like` is an example for people, `fits` tells which types (and numbers of registers) can hold it.
    """

    show: Callable[[Raw, Shape], FormatResult]
    read: Callable[[str, Shape], Raw]
    like: str
    fits: Callable[[Shape], bool]


def _show_unix(raw: Raw, _shape: Shape) -> FormatResult:
    try:
        moment = _EPOCH + timedelta(seconds=float(raw))
    except OverflowError:
        return None, BAD_DATE
    return moment.isoformat().replace("+00:00", "Z"), None


def _read_unix(text: str, _shape: Shape) -> Raw:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("the time has no zone")
    return (moment - _EPOCH) // timedelta(seconds=1)


def _show_ddmm(raw: Raw, _shape: Shape) -> FormatResult:
    day, month = divmod(int(raw), 100)
    return (f"{month:02}-{day:02}", None) if _is_day(month, day) else (None, BAD_DATE)


def _read_ddmm(text: str, _shape: Shape) -> Raw:
    month, day = _numbers(r"(\d\d)-(\d\d)", text)
    if not _is_day(month, day):
        raise ValueError("no such day")
    return day * 100 + month


def _show_hhmm(raw: Raw, _shape: Shape) -> FormatResult:
    hour, minute = divmod(int(raw), 100)
    return (f"{hour:02}:{minute:02}", None) if _is_time(hour, minute) else (None, BAD_DATE)


def _read_hhmm(text: str, _shape: Shape) -> Raw:
    hour, minute = _numbers(r"(\d\d):(\d\d)", text)
    if not _is_time(hour, minute):
        raise ValueError("no such time")
    return hour * 100 + minute


def _show_clock(raw: Raw, _shape: Shape) -> FormatResult:
    digits = f"{int(raw):012}"
    year, month, day, hour, minute, second = (int(digits[place : place + 2]) for place in range(0, 12, 2))
    try:
        return datetime(2000 + year, month, day, hour, minute, second).isoformat(), None  # noqa: DTZ001 - the device's own clock
    except ValueError:
        return None, BAD_DATE


def _read_clock(text: str, _shape: Shape) -> Raw:
    return int(_local(text).strftime("%y%m%d%H%M%S"))


def _show_iec870(raw: Raw, _shape: Shape) -> FormatResult:
    """IEC 60870-5-4 date as in Schneider meters: year (0 to 99), month and day, hour and minute, milliseconds of the minute."""
    year, month, day, hour, minute, millis = _iec870_parts(bytes.fromhex(str(raw)))
    if minute & 0x80 or year & 0x7F > 99:
        return None, BAD_DATE
    try:
        date = datetime(2000 + (year & 0x7F), month & 0x0F, day & 0x1F, hour & 0x1F, minute & 0x3F)  # noqa: DTZ001 - the device's own clock
    except ValueError:
        return None, BAD_DATE
    if millis >= 60000:
        return None, BAD_DATE
    return (date + timedelta(milliseconds=millis)).isoformat(timespec="milliseconds"), None


def _iec870_parts(data: bytes) -> tuple[int, int, int, int, int, int]:
    return data[1], data[2], data[3], data[4], data[5], data[6] << 8 | data[7]


def _read_iec870(text: str, _shape: Shape) -> Raw:
    date = _local(text)
    millis = date.second * 1000 + date.microsecond // 1000
    return bytes([0, date.year - 2000, date.month, date.day, date.hour, date.minute, millis >> 8, millis & 0xFF]).hex().upper()


def _show_ipv4(raw: Raw, _shape: Shape) -> FormatResult:
    return ".".join(map(str, int(raw).to_bytes(4, "big"))), None


def _read_ipv4(text: str, _shape: Shape) -> Raw:
    if not re.fullmatch(r"(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}", text, re.ASCII):
        raise ValueError("not four numbers")
    return int.from_bytes(bytes(int(part) for part in text.split(".")), "big")


def _show_eui48(raw: Raw, _shape: Shape) -> FormatResult:
    digits = str(raw)[-12:]
    return ":".join(digits[place : place + 2] for place in range(0, 12, 2)), None


def _read_eui48(text: str, shape: Shape) -> Raw:
    if not re.fullmatch(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}", text):
        raise ValueError("not six pairs of hex digits")
    return text.replace(":", "").upper().rjust(shape.words * 4, "0")


def _show_hex(raw: Raw, shape: Shape) -> FormatResult:
    return raw if isinstance(raw, str) else f"0x{int(raw) & (1 << shape.width) - 1:0{-(-shape.width // 4)}X}", None


def _read_hex(text: str, shape: Shape) -> Raw:
    if not re.fullmatch(r"(0[xX])?[0-9A-Fa-f]+", text):
        raise ValueError("not hex digits")
    digits = text.upper().removeprefix("0X")
    if shape.is_text:
        return digits
    bits = int(digits, 16)
    return bits - (1 << shape.width) if shape.signed and bits >> shape.width - 1 == 1 else bits


def _is_int(shape: Shape) -> bool:
    return shape.type in INTEGERS


FORMATS: Mapping[str, FormatRow] = {
    "unix_s": FormatRow(_show_unix, _read_unix, "2025-01-01T00:00:00Z", lambda shape: _is_int(shape) and shape.width >= 32),
    "ddmm": FormatRow(_show_ddmm, _read_ddmm, "03-15", lambda shape: _is_int(shape) or shape.type is DataType.BCD16),
    "hhmm": FormatRow(_show_hhmm, _read_hhmm, "06:30", lambda shape: _is_int(shape) or shape.type is DataType.BCD16),
    "yymmddhhmmss": FormatRow(_show_clock, _read_clock, "2025-01-01T00:00:00", lambda shape: shape.type is DataType.BCD48),
    "iec870_date": FormatRow(
        _show_iec870, _read_iec870, "2025-01-01T00:00:00.000", lambda shape: shape.type is DataType.BYTES and shape.words == 4
    ),
    "ipv4": FormatRow(_show_ipv4, _read_ipv4, "192.168.1.100", lambda shape: shape.type is DataType.UINT32 and shape.width == 32),
    "eui48": FormatRow(_show_eui48, _read_eui48, "00:80:25:01:AB:CD", lambda shape: shape.type is DataType.BYTES and shape.words >= 3),
    "hex": FormatRow(_show_hex, _read_hex, "0x1234", lambda shape: _is_int(shape) or shape.type is DataType.BYTES),
}

_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]


def _is_time(hour: int, minute: int) -> bool:
    """24:00 ends a day in heating programmes."""
    return (0 <= hour <= 23 and 0 <= minute <= 59) or (hour, minute) == (24, 0)


def _numbers(pattern: str, text: str) -> tuple[int, int]:
    found = re.fullmatch(pattern, text, re.ASCII)
    if found is None:
        raise ValueError("wrong form")
    return int(found[1]), int(found[2])


def _local(text: str) -> datetime:
    date = datetime.fromisoformat(text)
    if date.tzinfo is not None or not 2000 <= date.year <= 2099:
        raise ValueError("a local time of 2000 to 2099 without zone is needed")
    return date
