"""Values now, one or many, compared and computed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.builtin_llm import say
from assistant.builtin_llm.asked import Asked, without_cues
from assistant.builtin_llm.dialogue import Dialogue
from assistant.builtin_llm.moves import Answer, Call, Move
from assistant.builtin_llm.observed import Block, FoundPoint, Reading, computed, found_blocks, readings
from assistant.builtin_llm.parts import Part, parts_of
from assistant.language.shown import human_unit
from gateway.model.point import Text
from gateway.service.lexicon import THINGS, UNITS
from gateway.service.words import words_of

MOST_READ = 12
"""Points read for one question; where more fit, the operator is asked."""


def values(asked: Asked, dialogue: Dialogue) -> Move:
    """Find the points, read them, say what they show."""
    parts = parts_of(without_cues(asked.text))
    finds, reads = dialogue.of("find_points"), dialogue.of("read_points")
    if not parts:
        return not_found(asked, ())
    if not finds:
        return find(parts)
    blocks = found_blocks(finds[0].observation)
    chosen = choose(asked, parts, blocks)
    if not chosen.points:
        return not_found(asked, blocks)
    calc = _calc(asked, chosen.points)
    if calc.needs_counterpart:
        point = chosen.points[0]
        if len(finds) == 1:
            return Call(
                "find_points", {"query": _counterpart(point, asked), "device": point.device}, "the measured value beside the set-point"
            )
        other = [
            found
            for block in found_blocks(finds[1].observation)
            for found in block.best
            if not found.is_writable and found.unit == point.unit
        ]
        chosen = Chosen((other[0], point) if other else (point,), is_ambiguous=False, lacking=chosen.lacking)
        calc = _Calc("difference" if other else None, None)
    if calc.name == "ratio" and _PER_FIRST.search(asked.text):
        chosen = replace(chosen, points=chosen.points[::-1])
    if not reads:
        args: dict[str, str | int | float | Sequence[str] | None] = {"points": [point.tag for point in chosen.points[:MOST_READ]]}
        return Call("read_points", args | {"calc": calc.name, "of": calc.of}, "the values now")
    return Answer(_answer(asked, chosen, reads[0].observation, calc))


def find(parts: Sequence[Part]) -> Call:
    """Look for all parts at once."""
    queries = dict.fromkeys(query for part in parts for query in part.queries)
    return Call("find_points", {"query": "; ".join(queries)[:300]}, "which points are meant")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The points to read; `is_ambiguous` if the words fit several devices, `lacking` the parts for which there is no point."""

    points: tuple[FoundPoint, ...]
    is_ambiguous: bool
    lacking: tuple[Block, ...]


def choose(asked: Asked, parts: Sequence[Part], blocks: Sequence[Block]) -> Chosen:
    """The points that the parts mean: measured values before set-points, the running ones before commands."""
    by_query = {block.query: block for block in blocks}
    points: list[FoundPoint] = []
    lacking: list[Block] = []
    is_ambiguous = False
    for part in parts:
        tried = [by_query[query] for query in part.queries if query in by_query]
        block = _block(tried)
        if block is None:
            lacking += tried[:1]
            continue
        best = _measured(asked, block.best)
        if _GROUPED.search(asked.text) and not _NAMED_PAIR.search(asked.text):
            best = _largest_group(best)
        is_ambiguous = is_ambiguous or (len({point.device for point in best}) > 1 and not _SEVERAL.search(asked.text))
        points += [point for point in best if point.tag not in {known.tag for known in points}]
    if len(lacking) == len(parts):
        points = []
    return Chosen(tuple(points), is_ambiguous and len(parts) == 1, tuple(lacking))


def not_found(asked: Asked, blocks: Sequence[Block]) -> Answer:
    """There is no such point; the nearest ones are named, their values are not."""
    near = [point for block in blocks for point in block.points][:3]
    said = "、".join(dict.fromkeys(block.lacking for block in blocks if block.lacking and block.lacking != "?"))
    what = f"“{said}”" if said and asked.lang == "zh" else f' for "{said}"' if said else ""
    if asked.lang == "zh":
        text = f"没有找到{what or '对应'}的点：这个数据在本站的寄存器表中不存在，我无法给出数值。"
        if near:
            text += "最接近的有：" + "、".join(say.name(point.title, "zh") for point in near) + "。是指其中之一吗？"
        return Answer(text)
    text = f"I could not find such a point{what}: it is not in the register map of this plant, so I do not have a value."
    if near:
        text += " The nearest are: " + "; ".join(say.name(point.title, "en") for point in near) + ". Do you mean one of these?"
    return Answer(text)


