"""Numbers that stand for dates, times and addresses."""

import pytest

from gateway.model.codec import shape_of
from gateway.model.decode import decode_point
from gateway.model.encode import EncodeError, encode_point
from gateway.model.formats import FORMATS
from gateway.model.point import Point
from gateway.model.quality import BAD_DATE
from tests.unit.model.points import point

CLOCK = point("bcd48", format="yymmddhhmmss")
DATE = point("bytes", words=4, format="iec870_date")
ROUND = [
    pytest.param(point("uint32", format="unix_s"), [0x6774, 0x8580], "2025-01-01T00:00:00Z", id="unix"),
    pytest.param(point(format="ddmm"), [1503], "03-15", id="ddmm"),
    pytest.param(point(format="ddmm"), [2902], "02-29", id="ddmm-leap"),
    pytest.param(point("bcd16", format="hhmm"), [0x0630], "06:30", id="hhmm-bcd"),
    pytest.param(point(format="hhmm"), [2400], "24:00", id="hhmm-end-of-day"),
    pytest.param(CLOCK, [0x1701, 0x1122, 0x1920], "2017-01-11T22:19:20", id="clock"),
    pytest.param(DATE, [0x0018, 0x0C1F, 0x173B, 0xE484], "2024-12-31T23:59:58.500", id="iec870"),
    pytest.param(DATE, [0x0063, 0x0101, 0x0000, 0], "2099-01-01T00:00:00.000", id="iec870-year-99"),
    pytest.param(point("uint32", format="ipv4"), [0xC0A8, 0x0164], "192.168.1.100", id="ipv4"),
    pytest.param(point("bytes", words=3, format="eui48"), [0x0080, 0x2501, 0xABCD], "00:80:25:01:AB:CD", id="eui48"),
    pytest.param(point("bytes", words=4, format="eui48"), [0, 0x0080, 0x2501, 0xABCD], "00:80:25:01:AB:CD", id="eui48-in-64-bits"),
    pytest.param(point(format="hex"), [0x0BD3], "0x0BD3", id="hex"),
    pytest.param(point("int16", format="hex"), [0xFFFE], "0xFFFE", id="hex-of-negative"),
    pytest.param(point("int16", format="hex"), [0x0001], "0x0001", id="hex-of-positive"),
    pytest.param(point("bytes", words=2, format="hex"), [0xABCD, 1], "ABCD0001", id="hex-of-bytes"),
]


@pytest.mark.parametrize(("given", "words", "text"), ROUND)
def test_number_shows_as_text_and_back(given: Point, words: list[int], text: str) -> None:
    assert decode_point(given, words) == (text, None)
    assert list(encode_point(given, text).words) == words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param(point(format="ddmm"), [0], id="ddmm-zero"),
        pytest.param(point(format="ddmm"), [3102], id="ddmm-31-february"),
        pytest.param(point("int16", format="ddmm"), [0xFFFF], id="ddmm-negative"),
        pytest.param(point(format="hhmm"), [2401], id="hhmm-2401"),
        pytest.param(point(format="hhmm"), [1260], id="hhmm-minute-60"),
        pytest.param(point("int16", format="hhmm"), [0xFFFF], id="hhmm-negative"),
        pytest.param(CLOCK, [0x1713, 0x1122, 0x1920], id="clock-month-13"),
        pytest.param(DATE, [0x0018, 0x0D1F, 0x173B, 0], id="iec870-month-13"),
        pytest.param(DATE, [0x0018, 0x0C1F, 0x17BB, 0], id="iec870-marked-invalid"),
        pytest.param(DATE, [0x0064, 0x0C1F, 0x173B, 0], id="iec870-year-100"),
        pytest.param(DATE, [0x007F, 0x0C1F, 0x173B, 0], id="iec870-year-127"),
        pytest.param(DATE, [0x0018, 0x0C1F, 0x173B, 60000], id="iec870-minute-too-long"),
        pytest.param(point("uint64", format="unix_s"), [0xFFFF] * 4, id="unix-beyond-the-calendar"),
    ],
)
def test_impossible_dates_have_no_value(given: Point, words: list[int]) -> None:
    assert decode_point(given, words) == (None, BAD_DATE)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        pytest.param(point("uint32", format="unix_s"), "2025-01-01T00:00:00", id="no-zone"),
        pytest.param(point("uint32", format="unix_s"), "yesterday", id="no-date"),
        pytest.param(point(format="ddmm"), "02-30", id="no-such-day"),
        pytest.param(point(format="ddmm"), "3-5", id="one-digit"),
        pytest.param(point(format="hhmm"), "24:01", id="no-such-time"),
        pytest.param(CLOCK, "1999-01-01T00:00:00", id="two-digit-year"),
        pytest.param(DATE, "2025-01-01T00:00:00Z", id="zone-where-none-is"),
        pytest.param(point("uint32", format="ipv4"), "192.168.1", id="three-numbers"),
        pytest.param(point("uint32", format="ipv4"), "192.168.1.256", id="256"),
        pytest.param(point("bytes", words=3, format="eui48"), "008025", id="eui48"),
        pytest.param(point(format="hex"), "12G4", id="not-hex"),
    ],
)
def test_text_that_is_no_such_value_is_refused_with_an_example(given: Point, text: str) -> None:
    with pytest.raises(EncodeError, match="is not a value such as") as caught:
        encode_point(given, text)
    assert caught.value.code == "wrong_type"


def test_hex_too_long_for_bytes_is_refused() -> None:
    with pytest.raises(EncodeError) as caught:
        encode_point(point("bytes", words=1, format="hex"), "ABCDEF")
    assert caught.value.code == "too_long"


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        pytest.param(point("uint16", format="unix_s"), False, id="unix-in-16-bits"),
        pytest.param(point("float32", format="hhmm"), False, id="float-time"),
        pytest.param(point("uint32", format="iec870_date"), False, id="iec870-in-an-int"),
        pytest.param(point("bool", bit=1, format="hex"), False, id="hex-of-a-bool"),
        pytest.param(point("uint32", format="ipv4"), True, id="ipv4"),
    ],
)
def test_format_fits_some_types(given: Point, fits: bool) -> None:
    assert given.format is not None
    assert FORMATS[given.format].fits(shape_of(given)) is fits
    if not fits:
        with pytest.raises(ValueError, match="cannot be held by"):
            decode_point(given, [0] * given.words)
