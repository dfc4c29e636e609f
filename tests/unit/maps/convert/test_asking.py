"""What a format leaves open is asked for in one error that says what to give, and never guessed."""

from dataclasses import replace

import pytest

from gateway.errors import MapError
from gateway.maps.convert.draft.base import Options
from tests.unit.maps.convert.samples import BY_FORMAT, KEPWARE, data_of, imported
from tests.unit.maps.convert.test_pitfalls import tags

TWO_UNITS = {
    "modpoll": "device,a,1\npoll,coil,0,8,BE_BE\nref,x,0,bool8,r\ndevice,b,2\npoll,coil,0,8,BE_BE\nref,x,0,bool8,r\n",
    "telegraf": "".join(f"[[inputs.modbus]]\nslave_id = {unit}\ncoils = [ {{ name = 'x', address = [{unit}] }} ]\n" for unit in (1, 2)),
    "home_assistant": "modbus:\n  - binary_sensors:\n      - {name: X, slave: 1, address: 1}\n      - {name: Y, slave: 2, address: 2}\n",
    "thingsboard": '{"slaves": [{"unitId": 1}, {"unitId": 2, "timeseries": '
    '[{"tag": "x", "type": "bits", "functionCode": 1, "address": 2}]}]}',
}


def refusal(format_name: str, content: str | bytes, options: Options) -> str:
    """The one error."""
    with pytest.raises(MapError) as caught:
        imported(format_name, content, options)
    (finding,) = caught.value.findings
    assert finding.code == "option_needed"
    assert finding.fix
    return f"{finding.message}: {finding.fix}"


@pytest.mark.parametrize(
    ("name", "options", "asks"),
    [
        ("modpoll", Options(), "--notation pdu"),
        ("neuron", Options(order="ABCD", settings={"plugin": "modbus"}), "--base 0 or --base 1"),
        ("neuron", Options(base=1, order="ABCD"), "--set plugin=modbus"),
        ("kepware", Options(), "--set zero_based_addressing=on|off"),
    ],
    ids=["modpoll-notation", "neuron-base", "neuron-plugin", "kepware"],
)
def test_option_is_asked_for(name: str, options: Options, asks: str) -> None:
    sample = BY_FORMAT[name]
    assert asks in refusal(name, data_of(sample), options)


@pytest.mark.parametrize("missing", KEPWARE)
def test_kepware_asks_for_each_switch_its_tags_depend_on(missing: str) -> None:
    sample = BY_FORMAT["kepware"]
    settings = {name: value for name, value in KEPWARE.items() if name != missing}
    said = refusal("kepware", data_of(sample), replace(sample.options, settings=settings))
    assert said.count("--set") == 1
    assert f"--set {missing}=on|off" in said


def test_kepware_does_not_ask_for_what_no_tag_depends_on() -> None:
    text = "Tag Name,Address,Data Type\nX,000001,Boolean\n"
    assert imported("kepware", text, Options(settings={"zero_based_addressing": "off"})).map.points["x"].pdu == 1


def test_neuron_asks_for_the_order_only_of_wide_tags_without_letters() -> None:
    sample = BY_FORMAT["neuron"]
    imported("neuron", data_of(sample), replace(sample.options, order=None))
    assert "--order" in refusal("neuron", tags(["x", "1!400001", "Read", "FLOAT"]), Options(base=1))
    assert imported("neuron", tags(["x", "1!400001", "Read", "FLOAT"]), Options(base=1, order="CDAB")).map.points["x"].order == "CDAB"


def test_thingsboard_asks_for_orders_that_are_left_out() -> None:
    tag = '{"tag": "x", "type": "32int", "functionCode": 3, "objectsCount": 2, "address": 5}'
    text = f'{{"slaves": [{{"unitId": 1, "byteOrder": "BIG", "timeseries": [{tag}]}}]}}'
    assert "wordOrder" in refusal("thingsboard", text, Options())
    assert imported("thingsboard", text, Options(order="CDAB")).map.points["x"].order == "CDAB"


@pytest.mark.parametrize("name", TWO_UNITS)
def test_one_of_several_devices_is_chosen_by_a_person(name: str) -> None:
    options = Options(notation="pdu")
    assert "give --unit with one of 1, 2" in refusal(name, TWO_UNITS[name], options)
    assert "give --unit with one of 1, 2" in refusal(name, TWO_UNITS[name], replace(options, unit_id=3))
    result = imported(name, TWO_UNITS[name], replace(options, unit_id=2))
    assert result.map.device.unit_id == 2
    assert result.map.points
