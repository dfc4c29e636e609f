"""Alarms: standing ones, acknowledging, shelving."""

from datetime import timedelta

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user, needs
from gateway.api.context import Context, context
from gateway.model.point import Role
from gateway.service.base import Actor

router = APIRouter(tags=["alarms"], dependencies=[Depends(current_user)])


class Nothing(BaseModel):
    """An empty body."""

    model_config = ConfigDict(extra="forbid")


class Shelving(BaseModel):
    """How long an alarm is taken out of sight, in minutes, and why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    minutes: int = Field(ge=1, le=24 * 60)
    reason: str = Field(min_length=1, max_length=500)


@router.get("/alarms")
async def alarms(tag: str | None = Query(default=None, max_length=200), services: Context = Depends(context)) -> Response:
    """Alarms that are not normal, worst first."""
    return schemas.Answer([schemas.alarm(info) for info in services.read.alarms(tag=tag)])


@router.post("/alarms/{alarm}/ack")
async def acknowledge(
    alarm: str, _: Nothing, actor: Actor = Depends(needs(Role.OPERATOR)), services: Context = Depends(context)
) -> Response:
    """A person has seen it."""
    return schemas.Answer(schemas.alarm(await services.alarm_desk.acknowledge(alarm, actor)))


@router.post("/alarms/{alarm}/shelve")
async def shelve(
    alarm: str, body: Shelving, actor: Actor = Depends(needs(Role.ENGINEER)), services: Context = Depends(context)
) -> Response:
    """Take it out of sight for a time."""
    until = services.clock.utc() + timedelta(minutes=body.minutes)
    return schemas.Answer(schemas.alarm(await services.alarm_desk.shelve(alarm, actor, until, body.reason)))


@router.post("/alarms/{alarm}/unshelve")
async def unshelve(alarm: str, _: Nothing, actor: Actor = Depends(needs(Role.ENGINEER)), services: Context = Depends(context)) -> Response:
    """Show it again."""
    return schemas.Answer(schemas.alarm(await services.alarm_desk.unshelve(alarm, actor)))
