"""The time a serial line needs."""

import pytest

from simulators.line import Line, LineTiming


@pytest.mark.parametrize(
    ("timing", "char_us", "silence_us"),
    [
        (LineTiming(baud=19200, parity="even"), 573, 2005),
        (LineTiming(baud=9600), 1042, 3646),
        (LineTiming(baud=9600, stop_bits=2), 1146, 4010),
        (LineTiming(baud=115200, parity="odd"), 95, 1750),
        (LineTiming(baud=9600, parity="even", data_bits=7), 1042, 3646),
    ],
    ids=["19200 8E1", "9600 8N1", "9600 8N2", "115200 8O1", "9600 7E1"],
)
def test_characters_and_silence(timing: LineTiming, char_us: int, silence_us: int) -> None:
    assert (round(timing.char_s * 1e6), round(timing.silence_s * 1e6)) == (char_us, silence_us)


def test_a_reply_waits_for_request_silence_and_turnaround_and_takes_its_own_time() -> None:
    line = Line(LineTiming(baud=9600, turnaround_s=0.010))
    begins = line.reply_at(100.0, 8)
    assert begins == pytest.approx(100.0 + (8 + 3.5) * 10 / 9600 + 0.010)
    arrivals = line.spread(begins, bytes(25))
    assert [part for _, part in arrivals] == [bytes(16), bytes(9)]
    assert arrivals[-1][0] == pytest.approx(begins + 25 * 10 / 9600)


def test_a_request_that_comes_too_early_waits_for_the_line() -> None:
    line = Line(LineTiming(baud=9600, turnaround_s=0.0))
    end = line.spread(line.reply_at(0.0, 8), bytes(7))[-1][0]
    assert line.reply_at(0.0, 8) == pytest.approx(end + (3.5 + 8 + 3.5) * 10 / 9600)
