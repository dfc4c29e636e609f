"""`busmate manuals`: the manual index of a configuration, beside a gateway that may be running on it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.errors import AssistantError, ModelUnavailableError
from assistant.manuals.embed import Embedder
from assistant.manuals.library import ENDINGS, ManualLibrary
from assistant.manuals.passage import FoundPassage, ManualInfo
from assistant.settings import AssistantSettings, read_settings
from gateway.cli.output import fail, fail_with, print_json
from gateway.errors import GatewayError
from gateway.settings import Settings, load_settings

if TYPE_CHECKING:
    from gateway.store.audit import Audit

_SHOWN = 160


class Action(StrEnum):
    """What to do with manuals."""

    ADD = "add"
    LIST = "list"
    REMOVE = "remove"
    SEARCH = "search"


def manuals(
    action: Annotated[Action, typer.Argument(help="add PATH..., list, remove NAME..., search TEXT")],
    what: Annotated[list[str] | None, typer.Argument(help="files or folders to add, names to remove, words to search")] = None,
    config: Annotated[Path | None, typer.Option(help="the configuration whose index it is")] = None,
    device: Annotated[str | None, typer.Option(help="search the manuals of this device or model only")] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="passages at most")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """The manuals: add, list, remove, search."""
    names = what or []
    if config is None:
        fail("USAGE", "which plant's manuals?", fix="--config FILE", as_json=as_json, status=2)
    if bool(names) == (action is Action.LIST):
        fail(
            "USAGE",
            f"manuals {action}: {'nothing' if names else 'something'} more is expected",
            fix="see --help",
            as_json=as_json,
            status=2,
        )
    try:
        settings = load_settings(config)
        match action:
            case Action.ADD:
                _print_infos(asyncio.run(_add(settings, names)), as_json=as_json)
            case Action.LIST:
                _print_infos(asyncio.run(_list(settings)), as_json=as_json)
            case Action.REMOVE:
                _print_infos(asyncio.run(_remove(settings, names)), as_json=as_json)
            case Action.SEARCH:
                _print_found(asyncio.run(_search(settings, " ".join(names), device, k)), as_json=as_json)
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    except AssistantError as error:
        fail("MANUAL", str(error), as_json=as_json)


async def _add(settings: Settings, names: Sequence[str]) -> tuple[ManualInfo, ...]:
    async with _opened(settings) as (library, audit):
        files = await asyncio.to_thread(_files, names)
        for file in files:
            info = await library.add(file)
            await audit.record("manual_added", info.doc, {"user": getuser(), "doc": info.doc, "sha256": info.sha256, "pages": info.pages})
        try:
            await library.embed_missing()
        except ModelUnavailableError as error:
            sys.stderr.write(f"searched by words alone until a gateway finds the model: {error}\n")
        return library.manuals()


async def _list(settings: Settings) -> tuple[ManualInfo, ...]:
    async with _opened(settings) as (library, _):
        return library.manuals()


async def _remove(settings: Settings, names: Sequence[str]) -> tuple[ManualInfo, ...]:
    async with _opened(settings) as (library, audit):
        for doc in names:
            await library.remove(doc)
            await audit.record("manual_removed", doc, {"user": getuser(), "doc": doc})
        return library.manuals()


async def _search(settings: Settings, text: str, device: str | None, k: int) -> Sequence[FoundPassage]:
    async with _opened(settings) as (library, _):
        if not library.manuals():
            await library.read_new(read_settings(settings.assistant, settings.file).manuals)
        try:
            await library.load_model()
        except ModelUnavailableError as error:
            sys.stderr.write(f"searched by words alone: {error}\n")
        return await library.search(text, device=device, k=k)


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[tuple[ManualLibrary, "Audit"]]:
    from assistant.manuals.index import ManualIndex
    from gateway.cli.audit import opened
    from gateway.clock import SystemClock

    block = read_settings(settings.assistant, settings.file)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    async with opened(settings) as (store, audit):
        library = ManualLibrary(
            ManualIndex(store.engine),
            settings.data_dir / "manuals",
            models={device.id: device.map.model for device in settings.devices},
            clock=SystemClock(),
            load_embedder=lambda: _embedder(block),
        )
        await library.open()
        yield library, audit


def _embedder(block: AssistantSettings) -> Embedder:
    if block.embeddings is None:
        from assistant.manuals.embed import default_embedder

        return default_embedder()
    from assistant.llm.server import embedding
    from assistant.manuals.embed_server import ServerEmbedder

    return ServerEmbedder(embedding(block.embeddings))


def _files(names: Sequence[str]) -> list[Path]:
    files: list[Path] = []
    for path in map(Path, names):
        found = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS) if path.is_dir() else [path]
        if not found or not found[0].is_file():
            raise ManualsMissingError(f"{path}: no file, and no folder with {', '.join(ENDINGS)} files", fix="name a file or a folder")
        files += found
    return files


class ManualsMissingError(GatewayError):
    """There is nothing to add at a path."""

    code = "NO_FILE"


def _print_infos(infos: Sequence[ManualInfo], *, as_json: bool) -> None:
    if as_json:
        print_json([_info(info) for info in infos])
        return
    for info in infos:
        about = info.problem or f"{info.pages} pages, {info.passages} passages{'' if info.embedded else ', by words so far'}"
        print(f"{info.doc}  {info.revision or '-'}  {', '.join(info.models) or 'any device'}  {about}")
    if not infos:
        print("no manuals")


def _info(info: ManualInfo) -> dict[str, object]:
    return {
        "doc": info.doc,
        "title": info.title,
        "revision": info.revision,
        "models": list(info.models),
        "lang": info.lang,
        "pages": info.pages,
        "passages": info.passages,
        "sha256": info.sha256,
        "embedded": info.embedded,
        "problem": info.problem,
    }


def _print_found(found: Sequence[FoundPassage], *, as_json: bool) -> None:
    if as_json:
        print_json([_found(one) for one in found])
        return
    for one in found:
        text = " ".join(one.text.split())
        print(f"[{one.doc} p.{one.page}] {one.section}: {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}  ({one.score:.2f})")
    if not found:
        print("not found in the manuals")


def _found(one: FoundPassage) -> dict[str, object]:
    return {"doc": one.doc, "revision": one.revision, "page": one.page, "section": one.section, "text": one.text, "score": one.score}
