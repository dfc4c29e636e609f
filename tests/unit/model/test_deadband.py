"""Which changes are worth storing."""

from decimal import Decimal

import pytest

from gateway.model.deadband import changed
from gateway.model.point import Deadband
from gateway.model.sample import Scalar

HALF = Deadband(amount=Decimal("0.5"))
PERCENT = Deadband(amount=Decimal("0.01"), relative=True)


@pytest.mark.parametrize(
    ("previous", "new", "deadband", "expected"),
    [
        pytest.param(1, 1, Deadband(), False, id="same"),
        pytest.param(1, 2, Deadband(), True, id="any-change"),
        pytest.param(Decimal("20.0"), Decimal("20.4"), HALF, False, id="inside"),
        pytest.param(Decimal("20.0"), Decimal("20.5"), HALF, True, id="at"),
        pytest.param(20, Decimal("19.5"), HALF, True, id="below"),
        pytest.param(20.0, 20.25, HALF, False, id="floats"),
        pytest.param(20.0, 20.0, HALF, False, id="equal-floats"),
        pytest.param(-200, -199, PERCENT, False, id="percent-inside"),
        pytest.param(-200, -198, PERCENT, True, id="percent-at"),
        pytest.param(0, Decimal("0.001"), PERCENT, True, id="percent-of-zero"),
        pytest.param(None, 1, HALF, True, id="value-comes"),
        pytest.param(1, None, HALF, True, id="value-goes"),
        pytest.param(None, None, HALF, False, id="still-none"),
        pytest.param("a", "b", HALF, True, id="text"),
        pytest.param(False, True, HALF, True, id="switch"),
    ],
)
def test_change_is_compared_with_the_deadband(previous: Scalar | None, new: Scalar | None, deadband: Deadband, expected: bool) -> None:
    assert changed(previous, new, deadband) is expected
