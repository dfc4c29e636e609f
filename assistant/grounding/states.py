"""States that an answer tells of the plant, such as "is not running": each must stand in what this turn observed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.grounding.owners import SENTENCE, OwnedLine, owned_lines
from assistant.grounding.statement import read

_GROUPS = (
    {"running": r"\brun(?:ning)?\b|运行|运转", "stopped": r"\bstop(?:ped)?\b|停"},
    {"open": r"\bopen(?:ed)?\b|打开|开启", "closed": r"\bclosed?\b|关闭"},
    {"on": r"\bon\b|\brun(?:ning)?\b|开|运行", "off": r"\boff\b|\bstop(?:ped)?\b|关|停"},
    {"enabled": r"\benabled?\b|启用|允许", "disabled": r"\bdisabled?\b|禁用|禁止"},
    {"full": r"\bfull\b|满", "empty": r"\bempty\b|空"},
    {"tripped": r"\btrip(?:ped)?\b|\bfault|跳闸|故障"},
)
_WORDS = {state: re.compile(words, re.IGNORECASE) for group in _GROUPS for state, words in group.items()}
_OPPOSITES = {state: [other for other in group if other != state] for group in _GROUPS for state in group}
_CHINESE = {"运行": "running", "运转": "running", "停止": "stopped", "停机": "stopped", "打开": "open", "关闭": "closed", "跳闸": "tripped"}
_ENGLISH_SAID = re.compile(
    rf"\b(?:is|are)\s+(?:(?:currently|now|still|already|both|all)\s+)*(?P<not>not\s+)?(?P<state>{'|'.join(_WORDS)})\b(?!\s+(?:at|the|a|by)\b|-)",
    re.IGNORECASE,
)
_CHINESE_SAID = re.compile(
    rf"(?P<not>没有|没在|未在|不在)?(?P<mark>正在|处于|目前|现在)?(?P<state>{'|'.join(_CHINESE)})(?P<tail>中|状态|着|了)?(?![频时速电小])"
)
_SUPPOSED = re.compile(
    r"(?:\b(?:if|when|whether|while|until|unless|once|after|before|ensure|sure|check|wait|that)\b[^.;:!?]*|(?:如果|若|当|待|确认|检查|是否|等到|直到)[^，。；：！？]*)$",
    re.IGNORECASE,
)
_VALUE_LINE = re.compile(r"^[A-Za-z][\w-]*\.[A-Za-z_]\w* (?P<value>[^|]*)\|")
_SPEED = re.compile(r"^(?P<number>-?\d+(?:\.\d+)?) (?:Hz|rpm|r/min)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    """`names` of the device it is said of; none if the sentence names none before it."""

    text: str
    state: str
    is_denied: bool
    names: frozenset[str]


def unseen_states(answer: str, observed: Sequence[str]) -> list[str]:
    """The phrases of `answer` that tell a state which no observed line shows of that device. A turning speed shows that it runs.

    What a manual says shows nothing of a device that is named, and otherwise only where the answer cites a page.

    >>> unseen_states("Pump 1 is not running.", ["vfd1.status 1 running GOOD 1 s | Drive status"])
    ['is not running']
    >>> unseen_states("Pump 1 is running.", ["vfd1.speed_fb 44.9 Hz GOOD 1 s | Speed feedback"])
    []
    """
    lines = owned_lines(observed)
    cites = bool(read(answer).pages)
    return [
        said.text
        for sentence in SENTENCE.split(answer)
        for said in _said(sentence)
        if not _is_seen(said, [_value(line.text) for line in lines if _tells_of(line, said, cites=cites)])
    ]


def _said(sentence: str) -> Iterator[_Said]:
    mentions = read(sentence).mentions
    for pattern in (_ENGLISH_SAID, _CHINESE_SAID):
        for match in pattern.finditer(sentence):
            is_told = pattern is _ENGLISH_SAID or match["not"] or match["mark"]
            if is_told and not _SUPPOSED.search(sentence[: match.start()]):
                names = frozenset(name for at, name in mentions if at < match.start())
                yield _Said(match[0], _CHINESE.get(match["state"], match["state"].lower()), bool(match["not"]), names)


def _tells_of(line: OwnedLine, said: _Said, *, cites: bool) -> bool:
    if line.text.startswith("["):
        return cites and not said.names
    if not said.names:
        return True
    return bool(said.names & (line.owners or {name for _, name in line.statement.mentions}))


def _value(line: str) -> str:
    """What a line says is so: of a value its value, not the tag and title that name it; of anything else all."""
    match = _VALUE_LINE.match(line)
    return match["value"] if match else line


def _is_seen(said: _Said, values: Sequence[str]) -> bool:
    shows = _OPPOSITES[said.state] if said.is_denied else [said.state]
    if any(_WORDS[state].search(value) for state in shows for value in values):
        return True
    if said.state not in ("running", "stopped"):
        return False
    turns = (said.state == "running") is not said.is_denied
    return any((float(match["number"]) != 0) is turns for value in values if (match := _SPEED.match(value)))
