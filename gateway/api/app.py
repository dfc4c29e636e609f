"""The web application: routes found by folder scan, and the page's files."""

import pkgutil
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.responses import FileResponse

import gateway.api.routes
from gateway.api import problems
from gateway.api.context import Context

API = "/api/v1"

_WEB = Path(__file__).parent.parent / "web"


def discover() -> list[str]:
    """Names of the route files, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(gateway.api.routes.__path__))


def make_app(context: Context, folders: Sequence[tuple[str, Path]] = ()) -> FastAPI:
    """The application over `context`; `folders` are further folders of the page's files, by URL prefix."""
    app = FastAPI(title="Busmate", version="1", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.context = context
    problems.install(app)
    for name in discover():
        module = vars(import_module(f"gateway.api.routes.{name}"))
        app.include_router(module["router"], prefix=module.get("PREFIX", API))
    for prefix, folder in (("/static", _WEB), *folders):
        app.mount(prefix, StaticFiles(directory=folder), name=prefix.strip("/"))

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(_WEB / "index.html")

    return app