_SEVERAL = re.compile(
    r"\bboth\b|\ball\b|\beach\b|\bevery\b|\bpumps\b|\bdrives\b|\bmotors\b|\bphases\b|\bcompare|\bwhich (?:pump|drive|motor|one|phase"
    r"|tank|of)|\bthree\b|\btwo\b|\bthe \w+s\b(?! for)|各|都|分别|两台|两个|双泵|所有|全部|每|哪台|哪个泵|哪一|三相|对比|比较"
)
_GROUPED = re.compile(r"\baverage|\bmean\b|\bimbalance|\bunbalance|\bsum\b|\btotal\b|三相|不平衡|平均|总和|之和|合计")
_NAMED_PAIR = re.compile(r"\bpumps?\b|泵|\bboth\b|两台")
_SETPOINT_NEAR = re.compile(
    r"\b(?:near|close|off|away|far|deviat\w*|reached|at its|at the|from (?:its|the)|below|above|match\w*|hold\w*)\b.*\b(?:set-?point"
    r"|set point|target)|(?:set-?point|set point|target).*\b(?:off|deviat\w*|reached|differen\w*|far)\b"
    r"|(?:离|距|与|和|到|接近|达到|偏离|差).{0,8}(?:设定|目标|给定)|(?:设定|目标|给定).{0,10}(?:差|偏差|接近|达到|相差)"
)
_DIFFERENCE = re.compile(
    r"\bdifferen(?:ce|t)\b|\bdiffers?\b|\bapart\b|\bhow (?:much|many \w+) (?:higher|lower|more|less|warmer|hotter|colder|faster|slower"
    r"|bigger|smaller|further|off)|\bgap\b|\bspread\b|\bdeviation|\bwhich (?:pump|drive|motor|one|phase|of).*(?:er|more|less|most"
    r"|highest|lowest)\b"
    r"|差多少|相差|差值|偏差|差几|高多少|低多少|多多少|少多少|温差|压差|哪(?:台|个|一台).*(?:高|低|大|小|多|少|快|慢|热)"
)
_RATIO = re.compile(r"\bper\b|\bratio\b|\bdivided by\b|\bhow many times\b|多少倍|比值|每立方|除以|单位(?:能|电)耗|比例")
_PER_FIRST = re.compile(r"每(?:立方|吨|升)")
"""Chinese names first what is divided by."""

_PERCENT = re.compile(r"百分之|百分比|占.{0,12}(?:多少|几)|\bwhat percent|\bpercent(?:age)? of\b|\bwhat share|% of|how many percent")
_ABOVE = re.compile(r"\b(?:above|over|exceed\w*|higher than|more than|greater than|hotter than|faster than)\b|高于|超过|大于|超出")
_BELOW = re.compile(r"\b(?:below|under|lower than|less than|colder than|slower than)\b|低于|小于|不到|不足")


@dataclass(frozen=True, slots=True)
class _Calc:
    name: str | None
    of: float | int | None
    needs_counterpart: bool = False


def _calc(asked: Asked, points: Sequence[FoundPoint]) -> _Calc:
    amount = next((found for found in asked.amounts if not points or found.unit in ("", "%", points[0].unit)), None)
    same_unit = len({point.unit for point in points}) == 1
    number = None if amount is None else (int(amount.value) if amount.value == int(amount.value) else float(amount.value))
    if asked.says(_PERCENT) and (number is not None or (len(points) == 2 and same_unit)):
        return _Calc("percent", number)
    if asked.says(_SETPOINT_NEAR) and len(points) == 1 and points[0].is_writable and points[0].unit:
        return _Calc(None, None, needs_counterpart=True)
    if len(points) == 2 and same_unit and (asked.says(_DIFFERENCE) or asked.says(_SETPOINT_NEAR)):
        return _Calc("difference", None)
    if number is not None and (asked.says(_ABOVE) or asked.says(_BELOW) or asked.says(_DIFFERENCE)):
        return _Calc("difference", number)
    if len(points) == 2 and asked.says(_RATIO):
        return _Calc("ratio", None)
    if len(points) > 1 and same_unit:
        for name, pattern in _OVER_ALL:
            if asked.says(pattern):
                return _Calc(name, None)
    return _Calc(None, None)


_OVER_ALL = (
    ("imbalance", re.compile(r"imbalance|unbalance|不平衡")),
    ("mean", re.compile(r"\baverage|\bmean\b|平均")),
    ("sum", re.compile(r"\bsum\b|\btotal\b|\btogether\b|\bcombined\b|\baltogether\b|\bin all\b|总共|一共|合计|加起来|总和|之和|总")),
)


def _counterpart(point: FoundPoint, asked: Asked) -> str:
    device = " ".join(term.word for term in asked.words.terms if set(term.concepts) <= THINGS)
    quantity = UNITS[point.unit][0] if point.unit in UNITS else ""
    return f"{device} {quantity} {human_unit(point.unit)}; {quantity} feedback"


