"""Everything about one value: the screen an engineer trusts."""

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from gateway.api.auth import current_user
from gateway.api.context import Context, context
from gateway.api.explained import explanation
from gateway.api.problems import ProblemError
from gateway.api.schemas import Answer
from gateway.service.explain import WordsError, parsed_words

router = APIRouter(tags=["plant"], dependencies=[Depends(current_user)])


@router.get("/points/{tag}/explain")
async def explain(
    tag: str,
    words: str | None = Query(default=None, max_length=1000, description="hex words instead of the live ones, apart by spaces or commas"),
    services: Context = Depends(context),
) -> Response:
    """Map line, addresses, frames, words, every decode step, the other orders, age and health."""
    try:
        return Answer(explanation(services.explain.explain(tag, None if words is None else parsed_words(words))))
    except WordsError as exc:
        raise ProblemError(422, exc.code, str(exc), f"寄存器内容有误：{exc}") from exc
