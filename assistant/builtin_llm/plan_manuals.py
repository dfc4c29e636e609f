"""What the manuals say, alone or together with values of the plant."""

import re
from collections.abc import Sequence
from decimal import Decimal

from assistant.builtin_llm import say
from assistant.builtin_llm.asked import Asked, without_cues
from assistant.builtin_llm.conditions import Condition, conditions
from assistant.builtin_llm.cues import CAUSE, IN_RANGE, RESET
from assistant.builtin_llm.dialogue import Dialogue
from assistant.builtin_llm.moves import Answer, Call, Move
from assistant.builtin_llm.needs import search_words
from assistant.builtin_llm.observed import FoundPoint, Reading, alarm_lines, computed, found_blocks, readings
from assistant.builtin_llm.parts import parts_of
from assistant.builtin_llm.passages import Quote, gloss, passages, quotes
from assistant.builtin_llm.plan_values import choose, find
from assistant.language.shown import human_unit
from gateway.service.words import words_of

MOST_CALLS = 5
"""So many calls fit into a turn together with the answer."""

_SUMMARY = re.compile(r"summar|overview|notes|tell me about|总结|概括|摘要|概述|归纳")


def manual(asked: Asked, dialogue: Dialogue) -> Move:
    """Search, then quote."""
    found = dialogue.of("search_manuals")
    if not found:
        return _search(search_words(asked.text))
    chosen = quotes(asked.text, passages(found[-1].observation), most=2 if asked.says(_SUMMARY) else 1)
    if not chosen and len(found) == 1 and asked.text != found[0].args.get("query"):
        return _search(asked.text)
    return Answer(_quoted(asked, chosen) if chosen else _nothing(asked))


def combined(asked: Asked, dialogue: Dialogue) -> Move:
    """Values of the plant, what the manuals say of them, and whether one meets the other."""
    finds, reads, found = dialogue.of("find_points"), dialogue.of("read_points"), dialogue.of("search_manuals")
    parts = parts_of(_live_words(asked))
    if parts and not finds:
        return find(parts[:3])
    blocks = found_blocks(finds[0].observation) if finds else ()
    points = _fault_first(asked, choose(asked, parts[:3], blocks).points) if blocks else ()
    if points and not reads:
        return Call("read_points", {"points": [point.tag for point in points[:6]]}, "the values now")
    rows = readings(reads[0].observation) if reads else ()
    fault = next((row for row in rows if re.match(r"[A-Z]\d+", row.label.en)), None)
    if not found:
        if fault is not None:
            return _search(f"{fault.label.in_(asked.lang)} {search_words(asked.text)}")
        return _search(
            _range_words(asked, rows) if asked.says(IN_RANGE) and rows and not asked.says(_OWN_WORDS) else search_words(asked.text)
        )
    sought = (
        f"{_code(fault)} {asked.text}" if fault else str(found[-1].args.get("query", "")) if asked.says(IN_RANGE) and rows else asked.text
    )
    chosen = quotes(sought, passages(found[-1].observation))
    if fault is not None and not dialogue.of("list_alarms"):
        return Call("list_alarms", {"state": "all", "point": fault.tag}, "since when")
    if asked.period and not dialogue.of("list_alarms"):
        return Call("list_alarms", {"state": "all"}, "what was reported then")
    stated = conditions([sentence for quote in chosen for sentence in quote.sentences])
    more = _condition_points(asked, dialogue, stated, rows)
    if isinstance(more, Call):
        return more
    return Answer(_told(asked, dialogue, rows, chosen, stated))


_OWN_WORDS = re.compile(r"by hand|enough|too (?:high|low)|\bto do\b|超标|过高|过低|clean|replac|check|清洗|更换|手动|怎么|什么")


def _range_words(asked: Asked, rows: Sequence[Reading]) -> str:
    """What to search for where only "in range?" was asked: the quantity and its range."""
    title = rows[0].title.in_(asked.lang)
    name = re.split(r"[:：]", title)[-1].strip()
    return f"{name}控制范围" if asked.lang == "zh" else f"{name} control range"


def _search(text: str) -> Call:
    return Call("search_manuals", {"query": text[:300]}, "what the manuals say")


