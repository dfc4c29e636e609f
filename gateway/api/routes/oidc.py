"""Signing in by the plant's identity provider: there, and back."""

import logging

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse

from gateway.api.accounts import SingleSignOn
from gateway.api.auth import COOKIE, address_of
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError

router = APIRouter(tags=["session"])

log = logging.getLogger(__name__)

_BROWSER = "busmate_oidc"
_PATH = "/api/v1/oidc"
_TRY_S = 600


def _sso(services: Context = Depends(context)) -> SingleSignOn:
    if services.sso is None:
        raise ProblemError(404, "NO_PROVIDER", "no identity provider is configured", "未配置身份提供方")
    return services.sso


@router.get("/oidc/login")
async def begin(
    request: Request, again: bool = False, sso: SingleSignOn = Depends(_sso), services: Context = Depends(context)
) -> RedirectResponse:
    """Go to the provider; `again` to prove who one is for what needs a password of just now."""
    address, browser = await sso.begin(address_of(request), again=again)
    answer = RedirectResponse(address, status_code=303)
    answer.set_cookie(_BROWSER, browser, max_age=_TRY_S, httponly=True, samesite="lax", secure=services.is_secure, path=_PATH)
    return answer


@router.get("/oidc/callback")
async def finish(
    request: Request,
    state: str = Query(default="", max_length=200),
    code: str = Query(default="", max_length=4000),
    sso: SingleSignOn = Depends(_sso),
    services: Context = Depends(context),
) -> RedirectResponse:
    """Back from the provider: the page, signed in, or the page with the code of what went wrong."""
    try:
        who = await sso.finish(state, code, request.cookies.get(_BROWSER, ""), address_of(request))
    except ProblemError as refused:
        log.info("sign-in by the provider refused: %s: %s", refused.problem_code, refused)
        answer = RedirectResponse(f"/#sso={refused.problem_code}", status_code=303)
    else:
        before = request.cookies.get(COOKIE, "")
        if before:
            await services.accounts.sign_out(before)
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, who.id, httponly=True, samesite="strict", secure=services.is_secure, path="/")
    answer.delete_cookie(_BROWSER, path=_PATH)
    return answer
