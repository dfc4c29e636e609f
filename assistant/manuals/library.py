"""The manuals of a plant: added, listed, removed, searched, shown. What tools, routes, commands and the app hold."""

import asyncio
import contextlib
import logging
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.errors import ModelUnavailableError, ToolFailedError, ToolInputError
from assistant.manuals import about, ingest
from assistant.manuals.embed import PROBE, Embedder
from assistant.manuals.index import REMOVED, ManualIndex
from assistant.manuals.named import DeviceNames
from assistant.manuals.page_picture import page_picture
from assistant.manuals.passage import FoundPassage, ManualInfo
from assistant.manuals.prepared import PreparedEmbedder
from assistant.manuals.retrieve import Query, rank
from assistant.manuals.snapshot import Floats, Snapshot
from gateway.clock import Clock
from gateway.errors import StoreError

_LOG = logging.getLogger(__name__)

ENDINGS = (".pdf", ".md", ".txt")
READING_S = 20.0
"""How long a search waits for manuals that are being read for the first time; then it searches those that are."""
LOOK_AGAIN_S = 30.0
"""How often the index is looked at for manuals that another process added, and a lost embedding model is asked again."""


class ManualLibrary:
    """The manuals of one plant; implements `ManualSearch`.

    `folder` keeps a copy of each file, so that pages can be shown and manuals read anew. `models` maps device ids, and other
    names of devices, to models.
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
        self._names = DeviceNames(models)
        self._clock = clock
        self._load_embedder = load_embedder
        self._embedder: Embedder | None = None
        self._snapshot: Snapshot | None = None
        self._writing = asyncio.Lock()
        self._is_read = asyncio.Event()
        self._is_read.set()

    async def open(self) -> None:
        """Bring the tables up to date and read the index into memory."""
        self._folder.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(self._index.migrate)
        await self.refresh()

    async def run(self, sources: Sequence[Path] = ()) -> None:
        """Read what is new in the folders `sources`, then keep index and vectors up to date. Runs for ever, as a task of the app."""
        await self.read_new(sources)
        while True:
            try:
                await self.embed_missing()
                if await asyncio.to_thread(self._index.generation) != (self._snapshot.generation if self._snapshot else ""):
                    await self.refresh()
            except (ModelUnavailableError, StoreError) as exc:
                _LOG.warning("manuals are searched by words alone: %s", exc)
            await self._clock.sleep(LOOK_AGAIN_S)

    async def read_new(self, sources: Sequence[Path]) -> None:
        """Add the manuals of the folders that are new or changed, and read again what another version of the reader read.

        One that cannot be read is listed with its problem and costs the others nothing; one that was removed stays so until it changes.
        """
        self._is_read.clear()
        try:
            await self._read_new(sources)
        finally:
            self._is_read.set()

    async def _read_new(self, sources: Sequence[Path]) -> None:
        stored = {manual.doc: manual for manual in await asyncio.to_thread(self._index.stored)}
        for file in await asyncio.to_thread(_files, sources):
            known = stored.pop(about.doc_id(file.name), None)
            if known is None or known.reader != ingest.READER or known.sha256 != await asyncio.to_thread(ingest.digest, file):
                await self._read(file)
        for manual in stored.values():
            kept = self._folder / manual.file
            if manual.reader != ingest.READER and manual.problem != REMOVED and kept.exists():
                await self._read(kept)

    async def load_model(self) -> None:
        """Get the embedding model, so that searches go by meaning too. Raises ModelUnavailableError."""
        if self._load_embedder is not None and self._embedder is None:
            self._embedder = await asyncio.to_thread(_prepared, self._load_embedder)
            await self.refresh()

    async def embed_missing(self) -> None:
        """Make the vectors of all manuals that lack them; each is searched by meaning as soon as it is done.

        Raises ModelUnavailableError.
        """
        await self.load_model()
        if self._embedder is None:
            return
        embedder = self._embedder
        probe = (await asyncio.to_thread(embedder.passages, [PROBE]))[0]
        for manual in await asyncio.to_thread(self._index.stored):
            if ingest.needs_vectors(manual, embedder, probe):
                await ingest.embed_manual(self._index, manual.doc, embedder)
                await self.refresh()
                _LOG.info("manual embedded", extra={"doc": manual.doc})

    async def add(self, file: Path) -> ManualInfo:
        """Read `file` into the index in place of an older one of the same name; raises ToolFailedError saying why it cannot."""
        info = await self._read(file, keep_problem=False)
        if info.problem:
            raise ToolFailedError(f"{file.name}: {info.problem}")
        return info

    async def add_bytes(self, file_name: str, content: bytes) -> ManualInfo:
        """As `add`, for a file that came over the network; of its name only the letters of the last part count."""
        name = f"{about.doc_id(file_name)}.{re.sub('[^a-z0-9]', '', Path(file_name).suffix.lower())[:8]}"
        with TemporaryDirectory() as folder:
            file = Path(folder) / name
            await asyncio.to_thread(file.write_bytes, content)
            return await self.add(file)

    async def remove(self, doc: str) -> None:
        """Forget a manual and the copy of its file; raises ToolInputError if there is none."""
        async with self._writing:
            info = self._info(doc)
            await asyncio.to_thread(self._index.remove, doc)
            await asyncio.to_thread((self._folder / info.file).unlink, missing_ok=True)
            await self.refresh()

    def manuals(self) -> tuple[ManualInfo, ...]:
        """The manuals of the index, sorted by name; one with a `problem` holds no passages."""
        infos = self._snapshot.infos if self._snapshot else {}
        return tuple(infos[doc] for doc in sorted(infos))

    async def search(self, query: str, *, device: str | None = None, k: int = 5) -> Sequence[FoundPassage]:
        """The passages nearest to the query, best first; nothing if none is near. Waits a while for manuals that are being read.

        `device` is a device's name or a model; manuals of other models are then left out, as they are if `query` names a device. Raises
        ToolInputError if it is neither.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(READING_S):
                await self._is_read.wait()
        if self._snapshot is None:
            return ()
        rest, named = self._names.take(query)
        models = self._models_of(device) if device else named
        vector = await self._vector(rest)
        asked = Query(text=rest, models=models, vector=vector, parts=self._embedder.parts if self._embedder else ())
        return await asyncio.to_thread(rank, self._snapshot, asked, k)

    async def page_png(self, doc: str, page: int, width: int = 900) -> bytes:
        """A picture of one page of a PDF, `width` pixels wide; raises ToolInputError if there is none."""
        info = self._info(doc)
        if not 1 <= page <= info.pages:
            raise ToolInputError(f"{doc} has pages 1 to {info.pages}, not {page}")
        return await page_picture(self._folder / info.file, page, width)

    async def refresh(self) -> None:
        """Read the index into memory anew."""
        self._snapshot = await asyncio.to_thread(self._index.snapshot, self._embedder.id if self._embedder else "")

    async def _read(self, file: Path, *, keep_problem: bool = True) -> ManualInfo:
        async with self._writing:
            info, passages = await ingest.read_manual(file, added_at=self._clock.utc(), models=sorted(set(self._models.values())))
            if info.problem and not keep_problem:
                return info
            if info.problem:
                _LOG.warning("manual not read: %s", info.problem, extra={"doc": info.doc})
            if file.parent.resolve() != self._folder.resolve():
                await asyncio.to_thread(shutil.copyfile, file, self._folder / file.name)
            await asyncio.to_thread(self._index.put, info, passages, reader=ingest.READER)
            await self.refresh()
        return info

    async def _vector(self, query: str) -> Floats | None:
        """The query's vector, None while there is no model to make it."""
        if self._embedder is None:
            return None
        try:
            return await asyncio.to_thread(self._embedder.query, query)
        except ModelUnavailableError as exc:
            _LOG.warning("searched by words alone: %s", exc)
            return None

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


def _prepared(load: Callable[[], Embedder]) -> Embedder:
    return PreparedEmbedder(load())


def _files(sources: Sequence[Path]) -> list[Path]:
    return sorted(file for folder in sources if folder.is_dir() for file in folder.iterdir() if file.suffix.lower() in ENDINGS)
