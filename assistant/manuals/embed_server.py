"""Embeddings of a model server as the manual index uses them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx
import numpy as np
import openai
from llama_index.core.base.embeddings.base import BaseEmbedding

from assistant.errors import ModelUnavailableError
from assistant.manuals.embed import Floats, normalised


class ServerEmbedder:
    """An Embedder over an OpenAI-compatible server; the size of its vectors is asked for once. Raises ModelUnavailableError."""

    def __init__(self, model: BaseEmbedding) -> None:
        self._model = model
        self.id = f"server:{model.model_name}"
        with _answering():
            self.parts: tuple[int, ...] = (len(model.get_text_embedding("size")),)

    def passages(self, texts: Sequence[str]) -> Floats:
        """One row for each text."""
        if not texts:
            return np.zeros((0, *self.parts), dtype=np.float32)
        with _answering():
            return self._checked(self._model.get_text_embedding_batch(list(texts)), len(texts))

    def query(self, text: str) -> Floats:
        """The vector of a question."""
        with _answering():
            row: Floats = self._checked([self._model.get_query_embedding(text)], 1)[0]
        return row

    def _checked(self, vectors: list[list[float]], count: int) -> Floats:
        rows = np.asarray(vectors, dtype=np.float32)
        if rows.shape != (count, *self.parts) or not np.isfinite(rows).all():
            raise ModelUnavailableError(f"the embedding server gives vectors of another size than before: {rows.shape}")
        return normalised(rows)


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except (openai.OpenAIError, httpx.HTTPError, ValueError) as exc:
        raise ModelUnavailableError(f"the embedding server does not answer: {exc}") from exc
