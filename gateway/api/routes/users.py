"""Accounts: listed and changed by an admin who has just given the password."""

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import needs_person
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.model.point import Role
from gateway.service.base import Actor

router = APIRouter(tags=["accounts"])

_ADMIN = Depends(needs_person(Role.ADMIN))


class NewUser(BaseModel):
    """A new account."""

    model_config = ConfigDict(extra="forbid")

    user: str = Field(min_length=1, max_length=100)
    password: str = Field(min_length=1, max_length=1000)
    role: Role


class UserChange(BaseModel):
    """Exactly one of these."""

    model_config = ConfigDict(extra="forbid")

    role: Role | None = None
    password: str | None = Field(default=None, min_length=1, max_length=1000)
    disabled: bool | None = Field(default=None, strict=True)


@router.get("/users")
async def users(actor: Actor = _ADMIN, services: Context = Depends(context)) -> Response:
    """All accounts by name."""
    found = await services.account_desk.users(actor)
    return schemas.Answer(
        [
            {"user": one.name, "role": str(one.role), "disabled": one.is_disabled, "created_at": schemas.time(one.created_at)}
            for one in found
        ]
    )


@router.post("/users", status_code=204)
async def add(body: NewUser, actor: Actor = _ADMIN, services: Context = Depends(context)) -> Response:
    """A new account. 403 PASSWORD_AGAIN if the password was given too long ago."""
    await services.account_desk.add(body.user, body.password, body.role, actor)
    return Response(status_code=204)


@router.patch("/users/{user}", status_code=204)
async def change(user: str, body: UserChange, actor: Actor = _ADMIN, services: Context = Depends(context)) -> Response:
    """Another role or password, shut or opened; ends the account's sessions, a role or shutting also its open proposals."""
    if len(body.model_dump(exclude_none=True)) != 1:
        raise ProblemError(422, "INVALID", "send exactly one of role, password and disabled", "请只提供 role、password、disabled 之一")
    desk = services.account_desk
    if body.role is not None:
        await desk.set_role(user, body.role, actor)
    elif body.password is not None:
        await desk.set_password(user, body.password, actor)
    elif body.disabled is not None:
        await desk.set_disabled(user, actor, is_disabled=body.disabled)
    return Response(status_code=204)
