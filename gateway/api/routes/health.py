"""For machines that watch this one: is it alive, and its metrics in Prometheus' text format."""

from fastapi import APIRouter, Depends
from starlette.responses import PlainTextResponse, Response

from gateway.api.context import Context, context
from gateway.api.schemas import Answer

PREFIX = ""
router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz(services: Context = Depends(context)) -> Response:
    """200 while the gateway runs, with the number of devices that answer."""
    health = services.read.health()
    return Answer({"ok": True, "devices": len(health), "answering": sum(one.state == "ok" for one in health)})


@router.get("/metrics")
async def metrics(services: Context = Depends(context)) -> Response:
    """Counters of links, units and the store."""
    return PlainTextResponse(services.metrics(), media_type="text/plain; version=0.0.4")
