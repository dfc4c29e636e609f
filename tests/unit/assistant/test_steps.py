"""Every plausible output of a model is the exact call, the exact answer, or a precise correction; nothing in between."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field

from assistant.steps.jsontext import JsonFault, half_width, read_object
from assistant.steps.parse import Call, Final, StepFaultError, parse
from assistant.steps.schema import describe, step_schema
from assistant.tools.base import Args

TOOLS = ("read_point", "write_point", "write_points", "list_devices")
OUTPUTS: dict[str, str] = json.loads((Path(__file__).parents[2] / "golden" / "malformed_outputs.json").read_text(encoding="utf-8"))

_READ: tuple[str, dict[str, object]] = ("read_point", {"point": "p1"})
_WRITE: tuple[str, dict[str, object]] = ("write_point", {"point": "sp", "value": 45})
CALLS: dict[str, tuple[str, dict[str, object]]] = {
    **dict.fromkeys(
        (
            "ok",
            "halluc_observation_then_answer",
            "two_actions",
            "chinese_keywords",
            "chinese_fullwidth_colon",
            "mixed_colon",
            "think_tag",
            "markdown_bold",
            "codefence",
            "backtick_tool",
            "call_style",
            "thought_contains_answer",
            "lowercase",
        ),
        _READ,
    ),
    **dict.fromkeys(("fullwidth_json", "cn_quotes_json", "cn_comma_json", "qwen_tool_call"), _WRITE),
    **dict.fromkeys(("no_action_input", "empty_input"), ("list_devices", {})),
    "nested_json": ("write_points", {"writes": [{"point": "a", "value": 1}, {"point": "b", "value": {"x": 2}}]}),
}
ANSWERS = {
    "think_tag_implicit": "The pressure is 4.2 bar.",
    "action_none": "42",
    "answer_no_thought": "42 bar",
    "final_answer": "42",
    "echo_action_in_answer": 'The manual says: "Action: press RESET". Do it.',
    "answer_quoting_manual_action": "The manual step says Action: press the reset key for 3 s.",
}
FAULTS = {
    "single_quotes_numeric": "double quotes",
    "broken_json_numeric": "near",
    "broken_json_unit_suffix": "numbers without units",
    "missing_brace": "not valid JSON",
    "dup_keys": "'value' is given twice",
    "octal_like": "near",
    "hex": "near",
    "comment": "near",
    "python_bool_none": "true, false or null",
    "nan": "NaN is not a number",
    "thousand_sep": "plain numbers",
    "answer_then_action": "not both",
    "only_thought": "neither an action nor an answer",
    "trailing_text_brace": "nothing behind it",
    "cn_tool_name": "no tool called '读取点位'",
}


def test_all_41_outputs_are_expected() -> None:
    assert len(OUTPUTS) == 41
    assert {*CALLS, *ANSWERS, *FAULTS} == set(OUTPUTS)


@pytest.mark.parametrize("name", CALLS)
def test_output_gives_the_exact_call(name: str) -> None:
    step = parse(OUTPUTS[name], TOOLS)
    assert isinstance(step, Call)
    assert (step.tool, step.args) == CALLS[name]
    assert json.dumps(step.args) == json.dumps(CALLS[name][1]), "types count, too: 45 is not 45.0"


@pytest.mark.parametrize("name", ANSWERS)
def test_output_gives_the_answer(name: str) -> None:
    assert parse(OUTPUTS[name], TOOLS) == Final(text=ANSWERS[name], thought=parse(OUTPUTS[name], TOOLS).thought)


@pytest.mark.parametrize("name", FAULTS)
def test_output_gives_a_precise_correction(name: str) -> None:
    with pytest.raises(StepFaultError, match=FAULTS[name]):
        parse(OUTPUTS[name], TOOLS)


@pytest.mark.parametrize("name", ["answer_then_action", "only_thought", "cn_tool_name"])
def test_correction_names_the_tools(name: str) -> None:
    with pytest.raises(StepFaultError) as fault:
        parse(OUTPUTS[name], TOOLS)
    assert all(tool in str(fault.value) for tool in TOOLS)


CASES = [
    pytest.param(
        '{"thought": "t", "action": "read_point", "args": {"point": "p1"}}',
        Call(tool="read_point", args={"point": "p1"}, thought="t"),
        id="json",
    ),
    pytest.param(
        '｛"action"："read_point"，"args"：｛"point"："p1"｝｝', Call(tool="read_point", args={"point": "p1"}), id="json_full_width"
    ),
    pytest.param('{"action": "final_answer", "args": {"text": "63 %"}}', Final(text="63 %"), id="json_final"),
    pytest.param(
        '{"name": "read_point", "arguments": {"point": "p1"}}', Call(tool="read_point", args={"point": "p1"}), id="bare_tool_call"
    ),
    pytest.param("思考：好\n回答：液位 63 %", Final(text="液位 63 %", thought="好"), id="chinese_answer"),
    pytest.param('Action: read_point({"point": "p1"})', Call(tool="read_point", args={"point": "p1"}), id="arguments_in_parentheses"),
    pytest.param(
        'Action: read_point\nAction Input: ```json\n{"point": "p1"}\n```', Call(tool="read_point", args={"point": "p1"}), id="fenced_input"
    ),
    pytest.param("reasoning without an opening tag</think>\nAnswer: ok then", Final(text="ok then"), id="lone_closing_think"),
    pytest.param(
        'Action: read_point\nAction Input: {"point": "a “quoted” name"}',
        Call(tool="read_point", args={"point": "a “quoted” name"}),
        id="quotes_inside",
    ),
    pytest.param(
        'Action: read_point\nAction Input: {"point": "全角，：｛｝"}',
        Call(tool="read_point", args={"point": "全角，：｛｝"}),
        id="full_width_inside_strings_stays",
    ),
    pytest.param(
        'Action: read_point\nAction Input: {“point”: “say "hi"”}',
        Call(tool="read_point", args={"point": 'say "hi"'}),
        id="straight_in_curly",
    ),
    pytest.param("Answer: first line\nsecond line", Final(text="first line\nsecond line"), id="answer_of_two_lines"),
    pytest.param("Answer: ok\nObservation: invented", Final(text="ok"), id="observation_behind_an_answer"),
]


@pytest.mark.parametrize(("output", "step"), CASES)
def test_other_forms_are_read(output: str, step: Call | Final) -> None:
    assert parse(output, TOOLS) == step


@pytest.mark.parametrize(
    ("output", "words"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("<think>I never stop thinking", "empty", id="endless_think"),
        pytest.param("Observation: 42\nAnswer: 42", "neither", id="invented_observation_first"),
        pytest.param('{"action": "read_point"}', "exactly the keys", id="json_without_args"),
        pytest.param('{"action": "read_point", "args": {}, "confirmed": true}', "exactly the keys", id="json_with_more"),
        pytest.param('{"action": "final_answer", "args": {"text": 5}}', "exactly one argument", id="json_answer_of_number"),
        pytest.param('{"action": 5, "args": {}}', "name of a tool", id="json_action_of_number"),
        pytest.param('Action: read_point({"point": "a"})\nAction Input: {"point": "b"}', "written twice and differ", id="two_arguments"),
        pytest.param(
            "Action: read_point\nAction Input: {}\nAction: write_point\nAction Input: {}", "one action a step", id="two_actions_at_once"
        ),
        pytest.param("Action: read_point\nAction Input: [1, 2]", "one JSON object", id="list"),
        pytest.param('Action: read_point\nAction Input: {"point": 1e999}', "cannot be held exactly", id="infinity"),
        pytest.param('Action: read_point\nAction Input: {"point": 0.12345678901234567890}', "at most 15 digits", id="digits_would_be_lost"),
        pytest.param('Action: read_point\nAction Input: {"point": 123456789012345678901234}', "too long", id="huge_integer"),
        pytest.param('Action: read_point\nAction Input: {"point": 4²}', "not valid JSON", id="superscript_is_no_digit"),
        pytest.param("Action: read_point\nAction Input: " + '{"a":' * 1500, "nested too deeply", id="deep"),
        pytest.param('Action: read_point\nAction Input: {"a": "' + "x" * 9000 + '"}', "longer than", id="long"),
        pytest.param("Action: please read the point p1\nAction Input: {}", "name of one tool", id="prose_action"),
        pytest.param("Answer: a\nAnswer: b", "once", id="two_answers"),
        pytest.param("Answer:", "empty", id="empty_answer"),
        pytest.param('Answer: {"name": "write_point"}', "words only", id="json_as_answer"),
        pytest.param('Answer: I call write_point("sp", 45)', "words only", id="call_as_answer"),
        pytest.param("I will call read_point now.", "neither", id="prose_that_names_a_tool"),
        pytest.param(
            '<tool_call>{"name": "read_point", "arguments": {}}</tool_call><tool_call>{"name": "a", "arguments": {}}</tool_call>',
            "one call",
            id="two_tool_calls",
        ),
        pytest.param('Answer: done\n<tool_call>{"name": "read_point", "arguments": {}}</tool_call>', "one call", id="answer_and_tool_call"),
    ],
)
def test_other_faults_are_named(output: str, words: str) -> None:
    with pytest.raises(StepFaultError, match=words):
        parse(output, TOOLS)


def test_unknown_tool_is_kept_for_the_record() -> None:
    with pytest.raises(StepFaultError) as fault:
        parse("Action: confirm_write\nAction Input: {}", TOOLS)
    assert fault.value.tool == "confirm_write"


unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@unhurried
@given(args=st.dictionaries(st.text(max_size=8), _json, max_size=4), ascii_only=st.booleans())
def test_written_arguments_are_read_back_unchanged(args: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(args, ensure_ascii=ascii_only)
    step = parse(f"Thought: x\nAction: read_point\nAction Input: {text}", TOOLS)
    assert isinstance(step, Call)
    assert json.dumps(step.args) == json.dumps(args)


@unhurried
@given(text=st.text(max_size=200))
def test_any_text_is_a_step_or_a_fault(text: str) -> None:
    try:
        step = parse(text, TOOLS)
    except StepFaultError:
        return
    if isinstance(step, Call):
        assert step.tool in TOOLS
    else:
        assert step.text.strip()


@unhurried
@given(text=st.text(alphabet='{}[]":,0123456789.eE+- \\tnul“”：，｛｝', max_size=40))
def test_object_is_strict_json_or_a_fault(text: str) -> None:
    try:
        read = read_object(text)
    except JsonFault:
        return
    assert isinstance(read, dict)


def test_half_width_keeps_positions() -> None:
    text = "Ａｃｔｉｏｎ：全角　４５²①㎏"
    assert half_width(text) == "Action:全角 45²①㎏"
    assert len(half_width(text)) == len(text)


class ReadArgs(Args):
    points: list[str] = Field(min_length=1, description="tags")
    calc: Literal["sum", "mean"] | None = None
    point: str | None = None


class WriteArgs(Args):
    point: str
    value: float | int | str


class Way(StrEnum):
    UP = "up"
    DOWN = "down"


class MoveArgs(Args):
    ways: list[Way]
    kind: Literal["only"]


class Tool:
    def __init__(self, name: str, args: type[Args]) -> None:
        self.name, self.args, self.description = name, args, f"does {name}"


TWO = (Tool("read_points", ReadArgs), Tool("propose_write", WriteArgs))


def test_schema_allows_no_answer_before_its_time() -> None:
    first = step_schema(TWO, may_answer=False)
    later = step_schema(TWO, may_answer=True)
    assert [step["properties"]["action"]["const"] for step in first["anyOf"]] == ["read_points", "propose_write"]
    assert later["anyOf"][-1]["properties"]["action"]["const"] == "final_answer"


def test_schema_is_closed_and_complete() -> None:
    for step in step_schema(TWO, may_answer=True)["anyOf"]:
        assert step["additionalProperties"] is False
        assert step["required"] == ["thought", "action", "args"]
        args = step["properties"]["args"]
        assert args["additionalProperties"] is False
    assert "$ref" not in json.dumps(step_schema(TWO, may_answer=True))


def test_schema_leaves_what_is_optional_to_the_model() -> None:
    read, write = step_schema(TWO, may_answer=False)["anyOf"]
    assert read["properties"]["args"]["required"] == ["points"], "a small model fills in whatever it must"
    assert set(write["properties"]["args"]["required"]) == {name for name, field in WriteArgs.model_fields.items() if field.is_required()}


def test_found_tags_bind_the_points() -> None:
    read, write = step_schema(TWO, may_answer=False, tags=["b.y", "a.x"])["anyOf"]
    assert read["properties"]["args"]["properties"]["points"]["items"] == {"enum": ["a.x", "b.y"]}
    assert read["properties"]["args"]["properties"]["point"]["anyOf"] == [{"enum": ["a.x", "b.y"]}, {"type": "null"}]
    assert write["properties"]["args"]["properties"]["point"] == {"enum": ["a.x", "b.y"]}
    assert "enum" not in write["properties"]["args"]["properties"]["value"]


def test_no_more_than_thirty_tags_bind() -> None:
    [read, _] = step_schema(TWO, may_answer=False, tags=[f"d.p{n}" for n in range(2000)])["anyOf"]
    assert len(read["properties"]["args"]["properties"]["points"]["items"]["enum"]) == 30


def test_tools_are_described_in_a_line_each() -> None:
    assert describe(TWO) == (
        "- read_points(points: list of string (tags), calc?: sum|mean, point?: string): does read_points\n"
        "- propose_write(point: string, value: number or integer or string): does propose_write"
    )


def test_named_choices_are_put_in() -> None:
    [move] = step_schema([Tool("move", MoveArgs)], may_answer=False)["anyOf"]
    assert move["properties"]["args"]["properties"]["ways"]["items"] == {"enum": ["up", "down"], "type": "string"}
    assert describe([Tool("move", MoveArgs)]) == "- move(ways: list of up|down, kind: only): does move"
