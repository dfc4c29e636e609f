"""Digests that bind a confirmation to its card, and tell two requests apart."""

import hashlib
from collections.abc import Sequence

from gateway.model.sample import Scalar
from gateway.service.card import Card
from gateway.service.card_text import as_json


def digest_of(body: str, nonce: str, proposer: str, session: str) -> str:
    """Binds the nonce to what is written (raw words, old value, map version), to the proposer and the session."""
    return _hash([body, nonce, proposer, session])


def digest_of_request(writes: Sequence[tuple[str, Scalar]]) -> str:
    """Equal for two requests that ask for the same."""
    return _hash([[tag, type(value).__name__, str(value)] for tag, value in writes])


def sameness(proposer: str, card: Card) -> str:
    """Equal for proposals of one person that would show and do the same."""
    writes = sorted([write.shown.tag, str(write.shown.old), str(write.shown.new), write.map_version] for write in card.writes)
    return _hash([proposer, card.kind, card.procedure, writes, card.alarm])


def _hash(content: object) -> str:
    return hashlib.sha256(as_json(content).encode()).hexdigest()
