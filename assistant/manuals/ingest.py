"""A file to passages, and stored passages to vectors.

Passages are stored as soon as the pages are read, so that the search by words answers within seconds; the vectors of a whole
manual follow in one commit. Nothing is deleted before its successor is ready.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from assistant.manuals import about, pages, split
from assistant.manuals.blocks import ParsedFile
from assistant.manuals.embed import PROBE, Embedder, Floats
from assistant.manuals.index import ManualIndex, Stored
from assistant.manuals.passage import ManualInfo, Passage
from assistant.manuals.prepared import prepared_pages

READER = f"pages {pages.VERSION}, split {split.VERSION}"
"""Another reader makes other passages: manuals that another one read are read again."""

_SAME = 0.999
_BATCH = 8
"""Passages in one go of a thread: a stop waits for it, a second or two."""


async def read_manual(file: Path, *, added_at: datetime, models: Iterable[str]) -> tuple[ManualInfo, tuple[Passage, ...]]:
    """What the index will hold of `file`; `problem` of the info is set and no passages come if it cannot be read."""
    sha256 = await asyncio.to_thread(digest, file)
    parsed = await asyncio.to_thread(prepared_pages, sha256, pages.VERSION) or await pages.read_pages(file)
    return await asyncio.to_thread(split_file, file, parsed, added_at, tuple(models))


def digest(file: Path) -> str:
    """SHA-256 of the file's bytes."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


async def embed_manual(index: ManualIndex, doc: str, embedder: Embedder) -> None:
    """Make and store the vectors of all passages of a manual; a long manual takes minutes."""
    passages = await asyncio.to_thread(index.passages, doc)
    vectors: list[tuple[str, bytes]] = []
    for at in range(0, len(passages), _BATCH):
        vectors += await asyncio.to_thread(_vectors, passages[at : at + _BATCH], embedder)
    probe = (await asyncio.to_thread(embedder.passages, [PROBE]))[0]
    await asyncio.to_thread(index.put_vectors, doc, vectors, embedder=embedder.id, probe=probe.tobytes())


def needs_vectors(stored: Stored, embedder: Embedder, probe: Floats) -> bool:
    """True if the manual has no vectors, or has those of another model, be it one that goes by the same name."""
    if stored.problem:
        return False
    if stored.embedder != embedder.id:
        return True
    old = np.frombuffer(stored.probe, dtype=np.float32)
    return old.shape != probe.shape or float(old @ probe) < _SAME * float(probe @ probe)


def split_file(file: Path, parsed: ParsedFile, added_at: datetime, models: tuple[str, ...]) -> tuple[ManualInfo, tuple[Passage, ...]]:
    """What the index will hold of a file whose pages are known. Blocks."""
    doc = about.doc_id(file.name)
    title = about.title_of(parsed, file.name)
    named = about.models_of(parsed, file.name, models)
    passages = split.split(parsed.pages, doc=doc, title=title, models=named)
    info = ManualInfo(
        doc=doc,
        title=title,
        revision=about.revision_of(parsed),
        models=named,
        lang=about.language_of(parsed),
        pages=len(parsed.pages),
        passages=len(passages),
        sha256=digest(file),
        file=file.name,
        added_at=added_at,
        embedded=False,
        problem=parsed.problem or ("" if passages else "no text found"),
    )
    return info, passages


def _vectors(passages: Sequence[Passage], embedder: Embedder) -> list[tuple[str, bytes]]:
    """On a thread also because the import takes seconds."""
    from assistant.manuals.embed_nodes import embed_passages

    return embed_passages(passages, embedder)
