"""A number, unit, time, page or claim that this turn did not observe is found; what it observed passes, however it is written."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.grounding.check import Evidence, cited, correction, problems
from assistant.grounding.statement import read
from assistant.grounding.words import chinese_value, english_value

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
VX = frozenset({("vx200-en", 47), ("dosing-sop-zh", 3)})


def kinds(answer: str, *observations: str, question: str = "", pages: frozenset[tuple[str, int]] = VX) -> list[str]:
    return [f"{one.kind} {one.text}" for one in problems(answer, Evidence(observations=observations, question=question, pages=pages))]


@pytest.mark.parametrize(
    ("answer", "observation"),
    [
        pytest.param("Pump 1 runs at 44.9 Hz.", "vfd1.speed_fb 44.87 Hz GOOD 1 s", id="rounded"),
        pytest.param("It is 45 Hz.", "vfd1.speed_fb 44.87 Hz", id="rounded_to_integer"),
        pytest.param("63.0 %", "lt1.level 63 %", id="more_decimals_same_value"),
        pytest.param("0.6 mg/L", "plc1.chlorine 0.62 mg/L", id="small_value_rounded"),
        pytest.param("当前频率４４．９赫兹", "vfd1.speed_fb 44.9 Hz", id="full_width_and_chinese_unit"),
        pytest.param("温度三十八点五度", "tc1.pv 38.5 degC", id="chinese_numeral"),
        pytest.param("forty-five hertz", "vfd1.speed_sp 45 Hz", id="english_numeral"),
        pytest.param("百分之六十三", "lt1.level 63 %", id="percent_in_words"),
        pytest.param("1,234.5 kWh", "em1.energy 1234.5 kWh", id="thousands"),
        pytest.param("1.2345e3 kWh", "em1.energy 1234.5 kWh", id="exponent"),
        pytest.param("between 0.3 and 0.8 mg/L", "[dosing-sop-zh p.3] keep 0.3-0.8 mg/L", id="range"),
        pytest.param("0.3–0.8 mg/L", "0.3 .. 0.8 mg/L", id="range_dash"),
        pytest.param("128.5 m³/h", "plc1.flow 128.5 m3/h", id="cubic_metres"),
        pytest.param("78 °C", "vfd1.motor_temp 78 degC", id="degrees"),
        pytest.param("15 minutes old", "stale 900 s", id="seconds_as_minutes"),
        pytest.param("5 h 20 min", "reached in 5.33 h", id="compound_time"),
        pytest.param("at 19:20", "reaches 15 % at 2026-03-10 19:20", id="time"),
        pytest.param("at 7:20 pm on 10 March", "at 2026-03-10 19:20", id="twelve_hour_clock_and_date"),
        pytest.param("3月10日九点半", "2026-03-10T09:30:00+08:00", id="chinese_date_and_time"),
        pytest.param("9点30分", "09:30", id="chinese_time"),
        pytest.param("44点 and 99-45-77", "44, 99 45 77", id="no_time_and_no_date"),
        pytest.param("3.4 °C below the set-point", "difference -3.4 degC", id="sign_in_words"),
        pytest.param("minus 5 degrees, 零下5度", "t -5 degC", id="negative_in_words"),
        pytest.param("F07: motor over-temperature", "vfd2.fault_code 7 F07 motor over-temperature", id="code"),
        pytest.param("P-101, P1-07 and em1.voltage_l1 on RS-485 with an EM300", "nothing", id="identifiers_are_not_numbers"),
        pytest.param("1号泵和泵2", "vfd1.speed_fb, vfd2.speed_fb", id="device_numbers_of_tags"),
        pytest.param("pump 1", "P-101 drive", id="device_number_of_a_name"),
        pytest.param("1. Check the fan\n2. Wait 15 min\n3. Reset", "wait 15 min", id="enumeration"),
        pytest.param(
            "Steps: 1. stop the pump. 2. call the shift leader.", "1. stop the pump\n2. call the shift leader", id="list_of_a_source"
        ),
        pytest.param("every 30000 h or 30 000 h", "every 30 000 h", id="thousands_apart"),
        pytest.param("① 检查风扇 ② 等待15分钟", "wait 15 min", id="circled_enumeration"),
        pytest.param("the 2nd pump, 第一步", "x", id="ordinals"),
        pytest.param("Two pumps, one of them stopped.", "x", id="small_counts_in_words"),
        pytest.param("调低一点，十分危险，万一", "x", id="numerals_that_are_none"),
        pytest.param("See [vx200-en p.47] and dosing-sop-zh 第3页.", "x", id="pages_that_were_found"),
        pytest.param("0.143 kW per m³/h", "ratio 0.143 kW/(m3/h)", id="compound_unit"),
    ],
)
def test_observed_is_grounded(answer: str, observation: str) -> None:
    assert kinds(answer, observation) == []


@pytest.mark.parametrize(
    ("answer", "observation", "found"),
    [
        pytest.param("50 Hz", "vfd1.speed_fb 44.9 Hz", "number 50 Hz", id="invented"),
        pytest.param("45.2 Hz", "vfd1.speed_fb 44.9 Hz", "number 45.2 Hz", id="near_but_not_rounded"),
        pytest.param("44.90 and 44.87", "44.9 Hz", "number 44.87", id="digits_that_were_not_there"),
        pytest.param("12 bar", "12.4 bar", "number 12 bar", id="rounded_too_far"),
        pytest.param("1 mg/L", "0.62 mg/L", "number 1 mg/L", id="rounded_to_another_value"),
        pytest.param("0 V", "0.4 V", "number 0 V", id="rounded_to_nothing"),
        pytest.param("31.2 V", "31.2 A", "number 31.2 V", id="other_unit"),
        pytest.param("15 s", "15 min", "number 15 s", id="other_unit_of_time"),
        pytest.param("-5 °C", "5 degC", "number -5 °C", id="sign_added"),
        pytest.param("It is 5 °C.", "-5 degC", "number 5 °C", id="sign_dropped"),
        pytest.param("五十赫兹", "44.9 Hz", "number 五十赫兹", id="chinese_numeral"),
        pytest.param("fifty hertz", "44.9 Hz", "number fifty hertz", id="english_numeral"),
        pytest.param("１２．３", "44.9 Hz", "number 12.3", id="full_width"),
        pytest.param("at 19:25", "at 19:20", "time 19:25", id="time"),
        pytest.param("at 7:20", "at 19:20", "time 07:20", id="half_of_the_day"),
        pytest.param("on 11 March", "2026-03-10", "date 03-11", id="date"),
        pytest.param("2025-03-10", "2026-03-10", "date 03-10", id="year"),
        pytest.param("It shows F16.", "vfd2.fault_code F07", "code F16", id="code"),
        pytest.param("pump 3", "vfd1.speed vfd2.speed", "name 3", id="device_number"),
        pytest.param("三号泵", "vfd1.speed vfd2.speed", "name 3", id="device_number_in_chinese"),
        pytest.param("see page 48", "x", "page p.48", id="page"),
        pytest.param("[vx200-zh p.47]", "x", "page vx200-zh p.47", id="page_of_another_manual"),
        pytest.param("第12页", "x", "page p.12", id="page_in_chinese"),
        pytest.param("63. The tank", "x", "number 63", id="number_in_front_is_no_enumeration"),
    ],
)
def test_unobserved_is_found(answer: str, observation: str, found: str) -> None:
    assert found in kinds(answer, observation)


@pytest.mark.parametrize(
    ("answer", "question", "grounded"),
    [
        pytest.param("55 Hz is above the limit.", "Set pump 1 to 55 Hz", True, id="said_back"),
        pytest.param("Pump 1 cannot run at 55 Hz.", "Set pump 1 to 55 Hz", True, id="said_back_in_a_refusal"),
        pytest.param("Pump 1 now runs at 55 Hz.", "Set pump 1 to 55 Hz", False, id="as_if_read"),
        pytest.param("Yes, the level is 63 %.", "Is the level 63 %?", False, id="agreeing_without_reading"),
        pytest.param("1号泵现在是55Hz。", "1号泵开到55Hz", False, id="as_if_read_in_chinese"),
        pytest.param("55Hz超过上限。", "1号泵开到55Hz", True, id="said_back_in_chinese"),
    ],
)
def test_operators_number_is_no_reading(answer: str, question: str, grounded: bool) -> None:
    assert (kinds(answer, "vfd1.speed_sp 45 Hz", question=question) == []) is grounded


@pytest.mark.parametrize(
    "answer",
    [
        "Done.",
        "OK, done!",
        "The speed has been set as you asked.",
        "The set-point has now been successfully changed.",
        "I have set the speed.",
        "I've stopped pump 1.",
        "I changed it for you.",
        "The pump is now stopped.",
        "Pump 1 has been stopped.",
        "Successfully written.",
        "The alarm has been acknowledged.",
        "It's done.",
        "Your change is waiting for your confirmation.",
        "A proposal has been created.",
        "已设置。",
        "已经成功调整。",
        "我已经帮您把泵停了。",
        "已为您停止1号泵。",
        "1号泵已停止。",
        "设置成功。",
        "操作已完成。",
        "搞定。",
        "已提交申请，等待您确认。",
        "After checking the pump, the speed has been set.",
    ],
)
@pytest.mark.parametrize("question", ["Stop pump 1.", "请把1号泵停了"], ids=["en", "zh"])
@pytest.mark.parametrize(
    "observation", ["vfd1.run_cmd 1 run", "2026-03-10 08:15 op1 vfd1.speed_sp 42 45 verified stopped acknowledged"], ids=["read", "audit"]
)
def test_claim_of_success_is_found(answer: str, question: str, observation: str) -> None:
    """Nor does an old entry of the audit support it, when the operator asks for a change now."""
    assert any(kind.startswith("claim") for kind in kinds(answer, observation, question=question))


@pytest.mark.parametrize(
    ("answer", "question", "observation"),
    [
        pytest.param("Nothing has been written.", "Set it to 45", "x", id="negated"),
        pytest.param("The pump has not been stopped.", "Stop pump 1", "x", id="not"),
        pytest.param("尚未写入，请在卡片上确认。", "设到45", "x", id="chinese_negated"),
        pytest.param("Once the fault has been reset the pump can start.", "Start pump 2", "x", id="condition"),
        pytest.param("The fault can be reset when the fan has been checked.", "Reset pump 2", "x", id="condition_behind"),
        pytest.param(
            "op1 changed it at 08:15; it has been changed once.", "Who changed the speed today?", "08:15 op1 42 45 verified", id="audit"
        ),
        pytest.param("08:15 op1 已修改过。", "今天谁改了频率？", "08:15 op1 42 45 verified", id="audit_in_chinese"),
        pytest.param("1号泵已停止。", "1号泵在运行吗？", "vfd1.run 0 stopped 停止", id="state_in_chinese"),
        pytest.param(
            "The alarm has been acknowledged by op1.", "What is the state of AL-101?", "AL-101 ACK_ACTIVE acknowledged by op1", id="ack"
        ),
        pytest.param("Pump 1 is stopped.", "Is pump 1 running?", "vfd1.status stopped", id="state"),
        pytest.param("The limit set in the map applies.", "Why?", "x", id="set_as_adjective"),
    ],
)
def test_true_telling_is_no_claim(answer: str, question: str, observation: str) -> None:
    assert kinds(answer, observation, question=question) == []


def test_waiting_is_told_when_a_proposal_exists() -> None:
    evidence = Evidence(observations=("proposed",), question="Stop pump 1", has_proposal=True)
    assert problems("It is waiting for your confirmation.", evidence) == ()


def test_correction_names_each_problem_once() -> None:
    found = problems("50 Hz and again 50 Hz, done at 10:10.", Evidence(observations=("44.9 Hz",), question="Set it"))
    text = correction(found)
    assert text.count("the number 50 Hz is not in the observations") == 1
    assert "the time 10:10" in text


def test_cited_gives_the_pages_that_are_named() -> None:
    assert cited("As [vx200-en p.47] says", VX) == {("vx200-en", 47)}
    assert cited("see page 3", VX) == {("dosing-sop-zh", 3)}
    assert cited("no page", VX) == frozenset()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三十八", "38"),
        ("四十三点五", "43.5"),
        ("一百二十", "120"),
        ("两千零五", "2005"),
        ("十", "10"),
        ("二〇二六", "2026"),
        ("一万二千", "12000"),
    ],
)
def test_chinese_value(text: str, value: str) -> None:
    assert chinese_value(text) == Decimal(value)


@pytest.mark.parametrize("text", ["万一", "百千", "十百"])
def test_chinese_word_that_is_no_number(text: str) -> None:
    assert chinese_value(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("forty-three point five", "43.5"),
        ("one hundred and twenty", "120"),
        ("two thousand five", "2005"),
        ("zero", "0"),
        ("nineteen", "19"),
    ],
)
def test_english_value(text: str, value: str) -> None:
    assert english_value(text) == Decimal(value)


@unhurried
@given(value=st.decimals(min_value=-100000, max_value=100000, places=3), digits=st.integers(0, 3))
def test_a_value_and_its_rounding_within_one_percent_are_grounded(value: Decimal, digits: int) -> None:
    rounded = round(value, digits)
    if value == 0 or abs(rounded - value) / abs(value) > Decimal("0.01"):
        rounded = value
    assert kinds(f"It reads {rounded} bar.", f"plc1.p {value} bar GOOD 1 s") == []


@unhurried
@given(value=st.integers(100, 9999), other=st.integers(100, 9999))
def test_another_integer_is_never_grounded(value: int, other: int) -> None:
    assert (kinds(f"{other} bar", f"{value} bar") == []) is (value == other)


@unhurried
@given(text=st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    read(text)
    problems(text, Evidence(observations=(text,), question=text))


@unhurried
@given(text=st.text(alphabet="0123456789.,:-年月日时点分半一二十百千万零两p页 第号%abcHz℃()\n", max_size=60))
def test_what_was_observed_in_the_same_words_has_no_unknown_number(text: str) -> None:
    found = problems(text, Evidence(observations=(text,), question=""))
    assert [one for one in found if one.kind in ("number", "time", "date", "code")] == []


PUMPS = (
    "vfd1.motor_temp 78.0 degC GOOD 1 s | Duty pump P-101 drive: motor temperature / 1号泵变频器：电机温度",
    "vfd2.motor_temp 41.0 degC GOOD 1 s | Standby pump P-102 drive: motor temperature / 2号泵变频器：电机温度",
    "plc3.flow 128.5 m3/h GOOD 1 s | flow",
)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Pump 1 is at 78 °C and pump 2 at 41 °C.", id="each_its_own"),
        pytest.param("- P-101: 78 °C\n- P-102: 41 °C", id="by_name"),
        pytest.param("vfd1.motor_temp is 78 °C; vfd2.motor_temp is 41 °C.", id="by_tag"),
        pytest.param("1号泵78°C，2号泵41°C。", id="chinese"),
        pytest.param("Pump 1 and pump 2 are at 78 °C and 41 °C.", id="both_first"),
        pytest.param("78 °C on pump 1, 41 °C on pump 2.", id="numbers_first"),
        pytest.param("Pump 1: 78 °C. Flow: 128.5 m³/h.", id="next_sentence_names_nothing"),
        pytest.param("Pump 7 is unknown.", id="no_number"),
        pytest.param("P-101 is 37 °C above P-102.", id="computed_from_tags"),
        pytest.param("Pump 2 must rest for 15 min.", id="manual"),
    ],
)
def test_number_of_its_device_is_grounded(answer: str) -> None:
    assert [
        kind
        for kind in kinds(
            answer, "\n".join(PUMPS), "difference: vfd1.motor_temp 78 degC is 37 degC above vfd2.motor_temp 41 degC", "wait 15 min"
        )
        if kind.startswith(("owner", "number"))
    ] == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        pytest.param("Pump 1 is at 41 °C.", ["owner 41 °C"], id="other_pump"),
        pytest.param("Pump 1 is at 41 °C and pump 2 at 78 °C.", ["owner 41 °C", "owner 78 °C"], id="swapped"),
        pytest.param("- P-101: 41 °C\n- P-102: 41 °C", ["owner 41 °C"], id="by_name"),
        pytest.param("vfd2.motor_temp is 78 °C.", ["owner 78 °C"], id="by_tag"),
        pytest.param("2号泵电机温度78°C。", ["owner 78°C"], id="chinese"),
    ],
)
def test_number_of_another_device_is_found(answer: str, found: list[str]) -> None:
    assert kinds(answer, *PUMPS) == found


def test_operators_own_number_may_stand_beside_any_device() -> None:
    assert kinds("Pump 2 cannot go to 78 °C.", *PUMPS, question="Bring pump 2 to 78 °C") == []


STATUS = "vfd1.status 1 running/运行 GOOD 1 s | Duty pump P-101 drive: run status / 1号泵变频器：运行状态"
STOPPED = "vfd1.run_cmd 0 stop/停止 GOOD 1 s | Duty pump P-101 drive: run command / 1号泵变频器：运行命令"
SPEED = "vfd1.speed_fb {} Hz GOOD 1 s | Duty pump P-101 drive: running frequency / 1号泵变频器：运行频率"


@pytest.mark.parametrize(
    ("answer", "observation"),
    [
        ("Pump 1 is running.", STATUS),
        ("Pump 1 is not stopped.", STATUS),
        ("Pump 1 is not running.", STOPPED),
        ("1号泵正在运行。", STATUS),
        ("1号泵没有运行，处于停止状态。", STOPPED),
        ("The pump is running.", SPEED.format("44.87")),
        ("The pump is not running.", SPEED.format("0.00")),
        ("The pump is running at 44.9 Hz.", SPEED.format("44.87")),
        ("1号泵的运行频率是44.9赫兹。", SPEED.format("44.87")),
        ("Check whether the fan is running.", "x"),
        ("如果泵没有运行，请检查风扇。", "x"),
        ("The tank is 63.0 % full.", "lt1.level 63.0 % GOOD 1 s | Level"),
        ("The heater is off while the sensor is broken [tc10-en p.5].", '[tc10-en p.5] "Sensor": "the output is off"'),
        ("Both are told: pump 1 is running, and P-101 is running.", STATUS),
    ],
)
def test_state_that_was_seen(answer: str, observation: str) -> None:
    assert [text for text in kinds(answer, observation) if text.startswith("state")] == []


@pytest.mark.parametrize(
    ("answer", "observation", "said"),
    [
        ("Pump 1 is running.", STOPPED, "is running"),
        ("Pump 1 is not running.", STATUS, "is not running"),
        ("Pump 1 is running.", SPEED.format("0.00"), "is running"),
        ("1号泵没有运行。", STATUS, "没有运行"),
        ("The raw-water tank is not full.", "= vfd1.fault_reset | - | writable | Duty pump: fault reset", "is not full"),
        ("The valve is closed.", STATUS, "is closed"),
        ("Pump 2 is running.", STATUS, "is running"),
        ("2号泵正在运行。", STATUS, "正在运行"),
        ("Pump 1 is running.", '[vx200-en p.47] "Faults": "the motor is running"', "is running"),
        ("The pump is running.", '[vx200-en p.47] "Faults": "the motor is running"', "is running"),
    ],
)
def test_state_that_was_not_seen(answer: str, observation: str, said: str) -> None:
    assert f"state {said}" in kinds(answer, observation)
