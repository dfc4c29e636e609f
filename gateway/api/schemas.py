"""How services' answers look as JSON: exact numbers, both languages, times in UTC."""

from datetime import datetime
from typing import Any

import simplejson
from starlette.responses import Response

from gateway.model.alarm import AlarmInfo
from gateway.model.point import Text
from gateway.model.sample import Sample
from gateway.service.base import AuditEntry, DeviceInfo, History, HistoryPoint, PointInfo, UnitHealth

Json = dict[str, Any]


def dumps(document: object) -> str:
    """JSON with decimals as they are; never NaN."""
    return simplejson.dumps(document, use_decimal=True, ensure_ascii=False, allow_nan=False)


class Answer(Response):
    """A JSON answer."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        """The document in UTF-8."""
        return dumps(content).encode()


def text(words: Text) -> Json:
    """Both languages."""
    return {"en": words.en, "zh": words.zh}


def time(at: datetime | None) -> str | None:
    """ISO 8601 in UTC with milliseconds."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z") if at is not None else None


def sample(one: Sample) -> Json:
    """A sample with its words in hexadecimal."""
    return {
        "tag": one.tag,
        "value": one.value,
        "label": one.label,
        "label_text": text(one.label_text),
        "unit": one.unit,
        "decimals": one.decimals,
        "quality": str(one.quality),
        "reason": one.reason,
        "read_at": time(one.read_at),
        "age_s": round(one.age_s, 3) if one.age_s is not None else None,
        "words": [f"0x{word:04X}" for word in one.words],
    }


def point(info: PointInfo) -> Json:
    """A point with its limits."""
    return {
        "tag": info.tag,
        "device": info.device,
        "title": text(info.title),
        "description": text(info.description),
        "aliases": list(info.aliases),
        "unit": info.unit,
        "decimals": info.decimals,
        "type": info.type,
        "access": str(info.access),
        "enum": {str(code): text(words) for code, words in info.enum.items()},
        "flags": {str(bit): text(words) for bit, words in info.flags.items()},
        "min": info.min,
        "max": info.max,
        "step": info.step,
        "max_step": info.max_step,
        "role": str(info.role),
        "confirm": info.confirm,
        "approvals": info.approvals,
    }


def device(info: DeviceInfo, health: UnitHealth | None, *, counters: bool = True) -> Json:
    """A device and how it fares; without `counters` only what changes when its state does."""
    return {
        "id": info.id,
        "link": info.link,
        "unit_id": info.unit_id,
        "map": info.map,
        "vendor": info.vendor,
        "model": info.model,
        "title": text(info.title),
        "aliases": list(info.aliases),
        "area": info.area,
        "points": info.points,
        "health": None if health is None else unit_health(health) if counters else _state(health),
    }


def _state(health: UnitHealth) -> Json:
    return {"state": health.state, "reason": health.reason, "advice": text(health.advice)}


def unit_health(health: UnitHealth) -> Json:
    """State, counters and advice of one unit."""
    return {
        "device": health.device,
        "link": health.link,
        "unit_id": health.unit_id,
        "state": health.state,
        "reason": health.reason,
        "since": time(health.since),
        "last_good": time(health.last_good),
        "reads": health.reads,
        "errors": dict(health.errors),
        "latency_ms": health.latency_ms,
        "advice": text(health.advice),
    }


def history(found: History) -> Json:
    """An answer about the past."""
    return {
        "tag": found.tag,
        "unit": found.unit,
        "agg": found.agg,
        "start": time(found.start),
        "end": time(found.end),
        "count": found.count,
        "value": found.value,
        "at": time(found.at),
        "first": history_point(found.first),
        "last": history_point(found.last),
        "points": [history_point(one) for one in found.points],
        "oldest": time(found.oldest),
        "target": found.target,
        "reaches_at": time(found.reaches_at),
        "above": [[time(since), time(until)] for since, until in found.above],
    }


def history_point(one: HistoryPoint | None) -> Json | None:
    """One moment of the past."""
    return {"at": time(one.at), "value": one.value, "reason": one.reason} if one is not None else None


def alarm(info: AlarmInfo) -> Json:
    """An alarm in its state."""
    return {
        "id": info.id,
        "tag": info.tag,
        "text": text(info.text),
        "priority": info.priority,
        "state": info.state,
        "raised_at": time(info.raised_at),
        "cleared_at": time(info.cleared_at),
        "acked_at": time(info.acked_at),
        "acked_by": info.acked_by,
        "shelved_until": time(info.shelved_until),
        "shelved_by": info.shelved_by,
    }


def audit_entry(entry: AuditEntry) -> Json:
    """One finished write."""
    return {
        "at": time(entry.at),
        "user": entry.user,
        "confirmed_by": list(entry.confirmed_by),
        "tag": entry.tag,
        "old": entry.old,
        "new": entry.new,
        "read_back": entry.read_back,
        "unit": entry.unit,
        "reason": entry.reason,
        "outcome": entry.outcome,
        "code": entry.code,
        "proposal": entry.proposal,
    }
