"""One running plant for each file: starting one costs more than all that its tests ask of it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.running_plant import RunningPlant, kept_plant


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plant(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningPlant]:
    """The plant of this file."""
    async with kept_plant(tmp_path_factory.mktemp("plant")) as running:
        yield running
