"""From words to points: both languages, aliases, units, numbers of things, spelling, and never a wrong thing for a missing one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.model.sample import Tag
from gateway.service.base import DeviceInfo, PointInfo
from gateway.service.find import TIE, find, missing
from gateway.service.words import fold, words_of
from tests.doubles_plant import PLANT

POINTS = tuple(PLANT.infos.values())
DEVICES = PLANT.devices


def best(query: str, points: tuple[PointInfo, ...] = POINTS, devices: tuple[DeviceInfo, ...] = DEVICES) -> set[str]:
    found = find(points, devices, query, limit=20)
    if not found or missing(found[0], devices, query):
        return set()
    return {str(point.tag) for point in found if point.score >= found[0].score - TIE}


ONE = [
    ("pump 1 speed feedback", "vfd1.speed_fb"),
    ("P-101 motor current", "vfd1.motor_current"),
    ("standby pump motor temperature", "vfd2.motor_temp"),
    ("drive 2 status word", "vfd2.status"),
    ("2号泵电机温度", "vfd2.motor_temp"),
    ("２号泵　电机温度", "vfd2.motor_temp"),
    ("一号泵频率设定", "vfd1.speed_sp"),
    ("1#泵电流", "vfd1.motor_current"),
    ("pump 1 amps", "vfd1.motor_current"),
    ("discharge presure", "plc1.discharge_pressure"),
    ("出口压力", "plc1.discharge_pressure"),
    ("raw water temperature", "lt1.temp"),
    ("药箱液位", "plc1.chem_tank_level"),
    ("chemical tank level", "plc1.chem_tank_level"),
    ("余氯", "plc1.chlorine"),
    ("power factor", "em1.power_factor"),
    ("L2 voltage", "em1.voltage_l2"),
    ("heater setpoint", "tc1.sp"),
    ("温控器设定", "tc1.sp"),
    ("heater high alarm", "tc1.alarm_hi_sp"),
    ("emergency stop", "plc1.estop"),
    ("vfd1.speed_sp", "vfd1.speed_sp"),
    ("kW", "em1.active_power"),
    ("m3/h", "plc1.flow"),
    ("run hours of pump 2", "vfd2.run_hours"),
    ("grid frequency", "em1.frequency"),
]


@pytest.mark.parametrize(("query", "tag"), ONE, ids=[query for query, _ in ONE])
def test_words_find_the_point(query: str, tag: str) -> None:
    assert best(query) == {tag}


SEVERAL = [
    ("temperature", {"lt1.temp", "tc1.pv", "vfd1.motor_temp", "vfd2.motor_temp"}),
    ("三相电压", {"em1.voltage_l1", "em1.voltage_l2", "em1.voltage_l3"}),
    ("pumps motor current", {"vfd1.motor_current", "vfd2.motor_current"}),
    ("speed setpoint", {"vfd1.speed_sp", "vfd2.speed_sp"}),
]


@pytest.mark.parametrize(("query", "tags"), SEVERAL, ids=[query for query, _ in SEVERAL])
def test_equally_good_points_come_as_equals(query: str, tags: set[str]) -> None:
    assert best(query) == tags


@pytest.mark.parametrize(
    "query",
    [
        "pump 5 speed",
        "bearing vibration of pump 1",
        "gearbox temperature",
        "oil pressure",
        "水的浊度",
        "1号泵轴承温度",
        "P-109 current",
        "pH",
        "flow setpoint",
    ],
)
def test_what_the_plant_does_not_have_is_not_found(query: str) -> None:
    assert best(query) == set()


def test_missing_names_the_words_that_no_face_of_the_point_bears() -> None:
    point = next(info for info in POINTS if info.tag == "vfd1.motor_temp")
    assert missing(point, DEVICES, "gearbox temperature of pump 3") == ("gearbox", "pump 3")
    assert missing(point, DEVICES, "motor temperature of pump 1, please") == ()
    assert missing(point, DEVICES, "vfd1.motor_temp") == ()


def test_device_limits_the_search() -> None:
    found = find(POINTS, DEVICES, "temperature", "vfd2")
    assert {point.device for point in found} == {"vfd2"}
    assert found[0].tag == "vfd2.motor_temp"


def test_two_thousand_other_points_change_nothing() -> None:
    other = tuple(
        replace(
            device, id=f"aux{number}", title=replace(device.title, en=f"Auxiliary {number} drive", zh=f"{number + 100}号辅机"), aliases=()
        )
        for number in range(50)
        for device in DEVICES[:1]
    )
    more = tuple(
        replace(point, tag=Tag(f"{device.id}.{str(point.tag).partition('.')[2]}_{copy}"), device=device.id, device_title=device.title)
        for device in other
        for copy in range(4)
        for point in POINTS
        if point.device == "vfd1"
    )
    assert len(more) > 2000
    for query, tag in ONE[:8]:
        assert best(query, (*POINTS, *more), (*DEVICES, *other)) == {tag}, query


@given(st.text(max_size=60))
def test_any_text_gives_scores_in_order_and_range(query: str) -> None:
    found = find(POINTS, DEVICES, query, limit=5)
    scores = [point.score for point in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@given(st.text(max_size=60))
def test_taking_a_text_apart_never_fails_and_stays_inside_it(text: str) -> None:
    words = words_of(text)
    assert words.text == fold(text)
    assert all(0 <= term.start < term.end <= len(words.text) for term in words.terms)
