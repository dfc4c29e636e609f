"""Where two layers speak of the same thing in their own words."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from gateway.model.sample import Sample, Scalar
from gateway.service.base import AuditEntry
from gateway.service.plant import Plant
from gateway.service.read import PlantReader
from gateway.service.rules import Located, LocatedProcedure
from gateway.store.audit import Audit
from gateway.store.base import AuditRecord

_FINISHED = ("outcome", "alarm_ack")
_LOOKED_AT = 1000


class PlantSide:
    """The plant as proposing and confirming see it."""

    def __init__(self, plant: Plant, read: PlantReader) -> None:
        self._plant = plant
        self._read = read

    def point(self, tag: str) -> Located:
        """The point of a tag; raises UnknownTagError."""
        device = self._plant.infos[self._plant.tag(tag)].device
        return Located(device=device, point=self._plant.point(tag), map_version=self._plant.maps[device].version)

    def procedures(self) -> Sequence[LocatedProcedure]:
        """All procedures of all devices."""
        return [
            LocatedProcedure(name=f"{device}.{name}", device=device, procedure=procedure, map_version=one.version)
            for device, one in self._plant.maps.items()
            for name, procedure in one.procedures.items()
        ]

    def latest(self, tags: Sequence[str]) -> Sequence[Sample]:
        """The last sample of each tag with its present age."""
        return self._read.latest(tags)

    async def fresh(self, tags: Sequence[str]) -> Sequence[Sample]:
        """Samples read from the wire now."""
        return await self._read.fresh(tags, is_shared=False)


class AuditSide:
    """Finished acts out of the audit."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    async def __call__(self, tag: str | None, start: datetime | None, end: datetime | None) -> Sequence[AuditEntry]:
        """Writes and acknowledgements of a tag and a time, newest first."""
        records = await self._audit.entries(_FINISHED, None, start, end, limit=_LOOKED_AT)
        return [entry for entry in map(_entry, records) if tag is None or entry.tag == tag]


def _entry(record: AuditRecord) -> AuditEntry:
    body = record.body
    confirmed = body.get("confirmed_by", ())
    return AuditEntry(
        at=record.at,
        user=str(body.get("user", "")),
        confirmed_by=tuple(map(str, confirmed)) if isinstance(confirmed, list | tuple) else (),
        tag=str(body.get("tag", "")),
        old=_scalar(body.get("old")),
        new=_scalar(body.get("new")),
        read_back=_scalar(body.get("read_back")),
        unit=str(body.get("unit", "")),
        reason=str(body.get("reason", "")),
        outcome=str(body.get("outcome", "acknowledged")),
        code=str(body.get("code", "")),
        proposal=str(body.get("proposal", "")),
    )


def _scalar(value: object) -> Scalar | None:
    return value if isinstance(value, bool | int | float | str | Decimal) else None
