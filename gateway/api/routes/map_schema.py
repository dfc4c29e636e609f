"""The JSON schema of register maps, for editors: they can't sign in, and it says nothing of the plant."""

from fastapi import APIRouter
from starlette.responses import Response

from gateway.api import schemas
from gateway.maps.schema import json_schema

router = APIRouter(tags=["maps"])


@router.get("/maps/schema.json")
async def schema() -> Response:
    """The JSON schema of the format."""
    return schemas.Answer(json_schema())
