"""LlamaIndex's IngestionPipeline over stored passages: the one place where the manuals touch it.

The transformations are given in full: a pipeline left to its defaults stores nothing and says nothing, or asks a global model.
The cache is off: it would hash whole batches and keep all vectors in memory.
"""

from collections.abc import Sequence

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import TextNode
from pydantic import PrivateAttr

from assistant.manuals.embed import Embedder
from assistant.manuals.passage import Passage


class NodeEmbedding(BaseEmbedding):
    """Our Embedder as LlamaIndex wants it."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(model_name=embedder.id, embed_batch_size=32)
        self._embedder = embedder

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.passages(texts).tolist()
        return vectors

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = self._embedder.query(query).tolist()
        return vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def embed_passages(passages: Sequence[Passage], embedder: Embedder) -> list[tuple[str, bytes]]:
    """The id and the float32 vector of each passage, made of its header and text. Blocks."""
    nodes = [TextNode(id_=passage.id, text=embedded_text(passage)) for passage in passages]
    pipeline = IngestionPipeline(transformations=[NodeEmbedding(embedder)], disable_cache=True)
    done = pipeline.run(nodes=nodes) if nodes else []
    return [(node.node_id, np.array(node.embedding, dtype=np.float32).tobytes()) for node in done]


def embedded_text(passage: Passage) -> str:
    """What the vector of a passage is made of."""
    return f"{passage.header}\n{passage.text}"
