"""From checked writes to the card that a person sees, and to the audit's first record of it."""

from collections.abc import Iterable, Sequence

from gateway.model.alarm import AlarmInfo
from gateway.model.condition_words import condition_words
from gateway.model.describe import label_of
from gateway.model.point import Role, Text, WriteRule
from gateway.service.base import Actor, ProposedWait, ProposedWrite
from gateway.service.card import Card, CardWait, CardWrite, Confirm
from gateway.service.check import Checked
from gateway.service.check_steps import CheckedWait
from gateway.service.digest import digest_of_request
from gateway.service.rules import LocatedProcedure
from gateway.store.base import Body, ProposalRow

_STRICTNESS: tuple[Confirm, ...] = ("none", "user", "two_step")


def write_card(checked: Sequence[Checked], asked: str, reason: str, actor: Actor) -> Card:
    """The card of writes that go together; the strictest rule counts for all."""
    return Card(
        kind="write",
        steps=tuple(map(_card_write, checked)),
        alarm="",
        reason=reason,
        via=actor.via,
        role=least_role(one.rule for one in checked),
        confirm=_strictest("user" if actor.via in ("chat", "mcp") else "none", checked),
        conversation=actor.conversation,
        model=actor.model,
        notes=tuple(note for one in checked for note in _notes(one)),
        asked=asked,
    )


def procedure_card(procedure: LocatedProcedure, checked: Sequence[Checked | CheckedWait], reason: str, actor: Actor) -> Card:
    """The card of a procedure: its steps in order, under the strictest of their rules and its own."""
    writes = [one for one in checked if isinstance(one, Checked)]
    return Card(
        kind="procedure",
        steps=tuple(_card_write(one) if isinstance(one, Checked) else _card_wait(one) for one in checked),
        alarm="",
        reason=reason,
        via=actor.via,
        role=least_role(one.rule for one in writes),
        confirm=_strictest(procedure.procedure.confirm, writes),
        conversation=actor.conversation,
        model=actor.model,
        notes=tuple(dict.fromkeys(note for one in writes for note in _notes(one))),
        asked=digest_of_request([(procedure.name, "procedure")]),
        procedure=procedure.name,
        title=procedure.procedure.title,
    )


def least_role(rules: Iterable[WriteRule]) -> Role:
    """The role that may do all of it."""
    return max((Role.OPERATOR, *(rule.role for rule in rules)), key=list(Role).index)


def ack_card(info: AlarmInfo, actor: Actor) -> Card:
    """The card of an acknowledgement."""
    return Card(
        kind="ack",
        steps=(),
        alarm=info.id,
        reason="",
        via=actor.via,
        role=Role.OPERATOR,
        confirm="user",
        conversation=actor.conversation,
        model=actor.model,
        notes=(info.text,),
        asked=digest_of_request([(info.id, "ack")]),
    )


def first_record(row: ProposalRow, card: Card) -> Body:
    """Audit record 1: what is proposed, by whom, on which path."""
    return {
        "proposal": row.id,
        "digest": row.digest,
        "kind": card.kind,
        "user": row.proposer,
        "via": card.via,
        "conversation": card.conversation,
        "model": card.model,
        "reason": card.reason,
        "alarm": card.alarm,
        "writes": [write_record(write) for write in card.writes],
        **({"procedure": card.procedure, "steps": [step_record(step) for step in card.steps]} if card.procedure else {}),
    }


def step_record(step: CardWrite | CardWait) -> Body:
    """One step of a procedure in the audit, short: what is written is told whole in `writes`."""
    if isinstance(step, CardWait):
        return {"wait": step.shown.condition, "device": step.device, "timeout_s": step.shown.timeout_s}
    return {"write": step.shown.tag, "new": step.shown.new}


def write_record(write: CardWrite) -> Body:
    """One write in the audit."""
    shown = write.shown
    return {
        "tag": shown.tag,
        "device": write.device,
        "map_version": write.map_version,
        "old": shown.old,
        "new": shown.new,
        "unit": shown.unit,
        "words": list(shown.words),
    }


def _card_write(one: Checked) -> CardWrite:
    point, old = one.located.point, one.old
    shown = ProposedWrite(
        tag=one.tag,
        title=point.title,
        unit=point.unit,
        old=old,
        new=one.encoded.value,
        old_label=label_of(point, old),
        new_label=label_of(point, one.encoded.value),
        words=one.encoded.words if one.encoded.coil is None else (int(one.encoded.coil),),
    )
    return CardWrite(shown=shown, wanted=one.wanted, device=one.located.device, point=point.name, map_version=one.located.map_version)


def _card_wait(one: CheckedWait) -> CardWait:
    shown = ProposedWait(
        tag=one.tag, condition=str(one.condition), shown=condition_words(one.condition, one.source), timeout_s=one.timeout_s
    )
    return CardWait(shown=shown, device=one.device, map_version=one.map_version)


def _strictest(least: Confirm, checked: Sequence[Checked]) -> Confirm:
    """The strictest level; `never` stands for points that a procedure alone may write, and is none."""
    return max((least, *(one.rule.confirm for one in checked if one.rule.confirm != "never")), key=_STRICTNESS.index)


def _notes(one: Checked) -> list[Text]:
    """What the person who confirms should know."""
    notes = [one.rule.note] if (one.rule.note.en or one.rule.note.zh) and one.rule.confirm != "never" else []
    if one.rule.pulse:
        notes.append(Text(f"{one.tag} acts at once and cannot be undone", f"{one.tag} 立即动作，无法撤销"))
    if one.rule.persist == "eeprom":
        notes.append(Text(f"{one.tag} is kept in EEPROM, which wears out with writing", f"{one.tag} 写入 EEPROM，写入次数有限"))
    return notes
