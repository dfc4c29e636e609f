"""Bytes of a link in words; frames written by hand from the Modbus specification's layouts, check sums by the test's own routine."""

from datetime import UTC, datetime

import pytest

from gateway.link.trace import TracedFrame
from gateway.model.bustime import Framing
from gateway.service.frame_words import exchanged
from tests.fake_device import crc

NOW = datetime(2025, 1, 1, tzinfo=UTC)
TCP = "0007 0000 0006 01 03 0064 0002"


def rtu(body: str) -> str:
    data = bytes.fromhex(body)
    return (data + crc(data)).hex()


READ = rtu("01 03 0064 0002")
BITS = rtu("01 01 0000 0003")

SAID: dict[str, tuple[Framing, str, list[str], str, bool]] = {
    "registers": ("tcp", TCP, ["0007 0000 0007 01 03 04 0001 FFFF"], "2 registers: 0001 FFFF", True),
    "in-pieces": ("tcp", TCP, ["0007 0000 00", "07 01 03 04 0001 FFFF"], "2 registers: 0001 FFFF", True),
    "exception": ("tcp", TCP, ["0007 0000 0003 01 83 02"], "exception 2 (illegal data address)", False),
    "other-tid": (
        "tcp",
        TCP,
        ["0008 0000 0007 01 03 04 0001 FFFF"],
        "transaction id 8 instead of 7; 2 registers: 0001 FFFF",
        False,
    ),
    "other-unit": ("tcp", TCP, ["0007 0000 0007 09 03 04 0001 FFFF"], "unit 9 answers; 2 registers: 0001 FFFF", False),
    "other-function": ("tcp", TCP, ["0007 0000 0007 01 04 04 0001 FFFF"], "a reply of another function", False),
    "too-few": ("tcp", TCP, ["0007 0000 0005 01 03 02 0001"], "a reply of the wrong length", False),
    "no-header": ("tcp", TCP, ["0007 0001 0007 01 03 04 0001 FFFF"], "a header that no Modbus/TCP frame has", False),
    "broke-off-and-another-came": (
        "tcp",
        "0001 0000 0006 01 03 0000 0002",
        ["0001 0000 0007 01 03 04 0001", "0001 0000 0007 01 03 04 0001 FFFF"],
        "a reply that broke off",
        False,
    ),
    "broke-off": ("tcp", TCP, ["0007 0000 0007 01 03 04"], "a reply that broke off", False),
    "identity": (
        "tcp",
        "0001 0000 0005 01 2B 0E 01 00",
        ["0001 0000 000E 01 2B 0E 01 01 00 00 01 00 04 41434D45"],
        "it is: vendor ACME",
        True,
    ),
    "not-a-read": ("tcp", "0001 0000 0006 01 06 0000 0001", ["0001 0000 0006 01 06 0000 0001"], "our own request came back (echo)", False),
    "silence": ("rtu", READ, [], "no reply", False),
    "rtu": ("rtu", READ, [rtu("01 03 04 0001 0002")], "2 registers: 0001 0002", True),
    "bits": ("rtu", BITS, [rtu("01 01 01 05")], "3 bits: 1 0 1", True),
    "echo": ("rtu", READ, [READ], "our own request came back (echo)", False),
    "echo-and-reply": ("rtu", READ, [READ, rtu("01 03 04 0001 0002")], "our own request came back (echo); 2 registers: 0001 0002", True),
    "check-sum": ("rtu", READ, ["01 03 04 0001 0002 DEAD"], "a reply with a wrong check sum", False),
    "noise": ("rtu", READ, ["FF"], "bytes that are no frame", False),
    "ascii": ("ascii", b":010300640002".hex() + b"96\r\n".hex(), [b":01030400010002F5\r\n".hex()], "2 registers: 0001 0002", True),
}


@pytest.mark.parametrize(("framing", "out", "came", "said", "is_good"), SAID.values(), ids=SAID.keys())
def test_reply_in_words(framing: Framing, out: str, came: list[str], said: str, is_good: bool) -> None:
    frames = [TracedFrame(NOW, "out", bytes.fromhex(out)), *(TracedFrame(NOW, "in", bytes.fromhex(part)) for part in came)]
    (one,) = exchanged(frames, framing)
    assert (one.said.en, one.is_good) == (said, is_good)
    assert one.said.zh
    assert one.asked.zh


def test_each_request_keeps_its_own_reply() -> None:
    frames = [
        TracedFrame(NOW, "in", b"\xff"),
        TracedFrame(NOW, "out", bytes.fromhex(READ)),
        TracedFrame(NOW, "out", bytes.fromhex(BITS)),
        TracedFrame(NOW, "in", bytes.fromhex(rtu("01 01 01 05"))),
    ]
    found = exchanged(frames, "rtu")
    assert [(one.asked.en, one.said.en) for one in found] == [("read holding 100 x2", "no reply"), ("read coil 0 x3", "3 bits: 1 0 1")]
    assert [one.unit_id for one in found] == [1, 1]
