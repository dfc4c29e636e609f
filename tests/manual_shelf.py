"""A shelf of little manuals, and embeddings without a model."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sqlalchemy import Engine, create_engine

from assistant.errors import ModelUnavailableError
from assistant.manuals.embed import Floats, normalised
from assistant.manuals.index import ManualIndex
from assistant.manuals.library import ManualLibrary
from assistant.manuals.passage import ManualInfo, Passage
from assistant.manuals.tokens import tokens
from gateway.clock import ManualClock

NOW = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
MODELS = {"vfd1": "VX200", "vfd2": "VX200", "em1": "EM300"}


class WordEmbedder:
    """Vectors of the words in a text; `broken` makes it fail as a server that is down does."""

    def __init__(self, name: str = "words-1", size: int = 64, *, turned: bool = False) -> None:
        self.id = name
        self.parts: tuple[int, ...] = (size,)
        self.turned = turned
        self.broken = False
        self.seen: list[str] = []

    def passages(self, texts: Sequence[str]) -> Floats:
        if self.broken:
            raise ModelUnavailableError("down")
        self.seen += texts
        return normalised(np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(len(texts), self.parts[0]))

    def query(self, text: str) -> Floats:
        row: Floats = self.passages([text])[0]
        return row

    def _vector(self, text: str) -> list[float]:
        vector = [0.01] * self.parts[0]
        for token in tokens(text):
            vector[int(hashlib.sha256(token.encode()).hexdigest(), 16) % self.parts[0]] += 1
        return vector[::-1] if self.turned else vector


def engine(folder: Path) -> Engine:
    return create_engine(f"sqlite:///{folder / 'index.db'}")


def info(doc: str, *, models: tuple[str, ...] = (), revision: str = "1", lang: str = "en", problem: str = "") -> ManualInfo:
    return ManualInfo(
        doc=doc,
        title=f"Manual {doc}",
        revision=revision,
        models=models,
        lang="zh" if lang == "zh" else "en",
        pages=3,
        passages=0,
        sha256="0" * 64,
        file=f"{doc}.md",
        added_at=NOW,
        embedded=False,
        problem=problem,
    )


def passage(text: str, *, page: int = 1, number: int = 0, kind: str = "text", header: str = "", lang: str = "en") -> Passage:
    return Passage(
        id=hashlib.sha256(f"{page} {number} {text}".encode()).hexdigest()[:36],
        page=page,
        section="1 Section",
        kind="row" if kind == "row" else "table" if kind == "table" else "text",
        text=text,
        header=header,
        lang="zh" if lang == "zh" else "en",
    )


def write(folder: Path, **texts: str) -> list[Path]:
    """Markdown files, one for each text; `_` in a name stands for `-`."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, text in texts.items():
        file = folder / f"{name.replace('_', '-')}.md"
        file.write_text(text, "utf-8")
        files.append(file)
    return files


async def library(
    folder: Path, files: Iterable[Path] = (), *, embedder: WordEmbedder | None = None, clock: ManualClock | None = None
) -> ManualLibrary:
    made = ManualLibrary(
        ManualIndex(engine(folder)),
        folder / "kept",
        models=MODELS,
        clock=clock or ManualClock(NOW),
        load_embedder=(lambda: embedder) if embedder else None,
    )
    await made.open()
    for file in files:
        await made.add(file)
    return made
