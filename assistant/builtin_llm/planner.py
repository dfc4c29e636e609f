"""The next move of a turn: understand the question, hand it to the plan of its topic."""

from assistant.builtin_llm.asked import Topic, understand
from assistant.builtin_llm.dialogue import Dialogue
from assistant.builtin_llm.moves import Answer, Move
from assistant.builtin_llm.plan_changes import change
from assistant.builtin_llm.plan_history import history
from assistant.builtin_llm.plan_manuals import combined, manual
from assistant.builtin_llm.plan_records import alarms, audit, devices, health, limits
from assistant.builtin_llm.plan_talk import talk
from assistant.builtin_llm.plan_values import values

_PLANS = {
    Topic.CHANGE: change,
    Topic.AUDIT: audit,
    Topic.ALARMS: alarms,
    Topic.HISTORY: history,
    Topic.MANUAL: manual,
    Topic.COMBINED: combined,
    Topic.HEALTH: health,
    Topic.DEVICES: devices,
    Topic.LIMITS: limits,
    Topic.VALUES: values,
}


def next_move(dialogue: Dialogue) -> Move:
    """What to do next. The same dialogue always gives the same move."""
    asked = understand(dialogue.question, dialogue.earlier)
    if dialogue.is_corrected:
        shown = "\n".join(step.observation for step in dialogue.steps)
        return Answer(shown or asked.pick("I could not answer that.", "我无法回答这个问题。"))
    plan = _PLANS.get(asked.topic)
    return talk(asked) if plan is None else plan(asked, dialogue)