def _live_words(asked: Asked) -> str:
    return re.sub(
        r"-?\d+(?:\.\d+)? ?(?:degc|%|hz|bar|mg/l|h\b)|\b(?:reset|clear|why|cause|reason|should|must|need)\b|\bf\d\d\b|复位|清除|原因"
        r"|为什么|检查|什么|能|吗",
        " ",
        without_cues(asked.text),
    )


def _fault_first(asked: Asked, points: tuple[FoundPoint, ...]) -> tuple[FoundPoint, ...]:
    """For the cause of a fault, the point that tells the fault alone."""
    if not (asked.says(CAUSE) or asked.says(RESET) or "fault" in asked.words.concepts):
        return points
    faults = tuple(point for point in points if any(re.match(r"[A-Z]\d+", label.en) for label in point.labels.values()))
    return faults or points


def _code(row: Reading) -> str:
    return row.label.en.split(" ")[0]


def _condition_points(asked: Asked, dialogue: Dialogue, stated: Sequence[Condition], rows: Sequence[Reading]) -> Call | None:
    """The next call for a value that a stated limit is about and that has not been read, None if there is none to make."""
    finds, reads = dialogue.of("find_points"), dialogue.of("read_points")
    calls = len(dialogue.steps)
    for one in stated:
        row = _matching(one, rows) if one.kind == "interval" else None
        if row is not None and len(reads) == 1 and calls < MOST_CALLS:
            return _left(one, (row.tag,))
    open_ones = [one for one in stated if _matching(one, rows) is None and one.kind != "range"]
    if not open_ones or calls >= MOST_CALLS:
        return None
    looked = {str(step.args.get("query")) for step in finds}
    one = open_ones[0]
    query = _about(one, asked)
    if query not in looked:
        return Call("find_points", {"query": query}, "the value that the limit is about") if calls <= 3 else None
    step = next(step for step in finds if step.args.get("query") == query)
    best = [point for block in found_blocks(step.observation) for point in block.best if not point.is_writable]
    if not best or any(best[0].tag in str(read.args.get("points")) for read in reads):
        return None
    if one.kind == "interval":
        return _left(one, [point.tag for point in best[:2]])
    return Call("read_points", {"points": [point.tag for point in best[:2]]}, "the value that the limit is about")


def _left(one: Condition, tags: Sequence[str]) -> Call:
    return Call("read_points", {"points": tags, "calc": "difference", "of": int(one.low)}, "how much of it is left")


def _about(one: Condition, asked: Asked) -> str:
    words = words_of(one.about)
    if one.kind == "interval":
        numbered = [asked.words.text[found.start : found.end] for found in asked.words.instances]
        return " ".join([*numbered, *asked.words.identifiers, "run hours"])
    known = [term.word for term in words.terms if not term.concepts[0].startswith("=")]
    return " ".join(known[-3:]) or one.about


def _matching(one: Condition, rows: Sequence[Reading]) -> Reading | None:
    """The reading that a limit is about: its words name the point, its unit fits."""
    about = words_of(one.about).concepts
    unit = re.sub(r"[\d.~ -]", "", one.shown)
    for row in rows:
        title = words_of(f"{row.title.en} {row.title.zh}").concepts
        mine = human_unit(re.sub(r"^-?[\d.]+ ?", "", row.value)).lower()
        same_unit = not unit or not mine or unit.lower() in (mine, mine.replace("³", "3"))
        if one.kind == "interval":
            if mine == "h":
                return row
        elif about and same_unit and {concept for concept in about if not concept.startswith("=")} & title - {"chemical", "tank", "dose"}:
            return row
    return None


