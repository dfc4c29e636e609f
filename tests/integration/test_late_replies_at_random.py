"""No value is given to another read than its own, whatever the device does to its replies (a short run of the bench)."""

import pytest

from tests.bench.bench_late_replies import FAULTS, read_many
from tests.fake_device import KINDS, Kind


@pytest.mark.parametrize("kind", KINDS)
async def test_no_value_is_given_to_another_read(kind: Kind) -> None:
    ends, faults = await read_many(kind, 1000, seed=11)
    assert ends["wrong"] == 0, ends
    assert ends["right"] > 800, ends
    assert all(faults[name] for name in FAULTS), faults
