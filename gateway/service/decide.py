"""Between a card and the gate: what a person must repeat, what is ordered, and how the outcomes are told."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from gateway.model.point import Text
from gateway.model.refusal import plain
from gateway.service.base import Actor, ProposedWrite, WriteOutcome
from gateway.service.card import Card, CardWait, CardWrite
from gateway.service.rules import refusal
from gateway.store.base import Body, ProposalRow
from gateway.write.order import Ended, Order, OrderedWait, OrderedWrite


def check_repeat(card: Card, repeat: str | None, enums: Mapping[str, Mapping[int, Text]]) -> None:
    """A two-step write needs its value, or the word shown for it, once more (several: as on the card); a procedure its name.

    Raises WriteRefusedError.
    """
    if card.confirm != "two_step":
        return
    if card.procedure:
        names = card.title.en, card.title.zh, card.procedure, card.procedure.partition(".")[2]
        if (repeat or "").strip().casefold() not in {name.casefold() for name in names if name}:
            en, zh = card.title.in_("en"), card.title.in_("zh")
            raise refusal("NOT_ALLOWED", f"type the name of the procedure to confirm: {en}", f"请输入操作流程名称以确认：{zh}")
        return
    given = [part for part in re.split(r"[,，;；]", repeat or "") if part.strip()]
    if len(given) == len(card.writes) and all(
        _repeats(part.strip(), write.shown, enums[write.shown.tag]) for part, write in zip(given, card.writes, strict=True)
    ):
        return
    wanted = ", ".join(plain(write.shown.new) for write in card.writes)
    raise refusal("NOT_ALLOWED", f"repeat the new value to confirm: {wanted}", f"请再次输入新值以确认：{wanted}")


def confirm_record(row: ProposalRow, card: Card, actor: Actor) -> Body:
    """The audit of a yes: who, as what, on which path, bound to what."""
    return {
        "proposal": row.id,
        "digest": row.digest,
        "kind": card.kind,
        "user": actor.user,
        "role": str(actor.role),
        "via": actor.via,
        "meaning": "second approval" if row.approved_by else "approved",
    }


def order_of(row: ProposalRow, card: Card) -> Order:
    """What the gate is to execute."""
    return Order(
        proposal=row.id,
        proposer=row.proposer,
        confirmed_by=row.approved_by,
        reason=card.reason,
        via=card.via,
        conversation=card.conversation,
        model=card.model,
        steps=tuple(_ordered(number, step) for number, step in enumerate(card.steps)),
        procedure=card.procedure,
    )


def _ordered(number: int, step: CardWrite | CardWait) -> OrderedWrite | OrderedWait:
    if isinstance(step, CardWait):
        wait = step.shown
        return OrderedWait(
            step=number,
            tag=wait.tag,
            device=step.device,
            map_version=step.map_version,
            condition=wait.condition,
            timeout_s=wait.timeout_s,
        )
    write = step.shown
    return OrderedWrite(
        step=number,
        tag=write.tag,
        device=step.device,
        point=step.point,
        map_version=step.map_version,
        old=write.old,
        new=write.new,
        unit=write.unit,
        words=write.words,
    )


def outcomes_of(ended: Sequence[Ended]) -> list[WriteOutcome]:
    """The outcomes as they are handed out."""
    return [
        WriteOutcome(tag=one.tag, step=one.step, outcome=one.outcome, code=one.code, read_back=one.read_back, message=one.message)
        for one in ended
    ]


def _repeats(text: str, shown: ProposedWrite, enum: Mapping[int, Text]) -> bool:
    if isinstance(shown.new, str):
        return text == shown.new
    words = [] if isinstance(shown.new, float) else [enum.get(int(shown.new), Text())] if shown.new == int(shown.new) else []
    if text.casefold() in {word.casefold() for label in words for word in (label.en, label.zh) if word}:
        return True
    number = text.removesuffix(shown.unit).strip() if shown.unit else text
    try:
        return Decimal(number) == Decimal(plain(shown.new))
    except InvalidOperation:
        return False
