"""Who is there: the identification objects of a unit (Modbus V1.1b3 6.21), asked for until none follow."""

from gateway.link.base import Identify
from gateway.link.bus import Bus
from gateway.link.queue import Priority
from gateway.model.address import UnitId

NAMES = {0: "vendor", 1: "product", 2: "revision", 3: "url", 4: "product name", 5: "model", 6: "application"}
_MOST_EXCHANGES = 16


async def identify(bus: Bus, unit_id: UnitId, *, code: int = 1) -> dict[str, str]:
    """Object name (or number) -> text of the unit; raises LinkError."""
    found: dict[str, str] = {}
    object_id = 0
    for _ in range(_MOST_EXCHANGES):
        reply = await bus.exchange(Identify(unit_id=unit_id, code=code, object_id=object_id), priority=Priority.READ)
        found.update({NAMES.get(number, str(number)): text.decode("utf-8", "replace") for number, text in reply.objects})
        if reply.next_object is None or reply.next_object <= object_id:
            break
        object_id = reply.next_object
    return found
