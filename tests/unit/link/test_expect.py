"""What may answer a request, piece by piece, without a wire."""

import pytest

from gateway.errors import DeviceExceptionError, FrameError, LinkTimeoutError
from gateway.link.base import Read, Request, WriteRegisters
from gateway.link.frames.expect import Expectation, Rules
from gateway.link.frames.late import Owed
from gateway.link.frames.mbap import MbapFramer
from gateway.link.frames.rtu import RtuFramer, crc16
from gateway.model.address import PduAddress, Table, UnitId


def holding(address: int, count: int = 1, unit: int = 1) -> Read:
    return Read(unit_id=UnitId(unit), table=Table.HOLDING, address=PduAddress(address), count=count)


def coils(count: int) -> Read:
    return Read(unit_id=UnitId(1), table=Table.COIL, address=PduAddress(0), count=count)


WRITE = WriteRegisters(unit_id=UnitId(1), address=PduAddress(0), words=(1,), single=True)


def rules(*, tids: bool = False, any_unit: bool = False, echo: bool = False) -> Rules:
    return Rules(link="l", strict_tid=tids, any_unit=any_unit, local_echo=echo, owed=Owed(any_unit=any_unit))


def rtu(text: str) -> bytes:
    body = bytes.fromhex(text)
    return body + crc16(body).to_bytes(2, "little")


def test_f01_stale_and_right_frame_in_one_segment() -> None:
    framer, on = MbapFramer(), rules(tids=True)
    Expectation(holding(0), framer, on).give_up()
    second = Expectation(holding(0), framer, on)
    payload = second.feed(bytes.fromhex("0001 0000 0005 01 03 02 1111" + "0002 0000 0005 01 03 02 2222"))
    assert payload is not None
    assert payload.words == (0x2222,)
    assert on.dropped == {"rejected_late": 1}


def test_f02_only_the_stale_frame_is_a_timeout() -> None:
    framer, on = MbapFramer(), rules(tids=True)
    Expectation(holding(0), framer, on).give_up()
    second = Expectation(holding(0), framer, on)
    assert second.feed(bytes.fromhex("0001 0000 0005 01 03 02 1111")) is None
    assert isinstance(second.give_up(), LinkTimeoutError)


@pytest.mark.parametrize("tid", ["0000", "0002"], ids=["F10-zero", "F10-plus-one"])
def test_rewritten_transaction_id_is_told(tid: str) -> None:
    waiting = Expectation(holding(0), MbapFramer(), rules(tids=True))
    assert waiting.feed(bytes.fromhex(f"{tid} 0000 0005 01 03 02 1111")) is None
    error = waiting.give_up()
    assert isinstance(error, FrameError)
    assert error.kind == "transaction_mismatch"
    assert "tid: ignore" in str(error)


def test_f10_transaction_id_may_be_ignored() -> None:
    payload = Expectation(holding(0), MbapFramer(), rules()).feed(bytes.fromhex("0000 0000 0005 01 03 02 1111"))
    assert payload is not None
    assert payload.words == (0x1111,)


@pytest.mark.parametrize("reply", [rtu("00 03 02 00 05"), rtu("13 03 02 00 05")], ids=["F09-unit-0", "other-unit"])
def test_unit_of_the_reply(reply: bytes) -> None:
    strict = Expectation(holding(0, unit=19 if reply[0] == 0 else 1), RtuFramer(), rules())
    assert strict.feed(reply) is None
    error = strict.give_up()
    assert isinstance(error, FrameError)
    assert error.kind == "unit_mismatch"
    relaxed = Expectation(holding(0, unit=19), RtuFramer(), rules(any_unit=True))
    assert relaxed.feed(reply) is not None


LATE: dict[str, tuple[Request, Request, str, bool]] = {
    "read-of-other-count": (holding(0, 2), holding(10), "01 03 04 AA AA AA AA", True),
    "write": (WRITE, holding(10), "01 06 00 00 00 01", True),
    "nothing-owed": (holding(0, 2), holding(10, 2), "01 03 04 AA AA AA AA", False),
}


@pytest.mark.parametrize(("first", "second", "reply", "is_late"), LATE.values(), ids=LATE.keys())
def test_owed_reply_is_dropped_where_it_differs(first: Request, second: Request, reply: str, is_late: bool) -> None:
    framer, on = RtuFramer(), rules()
    Expectation(first, framer, on).give_up()
    assert on.owed.clashes(second) is not is_late
    waiting = Expectation(second, framer, on)
    payload = waiting.feed(rtu(reply))
    assert (payload is None) is is_late
    assert on.dropped["rejected_late"] == int(is_late)


