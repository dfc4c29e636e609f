"""The past of one tag."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.service.base import Agg

router = APIRouter(tags=["plant"], dependencies=[Depends(current_user)])


@router.get("/history")
async def history(
    tag: Annotated[str, Query(max_length=200)],
    start: datetime,
    end: datetime,
    agg: Agg = "raw",
    buckets: Annotated[int, Query(ge=0, le=2000)] = 0,
    target: Decimal | None = None,
    services: Context = Depends(context),
) -> Response:
    """Samples or one aggregate of `start..end`, in equal parts if `buckets` is given."""
    if start.tzinfo is None or end.tzinfo is None:
        raise ProblemError(422, "INVALID", "start and end need a time zone, as in 2026-03-10T14:00:00Z", "起止时间须带时区")
    if end <= start:
        raise ProblemError(422, "INVALID", "end must be after start", "结束时间须晚于开始时间")
    if target is not None and not target.is_finite():
        raise ProblemError(422, "INVALID", "target must be a finite number", "目标值须为有限数")
    return schemas.Answer(schemas.history(await services.read.history(tag, start, end, agg, buckets=buckets, target=target)))
