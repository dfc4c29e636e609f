"""What a new proposal has to write so that an executed one is undone, or why it cannot be."""

from collections.abc import Sequence
from decimal import Decimal

from gateway.errors import UnknownTagError
from gateway.model.deadband import changed
from gateway.model.encode import EncodeError, encode_point
from gateway.model.point import Access, DataType, Point, Text
from gateway.model.refusal import plain
from gateway.model.sample import Scalar
from gateway.service.base import WantedWrite, WriteOutcome
from gateway.service.card import Card, CardWrite
from gateway.service.card_text import load, load_outcomes
from gateway.service.rules import PlantPoints, refusal
from gateway.store.base import ProposalRow

_TOUCHED = ("verified", "differs", "acknowledged", "unknown")
_DIGITS = {DataType.FLOAT16: 4, DataType.FLOAT32: 7}


async def undo_of(row: ProposalRow, plant: PlantPoints) -> tuple[Sequence[WantedWrite], tuple[Text, ...]]:
    """The old values of what was written, last first, and what whoever confirms must know: which points have moved since.

    Raises WriteRefusedError (NOT_ALLOWED, MAP_CHANGED).
    """
    written = _written(row, load(row.body))
    old = {write.shown.tag: _old(write, plant) for write, _ in written}
    samples = await plant.fresh(list(old))
    wanted: list[WantedWrite] = []
    moved: list[Text] = []
    for (write, outcome), sample in zip(written, samples, strict=True):
        point = plant.point(write.shown.tag).point
        if sample.value is not None and write.shown.old is not None and not changed(write.shown.old, sample.value, point.deadband):
            continue
        if sample.value is not None:
            moved += _moved(write, outcome, sample.value, point)
        wanted.append(WantedWrite(tag=write.shown.tag, value=old[write.shown.tag]))
    if not wanted:
        tags = ", ".join(old)
        raise refusal("NOT_ALLOWED", f"{tags} has its old value already, there is nothing to undo", f"{tags} 已是原值，无需撤销")
    return wanted[::-1], tuple(moved)


def _written(row: ProposalRow, card: Card) -> list[tuple[CardWrite, WriteOutcome]]:
    if card.kind == "procedure":
        raise refusal(
            "NOT_ALLOWED",
            f"{row.id} was a procedure; run the one that reverses it, or write the points by themselves",
            f"{row.id} 是操作流程，请执行相反的流程或单独写入各点",
        )
    outcomes = {one.step: one for one in load_outcomes(row.outcomes)}
    written = [(write, outcomes[step]) for step, write in enumerate(card.writes) if step in outcomes and outcomes[step].outcome in _TOUCHED]
    if row.state != "EXECUTED" or not written:
        raise refusal("NOT_ALLOWED", f"{row.id} wrote nothing, there is nothing to undo", f"{row.id} 没有写入任何值，无需撤销")
    return written


def _old(write: CardWrite, plant: PlantPoints) -> Scalar:
    tag = write.shown.tag
    try:
        located = plant.point(tag)
    except UnknownTagError:
        raise refusal("MAP_CHANGED", f"{tag} is no point of the map any more", f"点表中已没有 {tag}") from None
    point = located.point
    if located.map_version != write.map_version:
        raise refusal("MAP_CHANGED", f"the map was changed since {tag} was written", f"{tag} 写入后点表已变更")
    if write.shown.old is None or point.access is Access.WO:
        raise refusal("NOT_ALLOWED", f"{tag} cannot be undone: no old value is known", f"{tag} 没有已知的原值，无法撤销")
    if point.write is not None and point.write.pulse:
        raise refusal("NOT_ALLOWED", f"{tag} acts at once and cannot be undone", f"{tag} 立即动作，无法撤销")
    return _short(point, write.shown.old)


def _moved(write: CardWrite, outcome: WriteOutcome, now: Scalar, point: Point) -> list[Text]:
    """Says so if somebody, or the device, has set the point since: the value that goes may be theirs."""
    tag, unit = write.shown.tag, f" {write.shown.unit}" if write.shown.unit else ""
    is_known = outcome.outcome != "unknown" and outcome.read_back is not None
    left = outcome.read_back if is_known else write.shown.new
    if not changed(left, now, point.deadband):
        return []
    return [
        Text(
            f"{tag} was changed since: it is {plain(now)}{unit}, after the write it was {plain(left)}{unit}",
            f"{tag} 之后又被改动：现为 {plain(now)}{unit}，写入后为 {plain(left)}{unit}",
        )
    ]


def _short(point: Point, old: Scalar) -> Scalar:
    """The number as a person would write it: 12.3 for the float32 that reads 12.300000190734863."""
    digits = _DIGITS.get(point.type)
    if digits is None or point.held_by is not None or isinstance(old, str | bool):
        return old
    short = Decimal(f"{old:.{digits}g}")
    try:
        return short if encode_point(point, short).words == encode_point(point, old).words else old
    except EncodeError:
        return old
