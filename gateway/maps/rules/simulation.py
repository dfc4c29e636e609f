"""`sim`: names that exist, values the point can hold."""

from collections.abc import Iterator

from gateway.maps.rules.base import Fault, Item, MapView, is_encodable
from gateway.maps.rules.conditions import own_faults
from gateway.model.encode import EncodeError, encode_point


def simulation(item: Item, around: MapView) -> Iterator[Fault]:
    """`unknown_point`, `bad_value` and the condition of `when`."""
    sim = item.model.sim
    if sim is None:
        return
    for key, name in (("follows", sim.follows), ("counter_of", sim.counter_of)):
        if name is not None and around.lacks(name):
            yield Fault(("sim", key), "unknown_point", f"no point {name}", "write the name of a point of this map")
    if sim.when is not None:
        yield from own_faults(sim.when, ("sim", "when"), around)
    if sim.value is not None and is_encodable(item.point):
        try:
            encode_point(item.point, sim.value)
        except EncodeError as exc:
            yield Fault(("sim", "value"), "bad_value", exc.message, "write a value the point can hold")