def test_read_that_cannot_be_mistaken_differs_from_all_that_is_owed() -> None:
    owed = Owed(any_unit=False)
    for count in (1, 2, 3):
        owed.add(holding(0, count))
    read = owed.distinct_read(holding(10, 2))
    assert read is not None
    assert read.count not in (1, 2, 3)
    assert read.address == 10
    bits = owed.distinct_read(coils(5))
    assert bits is not None
    assert (bits.count + 7) // 8 != 1


@pytest.mark.parametrize("any_unit", [False, True])
def test_what_is_owed_belongs_to_its_unit(any_unit: bool) -> None:
    owed = Owed(any_unit=any_unit)
    owed.add(holding(0, unit=1))
    assert owed.clashes(holding(5, unit=2)) is any_unit
    owed.clear(1)
    assert not owed.clashes(holding(0, unit=1))


ENDS: dict[str, tuple[bytes, str | None]] = {
    "nothing": (b"", None),
    "noise": (b"\xff\xff", None),
    "short": (rtu("01 03 02 00 05")[:5], "length_mismatch"),
    "broken": (rtu("01 03 02 00 05")[:-1] + b"\x00", "crc_error"),
    "garbled": (b"\xff\xff\xff\xff", "crc_error"),
}


@pytest.mark.parametrize(("data", "kind"), ENDS.values(), ids=ENDS.keys())
def test_what_the_deadline_finds_is_named(data: bytes, kind: str | None) -> None:
    waiting = Expectation(holding(0), RtuFramer(), rules())
    assert waiting.feed(data) is None
    error = waiting.give_up()
    assert (error.kind if isinstance(error, FrameError) else None) == kind


ECHO = bytes.fromhex("01 03 00 00 00 01 84 0A")


def test_f16_local_echo_is_taken_off() -> None:
    waiting = Expectation(holding(0), RtuFramer(), rules(echo=True))
    payload = waiting.feed(ECHO[:3]) or waiting.feed(ECHO[3:] + rtu("01 03 02 00 05"))
    assert payload is not None
    assert payload.words == (5,)


def test_f16_echo_that_was_not_told_of_is_diagnosed() -> None:
    on = rules()
    with pytest.raises(FrameError, match="local_echo: true"):
        Expectation(holding(0), RtuFramer(), on).feed(ECHO)
    assert on.dropped["echo_seen"] == 1


def test_echo_that_was_promised_and_does_not_come_is_diagnosed() -> None:
    with pytest.raises(FrameError, match="local_echo: false"):
        Expectation(holding(0), RtuFramer(), rules(echo=True)).feed(rtu("01 03 02 00 05"))


def test_f17_echo_of_a_write_is_no_success() -> None:
    framer, on = RtuFramer(), rules(echo=True)
    waiting = Expectation(WRITE, framer, on)
    assert waiting.feed(waiting.frame) is None
    assert waiting.feed(waiting.frame) is not None


def test_bits_that_look_like_their_request_are_a_reply() -> None:
    """Twenty-three coils from 0x03xx: the reply may repeat the request byte by byte."""
    ask = Read(unit_id=UnitId(1), table=Table.COIL, address=PduAddress(0x0300), count=0x17)
    waiting = Expectation(ask, RtuFramer(), rules())
    assert waiting.feed(waiting.frame) is not None


def test_exception_reply_is_raised() -> None:
    with pytest.raises(DeviceExceptionError, match="exception 85"):
        Expectation(holding(0), RtuFramer(), rules()).feed(rtu("01 83 55"))


@pytest.mark.parametrize("wrapped", [False, True])
def test_reply_that_comes_twice_is_late_and_no_rewritten_id(wrapped: bool) -> None:
    framer, on = MbapFramer(), rules(tids=True)
    for _ in range(0xFFFE if wrapped else 0):
        framer.start(holding(0))
    first = Expectation(holding(0), framer, on)
    reply = first.frame[:4] + bytes.fromhex("0005 01 03 02 1111")
    assert first.feed(reply) is not None
    second = Expectation(holding(0), framer, on)
    assert second.feed(reply) is None
    assert isinstance(second.give_up(), LinkTimeoutError)
    assert on.dropped == {"rejected_late": 1}
