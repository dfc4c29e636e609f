"""A file to stored passages, and stored passages to vectors.

Passages are stored as soon as the pages are read, so that the search by words answers within seconds; the vectors of a whole
manual follow in one commit. Nothing is deleted before its successor is ready.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import numpy as np

from assistant.manuals import about, pages, split
from assistant.manuals.embed import PROBE, Embedder, Floats
from assistant.manuals.index import ManualIndex, Stored
from assistant.manuals.passage import ManualInfo, Passage

READER = f"pages {pages.VERSION}, split {split.VERSION}"
"""Another reader makes other passages: manuals that another one read are read again."""

_SAME = 0.999


def read_manual(file: Path, *, added_at: datetime, models: Iterable[str]) -> tuple[ManualInfo, tuple[Passage, ...]]:
    """What the index will hold of `file`; `problem` of the info is set and no passages come if it cannot be read. Blocks."""
    parsed = pages.read_pages(file)
    doc = about.doc_id(file.name)
    title = about.title_of(parsed, file.name)
    named = about.models_of(parsed, file.name, models)
    lang = about.language_of(parsed)
    passages = split.split(parsed.pages, doc=doc, title=title, models=named)
    info = ManualInfo(
        doc=doc,
        title=title,
        revision=about.revision_of(parsed),
        models=named,
        lang=lang,
        pages=len(parsed.pages),
        passages=len(passages),
        sha256=digest(file),
        file=file.name,
        added_at=added_at,
        embedded=False,
        problem=parsed.problem,
    )
    return info, passages


def digest(file: Path) -> str:
    """SHA-256 of the file's bytes."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def embed_manual(index: ManualIndex, doc: str, embedder: Embedder) -> None:
    """Make and store the vectors of all passages of a manual. Blocks, for minutes with a long manual."""
    from assistant.manuals.embed_nodes import embed_passages

    vectors = embed_passages(index.passages(doc), embedder)
    probe = embedder.passages([PROBE])[0]
    index.put_vectors(doc, vectors, embedder=embedder.id, probe=probe.tobytes())


def needs_vectors(stored: Stored, embedder: Embedder, probe: Floats) -> bool:
    """True if the manual has no vectors, or has those of another model, be it one that goes by the same name."""
    if stored.embedder != embedder.id:
        return True
    old = np.frombuffer(stored.probe, dtype=np.float32)
    return old.shape != probe.shape or float(old @ probe) < _SAME * float(probe @ probe)
