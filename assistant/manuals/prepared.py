"""What was read and embedded beforehand of the manuals that ship, so that the demo answers from them at once.

Pages are found by the digest of the file, vectors by the text they were made of: what changed is read and embedded anew, and
vectors of another model are passed over. `python -m assistant.manuals.prepare FOLDER` writes both files.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from assistant.manuals.blocks import ParsedFile
from assistant.manuals.embed import PROBE, Embedder, Floats

FOLDER = Path(__file__).parent / "prepared"
PAGES = "pages.json"
VECTORS = "vectors.npz"
_SAME = 0.999


class PreparedPages(BaseModel):
    """The pages of files by their SHA-256, as reader `version` read them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    files: Mapping[str, ParsedFile]


def prepared_pages(sha256: str, version: str, folder: Path = FOLDER) -> ParsedFile | None:
    """The pages of the file with this digest; None if they are not there or another reader read them. Blocks."""
    file = folder / PAGES
    if not file.exists():
        return None
    known = PreparedPages.model_validate_json(file.read_bytes())
    return known.files.get(sha256) if known.version == version else None


class PreparedEmbedder:
    """An Embedder that first looks among the vectors that were made beforehand."""

    def __init__(self, embedder: Embedder, folder: Path = FOLDER) -> None:
        self._embedder = embedder
        self.id = embedder.id
        self.parts = embedder.parts
        self._known = _load(folder / VECTORS, embedder)

    def passages(self, texts: Sequence[str]) -> Floats:
        """One row for each text, made only where none lies ready."""
        missing = [text for text in texts if key_of(text) not in self._known]
        made = dict(zip(missing, self._embedder.passages(missing), strict=True))
        rows = [made[text] if text in made else self._known[key_of(text)] for text in texts]
        return np.vstack(rows) if rows else np.zeros((0, sum(self.parts)), dtype=np.float32)

    def query(self, text: str) -> Floats:
        """The vector of a question."""
        return self._embedder.query(text)


def key_of(text: str) -> str:
    """By what the vector of a text is found."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _load(file: Path, embedder: Embedder) -> dict[str, Floats]:
    if not file.exists():
        return {}
    with np.load(file, allow_pickle=False) as stored:
        if str(stored["model"]) != embedder.id:
            return {}
        probe = embedder.passages([PROBE])[0]
        if float(stored["probe"] @ probe) < _SAME * float(probe @ probe):
            return {}
        return dict(zip(stored["keys"].tolist(), stored["vectors"].astype(np.float32), strict=True))
