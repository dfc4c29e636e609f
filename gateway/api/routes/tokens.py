"""Tokens of programs: made, listed and revoked by an admin who has just given the password."""

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import needs_person
from gateway.api.context import Context, context
from gateway.model.point import Role
from gateway.service.base import Actor
from gateway.store.base import ApiToken, Scope

router = APIRouter(tags=["accounts"])

_ADMIN = Depends(needs_person(Role.ADMIN))


class NewToken(BaseModel):
    """A new token: what it may do, as which role (viewer, operator or engineer), and for how many days."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=50)
    scope: Scope
    role: Role
    days: int = Field(ge=1, le=365, strict=True)


@router.get("/tokens")
async def tokens(actor: Actor = _ADMIN, services: Context = Depends(context)) -> Response:
    """All tokens there ever were, without their text."""
    return schemas.Answer([_kept(one) for one in await services.account_desk.tokens(actor)])


@router.post("/tokens", status_code=201)
async def make(body: NewToken, actor: Actor = _ADMIN, services: Context = Depends(context)) -> Response:
    """A new token; `token` is its text, which is not kept and cannot be shown again."""
    text, made = await services.account_desk.make_token(body.name, body.scope, body.role, body.days, actor)
    return schemas.Answer({**_kept(made), "token": text}, status_code=201)


@router.delete("/tokens/{name}", status_code=204)
async def revoke(name: str, actor: Actor = _ADMIN, services: Context = Depends(context)) -> Response:
    """End a token now, with its open proposals and event streams."""
    await services.account_desk.revoke(name, actor)
    return Response(status_code=204)


def _kept(one: ApiToken) -> schemas.Json:
    return {
        "name": one.name,
        "scope": str(one.scope),
        "role": str(one.role),
        "by": one.by,
        "created_at": schemas.time(one.created_at),
        "expires_at": schemas.time(one.expires_at),
        "last_used_at": schemas.time(one.last_used_at),
        "ended_by": one.ended_by,
    }
