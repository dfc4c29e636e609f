"""The web application: routes found by folder scan, the page's files, security around all of it."""

import pkgutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path

from fastapi import APIRouter, FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.responses import FileResponse

import gateway.api.routes
from gateway.api import problems
from gateway.api.context import Context
from gateway.api.shield import Shield

_WEB = Path(__file__).parent.parent / "web"


def discover() -> list[str]:
    """Names of the route files, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(gateway.api.routes.__path__))


def make_app(
    context: Context,
    *,
    hosts: Iterable[str],
    routers: Sequence[APIRouter] = (),
    pages: Sequence[tuple[str, Path]] = (),
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None,
) -> Shield:
    """The application over `context`; `routers` and `pages` (URL prefix, folder) are what the assistant adds."""
    app = FastAPI(title="Busmate", version="1", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=lifespan)
    app.state.context = context
    problems.install(app)
    for name in discover():
        module = vars(import_module(f"gateway.api.routes.{name}"))
        app.include_router(module["router"], prefix=module.get("PREFIX", "/api/v1"))
    for router in routers:
        app.include_router(router, prefix="/api/v1")
    for prefix, folder in (("/static", _WEB), *pages):
        app.mount(prefix, StaticFiles(directory=folder), name=prefix.strip("/"))

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(_WEB / "index.html")

    return Shield(app, hosts)
