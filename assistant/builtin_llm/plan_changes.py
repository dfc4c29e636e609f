"""Changes that the operator asks for: one proposal, or the question that is needed before it."""

import re
from collections.abc import Sequence
from decimal import Decimal

from assistant.builtin_llm import say
from assistant.builtin_llm.asked import Asked
from assistant.builtin_llm.dialogue import Dialogue
from assistant.builtin_llm.moves import Answer, Call, Move
from assistant.builtin_llm.observed import FoundPoint, alarm_lines, changes, found_blocks, readings
from assistant.builtin_llm.plan_records import named
from assistant.builtin_llm.plan_values import not_found
from assistant.language.alarms import meant_alarms
from assistant.language.shown import human_unit
from assistant.language.target import Candidate, choose, queries, wanted
from assistant.language.wish import Wish

MAX_REASON = 180


def change(asked: Asked, dialogue: Dialogue) -> Move:
    """The steps to a proposal."""
    wish = asked.wish
    if wish is None:
        return Answer(asked.pick("What should be changed?", "请问要更改什么？"))
    refused = dialogue.of("propose_write") or dialogue.of("propose_ack")
    if refused:
        return Answer(_refusal(asked, refused[-1].observation))
    if wish.kind == "ack":
        return _acknowledge(asked, wish, dialogue)
    asks = queries(wish)
    finds = dialogue.of("find_points")
    if asks and not finds:
        return Call("find_points", {"query": "; ".join(asks)}, "which point is meant")
    blocks = found_blocks(finds[0].observation) if finds else ()
    found = {point.tag: point for block in blocks for point in block.points}
    by_query = {block.query: block for block in blocks}
    meant = choose(wish, [[point.candidate for point in by_query[query].best] if query in by_query else [] for query in asks])
    if wish.kind == "undo":
        return _undo(asked, wish, dialogue, meant)
    if not meant:
        return not_found(asked, blocks)
    if len(meant) > 1:
        return _which(asked, wish, [found[one.tag] for one in meant])
    return _propose(asked, wish, dialogue, meant[0], found[meant[0].tag])


def _propose(asked: Asked, wish: Wish, dialogue: Dialogue, target: Candidate, point: FoundPoint) -> Move:
    vague = wish.kind in ("set", "more", "less") and wish.amount is None and wish.factor is None and not wish.extreme
    if vague and not (target.labels and not target.unit):
        return _how_much(asked, point)
    old: Decimal | None = None
    if wish.kind in ("more", "less") or wish.factor is not None:
        reads = dialogue.of("read_points")
        if not reads:
            return Call("read_points", {"points": [target.tag]}, "the value it is changed from")
        rows = readings(reads[0].observation)
        old = rows[0].number if rows else None
        if old is None:
            return Answer(
                "\n".join(
                    [
                        *(say.reading(row, asked.lang) for row in rows),
                        asked.pick("Without it no relative change can be proposed.", "没有当前值，无法提出相对更改。"),
                    ]
                )
            )
    value = wanted(wish, target, old, _limits(point))
    if value is None:
        return _how_much(asked, point)
    number = int(value) if value == value.to_integral_value() else float(value)
    return Call(
        "propose_write", {"point": target.tag, "value": number, "reason": asked.question[:MAX_REASON]}, "propose what was asked for"
    )


def _acknowledge(asked: Asked, wish: Wish, dialogue: Dialogue) -> Move:
    listed = dialogue.of("list_alarms")
    if not listed:
        return Call("list_alarms", {"state": "all"}, "which alarm is meant")
    rows = alarm_lines(listed[0].observation)
    meant = {alarm.id for alarm in meant_alarms(wish.subject, named(rows))}
    fitting = [row for row in rows if row.id in meant]
    if not fitting:
        return Answer(asked.pick("There is no such alarm.", "没有这样的报警。"))
    waiting = [row for row in fitting if "UNACK" in row.state]
    if not waiting:
        return Answer(
            "\n".join([asked.pick("There is nothing to acknowledge:", "不需要确认："), *(say.alarm(row, asked.lang) for row in fitting)])
        )
    if len(waiting) > 1:
        rows_text = "\n".join(f"- {say.alarm(row, asked.lang)}" for row in waiting)
        return Answer(
            asked.pick(
                f"Which alarm do you want to acknowledge? One at a time:\n{rows_text}", f"请问要确认哪一个报警？请逐个确认：\n{rows_text}"
            )
        )
    return Call("propose_ack", {"alarm": waiting[0].id}, "propose what was asked for")


