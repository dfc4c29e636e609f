"""Is a change worth storing?"""

from decimal import Decimal

from gateway.model.point import Deadband
from gateway.model.sample import Scalar

_NONE = Decimal(0)


def changed(previous: Scalar | None, new: Scalar | None, deadband: Deadband) -> bool:
    """True if `new` differs from the last stored `previous` by at least the deadband (any difference without one).

    Text, switches and coming or going of a value count as they differ.
    """
    if deadband.amount == _NONE or previous is None or new is None or isinstance(previous, str | bool) or isinstance(new, str | bool):
        return previous != new
    if previous == new:
        return False
    before, now = Decimal(previous), Decimal(new)
    band = deadband.amount * abs(before) if deadband.relative else deadband.amount
    return abs(now - before) >= band
