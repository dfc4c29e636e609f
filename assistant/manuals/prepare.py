"""`python -m assistant.manuals.prepare FOLDER`: read and embed the manuals of a folder beforehand."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assistant.manuals import pages
from assistant.manuals.blocks import ParsedFile
from assistant.manuals.embed import PROBE, Embedder, default_embedder
from assistant.manuals.embed_nodes import embedded_text
from assistant.manuals.ingest import digest, split_file
from assistant.manuals.prepared import FOLDER, PAGES, VECTORS, PreparedEmbedder, PreparedPages, key_of
from gateway.clock import SystemClock


def main(argv: list[str]) -> int:
    """Write pages and vectors of all manuals of the folder; vectors that are already there are kept."""
    files = sorted(Path(argv[1]).glob("*.pdf"))
    FOLDER.mkdir(exist_ok=True)
    parsed = asyncio.run(_read(files))
    known = PreparedPages(version=pages.VERSION, files={digest(file): read for file, read in zip(files, parsed, strict=True)})
    (FOLDER / PAGES).write_text(known.model_dump_json(indent=0, exclude_defaults=True), "utf-8")
    texts = [
        embedded_text(passage)
        for file, read in zip(files, parsed, strict=True)
        for passage in split_file(file, read, SystemClock().utc(), ())[1]
    ]
    _save(texts, PreparedEmbedder(default_embedder()))
    return 0


async def _read(files: Sequence[Path]) -> list[ParsedFile]:
    return [await pages.read_pages(file) for file in files]


def _save(texts: Sequence[str], embedder: Embedder) -> None:
    unique = sorted(set(texts), key=key_of)
    np.savez(
        FOLDER / VECTORS,
        keys=np.array([key_of(text) for text in unique]),
        vectors=embedder.passages(unique).astype(np.float16),
        model=np.array(embedder.id),
        probe=embedder.passages([PROBE])[0],
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv))
