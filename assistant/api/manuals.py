"""Manuals over HTTP: list, search, pages as pictures, adding and removing."""

from collections.abc import Mapping
from typing import Protocol

from fastapi import APIRouter, Depends, Query, UploadFile
from starlette.responses import Response

from assistant.errors import AssistantError, ToolInputError
from assistant.manuals.library import ManualLibrary
from assistant.manuals.passage import ManualInfo
from gateway.api.auth import current_user, needs
from gateway.api.problems import ProblemError
from gateway.api.schemas import Answer, Json, time
from gateway.model.point import Role
from gateway.service.base import Actor

MAX_UPLOAD = 60_000_000


class AuditSink(Protocol):
    """What may append to the audit."""

    async def record(self, kind: str, subject: str, body: Mapping[str, object]) -> object:
        """Append one record and commit it."""
        ...


def manual_routes(library: ManualLibrary, audit: AuditSink) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["manuals"], dependencies=[Depends(current_user)])

    @routes.get("/manuals")
    async def manuals() -> Response:
        """The manuals of the index."""
        return Answer([_info(info) for info in library.manuals()])

    @routes.get("/manuals/search")
    async def search(
        query: str = Query(min_length=1, max_length=500),
        device: str | None = Query(default=None, max_length=100),
        k: int = Query(default=5, ge=1, le=20),
    ) -> Response:
        """The passages nearest to the query, best first."""
        try:
            found = await library.search(query, device=device, k=k)
        except ToolInputError as exc:
            raise ProblemError(422, "INVALID", str(exc)) from exc
        return Answer(
            [
                {"doc": one.doc, "revision": one.revision, "page": one.page, "section": one.section, "text": one.text, "score": one.score}
                for one in found
            ]
        )

    @routes.get("/manuals/{doc}/pages/{page}.png")
    async def page_picture(doc: str, page: int, width: int = Query(default=900, ge=200, le=2000)) -> Response:
        """A picture of one page."""
        try:
            picture = await library.page_png(doc, page, width)
        except ToolInputError as exc:
            raise ProblemError(404, "UNKNOWN_PAGE", str(exc), "没有这一页") from exc
        return Response(picture, media_type="image/png", headers={"cache-control": "private, max-age=3600"})

    @routes.post("/manuals")
    async def add(file: UploadFile, actor: Actor = Depends(needs(Role.ENGINEER))) -> Response:
        """Add a manual, or put a new version in place of the one of the same name."""
        content = await file.read(MAX_UPLOAD + 1)
        if len(content) > MAX_UPLOAD:
            raise ProblemError(413, "TOO_LARGE", f"a manual has at most {MAX_UPLOAD // 1_000_000} MB", "手册文件过大")
        try:
            info = await library.add_bytes(file.filename or "", content)
        except AssistantError as exc:
            raise ProblemError(422, "MANUAL", str(exc)) from exc
        await audit.record("manual_added", info.doc, {"user": actor.user, "doc": info.doc, "sha256": info.sha256, "pages": info.pages})
        return Answer(_info(info))

    @routes.delete("/manuals/{doc}", status_code=204)
    async def remove(doc: str, actor: Actor = Depends(needs(Role.ENGINEER))) -> Response:
        """Forget a manual."""
        try:
            await library.remove(doc)
        except ToolInputError as exc:
            raise ProblemError(404, "UNKNOWN_MANUAL", str(exc), "没有这本手册") from exc
        await audit.record("manual_removed", doc, {"user": actor.user, "doc": doc})
        return Response(status_code=204)

    return routes


def _info(info: ManualInfo) -> Json:
    return {
        "doc": info.doc,
        "title": info.title,
        "revision": info.revision,
        "models": list(info.models),
        "lang": info.lang,
        "pages": info.pages,
        "passages": info.passages,
        "sha256": info.sha256,
        "added_at": time(info.added_at),
        "embedded": info.embedded,
    }
