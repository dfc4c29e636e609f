"""Who sends this request: a person's session with its CSRF token, or a program's token; and the role each route needs."""

from collections.abc import Awaitable, Callable
from hmac import compare_digest

from fastapi import Depends, Request

from gateway.api.accounts import SignedIn
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.model.point import Role
from gateway.service.account_desk import PASSWORD_AGAIN
from gateway.service.base import Actor
from gateway.store.base import Scope

COOKIE = "busmate_session"

TOKENS_MAY = {"/api/v1/proposals": Scope.PROPOSE, "/api/v1/maps/check": Scope.READ}
"""What a token may POST, and the scope it needs. It may read all that its role may; everything else is a person's."""

_SAFE = ("GET", "HEAD")


def address_of(request: Request) -> str:
    """Where the request comes from."""
    return request.client.host if request.client else ""


async def session(request: Request, services: Context = Depends(context)) -> SignedIn:
    """The session of a person; 401 without one, 403 if a change lacks its CSRF token or a program sends it."""
    if "authorization" in request.headers:
        raise ProblemError(403, "PERSON", "this is for a person who is signed in", "仅限已登录的人员")
    found = await services.accounts.session(request.cookies.get(COOKIE, ""))
    if found is None:
        raise ProblemError(401, "SIGN_IN", "sign in first", "请先登录")
    if request.method not in _SAFE and not compare_digest(request.headers.get("x-csrf-token", "").encode(), found.csrf.encode()):
        raise ProblemError(403, "CSRF", "the request does not come from the page you signed in to", "请求不是来自已登录的页面")
    return found


async def current_person(who: SignedIn = Depends(session)) -> Actor:
    """The person behind this request, with the role the account has now."""
    return Actor(user=who.user, role=who.role, via="page", session=who.id, is_fresh=who.is_fresh)


async def current_user(request: Request, services: Context = Depends(context)) -> Actor:
    """The person or the program behind this request; a program is refused what `TOKENS_MAY` does not name."""
    if "authorization" not in request.headers:
        return await current_person(await session(request, services))
    kind, _, text = request.headers["authorization"].partition(" ")
    token = await services.accounts.token(text.strip(), address_of(request)) if kind.lower() == "bearer" else None
    if token is None:
        raise ProblemError(401, "TOKEN", "the token is unknown, revoked or over", "令牌无效、已撤销或已过期")
    needed = Scope.READ if request.method in _SAFE else TOKENS_MAY.get(request.scope["path"])
    if needed is None or (needed is Scope.PROPOSE and token.scope is not Scope.PROPOSE):
        raise ProblemError(403, "SCOPE", "a token of this scope may not do this", "该令牌的范围不允许此操作")
    return Actor(user=token.user, role=token.role, via="api", is_fresh=False)


def needs(role: Role) -> Callable[[Actor], Awaitable[Actor]]:
    """A dependency that gives whoever asks if their role includes `role`; 403 ROLE otherwise."""

    async def check(actor: Actor = Depends(current_user)) -> Actor:
        return _with_role(actor, role)

    return check


def needs_person(role: Role) -> Callable[[Actor], Awaitable[Actor]]:
    """The same for a person alone."""

    async def check(actor: Actor = Depends(current_person)) -> Actor:
        return _with_role(actor, role)

    return check


def require_fresh(actor: Actor) -> None:
    """403 PASSWORD_AGAIN if the password was given too long ago for what two persons must sign; the page asks for it and tries again."""
    if not actor.is_fresh:
        raise ProblemError(403, "PASSWORD_AGAIN", *PASSWORD_AGAIN)


def _with_role(actor: Actor, role: Role) -> Actor:
    if not actor.role.includes(role):
        raise ProblemError(403, "ROLE", f"this needs the role {role}", f"需要 {role} 权限")
    return actor
