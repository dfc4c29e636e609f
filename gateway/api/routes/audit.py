"""What was written, by whom, and how it ended."""

from datetime import datetime

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError

router = APIRouter(tags=["audit"], dependencies=[Depends(current_user)])


@router.get("/audit")
async def audit(
    tag: str | None = Query(default=None, max_length=200),
    start: datetime | None = None,
    end: datetime | None = None,
    services: Context = Depends(context),
) -> Response:
    """Finished writes and acknowledgements, newest first."""
    if any(at is not None and at.tzinfo is None for at in (start, end)):
        raise ProblemError(422, "INVALID", "start and end need a time zone, as in 2026-03-10T14:00:00Z", "起止时间须带时区")
    return schemas.Answer([schemas.audit_entry(entry) for entry in await services.read.audit(tag, start, end)])
