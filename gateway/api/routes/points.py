"""Points and their present samples."""

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user
from gateway.api.context import Context, context

router = APIRouter(tags=["plant"], dependencies=[Depends(current_user)])


@router.get("/points")
async def points(
    query: str = Query(default="", max_length=200),
    device: str | None = Query(default=None, max_length=100),
    services: Context = Depends(context),
) -> Response:
    """All points with their samples, or those that the words of `query` name, best first."""
    found = services.read.find(query, device, limit=50) if query.strip() else services.read.points(device)
    samples = services.read.latest([info.tag for info in found])
    return schemas.Answer([{**schemas.point(info), "sample": schemas.sample(one)} for info, one in zip(found, samples, strict=True)])


@router.get("/points/{tag}")
async def point(tag: str, services: Context = Depends(context)) -> Response:
    """One point with its sample."""
    info = services.read.point(tag)
    return schemas.Answer({**schemas.point(info), "sample": schemas.sample(services.read.latest([info.tag])[0])})
