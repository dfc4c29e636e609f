"""Embeddings of a model server as the manual index uses them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assistant.manuals.embed import Floats, normalised

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding


class ServerEmbedder:
    """An Embedder over an OpenAI-compatible server; the size of its vectors is asked for once."""

    def __init__(self, model: "BaseEmbedding") -> None:
        self._model = model
        self.id = f"server:{model.model_name}"
        self.parts = (len(model.get_text_embedding("size")),)

    def passages(self, texts: Sequence[str]) -> Floats:
        """One row a text."""
        return normalised(np.asarray(self._model.get_text_embedding_batch(list(texts)), dtype=np.float32))

    def query(self, text: str) -> Floats:
        """One row."""
        return normalised(np.asarray([self._model.get_query_embedding(text)], dtype=np.float32))[0]
