"""Who sends this request: the session's cookie, the CSRF token of changes, and the role each route needs."""

from collections.abc import Awaitable, Callable
from hmac import compare_digest

from fastapi import Depends, Request

from gateway.api.context import Context, SignedIn, context
from gateway.api.problems import ProblemError
from gateway.model.point import Role
from gateway.service.base import Actor

COOKIE = "busmate_session"


async def session(request: Request, services: Context = Depends(context)) -> SignedIn:
    """The session of this request; 401 without one, 403 if a change lacks its CSRF token."""
    found = await services.accounts.session(request.cookies.get(COOKIE, ""))
    if found is None:
        raise ProblemError(401, "SIGN_IN", "sign in first", "请先登录")
    if request.method not in ("GET", "HEAD") and not compare_digest(request.headers.get("x-csrf-token", ""), found.csrf):
        raise ProblemError(403, "CSRF", "the request does not come from the page you signed in to", "请求不是来自已登录的页面")
    return found


async def current_user(who: SignedIn = Depends(session)) -> Actor:
    """The person behind this request, with the role the account has now."""
    return Actor(user=who.user, role=who.role, via="page", session=who.id)


def needs(role: Role) -> Callable[[Actor], Awaitable[Actor]]:
    """A dependency that gives the person if their role includes `role`; 403 ROLE otherwise."""

    async def check(actor: Actor = Depends(current_user)) -> Actor:
        if not actor.role.includes(role):
            raise ProblemError(403, "ROLE", f"this needs the role {role}", f"需要 {role} 权限")
        return actor

    return check
