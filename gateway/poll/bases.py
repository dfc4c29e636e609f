"""SunSpec: where a device's models begin is found at run time (SunSpec Device Information Model Specification 6.2)."""

from collections.abc import Awaitable, Callable, Mapping

from gateway.errors import DeviceExceptionError
from gateway.link.base import Read, Reply, Request
from gateway.model.address import PduAddress, Table, UnitId

Exchange = Callable[[Request], Awaitable[Reply]]

_STARTS = (40000, 50000, 0)
_MARK = (0x5375, 0x6E53)
_END = 0xFFFF
_MOST_MODELS = 64


class Bases:
    """Base names of a map -> address of the id register of their SunSpec model; found once, kept until the restart."""

    def __init__(self, wanted: Mapping[str, int]) -> None:
        self._wanted = wanted
        self._found: dict[int, Mapping[int, int]] = {}

    async def find(self, name: str, unit_id: UnitId, exchange: Exchange) -> int | None:
        """The address that `name` stands for, or None if the device has no such model; raises LinkError."""
        if unit_id not in self._found:
            self._found[unit_id] = await _models(unit_id, exchange)
        return self._found[unit_id].get(self._wanted[name])


async def _models(unit_id: UnitId, exchange: Exchange) -> dict[int, int]:
    """Model id -> address of its first register; of several models with one id the first."""
    models: dict[int, int] = {}
    for start in _STARTS:
        if await _pair(unit_id, start, exchange) != _MARK:
            continue
        at = start + len(_MARK)
        for _ in range(_MOST_MODELS):
            model, length = await _pair(unit_id, at, exchange)
            if model == _END:
                break
            models.setdefault(model, at)
            at += 2 + length
        break
    return models


async def _pair(unit_id: UnitId, address: int, exchange: Exchange) -> tuple[int, int]:
    """Two registers; the end mark where the device says that there are none."""
    if address > 0xFFFE:
        return _END, 0
    try:
        reply = await exchange(Read(unit_id=unit_id, table=Table.HOLDING, address=PduAddress(address), count=2))
    except DeviceExceptionError:
        return _END, 0
    return reply.words[0], reply.words[1]
