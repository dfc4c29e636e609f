"""Links with the units on them."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user
from gateway.api.context import Context, context

router = APIRouter(tags=["plant"], dependencies=[Depends(current_user)])


@router.get("/links")
async def links(services: Context = Depends(context)) -> Response:
    """Each link with the state of its units."""
    units: dict[str, list[schemas.Json]] = {}
    for one in services.read.health():
        units.setdefault(one.link, []).append(schemas.unit_health(one))
    return schemas.Answer([{"id": link, "units": found} for link, found in units.items()])
