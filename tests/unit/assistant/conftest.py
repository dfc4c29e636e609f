"""No test of the assistant reaches a real model: connections leave this machine for nowhere."""

from collections.abc import Iterator

import pytest

from assistant.testing import no_network


@pytest.fixture(autouse=True)
def no_real_model() -> Iterator[None]:
    with no_network():
        yield
