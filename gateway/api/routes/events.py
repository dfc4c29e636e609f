"""The stream of what changes, for open pages."""

from fastapi import APIRouter, Depends
from starlette.responses import StreamingResponse

from gateway.api.auth import current_user
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.service.base import Actor

router = APIRouter(tags=["events"])


@router.get("/events")
async def events(actor: Actor = Depends(current_user), services: Context = Depends(context)) -> StreamingResponse:
    """Server-sent events: samples, alarms, proposal, health, lockout; signed_out as the last one when the session ends."""
    key = actor.session or actor.user
    if services.events.is_full(key):
        raise ProblemError(429, "TOO_MANY", "too many pages are open", "打开的页面过多")
    return StreamingResponse(services.events.stream(key), media_type="text/event-stream", headers={"cache-control": "no-store"})
