"""Scans against devices made of a function: what is found is what is there, and silence is never taken for a fact about the device."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.clock import ManualClock
from gateway.errors import (
    DeviceExceptionError,
    FrameError,
    LinkDownError,
    LinkError,
    LinkTimeoutError,
)
from gateway.link.base import Read, Reply
from gateway.model.address import Table, UnitId
from gateway.service.scan_range import RangeScan, Span, merged
from gateway.service.scan_units import UnitScan

Answer = Callable[[Read], LinkError | None]
"""The error that the device's link raises, or None: the registers come."""
NOW = datetime(2025, 1, 1, tzinfo=UTC)


class InstantClock(ManualClock):
    """Sleeping takes no time; how long was asked for is kept."""

    slept = 0.0

    async def sleep(self, seconds: float) -> None:
        self.slept += seconds


class Device:
    """Answers by a function and keeps what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[Read] = []
        self._answer = answer

    async def exchange(self, read: Read) -> Reply:
        self.asked.append(read)
        error = self._answer(read)
        if error is not None:
            raise error
        return Reply(words=(0,) * read.count, read_at=NOW, read_mono=0.0)


def still(_text: str) -> None:
    """Nobody watches."""


async def nameless(_unit: UnitId) -> Mapping[str, str]:
    return {}


async def scanned(
    answer: Answer, last: int = 199, first: int = 0, *, table: Table = Table.HOLDING, scan: RangeScan | None = None
) -> tuple[RangeScan, Device]:
    scan = scan or RangeScan(unit_id=UnitId(1), table=table, first=first, last=last)
    device = Device(answer)
    await scan.run(device.exchange, InstantClock(NOW), still)
    return scan, device


def touches(read: Read, holes: list[Span]) -> bool:
    return any(low < read.address + read.count and read.address <= high for low, high in holes)


def addresses(spans: list[Span]) -> set[int]:
    return {at for low, high in spans for at in range(low, high + 1)}


@given(
    holes=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 12)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=4),
    most=st.integers(1, 125),
    code=st.sampled_from([2, 3, 4]),
    is_silent=st.booleans(),
)
def test_what_is_found_is_what_is_there(holes: list[Span], most: int, code: int, is_silent: bool) -> None:
    """A device with holes and a limit of its own, which refuses by an exception or by silence; address 0 always answers somehow."""

    def answer(read: Read) -> LinkError | None:
        if read.count <= most and not touches(read, holes):
            return None
        return LinkTimeoutError("silent") if is_silent and read.address > 0 else DeviceExceptionError.of(code)

    scan, device = asyncio.run(scanned(answer, last=299))
    there = set(range(300)) - addresses(holes)
    assert scan.is_complete
    assert addresses(scan.readable) == there
    assert addresses(scan.refused) == set(range(300)) - there
    assert scan.unknown == scan.pending == []
    assert scan.largest is None or scan.largest <= most
    assert all(read.count <= 125 for read in device.asked)


async def test_sound_range_takes_the_fewest_reads() -> None:
    scan, device = await scanned(lambda read: None, last=999)
    assert ([read.count for read in device.asked], scan.patch(), scan.largest) == ([125] * 8, {}, None)


async def test_limit_of_one_read_is_learnt_once() -> None:
    scan, device = await scanned(lambda read: DeviceExceptionError.of(3) if read.count > 64 else None, last=999)
    assert scan.patch() == {"max_read": 63}
    assert len([read for read in device.asked if read.count > 64]) == 1


async def test_patch_leaves_what_was_not_tried_readable() -> None:
    scan, _ = await scanned(lambda read: DeviceExceptionError.of(2) if touches(read, [(110, 119)]) else None, first=100, last=150)
    assert scan.patch() == {"readable": {"holding": ["0..109", "120..65535"]}}


async def test_unknown_function_ends_the_scan_at_once() -> None:
    scan, device = await scanned(lambda read: DeviceExceptionError.of(1), table=Table.INPUT)
    assert (scan.is_unsupported, scan.is_complete, len(device.asked), scan.patch()) == (True, True, 1, {})


async def test_one_lost_reply_is_asked_again() -> None:
    lost = iter([LinkTimeoutError("lost")])
    scan, device = await scanned(lambda read: next(lost, None), last=9)
    assert (scan.readable, scan.largest, len(device.asked)) == ([(0, 9)], None, 2)


async def test_busy_unit_is_asked_again_and_then_unknown() -> None:
    scan, device = await scanned(lambda read: DeviceExceptionError.of(6), last=9)
    assert (scan.readable, scan.refused, scan.unknown, len(device.asked)) == ([], [], [(0, 9)], 3)


async def test_unit_that_goes_away_leaves_addresses_unknown_not_refused() -> None:
    scan = RangeScan(unit_id=UnitId(1), table=Table.HOLDING, first=0, last=300)
    with pytest.raises(LinkTimeoutError, match="does not answer any more"):
        await scanned(lambda read: None if scan.reads == 1 else LinkTimeoutError("gone"), scan=scan)
    assert (scan.readable, scan.refused, scan.is_complete) == ([(0, 124)], [], False)


async def test_unit_that_was_never_there_is_told() -> None:
    scan = RangeScan(unit_id=UnitId(1), table=Table.HOLDING, first=0, last=9)
    with pytest.raises(LinkTimeoutError, match="the unit does not answer"):
        await scanned(lambda read: LinkTimeoutError("silent"), scan=scan)
    assert scan.reads < 20


@pytest.mark.parametrize("kind", ["echo_mismatch", "transaction_mismatch", "protocol_error"])
async def test_replies_that_speak_of_the_link_end_both_scans(kind: str) -> None:
    device = Device(lambda read: FrameError("wrong", kind=kind))
    units = UnitScan(units=[UnitId(1)])
    with pytest.raises(FrameError):
        await units.run(device.exchange, nameless, InstantClock(NOW), still)
    with pytest.raises(FrameError):
        await scanned(lambda read: FrameError("wrong", kind=kind))
    assert (units.found, units.is_complete) == ([], False)


ANSWERS: dict[str, tuple[Answer, list[tuple[str, str | None]]]] = {
    "registers": (lambda read: None, [("read holding 0 x1", None)]),
    "exception": (lambda read: DeviceExceptionError.of(2), [("read holding 0 x1", "exception_2")]),
    "input-only": (lambda read: None if read.table is Table.INPUT else LinkTimeoutError("silent"), [("read input 0 x1", None)]),
    "coils-only": (lambda read: None if read.table is Table.COIL else LinkTimeoutError("silent"), [("read coil 0 x1", None)]),
    "damaged": (lambda read: FrameError("wrong", kind="crc_error"), [("read holding 0 x1", "crc_error")]),
    "silent": (lambda read: LinkTimeoutError("silent"), []),
    "gateway-says-no": (lambda read: DeviceExceptionError.of(11), []),
    "hung-up": (lambda read: LinkDownError("hung up", sent=True), []),
}


@pytest.mark.parametrize(("answer", "found"), ANSWERS.values(), ids=ANSWERS.keys())
async def test_any_sign_of_life_is_an_answer(answer: Answer, found: list[tuple[str, str | None]]) -> None:
    scan = UnitScan(units=[UnitId(7)])
    await scan.run(Device(answer).exchange, nameless, InstantClock(NOW), still)
    assert [(one.asked, one.reason) for one in scan.found] == found
    assert scan.is_complete


async def test_hung_up_link_is_dialled_again_for_the_units_after() -> None:
    """Unit 2 makes the gateway hang up; the link may be dialled again only a moment later."""
    clock = InstantClock(NOW)

    def answer(read: Read) -> LinkError | None:
        if read.unit_id == 2:
            return LinkDownError("hung up", sent=True)
        return LinkDownError("not yet") if read.unit_id == 3 and clock.slept < 2 else None

    scan = UnitScan(units=[UnitId(unit) for unit in (1, 2, 3)])
    await scan.run(Device(answer).exchange, nameless, clock, still)
    assert [one.unit_id for one in scan.found] == [1, 3]


async def test_link_that_cannot_be_dialled_ends_the_scan() -> None:
    scan = UnitScan(units=[UnitId(1), UnitId(2)])
    device = Device(lambda read: LinkDownError("refused"))
    with pytest.raises(LinkDownError):
        await scan.run(device.exchange, nameless, InstantClock(NOW), still)
    assert (scan.tried, len(device.asked)) == (0, 1)


async def test_device_that_answers_to_any_unit_id_is_told() -> None:
    scan = UnitScan(units=[UnitId(unit) for unit in range(1, 6)])
    await scan.run(Device(lambda read: None).exchange, nameless, InstantClock(NOW), still)
    assert scan.ignores_unit_ids


def test_merged_spans_touch_nowhere() -> None:
    assert merged([(3, 3), (0, 1), (2, 2), (9, 9)]) == [(0, 3), (9, 9)]