def _told(asked: Asked, dialogue: Dialogue, rows: Sequence[Reading], chosen: Sequence[Quote], stated: Sequence[Condition]) -> str:
    more = [row for step in dialogue.of("read_points")[1:] for row in readings(step.observation)]
    every = [*rows, *more]
    said = [say.reading(row, asked.lang) for row in every]
    titles = {row.tag: row.title for row in every}
    said += [say.computed(line, titles, asked.lang) for step in dialogue.of("read_points") for line in computed(step.observation)]
    for step in dialogue.of("list_alarms"):
        found = alarm_lines(step.observation)
        tags = {row.tag for row in every}
        about = words_of(asked.text).concepts
        fitting = [
            one
            for one in found
            if one.tag in tags or (not rows and about & words_of(f"{one.text.en} {one.title.en}").concepts - {"alarm", "high"})
        ]
        said += [say.alarm(one, asked.lang) for one in fitting]
    said.append(_quoted(asked, chosen) if chosen else _nothing(asked))
    said += [verdict for one in stated if (verdict := _verdict(asked, one, every))]
    if asked.says(RESET) and rows:
        said.append(
            asked.pick(
                "Check these points first; a reset is only proposed when you ask for it, and a person has to confirm it.",
                "请先完成以上检查；需要复位时请明确提出，由人员确认后才会执行。",
            )
        )
    return "\n".join(said)


def _verdict(asked: Asked, one: Condition, rows: Sequence[Reading]) -> str:
    row = _matching(one, rows)
    if row is None or row.number is None or one.kind == "interval":
        return ""
    value, who = row.number, say.name(row.title, asked.lang)
    within = {
        "range": one.low <= value <= one.high,
        "at_least": value >= one.low,
        "at_most": value <= one.low,
        "when_below": value >= one.low,
        "when_above": value <= one.low,
    }[one.kind]
    limit = _limit_words(one, asked.lang)
    if asked.lang == "zh":
        if one.kind == "range":
            return f"{who} {row.value} {'在范围内，没有超出' if within else '不在范围内，已超出'} {limit}。"
        if one.kind in ("at_least", "at_most"):
            return f"{who} {row.value}，{'满足' if within else '不满足'}“{limit}”的要求。"
        return f"{who} {row.value}，{'没有' if within else ''}{limit}。"
    if one.kind == "range":
        return f"{who} at {row.value} is {'within' if within else 'outside'} the range {limit}."
    if one.kind in ("at_least", "at_most"):
        return f'{who} is {row.value}: the condition "{limit}" is {"met" if within else "not met"}.'
    return f"{who} is {row.value}: {'not ' if within else ''}{limit}."


def _limit_words(one: Condition, lang: str) -> str:
    words = {
        "range": ("{}", "{}"),
        "at_least": ("at least {}", "不低于 {}"),
        "at_most": ("at most {}", "不高于 {}"),
        "when_below": ("below {}", "低于 {}"),
        "when_above": ("above {}", "高于 {}"),
        "interval": ("every {}", "每 {}"),
    }[one.kind]
    return words[lang == "zh"].format(one.shown.replace("degc", "°C").replace("mg/l", "mg/L"))


def _quoted(asked: Asked, chosen: Sequence[Quote]) -> str:
    return "\n".join(_quote(asked, one) for one in chosen)


def _quote(asked: Asked, one: Quote) -> str:
    text = " ".join(one.sentences)
    foreign = one.passage.lang != asked.lang
    terms = gloss(text, asked.lang) if foreign else ()
    if asked.lang == "zh":
        if foreign:
            text = _shortest(one.sentences, 60)
            terms = gloss(one.sentences[0], "zh")
            words = f"大意涉及：{'、'.join(terms)}。" if terms else ""
            return f"根据手册 {one.passage.cite}（原文为英文，请以原文为准）：“{text}”{words}"
        return f"根据手册 {one.passage.cite}：“{text}”"
    if foreign:
        words = f" In English it speaks of: {', '.join(terms)}." if terms else ""
        return f'The manual {one.passage.cite}, written in Chinese, says: "{_shortest(one.sentences, 60)}"{words}'
    return f'According to the manual {one.passage.cite}: "{text}"'


def _shortest(sentences: Sequence[str], most: int) -> str:
    """A quote in the other language is kept to its first sentence, and that to `most` signs."""
    first = sentences[0]
    return first if len(first) <= most else (first[:most].rpartition(" ")[0] or first[:most]) + " …"


def _nothing(asked: Asked) -> str:
    return asked.pick(
        "I could not find this in the manuals, so I do not have an answer to that.", "手册中没有找到相关内容，我无法给出这方面的答案。"
    )


def amount(value: Decimal) -> int | float:
    """A number as a JSON argument."""
    return int(value) if value == value.to_integral_value() else float(value)
