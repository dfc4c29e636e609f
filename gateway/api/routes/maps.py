"""Register maps: read, checked, changed in two phases, rolled back, reloaded."""

from collections.abc import Sequence

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gateway.api import schemas
from gateway.api.auth import current_user, needs, require_fresh
from gateway.api.context import Context, context
from gateway.api.problems import ProblemError
from gateway.errors import ConfigError, Finding
from gateway.maps.diff import Change
from gateway.maps.edit import Edit, EditValue, edited
from gateway.model.point import Role
from gateway.service.base import Actor
from gateway.service.map_files import Draft
from gateway.service.map_pending import MapChange

router = APIRouter(tags=["maps"], dependencies=[Depends(needs(Role.ENGINEER))])

_LONGEST = 1_000_000


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class EditIn(_Body):
    """Put a value at a path of the map, or take away what is there."""

    path: list[str | int] = Field(min_length=1, max_length=12)
    value: EditValue = None
    remove: bool = False


class Wanted(_Body):
    """The whole new text, or single edits of the present one; `base` is the digest of the text that was read."""

    base: str = Field(max_length=64)
    text: str | None = Field(default=None, max_length=_LONGEST)
    edits: list[EditIn] = Field(default_factory=list, max_length=200)
    reason: str = Field(default="", max_length=500)


class Checked(_Body):
    """A text to be checked."""

    text: str = Field(max_length=_LONGEST)


class Back(_Body):
    """The version to go back to."""

    version: int = Field(ge=1)
    base: str = Field(max_length=64)
    reason: str = Field(default="", max_length=500)


class Nothing(_Body):
    """An empty body."""


@router.get("/maps")
async def maps(services: Context = Depends(context)) -> Response:
    """All maps by id with the devices that use them."""
    users: dict[str, list[str]] = {}
    for device in services.read.devices():
        users.setdefault(device.map, []).append(device.id)
    return schemas.Answer(
        [{"id": name, "is_shipped": shipped, "devices": users.get(name, [])} for name, shipped in await services.maps.ids()]
    )


@router.post("/maps/check")
async def check(body: Checked, services: Context = Depends(context)) -> Response:
    """Every error and warning of a text."""
    return schemas.Answer(_sorted(await services.maps.check(body.text)))


@router.post("/maps/reload")
async def reload(_: Nothing, actor: Actor = Depends(current_user), services: Context = Depends(context)) -> Response:
    """Take up what changed in the files of configuration and maps."""
    try:
        return schemas.Answer(_change(await services.maps.reload(actor)))
    except ConfigError as exc:
        raise _wrong(exc) from exc


@router.get("/maps/changes")
async def changes(services: Context = Depends(context)) -> Response:
    """Changes that wait for a second person."""
    return schemas.Answer([_change(one) for one in await services.maps.open()])


@router.post("/maps/changes/{change}/confirm")
async def confirm(change: str, _: Nothing, actor: Actor = Depends(current_user), services: Context = Depends(context)) -> Response:
    """The second person's yes. 403 PASSWORD_AGAIN if the password was given too long ago."""
    require_fresh(actor)
    try:
        return schemas.Answer(_change(await services.maps.confirm(change, actor)))
    except ConfigError as exc:
        raise _wrong(exc) from exc


@router.post("/maps/changes/{change}/reject")
async def reject(change: str, _: Nothing, actor: Actor = Depends(current_user), services: Context = Depends(context)) -> Response:
    """A no."""
    return schemas.Answer(_change(await services.maps.reject(change, actor)))


@router.get("/maps/{map_id}")
async def one_map(map_id: str, services: Context = Depends(context)) -> Response:
    """The text of a map, its digest and its kept states."""
    try:
        found, versions = await services.maps.get(map_id)
    except ConfigError as exc:
        raise ProblemError(404, "UNKNOWN_MAP", str(exc), f"没有点表 {map_id}") from exc
    kept = [{"number": one.number, "at": schemas.time(one.at), "by": one.by, "note": one.note} for one in versions]
    return schemas.Answer(
        {"id": found.id, "text": found.text, "digest": found.digest, "file": found.file, "is_shipped": found.is_shipped, "versions": kept}
    )


