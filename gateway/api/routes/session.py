"""Signing in and out, the first account, the password once more, and who is signed in."""

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gateway.api.accounts import SignedIn
from gateway.api.auth import COOKIE, address_of, current_person, session
from gateway.api.context import Context, context
from gateway.api.schemas import Answer, Json, text
from gateway.service.base import Actor

router = APIRouter(tags=["session"])

_LONGEST = 1000


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Login(_Body):
    """Name and password."""

    user: str = Field(min_length=1, max_length=100)
    password: str = Field(min_length=1, max_length=_LONGEST)


class First(Login):
    """Name and password of the first admin, and the code from the gateway's console."""

    code: str = Field(min_length=1, max_length=100)


class Password(_Body):
    """A password."""

    password: str = Field(min_length=1, max_length=_LONGEST)


@router.post("/login")
async def login(body: Login, request: Request, services: Context = Depends(context)) -> Response:
    """Start a session; sets the cookie. The session that the browser had before ends."""
    who = await services.accounts.sign_in(body.user, body.password, address_of(request))
    before = request.cookies.get(COOKIE, "")
    if before:
        await services.accounts.sign_out(before)
    return await _welcome(who, services)


@router.get("/first-admin")
async def first_wanted(services: Context = Depends(context)) -> Response:
    """Whether there is no account yet, and the identity provider that vouches for people, if there is one."""
    return Answer({"wanted": await services.accounts.wants_first(), "provider": services.sso.name if services.sso is not None else None})


@router.post("/first-admin")
async def first_admin(body: First, request: Request, services: Context = Depends(context)) -> Response:
    """Make the first account, an admin's, with the code from the gateway's console; signs in."""
    return await _welcome(await services.accounts.make_first(body.code, body.user, body.password, address_of(request)), services)


@router.post("/logout", status_code=204)
async def logout(who: SignedIn = Depends(session), services: Context = Depends(context)) -> Response:
    """End the session and its event streams."""
    await services.accounts.sign_out(who.id)
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/")
    return answer


@router.get("/me")
async def me(who: SignedIn = Depends(session), services: Context = Depends(context)) -> Response:
    """Who is signed in, and what this gateway offers."""
    return Answer(await _me(who, services))


@router.post("/me/proof", status_code=204)
async def prove(body: Password, request: Request, who: SignedIn = Depends(session), services: Context = Depends(context)) -> Response:
    """Give the password again: for some minutes the session may sign what two persons must, and change accounts."""
    await services.accounts.prove(who, body.password, address_of(request))
    return Response(status_code=204)


@router.post("/me/password", status_code=204)
async def own_password(body: Password, actor: Actor = Depends(current_person), services: Context = Depends(context)) -> Response:
    """Change your own password; all your sessions end. 403 PASSWORD_AGAIN unless the old one was just given."""
    await services.account_desk.set_password(actor.user, body.password, actor)
    return Response(status_code=204)


async def _welcome(who: SignedIn, services: Context) -> Response:
    answer = Answer(await _me(who, services))
    answer.set_cookie(COOKIE, who.id, httponly=True, samesite="strict", secure=services.is_secure, path="/")
    return answer


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