def _undo(asked: Asked, wish: Wish, dialogue: Dialogue, meant: Sequence[Candidate]) -> Move:
    told = dialogue.of("get_audit")
    point = meant[0].tag if len(meant) == 1 else None
    if wish.subject and queries(wish) and not meant:
        return not_found(asked, found_blocks(dialogue.of("find_points")[0].observation))
    if not told:
        return Call("get_audit", {"point": point}, "what it was before")
    done = [row for row in changes(told[0].observation) if row.outcome.split(" ")[0] in ("verified", "acknowledged", "differs")]
    tags = {one.tag for one in meant}
    done = [row for row in done if not tags or row.tag in tags]
    if not done:
        return Answer(asked.pick("There is no recorded change to undo.", "没有可以撤销的更改记录。"))
    last = done[0]
    number = re.fullmatch(r"-?\d+(?:\.\d+)?", last.old)
    if number is None:
        return Answer(
            f"{say.change(last, asked.lang)} {asked.pick('Its old value is not known, so it cannot be undone.', '原值未知，无法撤销。')}"
        )
    value = Decimal(last.old)
    reason = asked.question[:MAX_REASON]
    wanted_value = int(value) if value == value.to_integral_value() else float(value)
    return Call("propose_write", {"point": last.tag, "value": wanted_value, "reason": reason}, "propose the value from before")


def _limits(point: FoundPoint) -> tuple[Decimal | None, Decimal | None]:
    match = re.search(r"(-?\d+(?:\.\d+)?) to (-?\d+(?:\.\d+)?)", point.rule)
    return (Decimal(match[1]), Decimal(match[2])) if match else (None, None)


def _which(asked: Asked, wish: Wish, points: Sequence[FoundPoint]) -> Answer:
    names = [say.name(point.title, asked.lang) for point in points[:6]]
    vague = wish.kind in ("set", "more", "less") and wish.amount is None and wish.factor is None and not wish.extreme
    if asked.lang == "zh":
        return Answer(f"请问要更改哪一个：{'、'.join(names)}？{'要改到多少？' if vague else ''}请说明后我再提出建议。")
    return Answer(
        f"Which one do you mean: {' or '.join(names)}?{' And to what value?' if vague else ''} I propose nothing before that is clear."
    )


def _how_much(asked: Asked, point: FoundPoint) -> Answer:
    who = say.name(point.title, asked.lang)
    match = re.search(r"(-?[\d.]+) to (-?[\d.]+)", point.rule)
    unit = human_unit(point.unit)
    if asked.lang == "zh":
        span = f"（允许 {match[1]} 到 {match[2]} {unit}）" if match else ""
        return Answer(f"请问 {who} 要改到多少{span}？")
    span = f" ({match[1]} to {match[2]} {unit} is allowed)" if match else ""
    return Answer(f"To what value should {who} be changed{span}?")


def _refusal(asked: Asked, observation: str) -> str:
    """The refusal in the operator's language."""
    code = re.match(r"([A-Z_]{4,}): ?", observation)
    body = observation[code.end() :] if code else observation
    english, _, chinese = body.rpartition(" / ")
    if not english:
        stop = re.search(r"(?<=[.!])\s+(?=[^\x00-\x7f])", body)
        english, chinese = (body[: stop.start()], body[stop.end() :]) if stop else (body, body)
    if asked.lang == "zh":
        return f"不能执行，系统拒绝了这个请求（{code[1] if code else '拒绝'}）：{chinese.strip().rstrip('。')}。没有写入任何内容。"
    return f"That is not allowed ({code[1] if code else 'refused'}): {english.strip().rstrip('.')}. Nothing was written."
