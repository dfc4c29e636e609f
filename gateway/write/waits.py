"""The waits of a procedure: a condition on live values is read again and again until it holds or its time is over."""

from collections.abc import Callable, Mapping

from gateway.clock import Clock
from gateway.model.condition import Reading, holds, parse, reading_of, source_of
from gateway.model.condition_words import condition_words, reading_words
from gateway.model.point import Point, Text
from gateway.write.order import Ended, OrderedWait
from gateway.write.readable import Readable
from gateway.write.words import MAP_CHANGED

PERIOD_S = 0.5


class Waits:
    """Waits on the devices by id; it reads, and cannot write."""

    def __init__(self, devices: Mapping[str, Readable], clock: Clock) -> None:
        self._devices = devices
        self._clock = clock

    async def until(self, wait: OrderedWait, stopped: Callable[[], Text | None]) -> Ended:
        """`met` once a good value read now meets the condition; `not_met` if none does in time, or `stopped` says why to end."""
        condition = parse(wait.condition)
        begin = self._clock.monotonic()
        while True:
            source = source_of(condition, wait.device, self._find)
            device = self._devices.get(wait.device)
            if source is None or device is None or device.map.version != wait.map_version:
                return _not_met(wait, MAP_CHANGED, Reading(value=None), code="MAP_CHANGED")
            wanted = condition_words(condition, source)
            (sample,) = await self._devices[source.device].read_fresh([source.point])
            reading, waited_s = reading_of(source, sample), self._clock.monotonic() - begin
            if holds(condition, reading):
                seen = reading_words(reading)
                words = Text(f"{wanted.en} after {waited_s:.1f} s: {seen.en}", f"{wanted.zh}，{waited_s:.1f} 秒后满足：{seen.zh}")
                return Ended(step=wait.step, tag=wait.tag, outcome="met", read_back=reading.value, message=words)
            why = stopped()
            if why is not None:
                return _not_met(wait, why, reading)
            if waited_s >= wait.timeout_s:
                return _not_met(wait, _too_long(wait, wanted, reading), reading)
            await self._clock.sleep(min(PERIOD_S, wait.timeout_s - waited_s))

    def _find(self, device: str, point: str) -> Point | None:
        found = self._devices.get(device)
        return None if found is None else found.map.points.get(point)


def _not_met(wait: OrderedWait, why: Text, reading: Reading, code: str = "") -> Ended:
    return Ended(
        step=wait.step,
        tag=wait.tag,
        outcome="not_met",
        code=code,
        read_back=reading.value,
        trouble=reading.reason or "",
        message=why,
    )


def _too_long(wait: OrderedWait, wanted: Text, reading: Reading) -> Text:
    if reading.value is None or reading.reason is not None:
        seen = Text(f"it could not be read ({reading.reason})", f"读不到有效值（{reading.reason}）")
    else:
        words = reading_words(reading)
        seen = Text(f"it is {words.en}", f"现为 {words.zh}")
    return Text(
        f"{wanted.en} was not reached in {wait.timeout_s:g} s: {seen.en}; check at the device",
        f"{wait.timeout_s:g} 秒内未达到 {wanted.zh}：{seen.zh}，请到现场确认",
    )
