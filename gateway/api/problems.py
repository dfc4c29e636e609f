"""Errors as RFC 9457 problem documents: a stable code, words in both languages, never a stack trace."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gateway.api.schemas import Json, dumps
from gateway.errors import GatewayError, StoreError, UnknownTagError, WriteRefusedError
from gateway.store.users import AccountError

_TITLES = {
    400: "Bad request",
    401: "Sign in first",
    403: "Not allowed",
    404: "Not found",
    408: "Too slow",
    409: "Conflict",
    413: "Too large",
    422: "Refused",
    429: "Too many",
    503: "Unavailable",
}


class ProblemError(GatewayError):
    """A request that is answered with a problem document."""

    def __init__(self, status: int, code: str, detail: str, detail_zh: str = "", **more: object) -> None:
        super().__init__(detail)
        self.status = status
        self.problem_code = code
        self.words = {"en": detail, "zh": detail_zh or detail}
        self.more = more


def problem(status: int, code: str, words: dict[str, str], **more: object) -> Response:
    """The problem document."""
    body: Json = {
        "type": "about:blank",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": words["en"],
        "words": words,
        **more,
    }
    return Response(dumps(body), status_code=status, media_type="application/problem+json")


def install(app: FastAPI) -> None:
    """Answer every error of ours, of the framework and of validation with a problem document."""
    app.add_exception_handler(ProblemError, _ours)
    app.add_exception_handler(WriteRefusedError, _refused)
    app.add_exception_handler(UnknownTagError, _unknown)
    app.add_exception_handler(AccountError, _account)
    app.add_exception_handler(StoreError, _store)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _framework)
    app.add_exception_handler(Exception, _broken)


async def _ours(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, ProblemError)  # noqa: S101 - registered for this type only
    return problem(exc.status, exc.problem_code, exc.words, **exc.more)


async def _refused(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, WriteRefusedError)  # noqa: S101 - registered for this type only
    status = 403 if exc.refusal in ("ROLE", "PASSWORD_AGAIN") else 429 if exc.refusal == "RATE" else 422
    return problem(status, exc.refusal, {"en": exc.message, "zh": exc.message_zh}, codes=list(exc.codes))


async def _unknown(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, UnknownTagError)  # noqa: S101 - registered for this type only
    return problem(404, exc.code, {"en": str(exc), "zh": f"没有名为 {exc.tag} 的测点"}, near=list(exc.near))


async def _account(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, AccountError)  # noqa: S101 - registered for this type only
    return problem(422, exc.code, {"en": str(exc), "zh": exc.message_zh})


async def _store(_: Request, exc: Exception) -> Response:
    return problem(503, "STORE", {"en": str(exc), "zh": f"数据库不可用：{exc}"})


async def _invalid(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, RequestValidationError)  # noqa: S101 - registered for this type only
    faults = "; ".join(f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in exc.errors())
    return problem(422, "INVALID", {"en": faults, "zh": f"请求无效：{faults}"})


async def _framework(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)  # noqa: S101 - registered for this type only
    return problem(exc.status_code, f"HTTP_{exc.status_code}", {"en": str(exc.detail), "zh": str(exc.detail)})


async def _broken(_: Request, __: Exception) -> Response:
    """A fault of the program: the server logs it with its traceback, the page is told no more than that."""
    return problem(500, "BROKEN", {"en": "the program failed on this request; the log says more", "zh": "程序处理此请求时出错，详见日志"})
