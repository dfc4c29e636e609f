"""The audit: finished writes for everybody, the whole trail with filters, and copies of it."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response, StreamingResponse

from gateway.api import schemas
from gateway.api.auth import current_user, needs
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.model.point import Role
from gateway.service.audit_copy import HEADER, csv_line, csv_row, json_row
from gateway.service.audit_trail import Wanted
from gateway.service.base import Actor
from gateway.store.base import AuditRecord

router = APIRouter(tags=["audit"], dependencies=[Depends(current_user)])

_Text = Annotated[str, Query(max_length=200)]


@router.get("/audit")
async def audit(
    tag: str | None = Query(default=None, max_length=200),
    start: datetime | None = None,
    end: datetime | None = None,
    services: Context = Depends(context),
) -> Response:
    """Finished writes and acknowledgements, newest first."""
    _zoned(start, end)
    return schemas.Answer([schemas.audit_entry(entry) for entry in await services.read.audit(tag, start, end)])


def wanted(
    start: datetime | None = None, end: datetime | None = None, user: _Text = "", about: _Text = "", outcome: _Text = "", kind: _Text = ""
) -> Wanted:
    """The filter of a request: `about` a tag, device, proposal, account, map or manual; `kind` a kind of record or a group of kinds."""
    _zoned(start, end)
    return Wanted(start=start, end=end, user=user.strip(), about=about.strip(), outcome=outcome.strip(), kind=kind.strip())


@router.get("/audit/records")
async def records(
    which: Wanted = Depends(wanted),
    before: int | None = Query(default=None, ge=1, le=2**62),
    limit: int = Query(default=100, ge=1, le=500),
    actor: Actor = Depends(current_user),
    services: Context = Depends(context),
) -> Response:
    """One page, newest first; `older` is the `before` of the next one. Viewers see what was finished, admins also who signed in."""
    page = await services.audit_trail.page(which, actor.role, before=before, limit=limit)
    return schemas.Answer({"records": [_shown(one) for one in page.records], "older": page.older})


@router.get("/audit/export")
async def export(
    which: Wanted = Depends(wanted),
    form: Literal["csv", "json"] = Query(default="csv", alias="format"),
    actor: Actor = Depends(needs(Role.OPERATOR)),
    services: Context = Depends(context),
) -> StreamingResponse:
    """A copy, oldest first, as CSV that no spreadsheet takes for formulas, or as JSON with the signed head of the chain."""
    found = await services.audit_trail.copy(which, actor.role, actor.user)
    name = f"audit-{services.clock.utc():%Y%m%dT%H%M%SZ}.{form}"
    body, kind = (_csv(found), "text/csv; charset=utf-8") if form == "csv" else (_json(found, services), "application/json")
    return StreamingResponse(body, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


async def _csv(found: AsyncIterator[AuditRecord]) -> AsyncIterator[str]:
    yield "\ufeff" + csv_line(HEADER)
    async for record in found:
        yield csv_row(record)


async def _json(found: AsyncIterator[AuditRecord], services: Context) -> AsyncIterator[str]:
    yield '{"records": ['
    joint = ""
    async for record in found:
        yield joint + schemas.dumps(json_row(record))
        joint = ",\n"
    head = await services.audit_trail.head()
    yield f'], "head": {schemas.dumps({"seq": head.seq, "mac": head.mac, "signature": head.signature})}}}'


def _shown(record: AuditRecord) -> schemas.Json:
    return {"seq": record.seq, "at": schemas.time(record.at), "kind": record.kind, "subject": record.subject, "body": dict(record.body)}


def _zoned(*moments: datetime | None) -> None:
    if any(at is not None and at.tzinfo is None for at in moments):
        raise ProblemError(422, "INVALID", "start and end need a time zone, as in 2026-03-10T14:00:00Z", "起止时间须带时区")