def _block(tried: Sequence[Block]) -> Block | None:
    """The block to take: for "running" one that shows a state, else the first with points."""
    useful = [block for block in tried if block.best]
    if not useful:
        return None
    if words_of(useful[0].query).concepts & {"run", "off"} and useful[0].best[0].mark != "==":
        for block in useful:
            if any(point.flags or point.labels for point in block.best if not point.is_writable):
                return Block(
                    query=block.query,
                    points=tuple(point for point in block.points if point.flags or (point.labels and not point.is_writable)),
                )
    return useful[0]


def _measured(asked: Asked, best: Sequence[FoundPoint]) -> tuple[FoundPoint, ...]:
    """The read-only ones of each device, unless only set-points fit; of one quantity in two units the one asked for, else the first."""
    asks_setpoint = bool(asked.words.concepts & {"setpoint", "reset"})
    kept = []
    for point in best:
        siblings = [other for other in best if other.device == point.device]
        if point.is_writable and not asks_setpoint and any(not other.is_writable for other in siblings):
            continue
        kept.append(point)
    return tuple(kept)


def _largest_group(points: Sequence[FoundPoint]) -> tuple[FoundPoint, ...]:
    groups: dict[tuple[str, str], list[FoundPoint]] = {}
    for point in points:
        groups.setdefault((point.device, point.unit), []).append(point)
    most = max((len(group) for group in groups.values()), default=0)
    largest = [group for group in groups.values() if len(group) == most]
    return tuple(largest[0]) if most > 1 and len(largest) == 1 else tuple(points)


def _answer(asked: Asked, chosen: Chosen, observation: str, calc: _Calc) -> str:
    rows = readings(observation)
    if not rows:
        return asked.pick(f"The values could not be read: {observation}", f"未能读到数值：{observation}")
    titles = {row.tag: row.title for row in rows}
    results = [say.computed(line, titles, asked.lang) for line in computed(observation)]
    sentences = [say.reading(row, asked.lang) for row in rows]
    verdict = _verdict(asked, observation) if calc.name == "difference" and calc.of is not None else _hotter(asked, rows)
    text = "\n".join(
        [f"{verdict}{say.lines(results)}"]
        if results and len(results) >= len(sentences)
        else [*([verdict] if verdict else []), *results, say.lines(sentences)]
    )
    if chosen.is_ambiguous and len(rows) > 1:
        ask = asked.pick("Several points fit; which one do you mean?", "有多个点符合，请问您指的是哪一个？")
        text = f"{text}\n{ask}"
    for block in chosen.lacking:
        if block.lacking and block.lacking != "?":
            text += asked.pick(f"\nThere is no point for {block.lacking}.", f"\n没有“{block.lacking}”的点。")
    return text


def _verdict(asked: Asked, observation: str) -> str:
    """Yes or no, where a limit was asked about and one value answers it."""
    lines = computed(observation)
    if len(lines) != 1 or not re.search(r"^(?:is|are|does|has|have)\b|吗|没有|是否|是不是|有没有", asked.text):
        return ""
    above = " above " in lines[0]
    below = " below " in lines[0]
    if asked.says(_ABOVE):
        return asked.pick("Yes: " if above else "No: ", "是的，" if above else "没有，")
    if asked.says(_BELOW):
        return asked.pick("Yes: " if below else "No: ", "是的，" if below else "没有，")
    return ""


def _hotter(asked: Asked, rows: Sequence[Reading]) -> str:
    """Which of several is the highest or lowest, where that was asked."""
    numbers = [(row.number, row) for row in rows if row.number is not None]
    if len(numbers) < 2 or not re.search(r"\bwhich\b|哪", asked.text):
        return ""
    if re.search(r"\b(?:lower|lowest|less|least|smaller|smallest|slower|colder)\b|更?[低小少慢](?:[？?]|的|一)|最[低小少慢]", asked.text):
        _, row = min(numbers, key=lambda item: item[0])
        return asked.pick(f"The lowest is {say.name(row.title, 'en')}.", f"最低的是{say.name(row.title, 'zh')}。")
    if re.search(r"\b(?:higher|highest|more|most|larger|largest|bigger|faster|hotter|warmer)\b|更?[高大多快热]", asked.text):
        _, row = max(numbers, key=lambda item: item[0])
        return asked.pick(f"The highest is {say.name(row.title, 'en')}.", f"最高的是{say.name(row.title, 'zh')}。")
    return ""


def title_of(tag: str, blocks: Sequence[Block]) -> Text:
    """The title of a found point."""
    return next((point.title for block in blocks for point in block.points if point.tag == tag), Text(tag, tag))
