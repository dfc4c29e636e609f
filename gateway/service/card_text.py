"""Cards and outcomes as JSON text, numbers exact, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

import simplejson

from gateway.model.point import Role, Text
from gateway.model.sample import Tag
from gateway.service.base import ProposedWait, ProposedWrite, WriteOutcome
from gateway.service.card import Card, CardWait, CardWrite


def dump(card: Card) -> str:
    """The card as JSON text, numbers exact."""
    content = {
        "kind": card.kind,
        "procedure": card.procedure,
        "title": _pair(card.title),
        "steps": [_dump_step(step) for step in card.steps],
        "alarm": card.alarm,
        "reason": card.reason,
        "via": card.via,
        "role": str(card.role),
        "confirm": card.confirm,
        "conversation": card.conversation,
        "model": card.model,
        "notes": [_pair(note) for note in card.notes],
        "asked": card.asked,
    }
    return as_json(content)


def load(text: str) -> Card:
    """The card of JSON text; a card of release 0.1 has writes only."""
    content = simplejson.loads(text, use_decimal=True)
    return Card(
        kind=content["kind"],
        steps=tuple(map(_load_step, content["steps"] if "steps" in content else content["writes"])),
        alarm=content["alarm"],
        reason=content["reason"],
        via=content["via"],
        role=Role(content["role"]),
        confirm=content["confirm"],
        conversation=content["conversation"],
        model=content["model"],
        notes=tuple(Text(*note) for note in content["notes"]),
        asked=content["asked"],
        procedure=content.get("procedure", ""),
        title=Text(*content.get("title", ())),
    )


def dump_outcomes(outcomes: Sequence[WriteOutcome]) -> str:
    """Outcomes as JSON text."""
    return as_json(
        [
            {
                "tag": one.tag,
                "step": one.step,
                "outcome": one.outcome,
                "code": one.code,
                "read_back": one.read_back,
                "message": _pair(one.message),
            }
            for one in outcomes
        ]
    )


def load_outcomes(text: str) -> tuple[WriteOutcome, ...]:
    """Outcomes from JSON text; those of earlier releases stand in the order of their writes."""
    return tuple(
        WriteOutcome(
            tag=Tag(one["tag"]),
            step=one.get("step", place),
            outcome=one["outcome"],
            code=one["code"],
            read_back=one["read_back"],
            message=Text(*one["message"]),
        )
        for place, one in enumerate(simplejson.loads(text, use_decimal=True))
    )


def as_json(content: object) -> str:
    """JSON with exact numbers; never NaN."""
    return simplejson.dumps(content, use_decimal=True, allow_nan=False)


def _dump_step(step: CardWrite | CardWait) -> dict[str, object]:
    place: dict[str, object] = {"tag": step.shown.tag, "device": step.device, "map_version": step.map_version}
    if isinstance(step, CardWait):
        return {**place, "wait": step.shown.condition, "shown": _pair(step.shown.shown), "timeout_s": step.shown.timeout_s}
    return {
        **place,
        "point": step.point,
        "title": _pair(step.shown.title),
        "unit": step.shown.unit,
        "old": step.shown.old,
        "new": step.shown.new,
        "wanted": step.wanted,
        "old_label": step.shown.old_label,
        "new_label": step.shown.new_label,
        "words": list(step.shown.words),
    }


def _load_step(step: Mapping[str, Any]) -> CardWrite | CardWait:
    if "wait" in step:
        wait = ProposedWait(tag=Tag(step["tag"]), condition=step["wait"], shown=Text(*step["shown"]), timeout_s=float(step["timeout_s"]))
        return CardWait(shown=wait, device=step["device"], map_version=step["map_version"])
    shown = ProposedWrite(
        tag=Tag(step["tag"]),
        title=Text(*step["title"]),
        unit=step["unit"],
        old=step["old"],
        new=step["new"],
        old_label=step["old_label"],
        new_label=step["new_label"],
        words=tuple(step["words"]),
    )
    wanted = step.get("wanted", step["new"])
    return CardWrite(shown=shown, wanted=wanted, device=step["device"], point=step["point"], map_version=step["map_version"])


def _pair(text: Text) -> list[str]:
    return [text.en, text.zh]
