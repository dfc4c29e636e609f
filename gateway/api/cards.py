"""A proposal as JSON: drawn from the record alone."""

from collections.abc import Mapping

from gateway.api.schemas import Json, text, time
from gateway.model.point import Text
from gateway.model.sample import Scalar, Tag
from gateway.service.base import PointInfo, Proposal, ProposedWait, ProposedWrite, WriteOutcome

Points = Mapping[Tag, PointInfo]


def proposal(one: Proposal, points: Points, *, with_nonce: bool) -> Json:
    """A card. The nonce goes only to those who may confirm; `step` of an outcome counts the steps, or the writes, from 0."""
    return {
        "id": one.id,
        "nonce": one.nonce if with_nonce else None,
        "state": one.state,
        "kind": one.kind,
        "procedure": one.procedure,
        "title": text(one.title),
        "writes": [_write(write, points) for write in one.writes],
        "steps": [_wait(step) if isinstance(step, ProposedWait) else _write(step, points) for step in one.steps],
        "alarm": one.alarm,
        "reason": one.reason,
        "proposer": one.proposer,
        "via": one.via,
        "role": str(one.role),
        "confirm": one.confirm,
        "approvals_needed": one.approvals_needed,
        "approved_by": list(one.approved_by),
        "created_at": time(one.created_at),
        "expires_s": round(one.expires_s, 1),
        "outcomes": [_outcome(each, points) for each in one.outcomes],
        "finished_by": one.finished_by,
        "why": one.why,
        "notes": [text(note) for note in one.notes],
    }


def _write(write: ProposedWrite, points: Points) -> Json:
    info = points.get(write.tag)
    return {
        "tag": write.tag,
        "title": text(write.title),
        "device_title": text(Text() if info is None else info.device_title),
        "unit": write.unit,
        "decimals": None if info is None else info.decimals,
        "old": write.old,
        "new": write.new,
        "old_text": text(_words(info, write.old)),
        "new_text": text(_words(info, write.new)),
    }


def _wait(wait: ProposedWait) -> Json:
    return {"tag": wait.tag, "wait": wait.condition, "wait_text": text(wait.shown), "timeout_s": wait.timeout_s}


def _outcome(one: WriteOutcome, points: Points) -> Json:
    return {
        "tag": one.tag,
        "step": one.step,
        "outcome": one.outcome,
        "code": one.code,
        "read_back": one.read_back,
        "read_back_text": text(_words(points.get(one.tag), one.read_back)),
        "message": text(one.message),
    }


def _words(info: PointInfo | None, value: Scalar | None) -> Text:
    """The words of an enum's value, empty where there are none."""
    if info is None or value is None or isinstance(value, str) or value != int(value):
        return Text()
    return info.enum.get(int(value), Text())
