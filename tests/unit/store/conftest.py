"""A store of its own for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.store.engine import Store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A new SQLite file."""
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as opened:
        yield opened
