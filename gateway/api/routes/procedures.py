"""Procedures of the plant's maps: named safe sequences that are proposed, confirmed and run as one."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user
from gateway.api.context import Context, context
from gateway.service.base import ProcedureInfo

router = APIRouter(tags=["writes"], dependencies=[Depends(current_user)])


@router.get("/procedures")
async def procedures(services: Context = Depends(context)) -> Response:
    """All procedures with their steps in words; `POST /proposals {procedure, reason}` proposes one."""
    return schemas.Answer([_json(one) for one in services.propose.procedures()])


def _json(one: ProcedureInfo) -> schemas.Json:
    return {
        "name": one.name,
        "device": one.device,
        "title": schemas.text(one.title),
        "role": str(one.role),
        "confirm": one.confirm,
        "steps": [schemas.text(step) for step in one.steps],
    }
