"""One model output to one step: a call with exactly the arguments that were written, an answer, or a fault to be mended.

Two forms are read: lines `Thought: / Action: / Action Input: / Answer:` (also in Chinese, with markdown or full-width signs around
them) and one JSON object `{"thought", "action", "args"}` (also as `<tool_call>`).
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from assistant.steps.jsontext import Json, JsonFault, half_width, read_object

FINAL = "final_answer"
STOP = ("\nObservation:", "\n观察:", "\n观察：")
"""Stop sequences: what follows them would be invented by the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The model wants the tool `tool` with exactly `args`."""

    tool: str
    args: dict[str, Json]
    thought: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The model answers the operator with `text`."""

    text: str
    thought: str = ""


class StepFaultError(ValueError):
    """The output is no step; `str()` is what the model is told. `tool` is a name that does not exist, if that was the fault."""

    def __init__(self, message: str, *, tool: str = "") -> None:
        super().__init__(message)
        self.tool = tool


_Kind = Literal["thought", "action", "input", "observation", "answer"]
_WORDS: dict[_Kind, str] = {
    "input": "action input|action_input|行动输入|动作输入",
    "action": "action|行动|动作",
    "thought": "thought|思考|想法",
    "observation": "observation|观察结果|观察",
    "answer": "final answer|answer|最终答案|最终回答|答案|回答",
}
_KEYWORD = re.compile(
    r"^[ \t*#>_`-]*(?:" + "|".join(f"(?P<{kind}>{words})" for kind, words in _WORDS.items()) + r")[ \t*_`]*:[ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_LEADING_THINK = re.compile(r"^\s*<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_AROUND = re.compile(r"^```(?:json)?\s*|^[`*_\s]+|[`*_\s]+$")
_TOOL_CALL = re.compile(r"(.*?)<tool_call>\s*(\{.*\})\s*(?:</tool_call>)?\s*", re.DOTALL)
_ACTION_NAME = re.compile(r"`?([\w.-]+)`?\s*(?:\(\s*(\{.*\})?\s*\))?`?\s*", re.DOTALL)
_NO_ACTION = frozenset({"none", "n/a", "无", "null", "no", FINAL})
_LOOKS_LIKE_CALL = re.compile(r"[{}｛｝]|<\w*_?call|\bAction\s*Input\b|行动输入", re.IGNORECASE)


def parse(output: str, tools: Collection[str]) -> Call | Final:
    """The step that `output` is; raises StepFaultError with the exact fault and the names of the tools."""
    text = _FENCE.sub("", _without_thinking(output)).strip()
    try:
        return _parse(text, tools)
    except JsonFault as exc:
        raise StepFaultError(
            f"The arguments are wrong: {exc}. Write them as one strict JSON object with double quotes, plain numbers without units "
            'and true, false or null, such as {"query": "pump 1"}, and nothing behind it.'
        ) from exc


def _parse(text: str, tools: Collection[str]) -> Call | Final:
    if not text:
        raise StepFaultError(f"The step is empty. Write {_forms(tools)}")
    if "<tool_call>" in text:
        return _tool_call(text, tools)
    if half_width(text[0]) == "{":
        return _object_step(read_object(text), tools)
    return _lines(text, tools)


def _without_thinking(output: str) -> str:
    text = _LEADING_THINK.sub("", output, count=1)
    head, closed, tail = text.partition("</think>")
    return tail if closed and "<think>" not in head else text


def _tool_call(text: str, tools: Collection[str]) -> Call | Final:
    found = _TOOL_CALL.fullmatch(text)
    if not found or text.count("<tool_call>") > 1 or any(kind != "thought" for kind, _ in _sections(found[1])):
        raise StepFaultError(f"Write one call a step, and nothing beside it: {_forms(tools)}")
    return _object_step(read_object(found[2]), tools)


def _object_step(step: dict[str, Json], tools: Collection[str]) -> Call | Final:
    keys = set(step)
    if keys == {"name", "arguments"}:
        name, args, thought = step["name"], step["arguments"], ""
    elif {"action", "args"} <= keys <= {"thought", "action", "args"}:
        name, args, thought = step["action"], step["args"], str(step.get("thought", ""))
    else:
        raise StepFaultError('A step in JSON has exactly the keys "thought", "action" and "args".')
    if not isinstance(name, str) or not isinstance(args, dict):
        raise StepFaultError('"action" is the name of a tool and "args" is an object.')
    if name == FINAL:
        text = args.get("text")
        if set(args) != {"text"} or not isinstance(text, str):
            raise StepFaultError(f'{FINAL} has exactly one argument, "text", in words.')
        return _final(text, thought, tools)
    return Call(tool=_known(name, tools), args=args, thought=thought)


def _lines(text: str, tools: Collection[str]) -> Call | Final:
    sections = _sections(text)
    kinds = [kind for kind, _ in sections]
    thought = next((body for kind, body in sections if kind == "thought"), "")
    if "action" in kinds:
        at = kinds.index("action")
        name = sections[at][1]
        if name.lower().strip("`*. ") not in _NO_ACTION:
            if "answer" in kinds:
                raise StepFaultError(f"A step is either an action or an answer, not both. Write {_forms(tools)}")
            if kinds.count("action") > 1 or kinds.count("input") > 1:
                raise StepFaultError(f"Write one action a step. Write {_forms(tools)}")
            return _call(name, sections[at + 1 :], thought, tools)
    if "answer" in kinds:
        if kinds.count("answer") > 1 or "input" in kinds or kinds[-1] != "answer":
            raise StepFaultError(f"The answer is the last line of a step, once. Write {_forms(tools)}")
        return _final(sections[-1][1], thought, tools)
    if not kinds and not any(tool in text for tool in tools):
        return _final(text, "", tools)
    raise StepFaultError(f"There is neither an action nor an answer. Write {_forms(tools)}")


def _sections(text: str) -> list[tuple[_Kind, str]]:
    """Keyword and body in order, up to the first observation: the model may not write what comes behind one."""
    marks = list(_KEYWORD.finditer(half_width(text)))
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    sections: list[tuple[_Kind, str]] = []
    for mark, end in zip(marks, ends, strict=True):
        kind = next(kind for kind in _WORDS if mark[kind])
        if kind == "observation":
            return sections or [(kind, "")]
        sections.append((kind, text[mark.end() : end].strip()))
    return sections


def _call(name: str, rest: list[tuple[_Kind, str]], thought: str, tools: Collection[str]) -> Call:
    written = _AROUND.sub("", next((body for kind, body in rest if kind == "input"), ""))
    found = _ACTION_NAME.fullmatch(name)
    if not found:
        raise StepFaultError(f"The action is the name of one tool and nothing else: {', '.join(tools)}.")
    tool = _known(found[1], tools)
    args = read_object(written) if written else None
    inline = read_object(found[2]) if found[2] else None
    if args is not None and inline is not None and args != inline:
        raise StepFaultError("The arguments are written twice and differ; write them once, behind Action Input.")
    return Call(tool=tool, args=args or inline or {}, thought=thought)


def _known(name: str, tools: Collection[str]) -> str:
    if name not in tools:
        raise StepFaultError(f"There is no tool called {name[:60]!r}. The tools are: {', '.join(tools)}.", tool=name[:60])
    return name


def _final(text: str, thought: str, tools: Collection[str]) -> Final:
    text = text.strip()
    if not text:
        raise StepFaultError(f"The answer is empty. Write {_forms(tools)}")
    if _KEYWORD.search(half_width(text)) or _LOOKS_LIKE_CALL.search(text) or any(f"{tool}(" in text for tool in tools):
        raise StepFaultError(f"The answer holds a call or a keyword of a step. The operator sees words only. Write {_forms(tools)}")
    return Final(text=text, thought=thought)


def _forms(tools: Collection[str]) -> str:
    return (
        '"Thought: ...", "Action: <tool>" and "Action Input: <JSON object>" on three lines, or "Thought: ..." and "Answer: ..." on two. '
        f"The tools are: {', '.join(tools)}."
    )
