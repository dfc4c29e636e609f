"""Proposals and their confirmation by a person: the only way to the wire."""

from decimal import Decimal
from typing import Self

from fastapi import APIRouter, Depends, Header, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from gateway.api import cards, schemas
from gateway.api.auth import current_user, needs, require_fresh
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.model.point import Role
from gateway.service.base import Actor, Proposal, WantedWrite
from gateway.service.confirm import AlreadyTakenError

router = APIRouter(tags=["writes"], dependencies=[Depends(current_user)])


class Wanted(BaseModel):
    """A tag and a finite JSON number, true or false, or an exact label."""

    model_config = ConfigDict(extra="forbid", strict=True)

    tag: str = Field(min_length=1, max_length=200)
    value: bool | int | float | str


class Proposing(BaseModel):
    """Either wanted writes that go together or a procedure, `DEVICE.name`; and why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    writes: list[Wanted] = Field(default_factory=list, max_length=20)
    procedure: str = Field(default="", max_length=200)
    reason: str = Field(max_length=500)

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if bool(self.writes) == bool(self.procedure):
            raise ValueError("give writes or a procedure")
        return self


class Confirming(BaseModel):
    """The card's nonce, and for two-step points the value once more."""

    model_config = ConfigDict(extra="forbid", strict=True)

    nonce: str = Field(min_length=1, max_length=200)
    repeat: str | int | float | None = None


class Deciding(BaseModel):
    """Why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: str = Field(default="", max_length=500)


@router.post("/proposals")
async def propose(
    body: Proposing,
    actor: Actor = Depends(current_user),
    services: Context = Depends(context),
    idempotency_key: str = Header(default="", max_length=200),
) -> Response:
    """Check the rules and put up a card."""
    if body.procedure:
        made = await services.propose.propose_procedure(body.procedure, body.reason, actor, idempotency_key=idempotency_key)
        return schemas.Answer(_card(made, actor, services))
    wanted = [WantedWrite(tag=one.tag, value=_exact(one.value)) for one in body.writes]
    made = await services.propose.propose(wanted, body.reason, actor, idempotency_key=idempotency_key)
    return schemas.Answer(_card(made, actor, services))


@router.get("/proposals")
async def proposals(
    recent: int = Query(default=0, ge=0, le=100), actor: Actor = Depends(current_user), services: Context = Depends(context)
) -> Response:
    """Those that wait for a person, oldest first; with `recent` the newest so many in any state, newest first."""
    found = await (services.propose.recent(recent) if recent else services.propose.open())
    return schemas.Answer([_card(one, actor, services) for one in found])


@router.get("/proposals/{proposal}")
async def proposal(proposal: str, actor: Actor = Depends(current_user), services: Context = Depends(context)) -> Response:
    """One proposal as it stands."""
    return schemas.Answer(_card(await services.propose.get(proposal), actor, services))


@router.post("/proposals/{proposal}/confirm")
async def confirm(
    proposal: str, body: Confirming, actor: Actor = Depends(needs(Role.OPERATOR)), services: Context = Depends(context)
) -> Response:
    """A person's yes: writes once, reads back, and says how it ended. What two persons sign needs a fresh password (403 PASSWORD_AGAIN)."""
    if (await services.propose.get(proposal)).approvals_needed > 1:
        require_fresh(actor)
    repeat = None if body.repeat is None else str(body.repeat)
    try:
        done = await services.confirm.confirm(proposal, body.nonce, actor, repeat=repeat)
    except AlreadyTakenError as exc:
        raise _taken(exc, actor, services) from exc
    ending = done.ending
    return schemas.Answer(
        {
            "outcome": ending.outcome if ending else None,
            "code": ending.code if ending else "",
            "read_back": ending.read_back if ending else None,
            "state": done.state,
            "proposal": _card(done, actor, services),
        }
    )


@router.post("/proposals/{proposal}/reject")
async def reject(
    proposal: str, body: Deciding, actor: Actor = Depends(needs(Role.OPERATOR)), services: Context = Depends(context)
) -> Response:
    """A person's no."""
    try:
        done = await services.confirm.reject(proposal, actor, body.reason)
    except AlreadyTakenError as exc:
        raise _taken(exc, actor, services) from exc
    return schemas.Answer({"state": done.state, "proposal": _card(done, actor, services)})


@router.post("/proposals/{proposal}/stop")
async def stop(
    proposal: str, body: Deciding, actor: Actor = Depends(needs(Role.OPERATOR)), services: Context = Depends(context)
) -> Response:
    """No further step of a running procedure is begun; how its steps ended is told as ever. 422 NOT_ALLOWED if none runs."""
    return schemas.Answer(_card(await services.confirm.stop(proposal, actor, body.reason), actor, services))


@router.post("/proposals/{proposal}/undo")
async def undo(
    proposal: str, body: Deciding, actor: Actor = Depends(needs(Role.OPERATOR)), services: Context = Depends(context)
) -> Response:
    """A new card with the values that an executed write replaced; 422 CHANGED if a point has moved since."""
    return schemas.Answer(_card(await services.propose.undo(proposal, actor, body.reason), actor, services))


def _exact(value: bool | int | float | str) -> bool | int | Decimal | str:
    """The number that was typed: 8.2 is 8.2, not the double next to it."""
    return Decimal(repr(value)) if isinstance(value, float) else value


def _taken(exc: AlreadyTakenError, actor: Actor, services: Context) -> ProblemError:
    """409 with the proposal as it stands: who decided, and how it ended."""
    return ProblemError(409, "TAKEN", exc.message, exc.message_zh, proposal=_card(exc.proposal, actor, services))


def _card(one: Proposal, actor: Actor, services: Context) -> schemas.Json:
    points = {info.tag: info for info in services.read.points()} if one.writes else {}
    return cards.proposal(one, points, with_nonce=bool(actor.session) and actor.role.includes(one.role))
