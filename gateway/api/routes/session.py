"""Signing in and out, and who is signed in."""

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gateway.api.auth import COOKIE, session
from gateway.api.context import Context, SignedIn, context
from gateway.api.schemas import Answer, Json, text

router = APIRouter(tags=["session"])


class Login(BaseModel):
    """Name and password."""

    model_config = ConfigDict(extra="forbid", strict=True)

    user: str = Field(min_length=1, max_length=100)
    password: str = Field(min_length=1, max_length=1000)


@router.post("/login")
async def login(body: Login, request: Request, services: Context = Depends(context)) -> Response:
    """Start a session; sets the cookie."""
    address = request.client.host if request.client else ""
    who = await services.accounts.sign_in(body.user, body.password, address)
    answer = Answer(await _me(who, services))
    answer.set_cookie(COOKIE, who.id, httponly=True, samesite="strict", secure=services.is_secure, path="/")
    return answer


@router.post("/logout", status_code=204)
async def logout(who: SignedIn = Depends(session), services: Context = Depends(context)) -> Response:
    """End the session."""
    await services.accounts.sign_out(who.id)
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/")
    return answer


@router.get("/me")
async def me(who: SignedIn = Depends(session), services: Context = Depends(context)) -> Response:
    """Who is signed in, and what this gateway offers."""
    return Answer(await _me(who, services))


async def _me(who: SignedIn, services: Context) -> Json:
    return {
        "user": who.user,
        "role": str(who.role),
        "csrf": who.csrf,
        "site": text(services.site),
        "timezone": services.timezone,
        "languages": list(services.languages),
        "features": list(services.features),
        "lockout": await services.lockout(),
    }
