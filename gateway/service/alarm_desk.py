"""What a person does to an alarm: each act stands in the audit before it takes effect."""

from datetime import datetime

from gateway.alarms.engine import Alarms
from gateway.errors import StoreError, WriteRefusedError
from gateway.model.alarm import AlarmInfo
from gateway.service.base import Actor
from gateway.store.base import AuditSink


class AlarmDesk:
    """Acknowledging and shelving; refused (AUDIT_DOWN) if the audit cannot be written."""

    def __init__(self, alarms: Alarms, audit: AuditSink) -> None:
        self._alarms = alarms
        self._audit = audit

    async def acknowledge(self, alarm: str, actor: Actor) -> AlarmInfo:
        """A person has seen it."""
        info = self._alarms.get(alarm)
        await self._record("alarm_ack", info, actor, "")
        return self._alarms.acknowledge(alarm, actor.user)

    async def shelve(self, alarm: str, actor: Actor, until: datetime, reason: str) -> AlarmInfo:
        """Out of sight until a time, with the reason."""
        info = self._alarms.get(alarm)
        await self._record("alarm_shelve", info, actor, reason)
        return self._alarms.shelve(alarm, actor.user, until)

    async def unshelve(self, alarm: str, actor: Actor) -> AlarmInfo:
        """In sight again."""
        info = self._alarms.get(alarm)
        await self._record("alarm_unshelve", info, actor, "")
        return self._alarms.unshelve(alarm)

    async def _record(self, kind: str, info: AlarmInfo, actor: Actor, reason: str) -> None:
        body = {
            "alarm": info.id,
            "tag": info.tag,
            "text": info.text.en,
            "user": actor.user,
            "role": str(actor.role),
            "via": actor.via,
            "reason": reason,
        }
        try:
            await self._audit.record(kind, info.id, body)
        except StoreError as exc:
            raise WriteRefusedError(["AUDIT_DOWN"], "the audit cannot be written", "审计记录无法写入", fix="see the gateway's log") from exc
