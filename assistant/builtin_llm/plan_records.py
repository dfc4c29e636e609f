"""Alarms, changes, communication, devices, limits: what is listed."""

import re
from collections.abc import Sequence

from assistant.builtin_llm import say
from assistant.builtin_llm.asked import Asked, without_cues
from assistant.builtin_llm.dialogue import Dialogue
from assistant.builtin_llm.moves import Answer, Call, Move
from assistant.builtin_llm.observed import AlarmLine, alarm_lines, changes, found_blocks
from assistant.builtin_llm.parts import Part, parts_of
from assistant.builtin_llm.plan_values import find, not_found
from assistant.language.alarms import NamedAlarm, meant_alarms
from gateway.service.words import words_of

_SHELVED = re.compile(r"shelv|suppress|inhibit|搁置|屏蔽|抑制")
_OPEN = re.compile(r"unack|not (?:been )?ack|without ack|to be ack|need\w* ack|not yet ack|waiting|(?:没有?|未|尚未|还没|待)(?:被)?确认")
_ACTIVE = re.compile(r"\bactive\b|\bstanding\b|\bcurrent(?:ly)?\b|\bnow\b|\bright now\b|激活|正在|当前|活动|现存")
_ONE = re.compile(r"\bwhen\b|\bsince\b|\bwho\b|\bwhich\b|什么时候|几点|多久|谁")


def alarms(asked: Asked, dialogue: Dialogue) -> Move:
    """List the alarms, then say those that were asked for."""
    listed = dialogue.of("list_alarms")
    if not listed:
        named = asked_about(asked, ()) is not None and not asked.says(_OPEN)
        wanted = ((_SHELVED, "shelved"), (_OPEN, "unacknowledged"), (_ACTIVE, "active"))
        state = "all" if named else next((name for cue, name in wanted if asked.says(cue)), "all")
        return Call("list_alarms", {"state": state}, "the alarms")
    found = alarm_lines(listed[0].observation)
    about = asked_about(asked, found)
    if about is not None:
        if not about:
            return Answer(asked.pick("There is no such alarm now.", "目前没有这样的报警。"))
        found = about
    if not found:
        state = str(listed[0].args.get("state", "all"))
        words = {"active": ("active ", "激活的"), "unacknowledged": ("unacknowledged ", "未确认的"), "shelved": ("shelved ", "搁置的")}.get(
            state, ("", "")
        )
        return Answer(asked.pick(f"There are no {words[0]}alarms.", f"目前没有{words[1]}报警。"))
    return Answer(say.lines([say.alarm(one, asked.lang) for one in found]))


def asked_about(asked: Asked, found: Sequence[AlarmLine]) -> tuple[AlarmLine, ...] | None:
    """The alarms of the thing the question names, None if it names none."""
    words = words_of(without_cues(asked.text))
    known = [term.word for term in words.terms if not all(concept in _NOISE or concept.startswith("=") for concept in term.concepts)]
    ids = re.findall(r"\bal-?\d+", asked.text)
    if not known and not words.instances and not words.identifiers and not ids:
        return None
    numbered = [words.text[found_.start : found_.end] for found_ in words.instances]
    said = " ".join([*ids, *known, *numbered, *(name for name in words.identifiers if name not in ids)])
    meant = {alarm.id for alarm in meant_alarms(said, named(found))}
    return tuple(one for one in found if one.id in meant)


def named(found: Sequence[AlarmLine]) -> list[NamedAlarm]:
    """The alarms with all words by which they may be called."""
    return [
        NamedAlarm(id=one.id, words=f"{one.text.en} {one.text.zh} {one.title.en} {one.title.zh}", is_open="UNACK" in one.state)
        for one in found
    ]


_NOISE = frozenset(
    {
        "alarm",
        "high",
        "low",
        "status",
        "total",
        "name",
        "off",
        "run",
        "quality",
        "station",
        "fault",
        "tag",
        "u:%",
        "reset",
        "time",
        "u:min",
        "u:h",
    }
)


def audit(asked: Asked, dialogue: Dialogue) -> Move:
    """Find the point that was changed, if one is named, then tell its changes."""
    parts = _changed(asked)
    finds, told = dialogue.of("find_points"), dialogue.of("get_audit")
    if parts and not finds:
        return find(parts)
    point = None
    if finds:
        blocks = found_blocks(finds[0].observation)
        best = [found for block in blocks for found in block.best]
        writable = [found for found in best if found.is_writable] or [
            found for block in blocks for found in block.points if found.is_writable and not block.lacking
        ]
        if not best:
            return not_found(asked, blocks)
        point = writable[0].tag if len({one.tag for one in writable}) == 1 else None
    if not told:
        return Call("get_audit", {"point": point, "period": asked.period}, "who changed it")
    rows = changes(told[0].observation)
    if finds and point is None:
        tags = {found.tag for block in found_blocks(finds[0].observation) for found in block.points}
        rows = tuple(row for row in rows if row.tag in tags)
    if not rows:
        return Answer(asked.pick("No such change is recorded for that time.", "这段时间没有这样的更改记录。"))
    only_last = re.search(r"\blast\b|\blatest\b|最后|上一?次|最近一次|刚才", asked.text)
    return Answer(say.lines([say.change(row, asked.lang) for row in (rows[:1] if only_last else rows[:6])]))


