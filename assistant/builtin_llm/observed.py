"""What the tools' lines say, as data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from assistant.language.shown import map_unit
from assistant.language.target import Candidate
from gateway.model.point import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPoint:
    """A line of find_points."""

    mark: str
    tag: str
    unit: str
    is_writable: bool
    rule: str
    labels: Mapping[int, Text] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    title: Text

    @property
    def candidate(self) -> Candidate:
        """What choosing needs of it."""
        return Candidate(tag=self.tag, unit=self.unit, is_writable=self.is_writable, labels=self.labels, is_exact=self.mark == "==")

    @property
    def device(self) -> str:
        """The device's id."""
        return self.tag.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The lines for one part of a query; `best` fit equally well, with `lacking` words none was what was meant."""

    query: str
    lacking: str = ""
    points: tuple[FoundPoint, ...] = ()

    @property
    def best(self) -> tuple[FoundPoint, ...]:
        """The points that fit equally well."""
        return () if self.lacking else tuple(point for point in self.points if point.mark in ("=", "=="))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A line of read_points. `value` is the value with its unit as it is shown, empty where there is none."""

    tag: str
    value: str
    label: Text
    quality: str
    words: Text
    age: str
    title: Text

    @property
    def number(self) -> Decimal | None:
        """The value as a number, if it is one."""
        found = re.match(r"-?\d+(?:\.\d+)?", self.value)
        return Decimal(found[0]) if found else None

    @property
    def flags(self) -> list[str]:
        """The labels that are set."""
        return self.label.en.split(", ") if self.label.en else []


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmLine:
    """A line of list_alarms; `times` as they stand there."""

    id: str
    state: str
    words: Text
    priority: str
    tag: str
    text: Text
    times: Mapping[str, str]
    title: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A line of get_audit."""

    at: str
    who: str
    tag: str
    old: str
    new: str
    outcome: str
    reason: str
    title: Text


def found_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a find_points observation."""
    blocks: list[tuple[str, str, list[FoundPoint]]] = []
    for line in text.splitlines():
        if (head := _HEAD.match(line)) is not None:
            blocks.append((head["query"], head["lacking"] or ("?" if "no point matches" in line else ""), []))
        elif blocks and (point := _found(line)) is not None:
            blocks[-1][2].append(point)
    return tuple(Block(query=query, lacking=lacking, points=tuple(points)) for query, lacking, points in blocks)


def readings(text: str) -> tuple[Reading, ...]:
    """The value lines of a read_points observation."""
    found = []
    for line in text.splitlines():
        body, _, title = line.rpartition(" | ")
        if (bad := _BAD.match(body)) is not None:
            found.append(
                Reading(tag=bad["tag"], value="", label=Text(), quality="BAD", words=_pair(bad["words"]), age="", title=_pair(title))
            )
        elif (good := _VALUE.match(body)) is not None:
            words = _pair(good["words"].strip()) if good["words"] else Text()
            label = _pair(good["label"]) if good["label"] else Text()
            found.append(
                Reading(
                    tag=good["tag"],
                    value=good["value"].strip(),
                    label=label,
                    quality=good["quality"],
                    words=words,
                    age=good["age"],
                    title=_pair(title),
                )
            )
    return tuple(found)


def computed(text: str) -> tuple[str, ...]:
    """The lines of a read_points observation that tell a computed result."""
    return tuple(line for line in text.splitlines() if _COMPUTED.match(line))


def alarm_lines(text: str) -> tuple[AlarmLine, ...]:
    """The alarms of a list_alarms observation, in its order."""
    found = []
    for line in text.splitlines():
        parts = line.split(" | ")
        if len(parts) == 7 and ": " in parts[1]:
            state, _, words = parts[1].partition(": ")
            times = dict(_TIMES.findall(parts[5]))
            found.append(
                AlarmLine(
                    id=parts[0],
                    state=state,
                    words=_pair(words),
                    priority=parts[2],
                    tag=parts[3],
                    text=_pair(parts[4]),
                    times=times,
                    title=_pair(parts[6]),
                )
            )
    return tuple(found)


def changes(text: str) -> tuple[Change, ...]:
    """The changes of a get_audit observation, newest first."""
    found = []
    for line in text.splitlines():
        parts = line.split(" | ")
        if len(parts) >= 7 and " -> " in parts[3]:
            old, _, new = parts[3].partition(" -> ")
            reason = " | ".join(parts[5:-1]).removeprefix("reason ")
            found.append(
                Change(at=parts[0], who=parts[1], tag=parts[2], old=old, new=new, outcome=parts[4], reason=reason, title=_pair(parts[-1]))
            )
    return tuple(found)


_HEAD = re.compile(r'"(?P<query>.*)": ?(?:no point for (?P<lacking>.+?) / .*|no point matches.*)?$')
_BAD = re.compile(r"(?P<tag>\S+) no value BAD (?P<reason>\w+): (?P<words>.*)$")
_VALUE = re.compile(
    r'(?P<tag>\S+\.\S+) (?P<value>"(?:[^"\\]|\\.)*"|[^\[\]"]*?)(?: \(untrusted device text\))?(?: \[(?P<label>[^\]]*)\])? '
    r"(?P<quality>GOOD|UNCERTAIN)(?P<words> .*?)? (?P<age>[\d.]+ (?:s|min|h)(?: old)?)$"
)
_COMPUTED = re.compile(r"(?:difference|ratio|percent|sum|mean|imbalance): ")
_TIMES = re.compile(r"(raised|cleared|acknowledged|shelved until) ([^,]+)")


def _found(line: str) -> FoundPoint | None:
    parts = line.split(" | ")
    mark, _, tag = parts[0].partition(" ")
    if mark not in ("==", "=", "~") or len(parts) < 4:
        return None
    labels: dict[int, Text] = {}
    flags: tuple[str, ...] = ()
    for part in parts[3:-1]:
        if part.startswith("values "):
            for code, label in re.findall(r"(-?\d+) ([^,]+)", part.removeprefix("values ")):
                english, _, chinese = label.partition("/")
                labels[int(code)] = Text(english, chinese)
        elif part.startswith("bits "):
            flags = tuple(part.removeprefix("bits ").split(", "))
    unit = "" if parts[1] == "-" else map_unit(parts[1])
    return FoundPoint(
        mark=mark,
        tag=tag,
        unit=unit,
        is_writable=parts[2] != "read-only",
        rule=parts[2],
        labels=labels,
        flags=flags,
        title=_pair(parts[-1]),
    )


def _pair(text: str) -> Text:
    english, _, chinese = text.partition(" / ")
    return Text(english.strip(), chinese.strip())
