"""Lockouts: writes are kept from a tag, a device or the whole plant until an engineer releases them."""

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user, needs
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.model.point import Role
from gateway.service.base import Actor
from gateway.store.base import Lockout

router = APIRouter(tags=["writes"], dependencies=[Depends(current_user)])


class LockingOut(BaseModel):
    """What is locked out, or released: a tag, a device, or `*` for all; and why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    scope: str = Field(min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=500)


@router.get("/lockouts")
async def lockouts(services: Context = Depends(context)) -> Response:
    """What is locked out now, oldest first."""
    return await _standing(services)


@router.post("/lockouts")
async def lock_out(body: LockingOut, actor: Actor = Depends(needs(Role.ENGINEER)), services: Context = Depends(context)) -> Response:
    """Lock writes out; an earlier lockout of the same scope is replaced. Open cards stay, and are refused while it lasts."""
    await services.confirm.lock_out(body.scope, body.reason, actor)
    return await _standing(services)


@router.post("/lockouts/release")
async def release(body: LockingOut, actor: Actor = Depends(needs(Role.ENGINEER)), services: Context = Depends(context)) -> Response:
    """End a lockout, and what blocks a tag after a write whose outcome is unknown; 404 if there is neither."""
    if not await services.confirm.release(body.scope, body.reason, actor):
        raise ProblemError(404, "NOT_LOCKED", f"{body.scope} is not locked out", f"{body.scope} 未被锁定")
    return await _standing(services)


async def _standing(services: Context) -> Response:
    return schemas.Answer([_json(one) for one in await services.confirm.lockouts()])


def _json(one: Lockout) -> schemas.Json:
    return {"scope": one.scope, "reason": one.reason, "by": one.by, "at": schemas.time(one.at)}
