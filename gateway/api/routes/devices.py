"""Devices and how they fare."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user
from gateway.api.context import Context, context

router = APIRouter(tags=["plant"], dependencies=[Depends(current_user)])


@router.get("/devices")
async def devices(services: Context = Depends(context)) -> Response:
    """The configured devices with their health."""
    health = {one.device: one for one in services.read.health()}
    return schemas.Answer([schemas.device(info, health.get(info.id)) for info in services.read.devices()])