def _changed(asked: Asked) -> tuple[Part, ...]:
    text = re.sub(
        r"\b(?:who|changed?|changes|adjust\w*|set|wrote|written|writes?|operat\w*|last|latest|recent|audit|log|anybody|anyone|somebody"
        r"|someone|made|touched|stopped|started|raised|lowered|reset|actions?|by whom|from what|to what|and|why|old|previous|value)\b"
        r"|谁|改(?:过|动|了|成)?|修改|更改|调整?(?:过|了)?|设(?:过|了|成)|动过|操作|记录|审计|变更|上一?次|最后|原因|从多少|到多少"
        r"|之前|原来|日志",
        " ",
        without_cues(asked.text),
    )
    return parts_of(text)


def health(asked: Asked, dialogue: Dialogue) -> Move:
    """The communication state of the devices that were asked about."""
    told = dialogue.of("device_health")
    if not told:
        return Call("device_health", {}, "who answers")
    rows = [line for line in told[0].observation.splitlines() if " | " in line]
    wanted = words_of(without_cues(asked.text))
    concepts = {concept for term in wanted.terms for concept in term.concepts if not concept.startswith(("=", "u:"))} - {
        "status",
        "off",
        "station",
    }
    numbers = {found.number for found in wanted.instances}
    fitting = []
    for row in rows:
        words = words_of(row.replace(" | ", " "))
        known = {found.number for found in words.instances} | {
            int(name.rsplit("-", 1)[-1]) for name in words.identifiers if name.rsplit("-", 1)[-1].isdecimal()
        }
        if (
            all(name in words.identifiers for name in wanted.identifiers)
            and numbers <= known
            and (not concepts or concepts & words.concepts)
        ):
            fitting.append(row)
    return Answer(say.lines([_health_line(row, asked.lang) for row in (fitting or rows)]))


def _health_line(row: str, lang: str) -> str:
    body, _, title = row.rpartition(" | ")
    english, _, chinese = title.partition(" / ")
    device, _, rest = body.partition(" ")
    pieces = []
    for piece in rest.split(", "):
        left, _, right = (piece.partition(": ")[2] or piece).partition(" / ")
        pieces.append(left if lang == "en" else right or _health_zh(left))
    return f"{chinese or english}（{device}）：{'，'.join(pieces)}。" if lang == "zh" else f"{english} ({device}): {', '.join(pieces)}."


def _health_zh(piece: str) -> str:
    for english, chinese in (("last good reply", "最近一次正常应答"), ("since", "自"), ("errors", "错误"), ("replies in", "应答时间")):
        if piece.startswith(english):
            return f"{chinese}{piece.removeprefix(english)}"
    return piece


def devices(asked: Asked, dialogue: Dialogue) -> Move:
    """The list of devices."""
    told = dialogue.of("list_devices")
    if not told:
        return Call("list_devices", {}, "what is connected")
    rows = []
    for line in told[0].observation.splitlines():
        parts = line.split(" | ")
        if len(parts) >= 3:
            english, _, chinese = parts[1].partition(" / ")
            rows.append(
                f"{chinese or english}（{parts[0]}，型号 {parts[2]}）" if asked.lang == "zh" else f"{english} ({parts[0]}, {parts[2]})"
            )
    return Answer(say.lines(rows) if rows else told[0].observation)


def limits(asked: Asked, dialogue: Dialogue) -> Move:
    """What may be written to a point, as its map says."""
    text = re.sub(
        r"\b(?:can|could|may|set|write|adjust|go|allowed|highest|lowest|most|limits?)\b|能|可以|设(?:到|成|为)|最高|最低|最大|最小"
        r"|上限|下限|调",
        " ",
        without_cues(asked.text),
    )
    parts = parts_of(text)
    finds = dialogue.of("find_points")
    if not parts:
        return not_found(asked, ())
    if not finds:
        return find([Part((f"{part.queries[0]} setpoint", *part.queries)) for part in parts])
    blocks = found_blocks(finds[0].observation)
    writable = [found for block in blocks for found in block.best if found.is_writable]
    if not writable:
        known = [found for block in blocks for found in block.best]
        if not known:
            return not_found(asked, blocks)
        who = say.name(known[0].title, asked.lang)
        return Answer(asked.pick(f"{who} is read-only: a measurement that cannot be written.", f"{who} 是只读的测量值，不能设定。"))
    rows = []
    for found in {one.tag: one for one in writable}.values():
        who, unit = say.name(found.title, asked.lang), found.unit.replace("degC", "°C").replace("m3/h", "m³/h")
        rule = found.rule.removeprefix("writable").strip()
        if asked.lang == "zh":
            rule = (
                rule.replace(" to ", " 到 ")
                .replace(", at most ", "，每次最多改变 ")
                .replace(" in one change", "")
                .replace(", role ", "，需要权限 ")
                .replace(", two people confirm", "，需两人确认")
            )
            rows.append(f"{who}：可设定范围 {rule or '见取值'}（单位 {unit or '无'}）。")
        else:
            rows.append(f"{who}: may be set to {rule or 'its states'} (unit {unit or 'none'}).")
    return Answer(say.lines(rows))