@router.get("/maps/{map_id}/versions/{number}")
async def version(map_id: str, number: int, services: Context = Depends(context)) -> Response:
    """The text of a kept state."""
    try:
        return schemas.Answer({"number": number, "text": await services.maps.version(map_id, number)})
    except ConfigError as exc:
        raise ProblemError(404, "UNKNOWN_VERSION", str(exc), f"点表 {map_id} 没有版本 {number}") from exc


@router.post("/maps/{map_id}/preview")
async def preview(map_id: str, body: Wanted, actor: Actor = Depends(current_user), services: Context = Depends(context)) -> Response:
    """What a change would do, with its risks; nothing is kept."""
    try:
        return schemas.Answer(_change(await services.maps.preview(await _draft(map_id, body, services), actor)))
    except ConfigError as exc:
        raise _wrong(exc) from exc


@router.put("/maps/{map_id}")
async def put(map_id: str, body: Wanted, actor: Actor = Depends(current_user), services: Context = Depends(context)) -> Response:
    """Try a change with the whole plant; without risk it counts at once, else a second engineer has to confirm it."""
    try:
        return schemas.Answer(_change(await services.maps.put(await _draft(map_id, body, services), actor, body.reason)))
    except ConfigError as exc:
        raise _wrong(exc) from exc


@router.post("/maps/{map_id}/rollback")
async def roll_back(map_id: str, body: Back, actor: Actor = Depends(current_user), services: Context = Depends(context)) -> Response:
    """Make an earlier state the new one, by the same two phases."""
    try:
        return schemas.Answer(_change(await services.maps.roll_back(map_id, body.version, body.base, actor, body.reason)))
    except ConfigError as exc:
        raise _wrong(exc) from exc


async def _draft(map_id: str, body: Wanted, services: Context) -> Draft:
    if (body.text is None) == (not body.edits):
        raise ProblemError(422, "INVALID", "send either `text` or `edits`", "请提供 text 或 edits 之一")
    text = body.text if body.text is not None else await _edited(map_id, body.edits, services)
    return Draft(map=map_id, text=text, base=body.base)


async def _edited(map_id: str, edits: Sequence[EditIn], services: Context) -> str:
    found, _ = await services.maps.get(map_id)
    return edited(found.text, [Edit(path=tuple(one.path), value=one.value, remove=one.remove) for one in edits], found.file)


def _wrong(exc: ConfigError) -> ProblemError:
    """409 for a text that is no longer the newest, else 422; all findings with file, line and point."""
    status = 409 if exc.findings[0].code == "changed_meanwhile" else 422
    return ProblemError(status, "MAP", str(exc), f"点表或配置有误，未作更改：{exc}", findings=[_finding(one) for one in exc.findings])


def _sorted(findings: Sequence[Finding]) -> schemas.Json:
    return {f"{kind}s": [_finding(one) for one in findings if one.severity == kind] for kind in ("error", "warning")}


def _finding(one: Finding) -> schemas.Json:
    return {"file": one.file, "line": one.line, "path": one.path, "code": one.code, "message": one.message, "fix": one.fix}


def _change(one: MapChange) -> schemas.Json:
    return {
        "id": one.id,
        "map": one.map,
        "state": one.state,
        "by": one.by,
        "reason": one.reason,
        "expires_s": round(one.expires_s, 1),
        "changes": [_row(each) for each in one.changes],
        "warnings": [_finding(each) for each in one.warnings],
    }


def _row(one: Change) -> schemas.Json:
    risk = schemas.text(one.risk) if one.is_risky else None
    return {"point": one.point, "key": one.key, "old": one.old, "new": one.new, "risk": risk}
