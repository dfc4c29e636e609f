"""Words for values."""

import pytest

from gateway.model.describe import label_of, label_text
from gateway.model.point import FieldOf, Flag, Point, Text
from gateway.model.sample import Label, Scalar
from tests.unit.model.points import labels, point

FLAGS = {0: Flag(text=Text(en="ready", zh="就绪")), 3: Flag(text=Text(en="fault", zh="故障"))}
STATE = FieldOf(name="state", mask=0x6F, enum=labels(running=0x27, fault=0x08))
MODE = FieldOf(name="mode", bits=(9, 8))
ALARMS = FieldOf(name="alarms", bits=(12, 15), flags={0: Flag(text=Text(en="hot", zh="过热"))})
STATUS = point(fields=(STATE, MODE, ALARMS))


@pytest.mark.parametrize(
    ("given", "value", "label", "english", "chinese"),
    [
        pytest.param(point(), 5, None, "", "", id="none"),
        pytest.param(point(enum=labels(off=0, on=1)), None, None, "", "", id="no-value"),
        pytest.param(point("string", words=2, enum=labels(off=0)), "off", None, "", "", id="text"),
        pytest.param(point(enum=labels(off=0, on=1)), 1, "on", "on", "on-zh", id="enum"),
        pytest.param(point(enum=labels(off=0, on=1)), 7, "unknown(7)", "unknown(7)", "unknown(7)", id="enum-unknown"),
        pytest.param(point("float32", enum=labels(three=3)), 3.0, "three", "three", "three-zh", id="enum-in-a-float"),
        pytest.param(point("bool", bit=0, enum=labels(closed=0)), False, "closed", "closed", "closed-zh", id="enum-of-a-bool"),
        pytest.param(point("bool", bit=0, enum=labels(closed=0)), True, "unknown(1)", "unknown(1)", "unknown(1)", id="bool-unknown"),
        pytest.param(point(flags=FLAGS), 0b101001, ["ready", "fault", "bit5"], "ready, fault, bit5", "就绪, 故障, bit5", id="flags"),
        pytest.param(point(flags=FLAGS), 0, [], "", "", id="no-flag"),
        pytest.param(point("int16", flags={15: Flag(text=Text(en="top"))}), -32768, ["top"], "top", "top", id="flag-on-the-sign-bit"),
        pytest.param(
            STATUS,
            0x1227,
            {"state": "running", "mode": 2, "alarms": ["hot"]},
            "state: running, mode: 2, alarms: hot",
            "state: running-zh, mode: 2, alarms: 过热",
            id="fields",
        ),
        pytest.param(
            point(fields=(STATE,), flags=FLAGS),
            0x08,
            {"state": "fault", "flags": ["fault"]},
            "state: fault, flags: fault",
            "state: fault-zh, flags: 故障",
            id="fields-and-flags",
        ),
        pytest.param(
            point(fields=(STATE, MODE), flags=FLAGS),
            0x8367,
            {"state": "unknown(103)", "mode": 3, "flags": ["ready", "bit15"]},
            "state: unknown(103), mode: 3, flags: ready, bit15",
            "state: unknown(103), mode: 3, flags: 就绪, bit15",
            id="bits-of-a-field-are-no-unknown-flags",
        ),
    ],
)
def test_value_has_words(given: Point, value: Scalar | None, label: Label, english: str, chinese: str) -> None:
    assert label_of(given, value) == label
    assert label_text(given, value) == Text(en=english, zh=chinese)
