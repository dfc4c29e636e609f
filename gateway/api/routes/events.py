"""The stream of what changes, for open pages."""

from fastapi import APIRouter, Depends
from starlette.responses import StreamingResponse

from gateway.api.auth import current_user
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError

router = APIRouter(tags=["events"], dependencies=[Depends(current_user)])


@router.get("/events")
async def events(services: Context = Depends(context)) -> StreamingResponse:
    """Server-sent events: samples, alarms, proposal, health, lockout."""
    if services.events.is_full:
        raise ProblemError(429, "TOO_MANY", "too many pages are open", "打开的页面过多")
    return StreamingResponse(services.events.stream(), media_type="text/event-stream", headers={"cache-control": "no-store"})
