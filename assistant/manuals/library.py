"""The manuals of a plant: added, listed, removed, searched, shown. What tools, routes, commands and the app hold."""

import asyncio
import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.errors import ToolFailedError, ToolInputError
from assistant.manuals import about, ingest
from assistant.manuals.embed import PROBE, Embedder
from assistant.manuals.index import ManualIndex
from assistant.manuals.page_picture import page_picture
from assistant.manuals.passage import FoundPassage, ManualInfo
from assistant.manuals.retrieve import Query, rank
from assistant.manuals.snapshot import Snapshot
from gateway.clock import Clock

_LOG = logging.getLogger(__name__)

ENDINGS = (".pdf", ".md", ".txt")


class ManualLibrary:
    """The manuals of one plant; implements `ManualSearch`.

    `folder` keeps a copy of each file, so that pages can be shown and manuals read anew. `models` maps device ids to models.
    `load_embedder` is called in a thread by `run`, when the app has long been up; without it the search goes by words alone.
    """

    def __init__(
        self,
        index: ManualIndex,
        folder: Path,
        *,
        models: Mapping[str, str],
        clock: Clock,
        load_embedder: Callable[[], Embedder] | None = None,
    ) -> None:
        self._index = index
        self._folder = folder
        self._models = dict(models)
        self._clock = clock
        self._load_embedder = load_embedder
        self._embedder: Embedder | None = None
        self._snapshot: Snapshot | None = None
        self._writing = asyncio.Lock()
        self._work = asyncio.Event()

    async def open(self) -> None:
        """Bring the tables up to date and read the index into memory."""
        self._folder.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(self._index.migrate)
        await self._refresh()

    async def run(self, sources: Sequence[Path] = ()) -> None:
        """Read what is new in the folders `sources`, then make vectors for ever, as manuals come. Runs as a task of the app."""
        await self.read_new(sources)
        if self._load_embedder is None:
            return
        self._embedder = await asyncio.to_thread(self._load_embedder)
        await self._refresh()
        while True:
            self._work.clear()
            await self.embed_missing()
            await self._work.wait()

    async def read_new(self, sources: Sequence[Path]) -> None:
        """Add the manuals of the folders that are new or changed, and read again those that another version of the reader read."""
        stored = {manual.doc: manual for manual in await asyncio.to_thread(self._index.stored)}
        for file in await asyncio.to_thread(_files, sources):
            known = stored.pop(about.doc_id(file.name), None)
            if known is None or known.reader != ingest.READER or known.sha256 != await asyncio.to_thread(ingest.digest, file):
                await self.add(file)
        for manual in stored.values():
            kept = self._folder / manual.file
            if manual.reader != ingest.READER and kept.exists():
                await self.add(kept)

    async def embed_missing(self) -> None:
        """Make the vectors of all manuals that lack them; each is searched by meaning as soon as it is done."""
        if self._embedder is None:
            return
        embedder = self._embedder
        probe = (await asyncio.to_thread(embedder.passages, [PROBE]))[0]
        for manual in await asyncio.to_thread(self._index.stored):
            if ingest.needs_vectors(manual, embedder, probe):
                await asyncio.to_thread(ingest.embed_manual, self._index, manual.doc, embedder)
                await self._refresh()
                _LOG.info("manual embedded", extra={"doc": manual.doc})

    async def add(self, file: Path) -> ManualInfo:
        """Read `file` into the index in place of an older one of the same name; raises ToolFailedError saying why it cannot."""
        async with self._writing:
            info, passages = await asyncio.to_thread(
                ingest.read_manual, file, added_at=self._clock.utc(), models=sorted(set(self._models.values()))
            )
            if info.problem:
                raise ToolFailedError(f"{file.name}: {info.problem}")
            if file.parent.resolve() != self._folder.resolve():
                await asyncio.to_thread(shutil.copyfile, file, self._folder / file.name)
            await asyncio.to_thread(self._index.put, info, passages, reader=ingest.READER)
            await self._refresh()
        self._work.set()
        return info

    async def add_bytes(self, file_name: str, content: bytes) -> ManualInfo:
        """As `add`, for a file that came over the network; only the last part of its name counts."""
        name = f"{about.doc_id(file_name)}{Path(file_name).suffix.lower()}"
        with TemporaryDirectory() as folder:
            file = Path(folder) / name
            await asyncio.to_thread(file.write_bytes, content)
            return await self.add(file)

    async def remove(self, doc: str) -> None:
        """Forget a manual and its file; raises ToolInputError if there is none."""
        async with self._writing:
            info = self._info(doc)
            await asyncio.to_thread(self._index.remove, doc)
            await asyncio.to_thread((self._folder / info.file).unlink, missing_ok=True)
            await self._refresh()

    def manuals(self) -> tuple[ManualInfo, ...]:
        """The manuals of the index, sorted by name."""
        infos = self._snapshot.infos if self._snapshot else {}
        return tuple(infos[doc] for doc in sorted(infos))

    async def search(self, query: str, *, device: str | None = None, k: int = 5) -> Sequence[FoundPassage]:
        """The passages nearest to the query, best first; nothing if none is near.

        `device` is a device id or a model; manuals of other models are then left out. Raises ToolInputError if it is neither.
        """
        if self._snapshot is None:
            return ()
        models = self._models_of(device) if device else frozenset[str]()
        embedder = self._embedder
        vector = await asyncio.to_thread(embedder.query, query) if embedder else None
        asked = Query(text=query, models=models, vector=vector, parts=embedder.parts if embedder else ())
        return await asyncio.to_thread(rank, self._snapshot, asked, k)

    async def page_png(self, doc: str, page: int, width: int = 900) -> bytes:
        """A picture of one page of a PDF, `width` pixels wide; raises ToolInputError if there is none."""
        return await asyncio.to_thread(page_picture, self._folder / self._info(doc).file, page, width)

    def _info(self, doc: str) -> ManualInfo:
        for info in self.manuals():
            if info.doc == doc:
                return info
        raise ToolInputError(f"no manual is called {doc}; there are: {', '.join(info.doc for info in self.manuals()) or 'none'}")

    def _models_of(self, device: str) -> frozenset[str]:
        wanted = device.casefold()
        by_id = {name.casefold(): model for name, model in self._models.items()}
        if wanted in by_id:
            return frozenset({by_id[wanted].casefold()})
        known = {model.casefold() for model in self._models.values()}
        known |= {model.casefold() for info in self.manuals() for model in info.models}
        if wanted not in known:
            raise ToolInputError(f"no device or model is called {device}; devices: {', '.join(sorted(self._models)) or 'none'}")
        return frozenset({wanted})

    async def _refresh(self) -> None:
        self._snapshot = await asyncio.to_thread(self._index.snapshot, self._embedder.id if self._embedder else "")


def _files(sources: Sequence[Path]) -> list[Path]:
    return sorted(file for folder in sources if folder.is_dir() for file in folder.iterdir() if file.suffix.lower() in ENDINGS)
