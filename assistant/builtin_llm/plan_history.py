"""What was, how it goes, and when it gets there."""

import re

from assistant.builtin_llm import say
from assistant.builtin_llm.asked import Asked, without_cues
from assistant.builtin_llm.cues import EXCEEDED, EXTREMES, REACHES, TREND, USED
from assistant.builtin_llm.dialogue import Dialogue
from assistant.builtin_llm.moves import Answer, Call, Move
from assistant.builtin_llm.observed import FoundPoint, found_blocks
from assistant.builtin_llm.parts import parts_of
from assistant.builtin_llm.plan_values import choose, find, not_found, title_of

_COUNTED = frozenset({"kWh", "m3", "Wh", "MWh"})
"""Units that only count up: what is asked about them is the difference."""


def history(asked: Asked, dialogue: Dialogue) -> Move:
    """Find the point, look it up, say what the data show."""
    parts = parts_of(without_cues(asked.text))
    finds, looked = dialogue.of("find_points"), dialogue.of("get_history")
    if not parts:
        return not_found(asked, ())
    if not finds:
        return find(parts)
    blocks = found_blocks(finds[0].observation)
    chosen = choose(asked, parts, blocks)
    points = _for_history(asked, chosen.points)
    if not points:
        return not_found(asked, blocks)
    if len({point.device for point in points}) > 1 and len(parts) == 1 and len(points) > 3:
        names = [say.name(point.title, asked.lang) for point in points[:6]]
        return Answer(asked.pick(f"Which one do you mean: {'; '.join(names)}?", f"请问您指的是哪一个：{'、'.join(names)}？"))
    done = {str(step.args.get("point")): step.observation for step in looked}
    for point in points[:3]:
        if point.tag not in done:
            return look(asked, point.tag, point.unit)
    return Answer(say.lines([say.history(done[point.tag], title_of(point.tag, blocks), asked.lang) for point in points[:3]]))


def look(asked: Asked, tag: str, unit: str) -> Call:
    """The get_history call that answers the question about a point."""
    amount = next((found for found in asked.amounts if found.unit in ("", unit)), None)
    number = None if amount is None else (int(amount.value) if amount.value == int(amount.value) else float(amount.value))
    args: dict[str, str | int | float | None] = {"point": tag}
    if asked.says(REACHES):
        if number is None and re.search(r"empty|空", asked.text):
            number = 0
        elif number is None and re.search(r"full|满", asked.text) and unit == "%":
            number = 100
        return Call(
            "get_history", {**args, "period": asked.period or "1h", "agg": "slope", "target": number}, "the trend and when it gets there"
        )
    period = asked.period or ("1h" if asked.says(TREND) else "today")
    if number is not None and asked.says(EXCEEDED):
        return Call("get_history", {**args, "period": period, "agg": "duration", "target": number}, "when it was above the limit")
    if re.search(r"ago$|now$|^(?:yesterday )?\d\d:\d\d$", period):
        return Call("get_history", {**args, "period": period, "agg": "last"}, "the value at that time")
    for agg, pattern in EXTREMES:
        if asked.says(pattern):
            return Call("get_history", {**args, "period": period, "agg": agg}, "the values of that time")
    if unit in _COUNTED or (asked.says(USED) and not asked.says(TREND)):
        return Call("get_history", {**args, "period": period, "agg": "delta"}, "how much it grew")
    return Call("get_history", {**args, "period": period, "agg": "slope"}, "how it went")


def _for_history(asked: Asked, points: tuple[FoundPoint, ...]) -> tuple[FoundPoint, ...]:
    """Of the same quantity in two units, the unit that was named, else the first; for "used" the one that counts."""
    named = {found.unit for found in asked.amounts if found.unit} | {
        concept.removeprefix("u:") for concept in asked.words.concepts if concept.startswith("u:")
    }
    fitting = tuple(point for point in points if point.unit in named) or points
    first: dict[str, FoundPoint] = {}
    for point in fitting:
        first.setdefault(point.device, point)
    return tuple(point for point in fitting if point in first.values() or (len(fitting) <= 3 and _differs(point, first[point.device])))


def _differs(one: FoundPoint, other: FoundPoint) -> bool:
    """True for two quantities (current and voltage), not for one in two units."""
    return one.unit == other.unit
