"""A few thousand random and spoiled frames into every framer; `python -m tests.bench.bench_fuzz --full` has millions."""

import pytest

from tests.fuzz.broken_frames import FAULTS, replies, requests
from tests.fuzz.right_replies import FRAMINGS, Framing
from tests.fuzz.small_bank import bank


@pytest.mark.parametrize("framing", FRAMINGS)
def test_replies_give_right_values_or_errors(framing: Framing) -> None:
    ends = replies(framing, 1500, seed=3)
    assert not {fault: ends[fault] for fault in FAULTS if ends[fault]}
    assert ends["value"] > 200
    assert ends["exception"] > 20
    assert ends["FRAME"] > 400


@pytest.mark.parametrize("framing", FRAMINGS)
def test_requests_are_taken_whole_or_not(framing: Framing) -> None:
    ends = requests(framing, 1500, 3, bank())
    assert not {fault: ends[fault] for fault in FAULTS if ends[fault]}
    assert ends["answered"] > 400
