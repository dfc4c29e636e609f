"""What a proposal holds between two steps: everything that is shown and written, fixed when it was made."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import simplejson

from gateway.model.point import Role, Text
from gateway.model.sample import Scalar, Tag
from gateway.service.base import Proposal, ProposedWrite, Via, WriteOutcome
from gateway.store.base import ProposalRow

Confirm = Literal["none", "user", "two_step", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWrite:
    """One write as shown, with where it goes and the map it was made from. `wanted` is the value as it was asked for."""

    shown: ProposedWrite
    wanted: Scalar
    device: str
    point: str
    map_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The lasting part of a proposal."""

    kind: Literal["write", "ack"]
    writes: tuple[CardWrite, ...]
    alarm: str
    reason: str
    via: Via
    role: Role
    confirm: Confirm
    conversation: str
    model: str
    notes: tuple[Text, ...]
    asked: str
    """Digest of what was asked for, to tell a repeated request from another one under the same key."""


def dump(card: Card) -> str:
    """The card as JSON text, numbers exact."""
    content = {
        "kind": card.kind,
        "writes": [
            {
                "tag": write.shown.tag,
                "title": _pair(write.shown.title),
                "unit": write.shown.unit,
                "old": write.shown.old,
                "new": write.shown.new,
                "wanted": write.wanted,
                "old_label": write.shown.old_label,
                "new_label": write.shown.new_label,
                "words": list(write.shown.words),
                "device": write.device,
                "point": write.point,
                "map_version": write.map_version,
            }
            for write in card.writes
        ],
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
    return _dumps(content)


def load(text: str) -> Card:
    """The card that `dump` was given; fractions come back as decimals."""
    content = simplejson.loads(text, use_decimal=True)
    return Card(
        kind=content["kind"],
        writes=tuple(
            CardWrite(
                shown=ProposedWrite(
                    tag=Tag(write["tag"]),
                    title=Text(*write["title"]),
                    unit=write["unit"],
                    old=write["old"],
                    new=write["new"],
                    old_label=write["old_label"],
                    new_label=write["new_label"],
                    words=tuple(write["words"]),
                ),
                wanted=write.get("wanted", write["new"]),
                device=write["device"],
                point=write["point"],
                map_version=write["map_version"],
            )
            for write in content["writes"]
        ),
        alarm=content["alarm"],
        reason=content["reason"],
        via=content["via"],
        role=Role(content["role"]),
        confirm=content["confirm"],
        conversation=content["conversation"],
        model=content["model"],
        notes=tuple(Text(*note) for note in content["notes"]),
        asked=content["asked"],
    )


def dump_outcomes(outcomes: Sequence[WriteOutcome]) -> str:
    """Outcomes as JSON text."""
    return _dumps(
        [
            {
                "tag": one.tag,
                "outcome": one.outcome,
                "code": one.code,
                "read_back": one.read_back,
                "message": _pair(one.message),
            }
            for one in outcomes
        ]
    )


def proposal_of(row: ProposalRow, mono: float) -> Proposal:
    """The proposal as people see it at the monotonic time `mono`."""
    card = load(row.body)
    return Proposal(
        id=row.id,
        nonce=row.nonce,
        state=row.state,
        kind=card.kind,
        writes=tuple(write.shown for write in card.writes),
        alarm=card.alarm,
        reason=card.reason,
        proposer=row.proposer,
        via=card.via,
        role=card.role,
        confirm=card.confirm,
        approvals_needed=row.approvals_needed,
        approved_by=row.approved_by,
        created_at=row.created_at,
        expires_s=max(0.0, row.expires_mono - mono) if row.state == "PENDING" else 0.0,
        outcomes=_outcomes(row.outcomes),
        finished_by=row.finished_by,
        notes=card.notes,
    )


def digest_of(body: str, nonce: str, proposer: str, session: str) -> str:
    """Binds the nonce to what is written (raw words, old value, map version), to the proposer and the session."""
    return _hash([body, nonce, proposer, session])


def digest_of_request(writes: Sequence[tuple[str, Scalar]]) -> str:
    """Equal for two requests that ask for the same."""
    return _hash([[tag, type(value).__name__, str(value)] for tag, value in writes])


def sameness(proposer: str, card: Card) -> str:
    """Equal for proposals of one person that would show and do the same."""
    writes = sorted([write.shown.tag, str(write.shown.old), str(write.shown.new), write.map_version] for write in card.writes)
    return _hash([proposer, card.kind, writes, card.alarm])


def _outcomes(text: str) -> tuple[WriteOutcome, ...]:
    return tuple(
        WriteOutcome(
            tag=Tag(one["tag"]),
            outcome=one["outcome"],
            code=one["code"],
            read_back=one["read_back"],
            message=Text(*one["message"]),
        )
        for one in simplejson.loads(text, use_decimal=True)
    )


def _pair(text: Text) -> list[str]:
    return [text.en, text.zh]


def _hash(content: object) -> str:
    return hashlib.sha256(_dumps(content).encode()).hexdigest()


def _dumps(content: object) -> str:
    return simplejson.dumps(content, use_decimal=True, allow_nan=False)
