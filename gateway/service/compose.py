"""From checked writes to the card that a person sees, and to the audit's first record of it."""

from collections.abc import Mapping, Sequence

from gateway.model.alarm import AlarmInfo
from gateway.model.describe import label_of
from gateway.model.point import Role, Text
from gateway.model.refusal import plain
from gateway.model.sample import Scalar, Tag
from gateway.service.base import Actor, ProposedWrite
from gateway.service.card import Card, CardWrite, Confirm, digest_of_request
from gateway.service.check import Checked
from gateway.store.base import Body, ProposalRow

_STRICTNESS: tuple[Confirm, ...] = ("none", "user", "two_step")


def write_card(checked: Sequence[Checked], asked: str, reason: str, actor: Actor, undone: Mapping[Tag, Scalar]) -> Card:
    """The card of writes that go together; the strictest rule counts for all. `undone`: what an earlier write had written."""
    least: Confirm = "user" if actor.via in ("chat", "mcp") else "none"
    role = Role.OPERATOR
    for one in checked:
        role = one.rule.role if one.rule.role.includes(role) else role
    return Card(
        kind="write",
        writes=tuple(_card_write(one) for one in checked),
        alarm="",
        reason=reason,
        via=actor.via,
        role=role,
        confirm=max((least, *(one.rule.confirm for one in checked)), key=_STRICTNESS.index),
        conversation=actor.conversation,
        model=actor.model,
        notes=tuple(note for one in checked for note in _notes(one, undone.get(one.tag))),
        asked=asked,
    )


def ack_card(info: AlarmInfo, actor: Actor) -> Card:
    """The card of an acknowledgement."""
    return Card(
        kind="ack",
        writes=(),
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
    }


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
    point, old = one.located.point, _old(one)
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


def _notes(one: Checked, undone: Scalar | None) -> list[Text]:
    """What the person who confirms should know."""
    notes = [one.rule.note] if one.rule.note.en or one.rule.note.zh else []
    if one.rule.pulse:
        notes.append(Text(f"{one.tag} acts at once and cannot be undone", f"{one.tag} 立即动作，无法撤销"))
    if one.rule.persist == "eeprom":
        notes.append(Text(f"{one.tag} is kept in EEPROM, which wears out with writing", f"{one.tag} 写入 EEPROM，写入次数有限"))
    if undone is not None and plain(_old(one)) != plain(undone):
        en = f"{one.tag} was changed since: {plain(undone)} was written, now it is {plain(_old(one))}"
        notes.append(Text(en, f"{one.tag} 之后又被改动：当时写入 {plain(undone)}，现在是 {plain(_old(one))}"))
    return notes


def _old(one: Checked) -> Scalar | None:
    return None if one.fresh.old is None else one.fresh.old.value
